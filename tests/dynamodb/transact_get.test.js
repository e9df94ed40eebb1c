// TransactGetItems: one consistent picture of up to 100 items.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { invalid, M, N, newTable, putAll, rejects, S, send, unique } from '../support/dynamodb.js';

let TableName;

before(async () => {
  TableName = await newTable('pk');
});

const read = (TransactItems, more = {}) => send('TransactGetItems', { TransactItems, ...more });
const get = (pk, more = {}) => ({ Get: { TableName, Key: { pk: S(pk) }, ...more } });

// Answers come by position; what is not there is an empty answer.
test('items come in the order asked for', async () => {
  const [a, b] = [unique('a'), unique('b')];
  await putAll(TableName, [
    { pk: S(a), v: N(1) },
    { pk: S(b), v: N(2) },
  ]);
  const { Responses } = await read([get(b), get(unique('none')), get(a)]);
  assert.deepEqual(Responses, [
    { Item: { pk: S(b), v: N(2) } },
    {},
    { Item: { pk: S(a), v: N(1) } },
  ]);
});

test('each item has its own projection', async () => {
  const pk = unique('projection');
  await putAll(TableName, [{ pk: S(pk), data: N(1), m: M({ x: N(2), y: N(3) }) }]);
  const { Responses } = await read([
    get(pk, { ProjectionExpression: '#d, m.x', ExpressionAttributeNames: { '#d': 'data' } }),
  ]);
  assert.deepEqual(Responses[0].Item, { data: N(1), m: M({ x: N(2) }) });
});

test('100 items are allowed', async () => {
  const keys = Array.from({ length: 100 }, (_, i) => `hundred-${i}`);
  await putAll(
    TableName,
    keys.map((pk) => ({ pk: S(pk) })),
  );
  const { Responses } = await read(keys.map((pk) => get(pk)));
  assert.deepEqual(
    Responses.map((response) => response.Item.pk.S),
    keys,
  );
});

// Each row: what is wrong, the actions, the message.
const refusals = [
  [
    'nothing',
    () => [],
    /'transactItems' failed to satisfy constraint: Member must have length greater than or equal to 1/,
  ],
  [
    '101 items',
    () => Array.from({ length: 101 }, (_, i) => get(`${i}`)),
    /less than or equal to 100/,
  ],
  [
    'an item twice',
    () => [get('x'), get('x')],
    'Transaction request cannot include multiple operations on one item',
  ],
  [
    'a wrong projection',
    () => [get('x', { ProjectionExpression: 'a, a' })],
    /Two document paths overlap/,
  ],
];

for (const [what, actions, message] of refusals) {
  test(`TransactGetItems refuses ${what}`, () => invalid(read(actions()), message));
}

test('a key that does not fit is refused', async () => {
  await assert.rejects(
    read([{ Get: { TableName, Key: { other: S('x') } } }]),
    /does not match the schema|ValidationError/,
  );
});

test('a missing table is refused', async () => {
  await rejects(
    read([{ Get: { TableName: 'no-such-table', Key: { pk: S('x') } } }]),
    'ResourceNotFoundException',
    'Requested resource not found',
  );
});

// A reader must never see half of a transaction.
test('readers see transactions whole', async () => {
  const [a, b] = [unique('a'), unique('b')];
  const writeBoth = (n) =>
    send('TransactWriteItems', {
      TransactItems: [a, b].map((pk) => ({ Put: { TableName, Item: { pk: S(pk), n: N(n) } } })),
    }).catch((error) => assert.equal(error.name, 'TransactionCanceledException'));
  await writeBoth(0);
  let writing = true;
  const writer = (async () => {
    for (let n = 1; n <= 20; n += 1) await writeBoth(n);
    writing = false;
  })();
  while (writing) {
    try {
      const { Responses } = await read([get(a), get(b)]);
      assert.deepEqual(Responses[0].Item.n, Responses[1].Item.n);
    } catch (error) {
      // The service may also refuse to read through a transaction under way.
      if (error.name !== 'TransactionCanceledException') throw error;
    }
  }
  await writer;
});
