// DeleteItem.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { invalid, N, newTable, rejects, S, send, unique } from '../support/dynamodb.js';

let TableName;

before(async () => {
  TableName = await newTable('pk');
});

const put = (Item) => send('PutItem', { TableName, Item });
const remove = (pk, more = {}) => send('DeleteItem', { TableName, Key: { pk: S(pk) }, ...more });
const get = async (pk) =>
  (await send('GetItem', { TableName, Key: { pk: S(pk) }, ConsistentRead: true })).Item;

test('a deleted item is gone', async () => {
  const pk = unique('gone');
  await put({ pk: S(pk) });
  assert.equal((await remove(pk)).Attributes, undefined);
  assert.equal(await get(pk), undefined);
});

// Deleting is idempotent.
test('deleting what is not there succeeds', async () => {
  const answer = await remove(unique('never'), { ReturnValues: 'ALL_OLD' });
  assert.equal(answer.Attributes, undefined);
});

test('ALL_OLD answers what was deleted', async () => {
  const pk = unique('old');
  await put({ pk: S(pk), v: N(1) });
  const { Attributes } = await remove(pk, { ReturnValues: 'ALL_OLD' });
  assert.deepEqual(Attributes, { pk: S(pk), v: N(1) });
});

test('return values of UpdateItem are refused', async () => {
  for (const ReturnValues of ['ALL_NEW', 'UPDATED_OLD', 'UPDATED_NEW']) {
    await invalid(
      remove('x', { ReturnValues }),
      /^(ReturnValues can only be ALL_OLD or NONE|Return values set to invalid value)$/,
    );
  }
});

test('a failed condition keeps the item and can show it', async () => {
  const pk = unique('keep');
  await put({ pk: S(pk), v: N(1) });
  const more = { ConditionExpression: 'v > :v', ExpressionAttributeValues: { ':v': N(1) } };
  const silent = await rejects(
    remove(pk, more),
    'ConditionalCheckFailedException',
    'The conditional request failed',
  );
  assert.equal(silent.Item, undefined);
  const shown = await rejects(
    remove(pk, { ...more, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
    'ConditionalCheckFailedException',
  );
  assert.deepEqual(shown.Item, { pk: S(pk), v: N(1) });
  assert.deepEqual(await get(pk), { pk: S(pk), v: N(1) });
});

// A condition on a missing item sees no attributes.
test('attribute_exists fails where nothing is', async () => {
  await rejects(
    remove(unique('never'), { ConditionExpression: 'attribute_exists(pk)' }),
    'ConditionalCheckFailedException',
  );
  await remove(unique('never'), { ConditionExpression: 'attribute_not_exists(pk)' });
});

test('a key that does not fit the schema is refused', async () => {
  const message = 'The provided key element does not match the schema';
  await invalid(remove('x', { Key: { pk: N(1) } }), message);
  await invalid(remove('x', { Key: { pk: S('x'), sk: S('y') } }), message);
});

test('a missing table is refused', async () => {
  await rejects(
    remove('x', { TableName: 'no-such-table' }),
    'ResourceNotFoundException',
    'Requested resource not found',
  );
});

// Of many deleters that ask for the old item, one gets it.
test('ten deleters of one item: one sees it', async () => {
  const pk = unique('race');
  await put({ pk: S(pk) });
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => remove(pk, { ReturnValues: 'ALL_OLD' })),
  );
  assert.equal(answers.filter((answer) => answer.Attributes).length, 1);
});
