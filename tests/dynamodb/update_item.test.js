// UpdateItem: upserts, conditions, return values and concurrent writers.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { B, invalid, M, N, newTable, rejects, S, send, unique } from '../support/dynamodb.js';

let TableName;

before(async () => {
  TableName = await newTable('pk');
});

const put = (Item) => send('PutItem', { TableName, Item });
const get = async (pk) =>
  (await send('GetItem', { TableName, Key: { pk: S(pk) }, ConsistentRead: true })).Item;

function update(pk, UpdateExpression, values, more = {}) {
  return send('UpdateItem', {
    TableName,
    Key: { pk: S(pk) },
    UpdateExpression,
    ExpressionAttributeValues: values,
    ...more,
  });
}

// An update of a missing item creates it, unless a condition says otherwise.
test('an update creates a missing item', async () => {
  const pk = unique('upsert');
  await update(pk, 'SET v = :v', { ':v': N(1) });
  assert.deepEqual(await get(pk), { pk: S(pk), v: N(1) });
});

test('a key alone creates an item of just its key, and then does nothing', async () => {
  const pk = unique('key-only');
  await update(pk);
  assert.deepEqual(await get(pk), { pk: S(pk) });
  await update(pk, 'SET v = :v', { ':v': N(1) });
  await update(pk);
  assert.deepEqual(await get(pk), { pk: S(pk), v: N(1) });
});

// Nothing can be cleared in an item that does not exist, and nothing else was asked for.
test('an update that only clears does not create the item', async () => {
  const pk = unique('clear');
  const answer = await update(pk, 'REMOVE v', undefined, { ReturnValues: 'ALL_NEW' });
  assert.equal(answer.Attributes, undefined);
  await update(pk, 'DELETE v :v', { ':v': { SS: ['a'] } });
  await send('UpdateItem', {
    TableName,
    Key: { pk: S(pk) },
    AttributeUpdates: { v: { Action: 'DELETE' } },
  });
  assert.equal(await get(pk), undefined);
  await update(pk, 'SET w = :w REMOVE v', { ':w': N(1) });
  assert.deepEqual(await get(pk), { pk: S(pk), w: N(1) });
});

// Neither way of updating may make an attribute that a put could not.
test('no update makes an attribute without a name', async () => {
  const pk = unique('nameless');
  await invalid(
    update(pk, 'SET #n = :v', { ':v': N(1) }, { ExpressionAttributeNames: { '#n': '' } }),
    /Empty attribute name/,
  );
  await invalid(
    send('UpdateItem', {
      TableName,
      Key: { pk: S(pk) },
      AttributeUpdates: { '': { Value: N(1) } },
    }),
    /Empty attribute name/,
  );
  assert.equal(await get(pk), undefined);
});

// The condition is evaluated on what is stored, before the key is filled in.
test('a condition on the key fails for a missing item', async () => {
  const pk = unique('guard');
  await rejects(
    update(pk, 'SET v = :v', { ':v': N(1) }, { ConditionExpression: 'attribute_exists(pk)' }),
    'ConditionalCheckFailedException',
    'The conditional request failed',
  );
  assert.equal(await get(pk), undefined);
});

test('a failed condition can carry the item', async () => {
  const pk = unique('carry');
  await put({ pk: S(pk), v: N(1) });
  const error = await rejects(
    update(
      pk,
      'SET v = :v',
      { ':v': N(2) },
      {
        ConditionExpression: 'v = :v',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    ),
    'ConditionalCheckFailedException',
  );
  assert.deepEqual(error.Item, { pk: S(pk), v: N(1) });
});

// The five return values on one and the same change.
const before5 = { a: N(1), b: N(2), m: M({ x: N(1), y: N(2) }) };
const returned = {
  NONE: undefined,
  ALL_OLD: (pk) => ({ pk, ...before5 }),
  ALL_NEW: (pk) => ({ pk, a: N(10), c: N(3), m: M({ x: N(9), y: N(2) }) }),
  UPDATED_OLD: () => ({ a: N(1), b: N(2), m: M({ x: N(1) }) }),
  UPDATED_NEW: () => ({ a: N(10), c: N(3), m: M({ x: N(9) }) }),
};

for (const [ReturnValues, expected] of Object.entries(returned)) {
  // Only the changed paths come back from the UPDATED values; a removed one has no new value.
  test(`ReturnValues ${ReturnValues}`, async () => {
    const pk = unique('values');
    await put({ pk: S(pk), ...before5 });
    const { Attributes } = await update(
      pk,
      'SET a = :a, c = :c, m.x = :x REMOVE b',
      { ':a': N(10), ':c': N(3), ':x': N(9) },
      { ReturnValues },
    );
    assert.deepEqual(Attributes, expected?.(S(pk)));
  });
}

// On a new item there is nothing old to answer.
test('old values of an item that was not there are absent', async () => {
  for (const ReturnValues of ['ALL_OLD', 'UPDATED_OLD']) {
    const { Attributes } = await update(
      unique('fresh'),
      'SET a = :a',
      { ':a': N(1) },
      { ReturnValues },
    );
    assert.equal(Attributes, undefined);
  }
});

test('an update may not grow an item past 409,600 bytes', async () => {
  const pk = unique('grow');
  await put({ pk: S(pk), a: S('x'.repeat(300_000)) });
  await invalid(
    update(pk, 'SET b = :b', { ':b': S('x'.repeat(120_000)) }),
    'Item size to update has exceeded the maximum allowed size',
  );
  assert.equal((await get(pk)).b, undefined);
});

const one = { ':v': N(1) };

test('keys that do not fit the schema are refused', async () => {
  const message = 'The provided key element does not match the schema';
  await invalid(update('x', 'SET a = :v', one, { Key: { pk: N(1) } }), message);
  await invalid(update('x', 'SET a = :v', one, { Key: { other: S('x') } }), message);
});

// Counters are the classic case of lost updates.
test('fifty adders of one counter lose nothing', async () => {
  const pk = unique('adders');
  const answers = await Promise.all(
    Array.from({ length: 50 }, () =>
      update(pk, 'ADD n :one', { ':one': N(1) }, { ReturnValues: 'UPDATED_NEW' }),
    ),
  );
  assert.deepEqual((await get(pk)).n, N(50));
  // Each saw a state of its own.
  assert.equal(new Set(answers.map((answer) => answer.Attributes.n.N)).size, 50);
});

// A chain of compare-and-set updates: each version is taken once.
test('optimistic locking lets one writer of each version through', async () => {
  const pk = unique('version');
  await put({ pk: S(pk), version: N(0) });
  const attempt = (version) =>
    update(
      pk,
      'SET version = version + :one',
      { ':one': N(1), ':v': N(version) },
      { ConditionExpression: 'version = :v' },
    );
  for (let version = 0; version < 5; version += 1) {
    const results = await Promise.allSettled(Array.from({ length: 4 }, () => attempt(version)));
    assert.equal(results.filter((result) => result.status === 'fulfilled').length, 1);
  }
  assert.deepEqual((await get(pk)).version, N(5));
});

test('binary sets can be added to and deleted from', async () => {
  const pk = unique('binary');
  await update(pk, 'ADD s :s', { ':s': { BS: [Buffer.from('a'), Buffer.from('b')] } });
  await update(pk, 'DELETE s :s', { ':s': { BS: [Buffer.from('a')] } });
  assert.deepEqual(
    (await get(pk)).s.BS.map((bytes) => Buffer.from(bytes).toString()),
    ['b'],
  );
  await update(pk, 'SET bytes = :b', { ':b': B('bytes') });
  assert.equal(Buffer.from((await get(pk)).bytes.B).toString(), 'bytes');
});
