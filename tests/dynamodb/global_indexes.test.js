// Global secondary indexes: what is in them and how they are read.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import {
  allPages,
  attributes,
  B,
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

const index = (IndexName, hash, range, projection = projectAll) => ({
  IndexName,
  KeySchema: keySchema(hash, range),
  Projection: projection,
});

before(async () => {
  TableName = await newTable('PK SK', {
    AttributeDefinitions: attributes('GSI2-PK', 'GSI2-SK', 'G', 'n:N', 'a', 'b', 'c:N', 'd'),
    GlobalSecondaryIndexes: [
      index('inverted', 'SK', 'PK'),
      index('GSI2', 'GSI2-PK', 'GSI2-SK'),
      index('hash-only', 'G'),
      index('by-number', 'G', 'n', { ProjectionType: 'KEYS_ONLY' }),
      index('included', 'n', [], { ProjectionType: 'INCLUDE', NonKeyAttributes: ['x', 'y'] }),
      index('multi', ['a', 'b'], ['c', 'd']),
    ],
  });
});

const put = (Item) => send('PutItem', { TableName, Item });
const update = (Key, UpdateExpression, ExpressionAttributeValues, ExpressionAttributeNames) =>
  send('UpdateItem', {
    TableName,
    Key,
    UpdateExpression,
    ExpressionAttributeValues,
    ExpressionAttributeNames,
  });

async function find(IndexName, KeyConditionExpression, values, more = {}) {
  const { items } = await allPages('Query', {
    TableName,
    IndexName,
    KeyConditionExpression,
    ExpressionAttributeValues: values,
    ...more,
  });
  return items;
}

// The inverted index of the order design: HASH = SK, RANGE = PK.
test('an inverted index finds orders by a part of theirs', async () => {
  const status = `STATUS#${unique('Pendente')}`;
  const orders = ['COMPANY#1#ORDER#2', 'COMPANY#1#ORDER#1', 'COMPANY#2#ORDER#1'];
  await putAll(
    TableName,
    orders.map((PK) => ({ PK: S(PK), SK: S(status), v: S('x') })),
  );
  const all = await find('inverted', 'SK = :s', { ':s': S(status) });
  assert.deepEqual(
    all.map((item) => item.PK.S),
    [...orders].sort(),
  );
  assert.deepEqual(all[0].v, S('x'));
  const one = await find('inverted', 'SK = :s AND begins_with(PK, :c)', {
    ':s': S(status),
    ':c': S('COMPANY#1#'),
  });
  assert.equal(one.length, 2);
});

// Names with a hyphen are legal, but need an alias.
test('index keys with a hyphen in their names', async () => {
  const status = `ITEMSTATUS#${unique('SemEstoque')}`;
  await put({
    PK: S('COMPANY#9'),
    SK: S(unique('ITEM')),
    'GSI2-PK': S(status),
    'GSI2-SK': S('COMPANY#9#ITEM#1'),
  });
  const names = { '#p': 'GSI2-PK', '#s': 'GSI2-SK' };
  const found = await find(
    'GSI2',
    '#p = :p AND begins_with(#s, :s)',
    { ':p': S(status), ':s': S('COMPANY#9#') },
    { ExpressionAttributeNames: names },
  );
  assert.equal(found.length, 1);
  await invalid(find('GSI2', 'GSI2-PK = :p', { ':p': S(status) }), /Syntax error/);
});

// An item is in an index only while it has all of its key.
test('an index is sparse', async () => {
  const G = unique('sparse');
  const Key = { PK: S(unique('item')), SK: S('x') };
  await put({ ...Key, G: S(G) });
  const count = async (name) => (await find(name, 'G = :g', { ':g': S(G) })).length;
  assert.deepEqual([await count('hash-only'), await count('by-number')], [1, 0]);
  await update(Key, 'SET n = :n', { ':n': N(1) });
  assert.deepEqual([await count('hash-only'), await count('by-number')], [1, 1]);
  await update(Key, 'REMOVE G');
  assert.deepEqual([await count('hash-only'), await count('by-number')], [0, 0]);
});

test('an entry moves with its key and goes with its item', async () => {
  const [from, to] = [unique('from'), unique('to')];
  const Key = { PK: S(unique('item')), SK: S('x') };
  const places = async () =>
    [from, to].map(async (G) => (await find('hash-only', 'G = :g', { ':g': S(G) })).length);
  await put({ ...Key, G: S(from) });
  assert.deepEqual(await Promise.all(await places()), [1, 0]);
  await update(Key, 'SET G = :g', { ':g': S(to) });
  assert.deepEqual(await Promise.all(await places()), [0, 1]);
  await put({ ...Key, G: S(from) });
  assert.deepEqual(await Promise.all(await places()), [1, 0]);
  await send('DeleteItem', { TableName, Key });
  assert.deepEqual(await Promise.all(await places()), [0, 0]);
});

// One index serves several entities by the prefixes of its keys.
test('an overloaded index keeps entities apart by prefix', async () => {
  const user = `USER#${unique('u')}`;
  const entity = (sk, at) => ({
    PK: S(unique('pk')),
    SK: S(sk),
    'GSI2-PK': S(user),
    'GSI2-SK': S(at),
  });
  await putAll(TableName, [
    entity('LIKE', 'LIKE#2'),
    entity('LIKE', 'LIKE#1'),
    entity('BOOKMARK', 'BOOKMARK#1'),
  ]);
  const likes = await find(
    'GSI2',
    '#p = :p AND begins_with(#s, :s)',
    { ':p': S(user), ':s': S('LIKE#') },
    { ExpressionAttributeNames: { '#p': 'GSI2-PK', '#s': 'GSI2-SK' } },
  );
  assert.deepEqual(
    likes.map((item) => item['GSI2-SK'].S),
    ['LIKE#1', 'LIKE#2'],
  );
});

// Many items may share an index key; paging one by one must still visit each once.
test('equal index keys are paged by the keys of their items', async () => {
  const G = S(unique('ties'));
  await putAll(
    TableName,
    Array.from({ length: 9 }, (_, i) => ({ PK: S(`p${i % 3}`), SK: S(`${G.S}${i}`), G, n: N(7) })),
  );
  for (const name of ['hash-only', 'by-number']) {
    for (const ScanIndexForward of [true, false]) {
      for (const Limit of [1, 2, 4]) {
        const items = await find(name, 'G = :g', { ':g': G }, { Limit, ScanIndexForward });
        assert.equal(new Set(items.map((item) => item.SK.S)).size, 9);
        assert.equal(items.length, 9);
      }
    }
  }
});

test('the cursor carries the keys of entry and item', async () => {
  const G = S(unique('cursor'));
  await putAll(
    TableName,
    [1, 2].map((i) => ({ PK: S(`p${i}`), SK: S(G.S), G, n: N(i) })),
  );
  const { LastEvaluatedKey } = await send('Query', {
    TableName,
    IndexName: 'by-number',
    KeyConditionExpression: 'G = :g',
    ExpressionAttributeValues: { ':g': G },
    Limit: 1,
  });
  assert.deepEqual(LastEvaluatedKey, { PK: S('p1'), SK: G, G, n: N(1) });
});

// Each projection keeps the keys of table and index, and what it names.
test('projections hold what they should', async () => {
  const G = S(unique('projection'));
  const n = N(Math.floor(Math.random() * 1e12));
  const item = { PK: S('p'), SK: G, G, n, x: S('x'), y: S('y'), z: S('z') };
  await put(item);
  const { z, ...included } = item;
  const { x, y, ...keys } = included;
  assert.deepEqual(await find('hash-only', 'G = :g', { ':g': G }), [item]);
  assert.deepEqual(await find('by-number', 'G = :g', { ':g': G }), [keys]);
  const [found] = await find('included', 'n = :n', { ':n': n });
  const { G: _, ...withoutG } = included;
  assert.deepEqual(found, withoutG);
});

// A change of a projected attribute reaches the index, also when the key stays.
test('projected attributes follow their item', async () => {
  const n = N(Math.floor(Math.random() * 1e12));
  const Key = { PK: S(unique('follow')), SK: S('x') };
  await put({ ...Key, n, x: S('old') });
  await update(Key, 'SET x = :x, z = :x', { ':x': S('new') });
  const [found] = await find('included', 'n = :n', { ':n': n });
  assert.deepEqual(found, { ...Key, n, x: S('new') });
});

// Numbers that are equal are one key, however they were written.
test('an index key is a value, not a spelling', async () => {
  const n = Math.floor(Math.random() * 1e9);
  const Key = { PK: S(unique('spelling')), SK: S('x') };
  await put({ ...Key, n: N(`${n}.50`) });
  assert.equal((await find('included', 'n = :n', { ':n': N(`${n}5E-1`) })).length, 1);
});

// Key attributes of an index are checked on every write.
test('a wrong or empty index key is refused', async () => {
  const Key = { PK: S(unique('bad')), SK: S('x') };
  await invalid(
    put({ ...Key, n: S('text') }),
    /Type mismatch for Index Key n Expected: N Actual: S IndexName: /,
  );
  await invalid(
    put({ ...Key, G: S('') }),
    /A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: [a-z-]+, IndexKey: G/,
  );
  await put(Key);
  await invalid(
    update(Key, 'SET G = :g', { ':g': N(1) }),
    /attempted to update the secondary index key to unsupported type|Type mismatch for Index Key G/,
  );
  await invalid(update(Key, 'SET G = :g', { ':g': S('') }), /empty string value/);
  await invalid(
    send('BatchWriteItem', {
      RequestItems: { [TableName]: [{ PutRequest: { Item: { ...Key, n: B('x') } } }] },
    }),
    /Type mismatch for Index Key n/,
  );
});

// Up to four attributes make a partition key and up to four a sort key.
test('an index of several attributes a key', async () => {
  const a = S(unique('tournament'));
  const item = (i, b, c, d) => ({ PK: S(`${a.S}${i}`), SK: S('x'), a, b: S(b), c: N(c), d: S(d) });
  await putAll(TableName, [
    item(1, 'NA', 2, 'x'),
    item(2, 'NA', 1, 'y'),
    item(3, 'NA', 1, 'x'),
    item(4, 'EU', 1, 'x'),
    { PK: a, SK: S('x'), a },
  ]);
  const base = { ':a': a, ':b': S('NA') };
  const shown = (items) => items.map((each) => `${each.c.N}${each.d.S}`);
  assert.deepEqual(shown(await find('multi', 'a = :a AND b = :b', base)), ['1x', '1y', '2x']);
  assert.deepEqual(
    shown(await find('multi', 'a = :a AND b = :b AND c = :c', { ...base, ':c': N(1) })),
    ['1x', '1y'],
  );
  assert.deepEqual(
    shown(await find('multi', 'a = :a AND b = :b AND c > :c', { ...base, ':c': N(1) })),
    ['2x'],
  );
  assert.deepEqual(
    shown(
      await find('multi', 'a = :a AND b = :b AND c = :c AND begins_with(d, :d)', {
        ...base,
        ':c': N(1),
        ':d': S('y'),
      }),
    ),
    ['1y'],
  );
  assert.deepEqual(
    shown(await find('multi', 'a = :a AND b = :b', base, { Limit: 1, ScanIndexForward: false })),
    ['2x', '1y', '1x'],
  );
});

// All hash attributes are needed, and sort attributes from the left without a gap.
test('parts of a key of several attributes may not be skipped', async () => {
  await invalid(
    find('multi', 'a = :a', { ':a': S('x') }),
    /Query condition missed key schema element/,
  );
  await invalid(
    find('multi', 'a = :a AND b = :b AND d = :d', { ':a': S('x'), ':b': S('y'), ':d': S('z') }),
  );
  await invalid(
    find('multi', 'a = :a AND b = :b AND c > :c AND d = :d', {
      ':a': S('x'),
      ':b': S('y'),
      ':c': N(1),
      ':d': S('z'),
    }),
  );
});

test('ALL_PROJECTED_ATTRIBUTES and COUNT on an index', async () => {
  const G = S(unique('select'));
  await put({ PK: S('p'), SK: G, G, n: N(1), z: S('z') });
  const [projected] = await find(
    'by-number',
    'G = :g',
    { ':g': G },
    { Select: 'ALL_PROJECTED_ATTRIBUTES' },
  );
  assert.equal(projected.z, undefined);
  const counted = await send('Query', {
    TableName,
    IndexName: 'by-number',
    KeyConditionExpression: 'G = :g',
    ExpressionAttributeValues: { ':g': G },
    Select: 'COUNT',
  });
  assert.equal(counted.Count, 1);
});

test('an index that is there cannot be added again', async () => {
  await invalid(
    send('UpdateTable', {
      TableName,
      AttributeDefinitions: attributes('G'),
      GlobalSecondaryIndexUpdates: [{ Create: index('hash-only', 'G') }],
    }),
    /already exists|[Dd]uplicate/,
  );
});
