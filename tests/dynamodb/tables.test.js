// DescribeTable, ListTables, UpdateTable, DeleteTable, tags, time to live, limits and endpoints.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import {
  paginateListTables,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';

import {
  attributes,
  client,
  invalid,
  keySchema,
  newTable,
  projectAll,
  rejects,
  S,
  send,
  unique,
  untilActive,
} from '../support/dynamodb.js';
import { isAws } from '../support/endpoint.js';

let shared;
let arn;

before(async () => {
  shared = await newTable('pk');
  arn = (await send('DescribeTable', { TableName: shared })).Table.TableArn;
});

// The control plane names the table in its message; item operations do not.
test('describing a missing table names it', async () => {
  await rejects(
    send('DescribeTable', { TableName: 'no-such-table' }),
    'ResourceNotFoundException',
    'Requested resource not found: Table: no-such-table not found',
  );
});

// Newer SDKs accept an ARN wherever a table name goes.
test('a table can be named by its ARN', async () => {
  const { Table } = await send('DescribeTable', { TableName: arn });
  assert.equal(Table.TableName, shared);
  await send('PutItem', { TableName: arn, Item: { pk: S('by-arn') } });
  const { Item } = await send('GetItem', { TableName: arn, Key: { pk: S('by-arn') } });
  assert.deepEqual(Item, { pk: S('by-arn') });
});

// On-demand tables show the throughput they can take at once.
test('an on-demand table shows its warm throughput', async () => {
  const { Table } = await send('DescribeTable', { TableName: shared });
  assert.equal(Table.WarmThroughput.ReadUnitsPerSecond, 12000);
  assert.equal(Table.WarmThroughput.WriteUnitsPerSecond, 4000);
  assert.equal(Table.WarmThroughput.Status, 'ACTIVE');
});

// Pages of one name at a time must visit each table once.
test('ListTables pages through all names', async () => {
  const wanted = new Set([await newTable('pk'), await newTable('pk'), shared]);
  const seen = [];
  let ExclusiveStartTableName;
  do {
    const page = await send('ListTables', { Limit: 2, ExclusiveStartTableName });
    assert.ok(page.TableNames.length <= 2);
    seen.push(...page.TableNames);
    ExclusiveStartTableName = page.LastEvaluatedTableName;
    if (ExclusiveStartTableName) assert.equal(ExclusiveStartTableName, page.TableNames.at(-1));
  } while (ExclusiveStartTableName);
  for (const name of wanted) assert.equal(seen.filter((each) => each === name).length, 1);
});

// The SDK's own paginator must come to an end.
test('the ListTables paginator works', async () => {
  const names = [];
  for await (const page of paginateListTables({ client, pageSize: 3 }, {}))
    names.push(...page.TableNames);
  assert.ok(names.includes(shared));
});

// The page size has a range of its own.
test('ListTables refuses limits of 0 and 101', async () => {
  await invalid(send('ListTables', { Limit: 0 }), /'limit'.*greater than or equal to 1/i);
  await invalid(send('ListTables', { Limit: 101 }), /'limit'.*less than or equal to 100/i);
});

// Waiters poll every 20 seconds: a table that is not ready at the first look costs that much.
test('the SDK waiters see a table come and go at once', { skip: isAws }, async () => {
  const TableName = unique('waited');
  await send('CreateTable', {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: attributes('pk'),
    KeySchema: keySchema('pk'),
  });
  await waitUntilTableExists({ client, maxWaitTime: 5, minDelay: 1, maxDelay: 1 }, { TableName });
  await send('DeleteTable', { TableName });
  await waitUntilTableNotExists(
    { client, maxWaitTime: 5, minDelay: 1, maxDelay: 1 },
    { TableName },
  );
});

// DeleteTable answers a reduced description, and the data goes with the table.
test('a deleted table is gone with its items', async () => {
  const TableName = await newTable('pk');
  await send('PutItem', { TableName, Item: { pk: S('x') } });
  const { TableDescription } = await send('DeleteTable', { TableName });
  assert.equal(TableDescription.TableStatus, 'DELETING');
  assert.equal(TableDescription.KeySchema, undefined);
  await rejects(
    send('GetItem', { TableName, Key: { pk: S('x') } }),
    'ResourceNotFoundException',
    'Requested resource not found',
  );
});

// The same name may be used again at once and must not show old items.
test('a table made again under the same name is empty', { skip: isAws }, async () => {
  const TableName = await newTable('pk');
  await send('PutItem', { TableName, Item: { pk: S('old') } });
  await send('DeleteTable', { TableName });
  await newTable('pk', { TableName });
  const { Count } = await send('Scan', { TableName });
  assert.equal(Count, 0);
});

test('deleting a missing table names it', async () => {
  await rejects(
    send('DeleteTable', { TableName: 'no-such-table' }),
    'ResourceNotFoundException',
    'Requested resource not found: Table: no-such-table not found',
  );
});

// Production tables are guarded against a script that deletes the wrong one.
test('deletion protection holds until it is switched off', async () => {
  const TableName = await newTable('pk', { DeletionProtectionEnabled: true });
  await invalid(
    send('DeleteTable', { TableName }),
    'Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.',
  );
  const { TableDescription } = await send('UpdateTable', {
    TableName,
    DeletionProtectionEnabled: false,
  });
  assert.equal(TableDescription.DeletionProtectionEnabled, false);
  await send('DeleteTable', { TableName });
});

test('UpdateTable needs something to do', async () => {
  await invalid(send('UpdateTable', { TableName: shared }), /At least one of/);
});

test('UpdateTable of a missing table is refused', async () => {
  await rejects(
    send('UpdateTable', { TableName: 'no-such-table', DeletionProtectionEnabled: false }),
    'ResourceNotFoundException',
    /Table: no-such-table not found/,
  );
});

// Billing can be switched both ways; going back to provisioned needs figures.
test('the billing mode can be changed', async () => {
  const TableName = await newTable('pk');
  await invalid(
    send('UpdateTable', { TableName, BillingMode: 'PROVISIONED' }),
    /ProvisionedThroughput must be specified when BillingMode is PROVISIONED/,
  );
  await send('UpdateTable', {
    TableName,
    BillingMode: 'PROVISIONED',
    ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 6 },
  });
  const table = await untilActive(TableName);
  assert.equal(table.ProvisionedThroughput.ReadCapacityUnits, 5);
  assert.equal(table.ProvisionedThroughput.WriteCapacityUnits, 6);
});

// A change that changes nothing is a mistake the service reports.
test('throughput that stays the same is refused', async () => {
  const ProvisionedThroughput = { ReadCapacityUnits: 2, WriteCapacityUnits: 2 };
  const TableName = await newTable('pk', { BillingMode: 'PROVISIONED', ProvisionedThroughput });
  await invalid(send('UpdateTable', { TableName, ProvisionedThroughput }), /will not change/);
  await send('UpdateTable', {
    TableName,
    ProvisionedThroughput: { ReadCapacityUnits: 3, WriteCapacityUnits: 2 },
  });
  const table = await untilActive(TableName);
  assert.equal(table.ProvisionedThroughput.ReadCapacityUnits, 3);
});

test('throughput is refused on an on-demand table', async () => {
  await invalid(
    send('UpdateTable', {
      TableName: shared,
      ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
    }),
    /ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST/,
  );
});

// The service builds one index at a time.
test('two index changes in one call are refused', async () => {
  const create = (IndexName) => ({
    Create: { IndexName, KeySchema: keySchema('g'), Projection: projectAll },
  });
  await rejects(
    send('UpdateTable', {
      TableName: shared,
      AttributeDefinitions: attributes('g'),
      GlobalSecondaryIndexUpdates: [create('one'), create('two')],
    }),
    'LimitExceededException',
    'Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table',
  );
});

test('an index that is not there cannot be deleted', async () => {
  await rejects(
    send('UpdateTable', {
      TableName: shared,
      GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'missing' } }],
    }),
    'ResourceNotFoundException',
    `Requested resource not found: Index missing for table ${shared}`,
  );
});

// The service makes one change at a time and answers the state before it.
test('changes that cannot go together are refused', async () => {
  await invalid(
    send('UpdateTable', {
      TableName: shared,
      DeletionProtectionEnabled: true,
      SSESpecification: { Enabled: true },
    }),
    'One or more parameter values were invalid: Server-Side Encryption modification must be the only operation in the request',
  );
  await invalid(
    send('UpdateTable', {
      TableName: shared,
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
      OnDemandThroughput: { MaxReadRequestUnits: 10 },
    }),
    'One or more parameter values were invalid: OnDemandThroughput can only be combined with BillingMode in an UpdateTable request',
  );
});

test('a table that was on-demand once says so', async () => {
  const TableName = await newTable('pk');
  await send('UpdateTable', {
    TableName,
    BillingMode: 'PROVISIONED',
    ProvisionedThroughput: { ReadCapacityUnits: 2, WriteCapacityUnits: 1 },
  });
  const table = await untilActive(TableName);
  assert.equal(table.BillingModeSummary.BillingMode, 'PROVISIONED');
  assert.ok(table.BillingModeSummary.LastUpdateToPayPerRequestDateTime instanceof Date);
  // What a table could take at once it can take for ever.
  assert.equal(table.WarmThroughput.ReadUnitsPerSecond, 12000);
});

test('encryption changes while the table stays active', { skip: isAws }, async () => {
  const TableName = await newTable('pk');
  const { TableDescription } = await send('UpdateTable', {
    TableName,
    SSESpecification: { Enabled: true },
  });
  assert.equal(TableDescription.TableStatus, 'ACTIVE');
  assert.deepEqual(TableDescription.SSEDescription, { Status: 'UPDATING' });
  const { Table } = await send('DescribeTable', { TableName });
  assert.equal(Table.SSEDescription.Status, 'ENABLED');
  await send('UpdateTable', { TableName, SSESpecification: { Enabled: false } });
  await invalid(
    send('UpdateTable', { TableName, SSESpecification: { Enabled: false } }),
    'One or more parameter values were invalid: Table is already encrypted by default',
  );
});

// A limit that is taken away is shown as -1 once, and then not at all.
test('on-demand limits come and go', { skip: isAws }, async () => {
  const TableName = await newTable('pk');
  const change = async (OnDemandThroughput) => {
    const { TableDescription } = await send('UpdateTable', { TableName, OnDemandThroughput });
    assert.equal(TableDescription.TableStatus, 'ACTIVE');
    const { Table } = await send('DescribeTable', { TableName });
    return [TableDescription.OnDemandThroughput, Table.OnDemandThroughput];
  };
  const both = { MaxReadRequestUnits: 100, MaxWriteRequestUnits: 50 };
  assert.deepEqual(await change(both), [both, both]);
  assert.deepEqual(await change({ MaxReadRequestUnits: -1 }), [
    { MaxReadRequestUnits: -1, MaxWriteRequestUnits: 50 },
    { MaxWriteRequestUnits: 50 },
  ]);
  assert.deepEqual(await change({ MaxWriteRequestUnits: -1 }), [
    { MaxWriteRequestUnits: -1 },
    undefined,
  ]);
});

// A new index's keys must be defined in the same call.
test('a new index needs its attribute definitions', async () => {
  await invalid(
    send('UpdateTable', {
      TableName: shared,
      GlobalSecondaryIndexUpdates: [
        { Create: { IndexName: 'bare', KeySchema: keySchema('bare'), Projection: projectAll } },
      ],
    }),
    /no definition|AttributeDefinitions/,
  );
});

// Tags at creation, and the three tag operations.
test('tags can be added, replaced, listed and removed', async () => {
  const TableName = await newTable('pk', { Tags: [{ Key: 'team', Value: 'vendas' }] });
  const { Table } = await send('DescribeTable', { TableName });
  const ResourceArn = Table.TableArn;
  await send('TagResource', {
    ResourceArn,
    Tags: [
      { Key: 'team', Value: 'estoque' },
      { Key: 'empty', Value: '' },
    ],
  });
  const { Tags } = await send('ListTagsOfResource', { ResourceArn });
  const byKey = Object.fromEntries(Tags.map(({ Key, Value }) => [Key, Value]));
  assert.deepEqual(byKey, { team: 'estoque', empty: '' });
  await send('UntagResource', { ResourceArn, TagKeys: ['team', 'never-there'] });
  const left = await send('ListTagsOfResource', { ResourceArn });
  assert.deepEqual(left.Tags, [{ Key: 'empty', Value: '' }]);
});

test('tags have limits', async () => {
  const Tags = Array.from({ length: 51 }, (_, i) => ({ Key: `k${i}`, Value: 'v' }));
  await invalid(
    send('TagResource', { ResourceArn: arn, Tags }),
    'Number of Tags exceed the current limit for the provided ResourceArn',
  );
  await invalid(
    send('TagResource', { ResourceArn: arn, Tags: [{ Key: 'k', Value: 'v'.repeat(257) }] }),
    /^The Tag Value provided is invalid, Value: v+$/,
  );
  await invalid(
    send('TagResource', { ResourceArn: arn, Tags: [{ Key: 'aws:reserved', Value: 'v' }] }),
    'Tag Key cannot be prefixed with aws:, Key: aws:reserved',
  );
});

test('tags of a missing table are refused', async () => {
  const missing = arn.replace(shared, 'no-such-table');
  await rejects(send('ListTagsOfResource', { ResourceArn: missing }), 'ResourceNotFoundException');
  await rejects(
    send('TagResource', { ResourceArn: missing, Tags: [{ Key: 'a', Value: 'b' }] }),
    'ResourceNotFoundException',
  );
});

// The runbook of the trading design does exactly these calls.
test('time to live is off, then on, and says so', async () => {
  const TableName = await newTable('pk');
  const off = await send('DescribeTimeToLive', { TableName });
  assert.deepEqual(off.TimeToLiveDescription, { TimeToLiveStatus: 'DISABLED' });
  const TimeToLiveSpecification = { Enabled: true, AttributeName: 'ttl' };
  const answer = await send('UpdateTimeToLive', { TableName, TimeToLiveSpecification });
  assert.deepEqual(answer.TimeToLiveSpecification, TimeToLiveSpecification);
  const on = await send('DescribeTimeToLive', { TableName });
  assert.match(on.TimeToLiveDescription.TimeToLiveStatus, /^ENABL(ED|ING)$/);
  assert.equal(on.TimeToLiveDescription.AttributeName, 'ttl');
});

test('time to live refuses what it already is', { skip: isAws }, async () => {
  const TableName = await newTable('pk');
  const update = (Enabled, AttributeName) =>
    send('UpdateTimeToLive', { TableName, TimeToLiveSpecification: { Enabled, AttributeName } });
  await invalid(update(false, 'ttl'), 'TimeToLive is already disabled');
  await update(true, 'ttl');
  await invalid(update(true, 'ttl'), 'TimeToLive is already enabled');
  await invalid(
    update(false, 'other'),
    'TimeToLive is active on a different AttributeName: current AttributeName is ttl',
  );
});

test('time to live checks its parameters and table', async () => {
  await invalid(
    send('UpdateTimeToLive', {
      TableName: shared,
      TimeToLiveSpecification: { Enabled: true, AttributeName: '' },
    }),
    /greater than or equal to 1/,
  );
  await rejects(
    send('DescribeTimeToLive', { TableName: 'no-such-table' }),
    'ResourceNotFoundException',
    /no-such-table/,
  );
});

// Capacity planners read these.
test('DescribeLimits answers the account and table limits', async () => {
  const limits = await send('DescribeLimits');
  for (const scope of ['Account', 'Table']) {
    for (const kind of ['Read', 'Write']) assert.ok(limits[`${scope}Max${kind}CapacityUnits`] > 0);
  }
});

// SDKs with endpoint discovery on call this first and then use the address.
test('DescribeEndpoints answers an address and how long it holds', async () => {
  const { Endpoints } = await send('DescribeEndpoints');
  assert.equal(Endpoints.length, 1);
  assert.match(Endpoints[0].Address, /\S+/);
  assert.equal(Endpoints[0].CachePeriodInMinutes, 1440);
});

// Item counts of the real service lag by hours; here they are right at once.
test('the item count and size of a table are kept', { skip: isAws }, async () => {
  const TableName = await newTable('pk');
  await send('PutItem', { TableName, Item: { pk: S('12345678') } });
  await send('PutItem', { TableName, Item: { pk: S('87654321'), x: S('123') } });
  await send('DeleteItem', { TableName, Key: { pk: S('12345678') } });
  const { Table } = await send('DescribeTable', { TableName });
  assert.equal(Table.ItemCount, 1);
  assert.equal(Table.TableSizeBytes, 2 + 8 + 1 + 3);
});
