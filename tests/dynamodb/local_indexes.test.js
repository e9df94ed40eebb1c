// Local secondary indexes: another order within a partition, with reach-back to the item.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import {
  allPages,
  attributes,
  invalid,
  keySchema,
  N,
  newTable,
  projectAll,
  putAll,
  S,
  send,
  unique,
} from '../support/dynamodb.js';

let TableName;
let Plain;

const local = (IndexName, range, projection = projectAll) => ({
  IndexName,
  KeySchema: keySchema('pk', range),
  Projection: projection,
});

before(async () => {
  [TableName, Plain] = await Promise.all([
    newTable('pk sk', {
      AttributeDefinitions: attributes('at', 'n:N'),
      LocalSecondaryIndexes: [
        local('by-at', 'at'),
        local('by-n', 'n', { ProjectionType: 'KEYS_ONLY' }),
        local('some', 'at', { ProjectionType: 'INCLUDE', NonKeyAttributes: ['x'] }),
      ],
    }),
    newTable('pk sk'),
  ]);
});

const put = (Item, more = {}) => send('PutItem', { TableName, Item, ...more });
const query = (IndexName, pk, more = {}) =>
  allPages('Query', {
    TableName,
    IndexName,
    KeyConditionExpression: 'pk = :p',
    ExpressionAttributeValues: { ':p': S(pk) },
    ...more,
  }).then(({ items }) => items);

test('a local index gives another order and leaves out items without its key', async () => {
  const pk = unique('order');
  await putAll(TableName, [
    { pk: S(pk), sk: S('1'), at: S('c'), n: N(10) },
    { pk: S(pk), sk: S('2'), at: S('a'), n: N(9) },
    { pk: S(pk), sk: S('3'), at: S('b') },
    { pk: S(pk), sk: S('4') },
  ]);
  assert.deepEqual(
    (await query('by-at', pk)).map((item) => item.sk.S),
    ['2', '3', '1'],
  );
  assert.deepEqual(
    (await query('by-at', pk, { ScanIndexForward: false, Limit: 1 })).map((item) => item.sk.S),
    ['1', '3', '2'],
  );
  assert.deepEqual(
    (await query('by-n', pk)).map((item) => item.sk.S),
    ['2', '1'],
  );
});

// Unlike a global one, a local index may be read consistently.
test('a local index can be read consistently', async () => {
  const pk = unique('consistent');
  await put({ pk: S(pk), sk: S('1'), at: S('a') });
  assert.equal((await query('by-at', pk, { ConsistentRead: true })).length, 1);
});

test('key conditions on the local sort key', async () => {
  const pk = unique('range');
  await putAll(
    TableName,
    Array.from({ length: 5 }, (_, i) => ({ pk: S(pk), sk: S(`${i}`), n: N(i) })),
  );
  const items = await query('by-n', pk, {
    KeyConditionExpression: 'pk = :p AND n BETWEEN :a AND :b',
    ExpressionAttributeValues: { ':p': S(pk), ':a': N(1), ':b': N(3) },
  });
  assert.deepEqual(
    items.map((item) => item.n.N),
    ['1', '2', '3'],
  );
});

test('without Select the projected attributes come back', async () => {
  const pk = unique('projected');
  const item = { pk: S(pk), sk: S('1'), at: S('a'), n: N(1), x: S('x'), y: S('y') };
  await put(item);
  assert.deepEqual(await query('by-at', pk), [item]);
  const { y, n, ...some } = item;
  assert.deepEqual(await query('some', pk), [some]);
  assert.deepEqual(await query('by-n', pk), [{ pk: item.pk, sk: item.sk, n: item.n }]);
});

// A local index fetches from the table what it does not hold.
test('a local index reaches back for the rest', async () => {
  const pk = unique('reach');
  const item = { pk: S(pk), sk: S('1'), n: N(1), y: S('y') };
  await put(item);
  assert.deepEqual(await query('by-n', pk, { Select: 'ALL_ATTRIBUTES' }), [item]);
  assert.deepEqual(await query('by-n', pk, { ProjectionExpression: 'y' }), [{ y: S('y') }]);
});

test('equal local keys are paged by the sort key of the table', async () => {
  const pk = unique('ties');
  await putAll(
    TableName,
    Array.from({ length: 7 }, (_, i) => ({ pk: S(pk), sk: S(`${i}`), at: S('same') })),
  );
  for (const Limit of [1, 3]) {
    assert.deepEqual(
      (await query('by-at', pk, { Limit })).map((item) => item.sk.S),
      ['0', '1', '2', '3', '4', '5', '6'],
    );
  }
  const { LastEvaluatedKey } = await send('Query', {
    TableName,
    IndexName: 'by-at',
    KeyConditionExpression: 'pk = :p',
    ExpressionAttributeValues: { ':p': S(pk) },
    Limit: 1,
  });
  assert.deepEqual(LastEvaluatedKey, { pk: S(pk), sk: S('0'), at: S('same') });
});

test('an entry follows its item', async () => {
  const pk = unique('follow');
  const Key = { pk: S(pk), sk: S('1') };
  await put({ ...Key, at: S('b') });
  await send('UpdateItem', {
    TableName,
    Key,
    UpdateExpression: 'SET #a = :a',
    ExpressionAttributeNames: { '#a': 'at' },
    ExpressionAttributeValues: { ':a': S('a') },
  });
  assert.deepEqual(
    (await query('by-at', pk)).map((item) => item.at.S),
    ['a'],
  );
  await send('DeleteItem', { TableName, Key });
  assert.deepEqual(await query('by-at', pk), []);
});

test('a local index can be scanned', async () => {
  const pk = unique('scan');
  await put({ pk: S(pk), sk: S('1'), n: N(1) });
  const { items } = await allPages('Scan', { TableName, IndexName: 'by-n' });
  assert.ok(items.some((item) => item.pk.S === pk));
});

test('a wrong or empty local key is refused', async () => {
  const Key = { pk: S(unique('bad')), sk: S('1') };
  await invalid(
    put({ ...Key, n: S('x') }),
    /Type mismatch for Index Key n Expected: N Actual: S IndexName: by-n/,
  );
  await invalid(put({ ...Key, at: S('') }), /empty string value/);
});

// Applications watch the size of a collection, which may not pass 10 GB.
test('item collection metrics come with local indexes only', async () => {
  const pk = S(unique('metrics'));
  const more = { ReturnItemCollectionMetrics: 'SIZE' };
  const expected = { ItemCollectionKey: { pk }, SizeEstimateRangeGB: [0, 1] };
  const Item = { pk, sk: S('1') };
  assert.deepEqual((await put(Item, more)).ItemCollectionMetrics, expected);
  assert.equal((await put(Item)).ItemCollectionMetrics, undefined);
  const updated = await send('UpdateItem', { TableName, Key: Item, ...more });
  assert.deepEqual(updated.ItemCollectionMetrics, expected);
  const deleted = await send('DeleteItem', { TableName, Key: Item, ...more });
  assert.deepEqual(deleted.ItemCollectionMetrics, expected);
  const plain = await send('PutItem', { TableName: Plain, Item, ...more });
  assert.equal(plain.ItemCollectionMetrics, undefined);
});

test('item collection metrics of batches and transactions are by table', async () => {
  const pk = S(unique('metrics'));
  const Item = { pk, sk: S('1') };
  const expected = { [TableName]: [{ ItemCollectionKey: { pk }, SizeEstimateRangeGB: [0, 1] }] };
  const batch = await send('BatchWriteItem', {
    RequestItems: { [TableName]: [{ PutRequest: { Item } }] },
    ReturnItemCollectionMetrics: 'SIZE',
  });
  assert.deepEqual(batch.ItemCollectionMetrics, expected);
  const transaction = await send('TransactWriteItems', {
    TransactItems: [{ Put: { TableName, Item } }],
    ReturnItemCollectionMetrics: 'SIZE',
  });
  assert.deepEqual(transaction.ItemCollectionMetrics, expected);
});

// Without Select or a projection an index answers what it projects, whatever the filter looks at.
test('a filter on an attribute outside a local index does not add to its answer', async () => {
  const pk = unique('filter');
  await putAll(TableName, [
    { pk: S(pk), sk: S('1'), n: N(1), x: S('yes') },
    { pk: S(pk), sk: S('2'), n: N(2), x: S('no') },
  ]);
  const filter = {
    FilterExpression: 'x = :x',
    ExpressionAttributeValues: { ':p': S(pk), ':x': S('yes') },
  };
  assert.deepEqual(await query('by-n', pk, filter), [{ pk: S(pk), sk: S('1'), n: N(1) }]);
  assert.deepEqual(await query('by-n', pk, { ...filter, Select: 'ALL_ATTRIBUTES' }), [
    { pk: S(pk), sk: S('1'), n: N(1), x: S('yes') },
  ]);
});
