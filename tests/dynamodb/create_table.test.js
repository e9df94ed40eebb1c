// CreateTable: what a table looks like when it is made, and every definition the service refuses.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  attributes,
  invalid,
  keySchema,
  newTable,
  projectAll,
  rejects,
  send,
  unique,
  untilActive,
} from '../support/dynamodb.js';

const onDemand = { BillingMode: 'PAY_PER_REQUEST' };
const hashOnly = {
  ...onDemand,
  AttributeDefinitions: attributes('pk'),
  KeySchema: keySchema('pk'),
};

// Tools such as Terraform and CDK read these members straight after creation.
test('an on-demand table is described as the service does', async (t) => {
  const TableName = unique('create');
  t.after(() => send('DeleteTable', { TableName }));
  const { TableDescription: made } = await send('CreateTable', { ...hashOnly, TableName });
  assert.equal(made.TableStatus, 'CREATING');
  assert.equal(made.TableName, TableName);
  assert.match(
    made.TableArn,
    new RegExp(`^arn:aws:dynamodb:[a-z0-9-]+:\\d{12}:table/${TableName}$`),
  );
  assert.match(made.TableId, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assert.deepEqual(made.KeySchema, keySchema('pk'));
  assert.deepEqual(made.AttributeDefinitions, attributes('pk'));
  assert.equal(made.ItemCount, 0);
  assert.equal(made.TableSizeBytes, 0);
  assert.equal(made.DeletionProtectionEnabled, false);
  assert.equal(made.BillingModeSummary.BillingMode, 'PAY_PER_REQUEST');
  assert.equal(made.ProvisionedThroughput.ReadCapacityUnits, 0);
  assert.equal(made.ProvisionedThroughput.WriteCapacityUnits, 0);
  assert.equal(made.ProvisionedThroughput.NumberOfDecreasesToday, 0);
  assert.ok(Math.abs(made.CreationDateTime - Date.now()) < 60_000);

  const described = await untilActive(TableName);
  assert.equal(described.TableId, made.TableId);
  assert.equal(described.BillingModeSummary.BillingMode, 'PAY_PER_REQUEST');
});

// Provisioned is the default mode of old templates; its summary is absent on the wire.
test('a provisioned table keeps its throughput', async () => {
  const TableName = await newTable('pk', {
    BillingMode: undefined,
    ProvisionedThroughput: { ReadCapacityUnits: 7, WriteCapacityUnits: 3 },
  });
  const { Table } = await send('DescribeTable', { TableName });
  assert.equal(Table.ProvisionedThroughput.ReadCapacityUnits, 7);
  assert.equal(Table.ProvisionedThroughput.WriteCapacityUnits, 3);
  assert.equal(Table.BillingModeSummary, undefined);
});

// Index descriptions carry ARNs that policies and alarms refer to.
test('indexes are described with their keys, projection and ARN', async () => {
  const TableName = await newTable('pk sk', {
    AttributeDefinitions: attributes('g', 'l:N'),
    GlobalSecondaryIndexes: [
      {
        IndexName: 'by-g',
        KeySchema: keySchema('g', 'pk'),
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['x', 'y'] },
      },
    ],
    LocalSecondaryIndexes: [
      {
        IndexName: 'by-l',
        KeySchema: keySchema('pk', 'l'),
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
  });
  const { Table } = await send('DescribeTable', { TableName });
  const [global] = Table.GlobalSecondaryIndexes;
  assert.equal(global.IndexName, 'by-g');
  assert.equal(global.IndexStatus, 'ACTIVE');
  assert.equal(global.IndexArn, `${Table.TableArn}/index/by-g`);
  assert.deepEqual(global.KeySchema, keySchema('g', 'pk'));
  assert.deepEqual(global.Projection, { ProjectionType: 'INCLUDE', NonKeyAttributes: ['x', 'y'] });
  assert.equal(global.ItemCount, 0);
  assert.equal(global.IndexSizeBytes, 0);
  const [local] = Table.LocalSecondaryIndexes;
  assert.equal(local.IndexArn, `${Table.TableArn}/index/by-l`);
  assert.deepEqual(local.Projection, { ProjectionType: 'KEYS_ONLY' });
  assert.equal(local.IndexStatus, undefined);
});

// Deployment scripts rely on this error to know that the table is already there.
test('a second table of the same name is refused', async () => {
  const TableName = await newTable('pk');
  await rejects(
    send('CreateTable', { ...hashOnly, TableName }),
    'ResourceInUseException',
    `Table already exists: ${TableName}`,
  );
});

// Options that do not change behaviour here must still be kept and shown.
test('stream, encryption, class and deletion protection are kept', async (t) => {
  const TableName = unique('settings');
  t.after(async () => {
    await send('UpdateTable', { TableName, DeletionProtectionEnabled: false });
    await send('DeleteTable', { TableName });
  });
  await send('CreateTable', {
    ...hashOnly,
    TableName,
    DeletionProtectionEnabled: true,
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    SSESpecification: { Enabled: true, SSEType: 'KMS' },
    TableClass: 'STANDARD_INFREQUENT_ACCESS',
  });
  const table = await untilActive(TableName);
  assert.equal(table.DeletionProtectionEnabled, true);
  assert.deepEqual(table.StreamSpecification, {
    StreamEnabled: true,
    StreamViewType: 'NEW_AND_OLD_IMAGES',
  });
  assert.match(table.LatestStreamLabel, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/);
  assert.equal(table.LatestStreamArn, `${table.TableArn}/stream/${table.LatestStreamLabel}`);
  assert.equal(table.SSEDescription.Status, 'ENABLED');
  assert.equal(table.SSEDescription.SSEType, 'KMS');
  assert.equal(table.TableClassSummary.TableClass, 'STANDARD_INFREQUENT_ACCESS');
});

const gsi = (more = {}) => ({
  IndexName: 'index',
  KeySchema: keySchema('pk'),
  Projection: projectAll,
  ...more,
});
const withGsi = (...indexes) => ({ ...hashOnly, GlobalSecondaryIndexes: indexes });
const ranged = {
  ...onDemand,
  AttributeDefinitions: attributes('pk', 'sk', 'x'),
  KeySchema: keySchema('pk', 'sk'),
};
const lsi = (more = {}) => ({
  IndexName: 'local',
  KeySchema: keySchema('pk', 'x'),
  Projection: projectAll,
  ...more,
});

const ONE = '1 validation error detected: ';
const PARAMETERS = 'One or more parameter values were invalid: ';

// Each row: what is wrong, the request, and the message. A null table name is left out.
const refusals = [
  // Names are checked before anything else, with the API's own wording for each constraint.
  [
    'no table name',
    { ...hashOnly, TableName: null },
    "The parameter 'TableName' is required but was not present in the request",
  ],
  [
    'a name of two characters',
    { ...hashOnly, TableName: 'ab' },
    `${ONE}Value 'ab' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 3`,
  ],
  [
    'a name of 256 characters',
    { ...hashOnly, TableName: 'a'.repeat(256) },
    /'tableName' failed to satisfy constraint: Member must have length less than or equal to 255/,
  ],
  [
    'a name with a forbidden character',
    { ...hashOnly, TableName: 'abc;d' },
    `${ONE}Value 'abc;d' at 'tableName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+`,
  ],

  // Enumerations list their values in the service's order, not the model's.
  [
    'an unknown key type',
    { ...hashOnly, KeySchema: [{ AttributeName: 'pk', KeyType: 'INVALID' }] },
    `${ONE}Value 'INVALID' at 'keySchema.1.member.keyType' failed to satisfy constraint: Member must satisfy enum value set: [HASH, RANGE]`,
  ],
  [
    'an unknown attribute type',
    { ...hashOnly, AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'Q' }] },
    `${ONE}Value 'Q' at 'attributeDefinitions.1.member.attributeType' failed to satisfy constraint: Member must satisfy enum value set: [B, N, S]`,
  ],
  [
    'an unknown billing mode',
    { ...hashOnly, BillingMode: 'FREE' },
    /'billingMode' failed to satisfy constraint: Member must satisfy enum value set: \[PROVISIONED, PAY_PER_REQUEST\]/,
  ],
  [
    'an unknown projection type',
    withGsi(gsi({ Projection: { ProjectionType: 'SOME' } })),
    /projectionType' failed to satisfy constraint: Member must satisfy enum value set: \[ALL, INCLUDE, KEYS_ONLY\]/,
  ],

  // Keys must be defined, and nothing but keys may be.
  [
    'a key without a definition',
    { ...hashOnly, AttributeDefinitions: attributes('other') },
    /AttributeDefinitions|no definition/,
  ],
  [
    'a definition that no key uses',
    { ...hashOnly, AttributeDefinitions: attributes('pk', 'spare') },
    /Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions|Some AttributeDefinitions are not used/,
  ],
  ['no key schema', { ...onDemand, AttributeDefinitions: attributes('pk') }, /[kK]eySchema/],
  [
    'no attribute definitions',
    { ...onDemand, KeySchema: keySchema('pk') },
    /AttributeDefinitions|attributeDefinitions/,
  ],
  [
    'a first key that is not HASH',
    { ...hashOnly, KeySchema: [{ AttributeName: 'pk', KeyType: 'RANGE' }] },
    'Invalid KeySchema: The first KeySchemaElement is not a HASH key type',
  ],
  [
    'a second key that is not RANGE',
    { ...onDemand, AttributeDefinitions: attributes('a', 'b'), KeySchema: keySchema(['a', 'b']) },
    'Invalid KeySchema: The second KeySchemaElement is not a RANGE key type',
  ],
  [
    'one attribute as both keys',
    { ...hashOnly, KeySchema: keySchema('pk', 'pk') },
    'Both the Hash Key and the Range Key element in the KeySchema have the same name',
  ],
  [
    'three key attributes in a table',
    {
      ...onDemand,
      AttributeDefinitions: attributes('a', 'b', 'c'),
      KeySchema: keySchema('a', ['b', 'c']),
    },
    /[kK]eySchema/,
  ],
  [
    'an attribute defined twice',
    { ...hashOnly, AttributeDefinitions: [...attributes('pk'), ...attributes('pk:N')] },
    /two attributes with the same name|[Dd]uplicate/,
  ],

  // Billing mode and throughput must agree, for the table and for each index.
  [
    'throughput on demand',
    { ...hashOnly, ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 } },
    `${PARAMETERS}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST`,
  ],
  [
    'provisioned without throughput',
    { ...hashOnly, BillingMode: 'PROVISIONED' },
    `${PARAMETERS}ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED`,
  ],
  [
    'throughput of zero',
    {
      ...hashOnly,
      BillingMode: 'PROVISIONED',
      ProvisionedThroughput: { ReadCapacityUnits: 0, WriteCapacityUnits: 1 },
    },
    `${ONE}Value '0' at 'provisionedThroughput.readCapacityUnits' failed to satisfy constraint: Member must have value greater than or equal to 1`,
  ],
  [
    'an index with throughput on demand',
    withGsi(gsi({ ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 } })),
    /ProvisionedThroughput|ReadCapacityUnits/,
  ],
  [
    'an index without throughput in a provisioned table',
    {
      ...withGsi(gsi()),
      BillingMode: 'PROVISIONED',
      ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
    },
    /[Tt]hroughput|ReadCapacityUnits/,
  ],

  // Indexes have limits of number, name, key and projection.
  [
    'an empty list of global indexes',
    { ...hashOnly, GlobalSecondaryIndexes: [] },
    /GlobalSecondaryIndexes is empty/,
  ],
  [
    'an empty list of local indexes',
    { ...hashOnly, LocalSecondaryIndexes: [] },
    /LocalSecondaryIndexes is empty/,
  ],
  ['two indexes of one name', withGsi(gsi(), gsi()), `${PARAMETERS}Duplicate index name: index`],
  [
    'an index name of two characters',
    withGsi(gsi({ IndexName: 'ab' })),
    `${ONE}Value 'ab' at 'globalSecondaryIndexes.1.member.indexName' failed to satisfy constraint: Member must have length greater than or equal to 3`,
  ],
  [
    '21 global indexes',
    withGsi(...Array.from({ length: 21 }, (_, i) => gsi({ IndexName: `index${i}` }))),
    /limit of 20/,
  ],
  [
    'six local indexes',
    {
      ...onDemand,
      AttributeDefinitions: attributes('pk', 'sk', ...Array.from({ length: 6 }, (_, i) => `x${i}`)),
      KeySchema: keySchema('pk', 'sk'),
      LocalSecondaryIndexes: Array.from({ length: 6 }, (_, i) =>
        lsi({ IndexName: `local${i}`, KeySchema: keySchema('pk', `x${i}`) }),
      ),
    },
    /limit of 5/,
  ],
  [
    'a local index on a table without sort key',
    { ...hashOnly, AttributeDefinitions: attributes('pk', 'x'), LocalSecondaryIndexes: [lsi()] },
    `${PARAMETERS}Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex`,
  ],
  [
    'a local index with another hash key',
    { ...ranged, LocalSecondaryIndexes: [lsi({ KeySchema: keySchema('x', 'sk') })] },
    /hash key/,
  ],
  [
    'a local index without a sort key',
    {
      ...ranged,
      AttributeDefinitions: attributes('pk', 'sk'),
      LocalSecondaryIndexes: [lsi({ KeySchema: keySchema('pk') })],
    },
    /range key/,
  ],
  [
    'an index key without a definition',
    withGsi(gsi({ KeySchema: keySchema('nowhere') })),
    /not defined in AttributeDefinitions/,
  ],
  ['a projection without a type', withGsi(gsi({ Projection: {} })), /Unknown ProjectionType: null/],
  [
    'INCLUDE without attributes',
    withGsi(gsi({ Projection: { ProjectionType: 'INCLUDE' } })),
    `${PARAMETERS}ProjectionType is INCLUDE, but NonKeyAttributes is not specified`,
  ],
  [
    'KEYS_ONLY with attributes',
    withGsi(gsi({ Projection: { ProjectionType: 'KEYS_ONLY', NonKeyAttributes: ['a'] } })),
    `${PARAMETERS}ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified`,
  ],
  [
    'ALL with attributes',
    withGsi(gsi({ Projection: { ProjectionType: 'ALL', NonKeyAttributes: ['a'] } })),
    `${PARAMETERS}ProjectionType is ALL, but NonKeyAttributes is specified`,
  ],
  [
    'more than 100 projected attributes in all',
    withGsi(
      ...Array.from({ length: 6 }, (_, i) =>
        gsi({
          IndexName: `index${i}`,
          Projection: {
            ProjectionType: 'INCLUDE',
            NonKeyAttributes: Array.from({ length: 20 }, (_, j) => `a${i}-${j}`),
          },
        }),
      ),
    ),
    /100/,
  ],
  [
    'five hash attributes in a global index',
    {
      ...onDemand,
      AttributeDefinitions: attributes('pk', 'a', 'b', 'c', 'd', 'e'),
      KeySchema: keySchema('pk'),
      GlobalSecondaryIndexes: [gsi({ KeySchema: keySchema(['a', 'b', 'c', 'd', 'e']) })],
    },
    /[kK]eySchema|HASH|4/,
  ],

  // A stream that is on needs to know what to hold.
  [
    'a stream without a view type',
    { ...hashOnly, StreamSpecification: { StreamEnabled: true } },
    /StreamViewType|view/i,
  ],
  [
    'a tag key of 129 characters',
    { ...hashOnly, Tags: [{ Key: 'k'.repeat(129), Value: 'v' }] },
    /^The Tag Key provided is invalid, Key: k+$/,
  ],
];

for (const [what, request, message] of refusals) {
  test(`CreateTable refuses ${what}`, async () => {
    const TableName =
      request.TableName === null ? undefined : (request.TableName ?? unique('refused'));
    await invalid(send('CreateTable', { ...request, TableName }), message);
  });
}

// Definitions and projected attributes come back sorted, whatever their order was.
test('attributes are described by their names', async () => {
  const TableName = await newTable('z', {
    AttributeDefinitions: attributes('a'),
    GlobalSecondaryIndexes: [
      {
        IndexName: 'by-a',
        KeySchema: keySchema('a'),
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['q', 'b'] },
      },
    ],
  });
  const { Table } = await send('DescribeTable', { TableName });
  assert.deepEqual(Table.AttributeDefinitions, attributes('a', 'z'));
  assert.deepEqual(Table.GlobalSecondaryIndexes[0].Projection.NonKeyAttributes, ['b', 'q']);
});

// Several mistakes come back in one answer with their number in front.
test('constraint errors are counted and joined', async () => {
  await invalid(
    send('CreateTable', {
      ...onDemand,
      TableName: 'a;',
      AttributeDefinitions: attributes('pk'),
      KeySchema: [{ AttributeName: 'pk', KeyType: 'NEITHER' }],
    }),
    /^[23] validation errors detected: .*; .*/,
  );
});
