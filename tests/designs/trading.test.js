// Trading order management: orders, executions and positions with time to live. Items and requests
// are those of the design document.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import {
  attributes,
  keySchema,
  N,
  newTable,
  projectAll,
  putAll,
  rejects,
  S,
  send,
} from '../support/dynamodb.js';

const texts = (map) =>
  Object.fromEntries(Object.entries(map).map(([name, text]) => [name, S(text)]));

const order = {
  ...texts({
    PK: 'CLIENT#client_123',
    SK: 'ORDER#2025-11-14T10:30:00Z#order_456',
    GSI1_PK: 'PRODUCT#prod_001',
    GSI1_SK: '2025-11-14T10:30:00Z',
    GSI2_PK: 'MASTER_ORDER#master_789',
    GSI2_SK: '2025-11-14T10:30:00Z',
    GSI3_PK: 'ORDER#order_456',
    GSI3_SK: '2025-11-14T10:30:00Z',
    entity_type: 'ORDER',
    order_id: 'order_456',
    client_id: 'client_123',
    product_id: 'prod_001',
    symbol: 'BTCUSDT',
    side: 'BUY',
    status: 'FILLED',
    order_type: 'LIMIT',
    master_order_id: 'master_789',
    created_at: '14/11/2025 10:30:00',
    updated_at: '14/11/2025 10:31:15',
  }),
  quantity: N('1.5'),
  price: N('45000'),
  ttl: N('1736856000'),
};
const execution = {
  ...texts({
    PK: 'CLIENT#client_123',
    SK: 'EXECUTION#2025-11-14T10:31:00Z#exec_111',
    GSI1_PK: 'PRODUCT#prod_001',
    GSI1_SK: '2025-11-14T10:31:00Z',
    GSI2_PK: 'MASTER_ORDER#master_789',
    GSI2_SK: '2025-11-14T10:31:00Z',
    GSI3_PK: 'ORDER#order_456',
    GSI3_SK: '2025-11-14T10:31:00Z',
    entity_type: 'EXECUTION',
    execution_id: 'exec_111',
    order_id: 'order_456',
    client_id: 'client_123',
    product_id: 'prod_001',
    symbol: 'BTCUSDT',
    side: 'BUY',
    executed_at: '14/11/2025 10:31:00',
  }),
  quantity: N('1.5'),
  price: N('45000'),
  commission: N('2.25'),
  ttl: N('1736856000'),
};
const position = {
  ...texts({
    PK: 'CLIENT#client_123',
    SK: 'POSITION#BTCUSDT#LONG',
    GSI1_PK: 'PRODUCT#prod_001',
    GSI1_SK: 'POSITION#BTCUSDT',
    entity_type: 'POSITION',
    client_id: 'client_123',
    product_id: 'prod_001',
    symbol: 'BTCUSDT',
    side: 'LONG',
    last_updated: '14/11/2025 10:35:00',
  }),
  quantity: N('3.5'),
  avg_entry_price: N('44500'),
  unrealized_pnl: N('1750'),
  realized_pnl: N('500'),
};

let TableName;

// Time to live stays off here: the document's sample is long expired, and a sweep would take it.
before(async () => {
  const index = (i, projection = projectAll) => ({
    IndexName: `GSI${i}`,
    KeySchema: keySchema(`GSI${i}_PK`, `GSI${i}_SK`),
    Projection: projection,
  });
  TableName = await newTable('PK SK', {
    AttributeDefinitions: attributes(
      'GSI1_PK',
      'GSI1_SK',
      'GSI2_PK',
      'GSI2_SK',
      'GSI3_PK',
      'GSI3_SK',
    ),
    GlobalSecondaryIndexes: [index(1), index(2, { ProjectionType: 'KEYS_ONLY' }), index(3)],
    SSESpecification: { Enabled: true, SSEType: 'KMS' },
  });
  await putAll(TableName, [order, execution, position]);
});

const query = async (KeyConditionExpression, values, more = {}) =>
  (
    await send('Query', {
      TableName,
      KeyConditionExpression,
      ExpressionAttributeValues: texts(values),
      ...more,
    })
  ).Items;

test('OMS-Q1 orders of a client', async () => {
  assert.deepEqual(
    await query('PK = :pk AND begins_with(SK, :sk)', {
      ':pk': 'CLIENT#client_123',
      ':sk': 'ORDER#',
    }),
    [order],
  );
  const range = { ':pk': 'CLIENT#client_123', ':a': 'ORDER#2025-11-14', ':b': 'ORDER#2025-11-15' };
  assert.deepEqual(await query('PK = :pk AND SK BETWEEN :a AND :b', range), [order]);
});

// The index mixes entities; a filter tells them apart.
test('OMS-Q2 orders of a product, and in a range of time', async () => {
  const all = await query('GSI1_PK = :pk', { ':pk': 'PRODUCT#prod_001' }, { IndexName: 'GSI1' });
  assert.deepEqual(all, [order, execution, position]);
  const orders = await query(
    'GSI1_PK = :pk',
    { ':pk': 'PRODUCT#prod_001', ':t': 'ORDER' },
    { IndexName: 'GSI1', FilterExpression: 'entity_type = :t' },
  );
  assert.deepEqual(orders, [order]);
  const range = await query(
    'GSI1_PK = :pk AND GSI1_SK BETWEEN :a AND :b',
    { ':pk': 'PRODUCT#prod_001', ':a': '2025-11-14T10:30:30Z', ':b': '2025-11-14T23:59:59Z' },
    { IndexName: 'GSI1' },
  );
  assert.deepEqual(range, [execution]);
});

test('OMS-Q3 orders of an analyst', async () => {
  assert.deepEqual(
    await query('GSI1_PK = :pk', { ':pk': 'ANALYST#analyst_001' }, { IndexName: 'GSI1' }),
    [],
  );
});

// The index holds keys only; the items come in a batch.
test('OMS-Q4 child orders of a master order', async () => {
  const entries = await query(
    'GSI2_PK = :pk',
    { ':pk': 'MASTER_ORDER#master_789' },
    { IndexName: 'GSI2' },
  );
  const keysOf = ({ PK, SK, GSI2_PK, GSI2_SK }) => ({ PK, SK, GSI2_PK, GSI2_SK });
  assert.deepEqual(entries, [order, execution].map(keysOf));
  const Keys = entries
    .filter(({ SK }) => SK.S.startsWith('ORDER#'))
    .map(({ PK, SK }) => ({ PK, SK }));
  const { Responses } = await send('BatchGetItem', { RequestItems: { [TableName]: { Keys } } });
  assert.deepEqual(Responses[TableName], [order]);
});

test('OMS-Q4b executions of a master order are added up', async () => {
  const entries = await query(
    'GSI2_PK = :pk',
    { ':pk': 'MASTER_ORDER#master_789' },
    { IndexName: 'GSI2' },
  );
  const Keys = entries
    .filter(({ SK }) => SK.S.startsWith('EXECUTION#'))
    .map(({ PK, SK }) => ({ PK, SK }));
  const { Responses } = await send('BatchGetItem', { RequestItems: { [TableName]: { Keys } } });
  assert.equal(
    Responses[TableName].reduce((sum, item) => sum + Number(item.quantity.N), 0),
    1.5,
  );
});

test('OMS-Q5 an order by id', async () => {
  assert.deepEqual(
    await query('GSI3_PK = :pk', { ':pk': 'ORDER#order_456' }, { IndexName: 'GSI3' }),
    [order, execution],
  );
  assert.deepEqual(
    await query('GSI3_PK = :pk', { ':pk': 'ORDER#none' }, { IndexName: 'GSI3' }),
    [],
  );
});

test('OMS-Q6 positions of a client', async () => {
  assert.deepEqual(
    await query('PK = :pk AND begins_with(SK, :sk)', {
      ':pk': 'CLIENT#client_123',
      ':sk': 'POSITION#',
    }),
    [position],
  );
});

// The document asks for begins_with an empty text, which separates nothing; the type does.
test('OMS-Q7 executions of an order', async () => {
  const items = await query(
    'GSI3_PK = :pk',
    { ':pk': 'ORDER#order_456', ':t': 'EXECUTION' },
    { IndexName: 'GSI3', FilterExpression: 'entity_type = :t' },
  );
  assert.deepEqual(items, [execution]);
});

test('OMS-Q8 executions of a client, positions of a product', async () => {
  assert.deepEqual(
    await query('PK = :pk AND begins_with(SK, :sk)', {
      ':pk': 'CLIENT#client_123',
      ':sk': 'EXECUTION#',
    }),
    [execution],
  );
  assert.deepEqual(
    await query(
      'GSI1_PK = :pk AND begins_with(GSI1_SK, :sk)',
      { ':pk': 'PRODUCT#prod_001', ':sk': 'POSITION#' },
      { IndexName: 'GSI1' },
    ),
    [position],
  );
});

const newOrder = (id) => ({
  ...order,
  ...texts({
    PK: 'CLIENT#client_w',
    SK: `ORDER#2025-11-14T12:00:00Z#${id}`,
    GSI1_PK: 'PRODUCT#prod_w',
    GSI1_SK: '2025-11-14T12:00:00Z',
    GSI2_PK: 'MASTER_ORDER#master_456',
    GSI2_SK: '2025-11-14T12:00:00Z',
    GSI3_PK: `ORDER#${id}`,
    GSI3_SK: '2025-11-14T12:00:00Z',
    order_id: id,
    status: 'NEW',
    master_order_id: 'master_456',
  }),
  quantity: N('2.5'),
  price: N('46000'),
  ttl: N(Math.floor(Date.now() / 1000) + 90 * 24 * 60 * 60),
});

test('OMS-W1 a new order is in the table and its three indexes', async () => {
  await send('PutItem', { TableName, Item: newOrder('order_789') });
  for (const [IndexName, pk] of [
    ['GSI1', 'PRODUCT#prod_w'],
    ['GSI2', 'MASTER_ORDER#master_456'],
    ['GSI3', 'ORDER#order_789'],
  ]) {
    const items = await query(`${IndexName}_PK = :pk`, { ':pk': pk }, { IndexName });
    assert.equal(items.length, 1, IndexName);
  }
});

test('OMS-W2 the status of an order is updated', async () => {
  const Item = newOrder('order_w2');
  const Key = { PK: Item.PK, SK: Item.SK };
  await send('PutItem', { TableName, Item });
  const update = (more = {}) =>
    send('UpdateItem', {
      TableName,
      Key,
      UpdateExpression: 'SET #status = :status, updated_at = :updated',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: texts({ ':status': 'FILLED', ':updated': '14/11/2025 10:31:00' }),
      ...more,
    });
  await update();
  const { Item: found } = await send('GetItem', { TableName, Key });
  assert.deepEqual(found, {
    ...Item,
    ...texts({ status: 'FILLED', updated_at: '14/11/2025 10:31:00' }),
  });
  // With a wrong key an update would make a new item; a condition stops it.
  await rejects(
    update({
      Key: { PK: Key.PK, SK: S('ORDER#wrong') },
      ConditionExpression: 'attribute_exists(PK)',
    }),
    'ConditionalCheckFailedException',
  );
});

test('OMS-W3 an execution is booked with its order and position', async () => {
  const Item = newOrder('order_w3');
  await send('PutItem', { TableName, Item });
  await send('PutItem', {
    TableName,
    Item: { ...position, PK: S('CLIENT#client_w'), GSI1_PK: S('PRODUCT#prod_w3') },
  });
  const book = () =>
    send('TransactWriteItems', {
      TransactItems: [
        {
          Put: {
            TableName,
            Item: {
              ...execution,
              PK: S('CLIENT#client_w'),
              GSI1_PK: S('PRODUCT#prod_w3'),
              GSI2_PK: S('MASTER_ORDER#w3'),
              GSI3_PK: S('ORDER#order_w3'),
            },
            ConditionExpression: 'attribute_not_exists(PK)',
          },
        },
        {
          Update: {
            TableName,
            Key: { PK: Item.PK, SK: Item.SK },
            UpdateExpression: 'SET #s = :filled',
            ConditionExpression: '#s = :new',
            ExpressionAttributeNames: { '#s': 'status' },
            ExpressionAttributeValues: texts({ ':filled': 'FILLED', ':new': 'NEW' }),
          },
        },
        {
          Update: {
            TableName,
            Key: texts({ PK: 'CLIENT#client_w', SK: 'POSITION#BTCUSDT#LONG' }),
            UpdateExpression: 'SET quantity = quantity + :q',
            ExpressionAttributeValues: { ':q': N('1.5') },
          },
        },
      ],
    });
  await book();
  // Booking it twice would count the execution twice.
  const error = await rejects(book(), 'TransactionCanceledException');
  assert.deepEqual(
    error.CancellationReasons.map((reason) => reason.Code),
    ['ConditionalCheckFailed', 'ConditionalCheckFailed', 'None'],
  );
  const { Item: held } = await send('GetItem', {
    TableName,
    Key: texts({ PK: 'CLIENT#client_w', SK: 'POSITION#BTCUSDT#LONG' }),
  });
  assert.deepEqual(held.quantity, N(5));
});

test('OMS-O3 time to live is switched on for the attribute ttl', async () => {
  const other = await newTable('PK SK');
  await send('UpdateTimeToLive', {
    TableName: other,
    TimeToLiveSpecification: { Enabled: true, AttributeName: 'ttl' },
  });
  const { TimeToLiveDescription } = await send('DescribeTimeToLive', { TableName: other });
  assert.equal(TimeToLiveDescription.AttributeName, 'ttl');
});
