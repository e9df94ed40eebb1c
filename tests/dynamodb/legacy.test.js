// The parameters from before expressions, which old applications and tools still send: Expected,
// AttributeUpdates, KeyConditions, QueryFilter, ScanFilter, ConditionalOperator.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { invalid, L, N, newTable, putAll, rejects, S, send, unique } from '../support/dynamodb.js';

let TableName;
let Ranged;

before(async () => {
  [TableName, Ranged] = await Promise.all([newTable('pk'), newTable('pk sk:N')]);
  await putAll(
    Ranged,
    Array.from({ length: 6 }, (_, i) => ({ pk: S('p'), sk: N(i), v: N(i * 10), t: S(`t${i}`) })),
  );
});

const put = (Item, more = {}) => send('PutItem', { TableName, Item, ...more });
const get = async (pk) =>
  (await send('GetItem', { TableName, Key: { pk: S(pk) }, ConsistentRead: true })).Item;
const update = (pk, AttributeUpdates, more = {}) =>
  send('UpdateItem', { TableName, Key: { pk: S(pk) }, AttributeUpdates, ...more });

test('Expected with Exists guards a creation', async () => {
  const pk = unique('expected');
  await put({ pk: S(pk) }, { Expected: { pk: { Exists: false } } });
  await rejects(
    put({ pk: S(pk) }, { Expected: { pk: { Exists: false } } }),
    'ConditionalCheckFailedException',
    'The conditional request failed',
  );
});

test('Expected with Value compares', async () => {
  const pk = unique('value');
  await put({ pk: S(pk), v: N(1) });
  await put({ pk: S(pk), v: N(2) }, { Expected: { v: { Value: N(1) } } });
  await rejects(
    put({ pk: S(pk) }, { Expected: { v: { Value: N(1) } } }),
    'ConditionalCheckFailedException',
  );
});

// Each row: operator, operands, whether it holds for { v: 5, s: 'abc', set: [a, b] }.
const comparisons = [
  ['v', 'EQ', [N(5)], true],
  ['v', 'NE', [N(5)], false],
  ['v', 'LT', [N(6)], true],
  ['v', 'LE', [N(5)], true],
  ['v', 'GT', [N(5)], false],
  ['v', 'GE', [N(5)], true],
  ['v', 'BETWEEN', [N(1), N(5)], true],
  ['v', 'IN', [N(1), N(5)], true],
  ['v', 'NOT_NULL', undefined, true],
  ['v', 'NULL', undefined, false],
  ['missing', 'NULL', undefined, true],
  ['s', 'BEGINS_WITH', [S('ab')], true],
  ['s', 'CONTAINS', [S('bc')], true],
  ['s', 'NOT_CONTAINS', [S('bc')], false],
  ['set', 'CONTAINS', [S('a')], true],
  ['set', 'NOT_CONTAINS', [S('z')], true],
  ['missing', 'NE', [N(1)], true],
  ['missing', 'EQ', [N(1)], false],
];

for (const [name, ComparisonOperator, AttributeValueList, expected] of comparisons) {
  test(`Expected ${name} ${ComparisonOperator} is ${expected}`, async () => {
    const pk = unique('comparison');
    const item = { pk: S(pk), v: N(5), s: S('abc'), set: { SS: ['a', 'b'] } };
    await put(item);
    const attempt = put(item, { Expected: { [name]: { ComparisonOperator, AttributeValueList } } });
    if (expected) await attempt;
    else await rejects(attempt, 'ConditionalCheckFailedException');
  });
}

// Several expectations must all hold, unless ConditionalOperator says OR.
test('ConditionalOperator chooses between all and any', async () => {
  const pk = unique('operator');
  await put({ pk: S(pk), a: N(1), b: N(2) });
  const Expected = { a: { Value: N(1) }, b: { Value: N(9) } };
  await rejects(put({ pk: S(pk) }, { Expected }), 'ConditionalCheckFailedException');
  await rejects(
    put({ pk: S(pk) }, { Expected, ConditionalOperator: 'AND' }),
    'ConditionalCheckFailedException',
  );
  await put({ pk: S(pk) }, { Expected, ConditionalOperator: 'OR' });
});

test('DeleteItem takes Expected too', async () => {
  const pk = unique('delete');
  await put({ pk: S(pk), v: N(1) });
  const remove = (value) =>
    send('DeleteItem', { TableName, Key: { pk: S(pk) }, Expected: { v: { Value: N(value) } } });
  await rejects(remove(2), 'ConditionalCheckFailedException');
  await remove(1);
  assert.equal(await get(pk), undefined);
});

test('AttributeUpdates puts, adds and deletes', async () => {
  const pk = unique('updates');
  await put({ pk: S(pk), a: N(1), gone: S('x'), set: { SS: ['a', 'b'] }, list: L(N(1)) });
  const { Attributes } = await update(
    pk,
    {
      a: { Action: 'ADD', Value: N(2) },
      b: { Value: S('put is the default') },
      gone: { Action: 'DELETE' },
      set: { Action: 'DELETE', Value: { SS: ['a'] } },
      list: { Action: 'ADD', Value: L(N(2)) },
    },
    { ReturnValues: 'ALL_NEW' },
  );
  assert.deepEqual(Attributes, {
    pk: S(pk),
    a: N(3),
    b: S('put is the default'),
    set: { SS: ['b'] },
    list: L(N(1), N(2)),
  });
});

test('AttributeUpdates creates a missing item', async () => {
  const pk = unique('create');
  await update(pk, { n: { Action: 'ADD', Value: N(1) } });
  assert.deepEqual(await get(pk), { pk: S(pk), n: N(1) });
});

test('AttributeUpdates refuses the key and mixing', async () => {
  await invalid(
    update('x', { pk: { Value: S('y') } }),
    /Cannot update attribute pk. This attribute is part of the key/,
  );
  await invalid(
    update('x', { a: { Value: S('y') } }, { UpdateExpression: 'REMOVE b' }),
    'Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {AttributeUpdates} Expression parameters: {UpdateExpression}',
  );
});

const query = (more) => send('Query', { TableName: Ranged, ...more });
const hash = { pk: { ComparisonOperator: 'EQ', AttributeValueList: [S('p')] } };
const numbers = (answer) => answer.Items.map((item) => Number(item.sk.N));

// Each row: operator on the sort key, operands, the sort keys found.
const ranges = [
  ['EQ', [N(2)], [2]],
  ['LT', [N(2)], [0, 1]],
  ['LE', [N(2)], [0, 1, 2]],
  ['GT', [N(3)], [4, 5]],
  ['GE', [N(3)], [3, 4, 5]],
  ['BETWEEN', [N(1), N(3)], [1, 2, 3]],
];

for (const [ComparisonOperator, AttributeValueList, expected] of ranges) {
  test(`KeyConditions with ${ComparisonOperator}`, async () => {
    const answer = await query({
      KeyConditions: { ...hash, sk: { ComparisonOperator, AttributeValueList } },
    });
    assert.deepEqual(numbers(answer), expected);
  });
}

test('QueryFilter drops items after they were read', async () => {
  const answer = await query({
    KeyConditions: hash,
    QueryFilter: { v: { ComparisonOperator: 'GT', AttributeValueList: [N(25)] } },
  });
  assert.deepEqual(numbers(answer), [3, 4, 5]);
  assert.equal(answer.ScannedCount, 6);
});

test('ScanFilter with OR', async () => {
  const answer = await send('Scan', {
    TableName: Ranged,
    ScanFilter: {
      v: { ComparisonOperator: 'EQ', AttributeValueList: [N(10)] },
      t: { ComparisonOperator: 'EQ', AttributeValueList: [S('t4')] },
    },
    ConditionalOperator: 'OR',
  });
  assert.deepEqual(numbers(answer).sort(), [1, 4]);
});

test('KeyConditions refuse what a key cannot do', async () => {
  const condition = (ComparisonOperator, ...AttributeValueList) => ({
    ComparisonOperator,
    AttributeValueList,
  });
  await invalid(
    query({ KeyConditions: { pk: condition('GT', S('p')) } }),
    'Query key condition not supported',
  );
  await invalid(query({ KeyConditions: { ...hash, sk: condition('NE', N(1)) } }));
  await invalid(
    query({ KeyConditions: { sk: condition('EQ', N(1)) } }),
    /Query condition missed key schema element/,
  );
  await invalid(
    query({ KeyConditions: { ...hash, other: condition('EQ', N(1)) } }),
    /Query condition missed key schema element|conditions/i,
  );
});

test('both kinds of key condition are refused together', async () => {
  await invalid(
    query({
      KeyConditions: hash,
      KeyConditionExpression: 'pk = :p',
      ExpressionAttributeValues: { ':p': S('p') },
    }),
    'Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {KeyConditions} Expression parameters: {KeyConditionExpression}',
  );
});

test('an unknown comparison operator lists the known ones', async () => {
  await invalid(
    put(
      { pk: S('x') },
      { Expected: { a: { ComparisonOperator: 'LIKE', AttributeValueList: [S('x')] } } },
    ),
    /Member must satisfy enum value set: \[IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, BEGINS_WITH, GE, CONTAINS\]/,
  );
});

test('operands must match their operator in number', async () => {
  await invalid(
    put(
      { pk: S('x') },
      { Expected: { a: { ComparisonOperator: 'BETWEEN', AttributeValueList: [N(1)] } } },
    ),
    /[Ii]nvalid number of argument\(s\) for the BETWEEN ComparisonOperator/,
  );
});
