// Agricultural sales with lines and invoices, through the document client that the design's own
// examples use. Items are those of the document.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  paginateQuery,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';

import {
  attributes,
  client,
  keySchema,
  newTable,
  projectAll,
  rejects,
} from '../support/dynamodb.js';
import { sales } from './sales_items.js';

const dynamodb = DynamoDBDocumentClient.from(client);
const { sale, line, buyer, producer, invoice } = sales;

// The document's own item lists the producer on GSI1; its index section says GSI2, which is right.
const { GSI1PK: GSI2PK, GSI1SK: GSI2SK, ...producerRest } = producer;
const listedProducer = { ...producerRest, GSI2PK, GSI2SK };

const anotherSale = (id, status, date, more = {}) => ({
  PK: `SALE#${id}`,
  SK: '#METADATA#sale',
  EntityType: 'Sale',
  SaleId: id,
  BuyerId: 'BUYER001',
  ProducerId: 'PRODUCER001',
  SaleDate: date,
  Status: status,
  Total: 100.25,
  GSI1PK: 'BUYER#BUYER001',
  GSI1SK: `SALE#${date}`,
  GSI2PK: 'PRODUCER#PRODUCER001',
  GSI2SK: `SALE#${date}`,
  GSI3PK: `STATUS#${status}`,
  GSI3SK: `SALE#${date}`,
  ...more,
});
const december = anotherSale('SALE000', 'DELIVERED', '2025-12-20T09:00:00Z');
const february = anotherSale('SALE002', 'CONFIRMED', '2026-02-10T08:00:00Z');
const draft = anotherSale('SALE003', 'DRAFT', '2026-02-11T08:00:00Z', {
  GSI1PK: 'BUYER#BUYER002',
  BuyerId: 'BUYER002',
});
const secondLine = { ...line, SK: 'LINE#002', LineNumber: 2, ProductName: 'Soja Orgânica' };
const zeta = {
  PK: 'BUYER#BUYER002',
  SK: '#METADATA#buyer',
  EntityType: 'Buyer',
  BuyerId: 'BUYER002',
  Name: 'Zeta',
  GSI1PK: 'BUYERS',
  GSI1SK: 'BUYER#Zeta',
};
const everything = [
  sale,
  line,
  secondLine,
  invoice,
  buyer,
  zeta,
  listedProducer,
  december,
  february,
  draft,
];

let TableName;

before(async () => {
  TableName = await newTable('PK SK', {
    AttributeDefinitions: attributes('GSI1PK', 'GSI1SK', 'GSI2PK', 'GSI2SK', 'GSI3PK', 'GSI3SK'),
    GlobalSecondaryIndexes: [1, 2, 3].map((i) => ({
      IndexName: `GSI${i}`,
      KeySchema: keySchema(`GSI${i}PK`, `GSI${i}SK`),
      Projection: projectAll,
    })),
  });
  for (const Item of everything) await dynamodb.send(new PutCommand({ TableName, Item }));
});

const get = async (PK, SK) =>
  (await dynamodb.send(new GetCommand({ TableName, Key: { PK, SK } }))).Item;
const query = async (KeyConditionExpression, ExpressionAttributeValues, more = {}) =>
  (
    await dynamodb.send(
      new QueryCommand({ TableName, KeyConditionExpression, ExpressionAttributeValues, ...more }),
    )
  ).Items;
const onIndex = (n, pk, more) =>
  query(`GSI${n}PK = :pk`, { ':pk': pk }, { IndexName: `GSI${n}`, ...more });
const starting = (n, pk, sk, more) =>
  query(
    `GSI${n}PK = :pk AND begins_with(GSI${n}SK, :sk)`,
    { ':pk': pk, ':sk': sk },
    { IndexName: `GSI${n}`, ...more },
  );
const between = (n, pk, from, to) =>
  query(
    `GSI${n}PK = :pk AND GSI${n}SK BETWEEN :start AND :end`,
    { ':pk': pk, ':start': from, ':end': to },
    { IndexName: `GSI${n}` },
  );

test('SAL-Q1 a sale by id', async () =>
  assert.deepEqual(await get('SALE#SALE001', '#METADATA#sale'), sale));

test('SAL-Q2 all sales, in pages, by a scan', async () => {
  const found = [];
  let ExclusiveStartKey;
  do {
    const page = await dynamodb.send(
      new ScanCommand({
        TableName,
        FilterExpression: 'EntityType = :t',
        ExpressionAttributeValues: { ':t': 'Sale' },
        Limit: 3,
        ExclusiveStartKey,
      }),
    );
    found.push(...page.Items.map((item) => item.SaleId));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  assert.deepEqual(found.sort(), ['SALE000', 'SALE001', 'SALE002', 'SALE003']);
});

test('SAL-Q3 the lines of a sale', async () => {
  assert.deepEqual(
    await query('PK = :pk AND begins_with(SK, :sk)', { ':pk': 'SALE#SALE001', ':sk': 'LINE#' }),
    [line, secondLine],
  );
});

// '#' sorts before letters: invoice, header, lines.
test('SAL-Q3b a sale with all its lines', async () => {
  assert.deepEqual(await query('PK = :pk', { ':pk': 'SALE#SALE001' }), [
    invoice,
    sale,
    line,
    secondLine,
  ]);
});

test('SAL-Q4 a buyer by id', async () =>
  assert.deepEqual(await get('BUYER#BUYER001', '#METADATA#buyer'), buyer));
test('SAL-Q5 all buyers alphabetically', async () =>
  assert.deepEqual(await onIndex(1, 'BUYERS'), [buyer, zeta]));

test('SAL-Q6 sales of a buyer, newest first', async () => {
  assert.deepEqual(await onIndex(1, 'BUYER#BUYER001', { ScanIndexForward: false }), [
    february,
    sale,
    december,
  ]);
  assert.deepEqual(await starting(1, 'BUYER#BUYER001', 'SALE#'), [december, sale, february]);
});

// A bound of a bare date leaves out that whole day.
test('SAL-Q6b sales of a buyer in a date range', async () => {
  assert.deepEqual(await between(1, 'BUYER#BUYER001', 'SALE#2026-01-01', 'SALE#2026-01-31'), [
    sale,
  ]);
  assert.deepEqual(await between(1, 'BUYER#BUYER001', 'SALE#2026-01-01', 'SALE#2026-01-30'), []);
});

test('SAL-Q7 a producer by id', async () =>
  assert.deepEqual(await get('PRODUCER#PRODUCER001', '#METADATA#producer'), listedProducer));
test('SAL-Q8 all producers alphabetically', async () => {
  assert.deepEqual(await starting(2, 'PRODUCERS', 'PRODUCER#'), [listedProducer]);
  assert.deepEqual(await onIndex(1, 'PRODUCERS'), []);
});
test('SAL-Q9 sales of a producer', async () => {
  assert.deepEqual(await starting(2, 'PRODUCER#PRODUCER001', 'SALE#'), [
    december,
    sale,
    february,
    draft,
  ]);
});
test('SAL-Q9b sales of a producer in a date range', async () => {
  assert.deepEqual(await between(2, 'PRODUCER#PRODUCER001', 'SALE#2026-01-01', 'SALE#2026-01-31'), [
    sale,
  ]);
});

test('SAL-Q10 sales of a status in a date range', async () => {
  assert.deepEqual(
    await between(3, 'STATUS#CONFIRMED', 'SALE#2026-01-01T00:00:00Z', 'SALE#2026-01-31T23:59:59Z'),
    [sale],
  );
});

test('SAL-Q10 sales in a date range over all statuses', async () => {
  const statuses = ['DRAFT', 'CONFIRMED', 'INVOICED', 'SHIPPED', 'DELIVERED', 'CANCELLED'];
  const lists = await Promise.all(
    statuses.map((status) => between(3, `STATUS#${status}`, 'SALE#2026-01-01', 'SALE#2026-12-31')),
  );
  const merged = lists.flat().sort((a, b) => (a.GSI3SK < b.GSI3SK ? -1 : 1));
  assert.deepEqual(
    merged.map((item) => item.SaleId),
    ['SALE001', 'SALE002', 'SALE003'],
  );
});

test('SAL-Q11 sales by status', async () => {
  assert.deepEqual(await onIndex(3, 'STATUS#CONFIRMED'), [sale, february]);
});

test('SAL-Q11b the pipeline: sales counted by status', async () => {
  const count = async (status) =>
    (
      await dynamodb.send(
        new QueryCommand({
          TableName,
          IndexName: 'GSI3',
          KeyConditionExpression: 'GSI3PK = :pk',
          ExpressionAttributeValues: { ':pk': `STATUS#${status}` },
          Select: 'COUNT',
        }),
      )
    ).Count;
  assert.deepEqual(
    await Promise.all(['DRAFT', 'CONFIRMED', 'SHIPPED', 'DELIVERED'].map(count)),
    [1, 2, 0, 1],
  );
});

test('SAL-Q12 the invoice of a sale', async () =>
  assert.deepEqual(await get('SALE#SALE001', '#INVOICE#metadata'), invoice));

test('SAL-W1 a sale is created with its lines, once', async () => {
  const id = 'SALE-W1';
  const TransactItems = [
    anotherSale(id, 'DRAFT', '2027-01-01T00:00:00Z'),
    { ...line, PK: `SALE#${id}` },
    { ...secondLine, PK: `SALE#${id}` },
  ].map((Item) => ({ Put: { TableName, Item, ConditionExpression: 'attribute_not_exists(PK)' } }));
  await dynamodb.send(new TransactWriteCommand({ TransactItems, ClientRequestToken: 'sale-w1' }));
  // The same call again, as a client that lost the answer makes it, changes nothing.
  await dynamodb.send(new TransactWriteCommand({ TransactItems, ClientRequestToken: 'sale-w1' }));
  await rejects(
    dynamodb.send(new TransactWriteCommand({ TransactItems })),
    'TransactionCanceledException',
  );
  assert.equal((await query('PK = :pk', { ':pk': `SALE#${id}` })).length, 3);
});

test('SAL-W2 a sale is updated, its decimals exact', async () => {
  await dynamodb.send(
    new PutCommand({ TableName, Item: anotherSale('SALE-W2', 'DRAFT', '2027-01-02T00:00:00Z') }),
  );
  const { Attributes } = await dynamodb.send(
    new UpdateCommand({
      TableName,
      Key: { PK: 'SALE#SALE-W2', SK: '#METADATA#sale' },
      UpdateExpression: 'SET #t = #t + :extra, Notes = :n',
      ExpressionAttributeNames: { '#t': 'Total' },
      ExpressionAttributeValues: { ':extra': 0.1, ':n': 'Entrega à tarde' },
      ReturnValues: 'UPDATED_NEW',
    }),
  );
  assert.deepEqual(Attributes, { Total: 100.35, Notes: 'Entrega à tarde' });
});

test('SAL-W3 a change of status moves the sale in GSI3, from the right state only', async () => {
  await dynamodb.send(
    new PutCommand({
      TableName,
      Item: anotherSale('SALE-W3', 'CONFIRMED', '2028-01-01T00:00:00Z'),
    }),
  );
  const change = (from, to) =>
    dynamodb.send(
      new UpdateCommand({
        TableName,
        Key: { PK: 'SALE#SALE-W3', SK: '#METADATA#sale' },
        UpdateExpression: 'SET #s = :to, GSI3PK = :pk',
        ConditionExpression: '#s = :from',
        ExpressionAttributeNames: { '#s': 'Status' },
        ExpressionAttributeValues: { ':from': from, ':to': to, ':pk': `STATUS#${to}` },
      }),
    );
  await change('CONFIRMED', 'INVOICED');
  await rejects(change('CONFIRMED', 'CANCELLED'), 'ConditionalCheckFailedException');
  assert.deepEqual(
    (await onIndex(3, 'STATUS#INVOICED')).map((item) => item.SaleId),
    ['SALE-W3'],
  );
});

test('SAL-W4 a line is added together with the totals of its sale', async () => {
  const Key = { PK: 'SALE#SALE-W4', SK: '#METADATA#sale' };
  await dynamodb.send(
    new PutCommand({ TableName, Item: anotherSale('SALE-W4', 'DRAFT', '2027-01-04T00:00:00Z') }),
  );
  await dynamodb.send(
    new TransactWriteCommand({
      TransactItems: [
        {
          Put: {
            TableName,
            Item: { ...line, PK: Key.PK },
            ConditionExpression: 'attribute_not_exists(PK)',
          },
        },
        {
          Update: {
            TableName,
            Key,
            UpdateExpression: 'SET #t = #t + :v',
            ExpressionAttributeNames: { '#t': 'Total' },
            ExpressionAttributeValues: { ':v': line.Total },
          },
        },
      ],
    }),
  );
  assert.equal((await get(Key.PK, Key.SK)).Total, 27650.25);
});

test('SAL-W5 a buyer is created once', async () => {
  const create = () =>
    dynamodb.send(
      new PutCommand({
        TableName,
        Item: { ...buyer, PK: 'BUYER#BUYER-W5', BuyerId: 'BUYER-W5', GSI1PK: 'BUYERS-W5' },
        ConditionExpression: 'attribute_not_exists(PK)',
      }),
    );
  await create();
  await rejects(create(), 'ConditionalCheckFailedException');
  assert.equal((await get('BUYER#BUYER-W5', '#METADATA#buyer')).Address.City, 'São Paulo');
});

test('SAL-W6 a buyer is renamed with the copies of the name', async () => {
  const buyerKey = { PK: 'BUYER#BUYER-W6', SK: '#METADATA#buyer' };
  const saleKey = { PK: 'SALE#SALE-W6', SK: '#METADATA#sale' };
  await dynamodb.send(
    new PutCommand({ TableName, Item: { ...zeta, ...buyerKey, GSI1PK: 'BUYERS-W6' } }),
  );
  await dynamodb.send(
    new PutCommand({ TableName, Item: anotherSale('SALE-W6', 'DRAFT', '2027-01-06T00:00:00Z') }),
  );
  await dynamodb.send(
    new TransactWriteCommand({
      TransactItems: [
        {
          Update: {
            TableName,
            Key: buyerKey,
            UpdateExpression: 'SET #n = :n, GSI1SK = :sk',
            ExpressionAttributeNames: { '#n': 'Name' },
            ExpressionAttributeValues: { ':n': 'Álvaro & Filhos', ':sk': 'BUYER#Álvaro & Filhos' },
          },
        },
        {
          Update: {
            TableName,
            Key: saleKey,
            UpdateExpression: 'SET BuyerName = :n',
            ExpressionAttributeValues: { ':n': 'Álvaro & Filhos' },
          },
        },
      ],
    }),
  );
  const [renamed] = await onIndex(1, 'BUYERS-W6');
  assert.equal(renamed.GSI1SK, 'BUYER#Álvaro & Filhos');
  assert.equal((await get(saleKey.PK, saleKey.SK)).BuyerName, 'Álvaro & Filhos');
});

test('SAL-W7 an invoice is authorised together with its sale', async () => {
  const PK = 'SALE#SALE-W7';
  await dynamodb.send(
    new PutCommand({
      TableName,
      Item: anotherSale('SALE-W7', 'CONFIRMED', '2029-01-01T00:00:00Z'),
    }),
  );
  await dynamodb.send(
    new PutCommand({ TableName, Item: { ...invoice, PK, Status: 'PENDING_AUTHORIZATION' } }),
  );
  const names = { '#s': 'Status' };
  await dynamodb.send(
    new TransactWriteCommand({
      TransactItems: [
        {
          Update: {
            TableName,
            Key: { PK, SK: '#INVOICE#metadata' },
            UpdateExpression: 'SET #s = :a',
            ConditionExpression: '#s = :p',
            ExpressionAttributeNames: names,
            ExpressionAttributeValues: { ':a': 'AUTHORIZED', ':p': 'PENDING_AUTHORIZATION' },
          },
        },
        {
          Update: {
            TableName,
            Key: { PK, SK: '#METADATA#sale' },
            UpdateExpression: 'SET #s = :i, GSI3PK = :g',
            ConditionExpression: '#s = :c',
            ExpressionAttributeNames: names,
            ExpressionAttributeValues: {
              ':i': 'INVOICED',
              ':c': 'CONFIRMED',
              ':g': 'STATUS#INVOICED',
            },
          },
        },
      ],
    }),
  );
  const { Responses } = await dynamodb.send(
    new BatchGetCommand({
      RequestItems: {
        [TableName]: {
          Keys: [
            { PK, SK: '#INVOICE#metadata' },
            { PK, SK: '#METADATA#sale' },
          ],
        },
      },
    }),
  );
  assert.deepEqual(Responses[TableName].map((item) => item.Status).sort(), [
    'AUTHORIZED',
    'INVOICED',
  ]);
});

test('SAL-Q9 the document client pages through a producer', async () => {
  const pages = paginateQuery(
    { client: dynamodb, pageSize: 2 },
    {
      TableName,
      IndexName: 'GSI2',
      KeyConditionExpression: 'GSI2PK = :pk AND GSI2SK < :end',
      ExpressionAttributeValues: { ':pk': 'PRODUCER#PRODUCER001', ':end': 'SALE#2027' },
    },
  );
  const ids = [];
  for await (const page of pages) ids.push(...page.Items.map((item) => item.SaleId));
  assert.deepEqual(ids, ['SALE000', 'SALE001', 'SALE002', 'SALE003']);
});
