// BatchGetItem and BatchWriteItem.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { invalid, N, newTable, putAll, rejects, S, send, unique } from '../support/dynamodb.js';
import { post } from '../support/http.js';

let First;
let Second;

before(async () => {
  [First, Second] = await Promise.all([newTable('pk'), newTable('pk sk')]);
});

const write = (RequestItems, more = {}) => send('BatchWriteItem', { RequestItems, ...more });
const read = (RequestItems, more = {}) => send('BatchGetItem', { RequestItems, ...more });
const put = (Item) => ({ PutRequest: { Item } });
const remove = (Key) => ({ DeleteRequest: { Key } });

test('puts and deletes over two tables', async () => {
  const [a, b, c] = [unique('a'), unique('b'), unique('c')];
  await send('PutItem', { TableName: First, Item: { pk: S(c) } });
  const answer = await write({
    [First]: [put({ pk: S(a), v: N(1) }), remove({ pk: S(c) }), remove({ pk: S(unique('never')) })],
    [Second]: [put({ pk: S(b), sk: S('ITEM#1/2'), v: N(2) })],
  });
  assert.deepEqual(answer.UnprocessedItems, {});
  const found = await read({
    [First]: { Keys: [{ pk: S(a) }, { pk: S(c) }] },
    [Second]: { Keys: [{ pk: S(b), sk: S('ITEM#1/2') }], ConsistentRead: true },
  });
  assert.deepEqual(found.Responses, {
    [First]: [{ pk: S(a), v: N(1) }],
    [Second]: [{ pk: S(b), sk: S('ITEM#1/2'), v: N(2) }],
  });
  assert.deepEqual(found.UnprocessedKeys, {});
});

// What is not there is simply not in the answer; the table still is.
test('missing items are left out', async () => {
  const found = await read({ [First]: { Keys: [{ pk: S(unique('none')) }] } });
  assert.deepEqual(found.Responses, { [First]: [] });
});

test('a projection for each table', async () => {
  const pk = S(unique('projected'));
  await send('PutItem', { TableName: First, Item: { pk, data: N(1), other: N(2) } });
  const found = await read({
    [First]: {
      Keys: [{ pk }],
      ProjectionExpression: '#d',
      ExpressionAttributeNames: { '#d': 'data' },
    },
  });
  assert.deepEqual(found.Responses[First], [{ data: N(1) }]);
  const legacy = await read({ [First]: { Keys: [{ pk }], AttributesToGet: ['other'] } });
  assert.deepEqual(legacy.Responses[First], [{ other: N(2) }]);
});

test('25 writes and 100 reads are allowed', async () => {
  const keys = Array.from({ length: 100 }, (_, i) => ({ pk: S(`hundred-${i}`) }));
  await putAll(First, keys);
  const found = await read({ [First]: { Keys: keys } });
  assert.equal(found.Responses[First].length, 100);
});

// 16 MB is all one answer holds; the rest is to be asked for again.
test('more than 16 MB come back in part', async () => {
  const keys = Array.from({ length: 45 }, (_, i) => ({ pk: S(`big-${i}`) }));
  const v = S('x'.repeat(390_000));
  await Promise.all(keys.map((key) => send('PutItem', { TableName: First, Item: { ...key, v } })));
  const found = await read({ [First]: { Keys: keys } });
  const got = found.Responses[First].length;
  const left = found.UnprocessedKeys[First].Keys;
  assert.ok(got > 30 && got < 45, `${got} items`);
  assert.equal(got + left.length, 45);
  const rest = await read(found.UnprocessedKeys);
  const seen = [...found.Responses[First], ...rest.Responses[First]].map((item) => item.pk.S);
  assert.equal(new Set(seen).size, 45);
});

// Each row: what is wrong, the writes by table, the message.
const badWrites = [
  ['nothing', () => ({}), /[rR]equestItems/],
  ['a table without requests', () => ({ [First]: [] }), /greater than or equal to 1|at least/],
  [
    '26 requests',
    () => ({ [First]: Array.from({ length: 26 }, (_, i) => put({ pk: S(`${i}`) })) }),
    /less than or equal to 25|[Tt]oo many items/,
  ],
  [
    'an item twice',
    () => ({ [First]: [put({ pk: S('x') }), remove({ pk: S('x') })] }),
    'Provided list of item keys contains duplicates',
  ],
  [
    'an item without its key',
    () => ({ [First]: [put({ a: S('x') })] }),
    /Missing the key pk in the item|does not match the schema/,
  ],
  [
    'a key of another type',
    () => ({ [First]: [put({ pk: N(1) })] }),
    /Type mismatch for key pk expected: S actual: N|does not match the schema/,
  ],
  [
    'a delete with more than the key',
    () => ({ [First]: [remove({ pk: S('x'), a: S('y') })] }),
    'The provided key element does not match the schema',
  ],
  [
    'an empty key',
    () => ({ [First]: [put({ pk: S('') })] }),
    /cannot contain an empty string value. Key: pk/,
  ],
  [
    'an item too large',
    () => ({ [First]: [put({ pk: S('x'), v: S('x'.repeat(410_000)) })] }),
    'Item size has exceeded the maximum allowed size',
  ],
  ['a request of neither kind', () => ({ [First]: [{}] }), /Supplied AttributeValue is empty/],
];

for (const [what, requests, message] of badWrites) {
  test(`BatchWriteItem refuses ${what}`, () => invalid(write(requests()), message));
}

// A number has several spellings, and a table has a name and an ARN; the key is the same.
test('a key in two spellings is a duplicate', async () => {
  const message = 'Provided list of item keys contains duplicates';
  const Numbers = await newTable('pk:N');
  const [a, b] = [{ pk: N('1') }, { pk: N('1.0') }];
  await invalid(write({ [Numbers]: [put(a), put(b)] }), message);
  await invalid(read({ [Numbers]: { Keys: [a, b] } }), message);
  const { Table } = await send('DescribeTable', { TableName: Numbers });
  await invalid(write({ [Numbers]: [put(a)], [Table.TableArn]: [put(b)] }), message);
});

// One bad request refuses the whole batch before anything is written.
test('a refused batch writes nothing', async () => {
  const pk = S(unique('whole'));
  await invalid(write({ [First]: [put({ pk }), put({ pk: N(1) })] }));
  const { Item } = await send('GetItem', { TableName: First, Key: { pk } });
  assert.equal(Item, undefined);
});

// Each row: what is wrong, the reads by table, the message.
const badReads = [
  ['nothing', () => ({}), /[rR]equestItems/],
  ['a table without keys', () => ({ [First]: { Keys: [] } }), /greater than or equal to 1|[kK]eys/],
  [
    '101 keys',
    () => ({ [First]: { Keys: Array.from({ length: 101 }, (_, i) => ({ pk: S(`${i}`) })) } }),
    /less than or equal to 100|Too many items/,
  ],
  [
    'a key twice',
    () => ({ [First]: { Keys: [{ pk: S('x') }, { pk: S('x') }] } }),
    'Provided list of item keys contains duplicates',
  ],
  [
    'a key that does not fit',
    () => ({ [First]: { Keys: [{ other: S('x') }] } }),
    'The provided key element does not match the schema',
  ],
  [
    'both projections',
    () => ({
      [First]: { Keys: [{ pk: S('x') }], ProjectionExpression: 'pk', AttributesToGet: ['pk'] },
    }),
    /Can not use both expression and non-expression parameters in the same request: Non-expression parameters: \{AttributesToGet\} Expression parameters: \{ProjectionExpression\}/,
  ],
  [
    'names that no expression uses',
    () => ({
      [First]: {
        Keys: [{ pk: S('x') }],
        ProjectionExpression: 'pk',
        ExpressionAttributeNames: { '#a': 'a' },
      },
    }),
    'Value provided in ExpressionAttributeNames unused in expressions: keys: {#a}',
  ],
];

for (const [what, requests, message] of badReads) {
  test(`BatchGetItem refuses ${what}`, () => invalid(read(requests()), message));
}

test('a missing table refuses the batch', async () => {
  await rejects(
    write({ 'no-such-table': [put({ pk: S('x') })] }),
    'ResourceNotFoundException',
    /^Requested resource not found/,
  );
  await rejects(
    read({ 'no-such-table': { Keys: [{ pk: S('x') }] } }),
    'ResourceNotFoundException',
    /^Requested resource not found/,
  );
});

// The SDK cannot leave RequestItems out, other clients can.
test('a batch without RequestItems is refused', async () => {
  for (const operation of ['BatchGetItem', 'BatchWriteItem']) {
    const answer = await post(operation, {});
    assert.equal(answer.type, 'ValidationException');
    assert.match(answer.message, /[rR]equestItems/);
  }
});
