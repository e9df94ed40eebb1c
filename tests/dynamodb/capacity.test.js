// ConsumedCapacity to the half unit. Reads are charged by 4 KB (half of that when eventually
// consistent), writes by 1 KB of the larger image, transactions twice.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import {
  attributes,
  B,
  keySchema,
  L,
  M,
  N,
  newTable,
  projectAll,
  putAll,
  S,
  send,
  unique,
} from '../support/dynamodb.js';

let TableName;
let Indexed;
let Local;

before(async () => {
  [TableName, Indexed, Local] = await Promise.all([
    newTable('pk'),
    newTable('pk', {
      AttributeDefinitions: attributes('g', 'h'),
      GlobalSecondaryIndexes: [
        { IndexName: 'all', KeySchema: keySchema('g'), Projection: projectAll },
        {
          IndexName: 'keys',
          KeySchema: keySchema('h'),
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    }),
    newTable('pk sk', {
      AttributeDefinitions: attributes('l'),
      LocalSecondaryIndexes: [
        {
          IndexName: 'local',
          KeySchema: keySchema('pk', 'l'),
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    }),
  ]);
});

const TOTAL = { ReturnConsumedCapacity: 'TOTAL' };
const INDEXES = { ReturnConsumedCapacity: 'INDEXES' };

// An item of exactly this many bytes: names and values, 'pk' and 'v' included.
function itemOf(bytes, pk, extra = {}, extraBytes = 0) {
  return {
    pk: S(pk),
    ...extra,
    v: S('x'.repeat(bytes - 2 - Buffer.byteLength(pk) - 1 - extraBytes)),
  };
}

const put = (Item, more = TOTAL, name = TableName) =>
  send('PutItem', { TableName: name, Item, ...more }).then((answer) => answer.ConsumedCapacity);
const units = (capacity) => capacity.CapacityUnits;

test('nothing is reported unless asked for', async () => {
  assert.equal(await put({ pk: S('x') }, {}), undefined);
  assert.equal(await put({ pk: S('x') }, { ReturnConsumedCapacity: 'NONE' }), undefined);
});

test('TOTAL is a table and a number', async () => {
  assert.deepEqual(await put({ pk: S('x') }), { TableName, CapacityUnits: 1 });
});

test('INDEXES adds the table alone where no index was touched', async () => {
  assert.deepEqual(await put({ pk: S('x') }, INDEXES), {
    TableName,
    CapacityUnits: 1,
    Table: { CapacityUnits: 1 },
  });
});

for (const [bytes, expected] of [
  [1024, 1],
  [1025, 2],
  [10_240, 10],
  [409_600, 400],
]) {
  test(`a write of ${bytes} bytes costs ${expected}`, async () => {
    assert.equal(units(await put(itemOf(bytes, unique('write')))), expected);
  });
}

// The larger of the item before and after counts.
test('an overwrite is charged by the larger image', async () => {
  const pk = unique('larger');
  await put(itemOf(3000, pk));
  assert.equal(units(await put(itemOf(100, pk))), 3);
  assert.equal(units(await put(itemOf(2000, pk))), 2);
  const removed = await send('DeleteItem', { TableName, Key: { pk: S(pk) }, ...TOTAL });
  assert.equal(units(removed.ConsumedCapacity), 2);
  const again = await send('DeleteItem', { TableName, Key: { pk: S(pk) }, ...TOTAL });
  assert.equal(units(again.ConsumedCapacity), 1);
});

test('an update is charged by the whole item', async () => {
  const pk = unique('update');
  await put(itemOf(5000, pk));
  const answer = await send('UpdateItem', {
    TableName,
    Key: { pk: S(pk) },
    UpdateExpression: 'SET n = :n',
    ExpressionAttributeValues: { ':n': N(1) },
    ...TOTAL,
  });
  assert.equal(units(answer.ConsumedCapacity), 5);
});

// How each type is measured. Each row: the value, its bytes.
const sizes = [
  ['a string in UTF-8', S('não'), 4],
  ['an empty string', S(''), 0],
  ['a binary', B('abc'), 3],
  ['a boolean', { BOOL: true }, 1],
  ['a null', { NULL: true }, 1],
  // Two digits a byte on either side of the point, plus one, plus one for a minus sign.
  ['a digit', N(5), 2],
  ['two digits', N(55), 2],
  ['three digits', N(555), 3],
  ['trailing zeros', N(5000), 2],
  ['digits on both sides', N('12.5'), 3],
  ['a negative number', N(-5), 3],
  // Three for the container and one for each member.
  ['an empty list', L(), 3],
  ['a list', L(S('ab'), { BOOL: true }), 3 + 1 + 2 + 1 + 1],
  ['an empty map', M({}), 3],
  ['a map', M({ ab: S('cd') }), 3 + 1 + 2 + 2],
  ['a string set', { SS: ['a', 'bc'] }, 3],
  ['a number set', { NS: ['1', '22'] }, 4],
];

for (const [what, value, bytes] of sizes) {
  test(`the size of ${what} is ${bytes}`, async () => {
    const pk = unique('size');
    assert.equal(units(await put(itemOf(1024, pk, { t: value }, 1 + bytes))), 1);
    assert.equal(units(await put(itemOf(1025, `${pk}+`, { t: value }, 1 + bytes))), 2);
  });
}

const get = (pk, more = {}) =>
  send('GetItem', { TableName, Key: { pk: S(pk) }, ...TOTAL, ...more }).then((answer) =>
    units(answer.ConsumedCapacity),
  );

for (const [bytes, eventual, consistent] of [
  [100, 0.5, 1],
  [4096, 0.5, 1],
  [4097, 1, 2],
  [40_960, 5, 10],
]) {
  test(`a read of ${bytes} bytes costs ${eventual}, or ${consistent} when consistent`, async () => {
    const pk = unique('read');
    await put(itemOf(bytes, pk));
    assert.equal(await get(pk), eventual);
    assert.equal(await get(pk, { ConsistentRead: true }), consistent);
    // A projection does not make a read cheaper.
    assert.equal(await get(pk, { ProjectionExpression: 'pk' }), eventual);
  });
}

test('looking for what is not there costs a read', async () => {
  assert.equal(await get(unique('none')), 0.5);
  assert.equal(await get(unique('none'), { ConsistentRead: true }), 1);
});

// A query adds up its items before it rounds.
test('a query is charged by the sum of its items, before the filter', async () => {
  const pk = unique('sum');
  await putAll(
    Local,
    Array.from({ length: 10 }, (_, i) => ({ pk: S(pk), sk: S(`${i}`), v: S('x'.repeat(1000)) })),
  );
  const query = (more = {}) =>
    send('Query', {
      TableName: Local,
      KeyConditionExpression: 'pk = :p',
      ExpressionAttributeValues: { ':p': S(pk) },
      ...TOTAL,
      ...more,
    }).then((answer) => units(answer.ConsumedCapacity));
  assert.equal(await query(), 1.5);
  assert.equal(await query({ ConsistentRead: true }), 3);
  assert.equal(await query({ FilterExpression: 'attribute_exists(nothing)' }), 1.5);
  assert.equal(await query({ Select: 'COUNT' }), 1.5);
  assert.equal(await query({ Limit: 1 }), 0.5);
  assert.equal(await query({ ExpressionAttributeValues: { ':p': S(unique('none')) } }), 0.5);
});

test('an empty scan costs a read', async () => {
  const name = await newTable('pk');
  const answer = await send('Scan', { TableName: name, ...TOTAL });
  assert.deepEqual(answer.ConsumedCapacity, { TableName: name, CapacityUnits: 0.5 });
});

// A batch rounds each item by itself.
test('a batch is charged item by item', async () => {
  const keys = [1, 2, 3].map(() => unique('batch'));
  const written = await send('BatchWriteItem', {
    RequestItems: { [TableName]: keys.map((pk) => ({ PutRequest: { Item: itemOf(1500, pk) } })) },
    ...TOTAL,
  });
  assert.deepEqual(written.ConsumedCapacity, [{ TableName, CapacityUnits: 6 }]);
  const read = await send('BatchGetItem', {
    RequestItems: { [TableName]: { Keys: [...keys, unique('none')].map((pk) => ({ pk: S(pk) })) } },
    ...TOTAL,
  });
  assert.deepEqual(read.ConsumedCapacity, [{ TableName, CapacityUnits: 2 }]);
});

// Transactions cost twice, and only they show reads and writes apart.
test('transactions cost twice', async () => {
  const pk = unique('transaction');
  const TransactItems = [{ Put: { TableName, Item: itemOf(1500, pk) } }];
  const written = await send('TransactWriteItems', { TransactItems, ...TOTAL });
  assert.deepEqual(written.ConsumedCapacity, [
    { TableName, CapacityUnits: 4, WriteCapacityUnits: 4 },
  ]);
  const read = await send('TransactGetItems', {
    TransactItems: [{ Get: { TableName, Key: { pk: S(pk) } } }],
    ...TOTAL,
  });
  assert.deepEqual(read.ConsumedCapacity, [{ TableName, CapacityUnits: 2, ReadCapacityUnits: 2 }]);
});

// A replayed token reads what the first call wrote.
test('a replayed transaction is charged as a read', async () => {
  const TransactItems = [{ Put: { TableName, Item: itemOf(1500, unique('replay')) } }];
  const ClientRequestToken = unique('t').slice(0, 36);
  await send('TransactWriteItems', { TransactItems, ClientRequestToken, ...TOTAL });
  const again = await send('TransactWriteItems', { TransactItems, ClientRequestToken, ...TOTAL });
  assert.deepEqual(again.ConsumedCapacity, [{ TableName, CapacityUnits: 2, ReadCapacityUnits: 2 }]);
});

const arm = (CapacityUnits) => ({ CapacityUnits });

// Each index is charged for the change to its entry, and not at all if that does not change.
test('writes are charged by index', async () => {
  const pk = S(unique('indexed'));
  const expected = (total, table, indexes) => ({
    TableName: Indexed,
    CapacityUnits: total,
    Table: arm(table),
    ...(indexes && { GlobalSecondaryIndexes: indexes }),
  });
  const write = (Item) => put(Item, INDEXES, Indexed);
  // A new entry in one index, none in the other.
  assert.deepEqual(await write({ pk, g: S('a') }), expected(2, 1, { all: arm(1) }));
  // The same again changes no entry.
  assert.deepEqual(await write({ pk, g: S('a') }), expected(1, 1));
  // A new attribute is in the index that holds all.
  assert.deepEqual(await write({ pk, g: S('a'), x: S('x') }), expected(2, 1, { all: arm(1) }));
  // A new key for the second index; the first holds it as an attribute.
  assert.deepEqual(
    await write({ pk, g: S('a'), x: S('x'), h: S('h') }),
    expected(3, 1, { all: arm(1), keys: arm(1) }),
  );
  // What the second does not project does not cost there.
  assert.deepEqual(
    await write({ pk, g: S('a'), x: S('y'), h: S('h') }),
    expected(2, 1, { all: arm(1) }),
  );
  // A moved entry is deleted and written.
  assert.deepEqual(
    await write({ pk, g: S('b'), x: S('y'), h: S('h') }),
    expected(3, 1, { all: arm(2) }),
  );
  // A delete takes the entries away.
  const removed = await send('DeleteItem', { TableName: Indexed, Key: { pk }, ...INDEXES });
  assert.deepEqual(removed.ConsumedCapacity, expected(3, 1, { all: arm(1), keys: arm(1) }));
});

test('TOTAL includes the indexes', async () => {
  assert.deepEqual(await put({ pk: S(unique('total')), g: S('g'), h: S('h') }, TOTAL, Indexed), {
    TableName: Indexed,
    CapacityUnits: 3,
  });
});

test('a query of an index is charged to the index', async () => {
  const g = S(unique('query'));
  await put({ pk: g, g }, {}, Indexed);
  const answer = await send('Query', {
    TableName: Indexed,
    IndexName: 'all',
    KeyConditionExpression: 'g = :g',
    ExpressionAttributeValues: { ':g': g },
    ...INDEXES,
  });
  assert.deepEqual(answer.ConsumedCapacity, {
    TableName: Indexed,
    CapacityUnits: 0.5,
    Table: arm(0),
    GlobalSecondaryIndexes: { all: arm(0.5) },
  });
});

// The factor of two is on the table only.
test('a transaction is charged once for indexes', async () => {
  const pk = S(unique('transaction'));
  const answer = await send('TransactWriteItems', {
    TransactItems: [{ Put: { TableName: Indexed, Item: { pk, g: S('g') } } }],
    ...INDEXES,
  });
  const [capacity] = answer.ConsumedCapacity;
  assert.equal(capacity.CapacityUnits, 3);
  assert.equal(capacity.Table.CapacityUnits, 2);
  assert.equal(capacity.GlobalSecondaryIndexes.all.CapacityUnits, 1);
});

// What a local index does not hold is read from the table, item by item.
test('reach-back of a local index is charged to the table', async () => {
  const pk = unique('reach');
  await putAll(
    Local,
    [1, 2].map((i) => ({ pk: S(pk), sk: S(`${i}`), l: S(`${i}`), v: S('v') })),
  );
  const query = (more) =>
    send('Query', {
      TableName: Local,
      IndexName: 'local',
      KeyConditionExpression: 'pk = :p',
      ExpressionAttributeValues: { ':p': S(pk) },
      ...INDEXES,
      ...more,
    }).then((answer) => answer.ConsumedCapacity);
  assert.deepEqual(await query({}), {
    TableName: Local,
    CapacityUnits: 0.5,
    Table: arm(0),
    LocalSecondaryIndexes: { local: arm(0.5) },
  });
  assert.deepEqual(await query({ ProjectionExpression: 'v' }), {
    TableName: Local,
    CapacityUnits: 1.5,
    Table: arm(1),
    LocalSecondaryIndexes: { local: arm(0.5) },
  });
});

test('a local index is charged for its entry', async () => {
  const Item = { pk: S(unique('local')), sk: S('1'), l: S('l') };
  assert.deepEqual(await put(Item, INDEXES, Local), {
    TableName: Local,
    CapacityUnits: 2,
    Table: arm(1),
    LocalSecondaryIndexes: { local: arm(1) },
  });
});
