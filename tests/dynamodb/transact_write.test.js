// TransactWriteItems: all or nothing, reasons by position, idempotency.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import {
  allPages,
  attributes,
  invalid,
  keySchema,
  L,
  M,
  N,
  newTable,
  projectAll,
  rejects,
  S,
  send,
  unique,
} from '../support/dynamodb.js';

let TableName;
let Other;

before(async () => {
  [TableName, Other] = await Promise.all([
    newTable('pk', {
      AttributeDefinitions: attributes('g:N'),
      GlobalSecondaryIndexes: [
        { IndexName: 'by-g', KeySchema: keySchema('g'), Projection: projectAll },
      ],
    }),
    newTable('pk sk'),
  ]);
});

const write = (TransactItems, more = {}) => send('TransactWriteItems', { TransactItems, ...more });
const put = (Item, more = {}) => ({ Put: { TableName, Item, ...more } });
const remove = (pk, more = {}) => ({ Delete: { TableName, Key: { pk: S(pk) }, ...more } });
const update = (pk, UpdateExpression, ExpressionAttributeValues, more = {}) => ({
  Update: { TableName, Key: { pk: S(pk) }, UpdateExpression, ExpressionAttributeValues, ...more },
});
const check = (pk, ConditionExpression, more = {}) => ({
  ConditionCheck: { TableName, Key: { pk: S(pk) }, ConditionExpression, ...more },
});
const get = async (pk) =>
  (await send('GetItem', { TableName, Key: { pk: S(pk) }, ConsistentRead: true })).Item;
const seed = (Item) => send('PutItem', { TableName, Item });

async function cancelled(promise, codes) {
  const error = await rejects(promise, 'TransactionCanceledException');
  assert.equal(
    error.message,
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes.join(', ')}]`,
  );
  assert.deepEqual(
    error.CancellationReasons.map((reason) => reason.Code),
    codes,
  );
  return error.CancellationReasons;
}

test('the four kinds of action work together, over two tables', async () => {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(unique);
  await seed({ pk: S(b), n: N(1) });
  await seed({ pk: S(c) });
  await seed({ pk: S(d), ok: { BOOL: true } });
  await write([
    put({ pk: S(a), v: S('new') }),
    update(b, 'SET n = n + :one', { ':one': N(1) }),
    remove(c),
    check(d, 'attribute_exists(ok)'),
    { Put: { TableName: Other, Item: { pk: S(a), sk: S('ITEM#1') } } },
  ]);
  assert.deepEqual(await get(a), { pk: S(a), v: S('new') });
  assert.deepEqual(await get(b), { pk: S(b), n: N(2) });
  assert.equal(await get(c), undefined);
  assert.deepEqual(await get(d), { pk: S(d), ok: { BOOL: true } });
  const other = await send('GetItem', { TableName: Other, Key: { pk: S(a), sk: S('ITEM#1') } });
  assert.ok(other.Item);
});

// One failed condition stops everything and is named by its position.
test('a failed condition cancels everything', async () => {
  const [a, b, c] = ['a', 'b', 'c'].map(unique);
  await seed({ pk: S(b), v: N(1) });
  const reasons = await cancelled(
    write([
      put({ pk: S(a) }),
      put({ pk: S(b) }, { ConditionExpression: 'attribute_not_exists(pk)' }),
      update(c, 'SET v = :v', { ':v': N(1) }),
    ]),
    ['None', 'ConditionalCheckFailed', 'None'],
  );
  assert.equal(reasons[1].Message, 'The conditional request failed');
  assert.equal(reasons[1].Item, undefined);
  assert.equal(reasons[0].Message, undefined);
  assert.equal(await get(a), undefined);
  assert.equal(await get(c), undefined);
  assert.deepEqual(await get(b), { pk: S(b), v: N(1) });
});

// All conditions are evaluated, not just the first that fails.
test('every failed condition is reported', async () => {
  const [a, b, c] = ['a', 'b', 'c'].map(unique);
  await cancelled(
    write([
      check(a, 'attribute_exists(pk)'),
      put({ pk: S(b) }),
      remove(c, { ConditionExpression: 'attribute_exists(pk)' }),
    ]),
    ['ConditionalCheckFailed', 'None', 'ConditionalCheckFailed'],
  );
});

test('a reason can carry the item', async () => {
  const pk = unique('carry');
  await seed({ pk: S(pk), v: N(1) });
  const more = { ConditionExpression: 'v = :w', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' };
  const values = { ExpressionAttributeValues: { ':w': N(9) } };
  for (const action of [
    put({ pk: S(pk) }, { ...more, ...values }),
    remove(pk, { ...more, ...values }),
    update(pk, 'SET v = :w', { ':w': N(9) }, more),
    check(pk, 'v = :w', { ...more, ...values }),
  ]) {
    const [reason] = await cancelled(write([action]), ['ConditionalCheckFailed']);
    assert.deepEqual(reason.Item, { pk: S(pk), v: N(1) });
  }
});

// What the text of an update cannot show is found when it meets the item.
test('an update that does not fit its item cancels', async () => {
  const pk = unique('type');
  await seed({ pk: S(pk), v: S('text') });
  const [reason] = await cancelled(write([update(pk, 'SET v = v + :one', { ':one': N(1) })]), [
    'ValidationError',
  ]);
  assert.equal(reason.Message, 'An operand in the update expression has an incorrect data type');
});

// An index key of the wrong type is found on every write path.
test('a wrong index key is refused', async () => {
  const pk = unique('index');
  await assert.rejects(
    write([put({ pk: S(pk), g: S('text') })]),
    /Type mismatch for Index Key g Expected: N Actual: S|ValidationError/,
  );
  await assert.rejects(
    write([update(pk, 'SET g = :g', { ':g': S('text') })]),
    /Type mismatch for Index Key|ValidationError/,
  );
  assert.equal(await get(pk), undefined);
});

test('an item that grows too large cancels as ValidationError', async () => {
  const pk = unique('grow');
  await seed({ pk: S(pk), a: S('x'.repeat(300_000)) });
  const [reason] = await cancelled(
    write([update(pk, 'SET b = :b', { ':b': S('x'.repeat(150_000)) })]),
    ['ValidationError'],
  );
  assert.equal(reason.Message, 'Item size to update has exceeded the maximum allowed size');
});

test('100 actions are allowed', async () => {
  const names = Array.from({ length: 100 }, () => unique('hundred'));
  await write(names.map((pk, i) => put({ pk: S(pk), i: N(i) })));
  assert.deepEqual(await get(names[99]), { pk: S(names[99]), i: N(99) });
});

const PARAMETERS = 'One or more parameter values were invalid: ';

// Each row: what is wrong, the actions, the message. These are wrong by themselves, so they are
// refused before any condition is looked at.
const refusals = [
  [
    'nothing',
    () => [],
    /'transactItems' failed to satisfy constraint: Member must have length greater than or equal to 1/,
  ],
  [
    '101 actions',
    () => Array.from({ length: 101 }, (_, i) => put({ pk: S(`${i}`) })),
    /less than or equal to 100/,
  ],
  [
    'an item twice',
    () => [put({ pk: S('x') }), remove('x')],
    'Transaction request cannot include multiple operations on one item',
  ],
  [
    'a check of a written item',
    () => [put({ pk: S('x') }), check('x', 'attribute_exists(pk)')],
    'Transaction request cannot include multiple operations on one item',
  ],
  [
    'an action of two kinds',
    () => [{ ...put({ pk: S('x') }), ...remove('y') }],
    /TransactItems can only contain one of Check, Put, Update or Delete/,
  ],
  [
    'an action of no kind',
    () => [{}],
    /TransactItems can only contain one of Check, Put, Update or Delete/,
  ],
  [
    'an item too large',
    () => [put({ pk: S('x'), v: S('x'.repeat(410_000)) })],
    'Item size has exceeded the maximum allowed size',
  ],
  [
    'a wrong expression',
    () => [update('x', 'SET status = :v', { ':v': N(1) })],
    'Invalid UpdateExpression: Attribute name is a reserved keyword; reserved keyword: status',
  ],
  [
    'an unused value',
    () => [check('x', 'attribute_exists(pk)', { ExpressionAttributeValues: { ':v': N(1) } })],
    'Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}',
  ],
  [
    'a check without a condition',
    () => [{ ConditionCheck: { TableName, Key: { pk: S('x') } } }],
    /conditionExpression|ConditionExpression/,
  ],
  [
    'an update without an expression',
    () => [{ Update: { TableName, Key: { pk: S('x') } } }],
    /updateExpression|UpdateExpression/,
  ],
  [
    'an expression of 4,097 bytes',
    () => [check('x', `attribute_exists(${'a'.repeat(4080)})`)],
    /Expression size has exceeded the maximum allowed size/,
  ],
];

for (const [what, actions, message] of refusals) {
  test(`TransactWriteItems refuses ${what}`, () => invalid(write(actions()), message));
}

// Wrong keys: the service reports some at the top and some by position; both name the fault.
test('keys that do not fit are refused', async () => {
  await assert.rejects(
    write([put({ a: S('x') })]),
    new RegExp(`${PARAMETERS}Missing the key pk in the item|ValidationError`),
  );
  await assert.rejects(
    write([{ Delete: { TableName, Key: { other: S('x') } } }]),
    /does not match the schema|ValidationError/,
  );
  await assert.rejects(
    write([update('x', 'SET pk = :v', { ':v': S('y') })]),
    /Cannot update attribute pk|ValidationError/,
  );
});

test('a missing table is refused', async () => {
  await rejects(
    write([put({ pk: S('x') }), { Put: { TableName: 'no-such-table', Item: { pk: S('x') } } }]),
    'ResourceNotFoundException',
    'Requested resource not found',
  );
});

// 4 MB of items in one transaction.
test('more than 4 MB are refused', async () => {
  const v = S('x'.repeat(390_000));
  const names = Array.from({ length: 12 }, () => unique('large'));
  await assert.rejects(
    write(names.map((pk) => put({ pk: S(pk), v }))),
    /ValidationException|4 ?MB|size/i,
  );
  assert.equal(await get(names[0]), undefined);
  await write(names.slice(0, 10).map((pk) => put({ pk: S(pk), v })));
  assert.ok(await get(names[9]));
});

// A client that lost the answer sends the same again; it must not count twice.
test('the same token with the same request works once', async () => {
  const pk = unique('token');
  const request = [update(pk, 'ADD n :one', { ':one': N(1) })];
  const ClientRequestToken = unique('t').slice(0, 36);
  await write(request, { ClientRequestToken });
  await write(request, { ClientRequestToken });
  assert.deepEqual(await get(pk), { pk: S(pk), n: N(1) });
});

test('the same token with another request is refused', async () => {
  const pk = unique('mismatch');
  const ClientRequestToken = unique('t').slice(0, 36);
  await write([update(pk, 'ADD n :one', { ':one': N(1) })], { ClientRequestToken });
  await rejects(
    write([update(pk, 'ADD n :one', { ':one': N(2) })], { ClientRequestToken }),
    'IdempotentParameterMismatchException',
  );
  assert.deepEqual(await get(pk), { pk: S(pk), n: N(1) });
});

// The retry may come while the first call is still under way.
test('the same token at the same time works once', async () => {
  const pk = unique('together');
  const ClientRequestToken = unique('t').slice(0, 36);
  const results = await Promise.allSettled(
    Array.from({ length: 10 }, () =>
      write([update(pk, 'ADD n :one', { ':one': N(1) })], { ClientRequestToken }),
    ),
  );
  for (const { status, reason } of results) {
    if (status === 'rejected')
      assert.match(reason.name, /^Transaction(InProgress|Canceled)Exception$/);
  }
  assert.ok(results.some(({ status }) => status === 'fulfilled'));
  assert.deepEqual(await get(pk), { pk: S(pk), n: N(1) });
});

// A table has a name and an ARN, and a number several spellings; the item is the same.
test('one item under two names is still one item', async () => {
  const message = 'Transaction request cannot include multiple operations on one item';
  const { Table } = await send('DescribeTable', { TableName });
  const byArn = { Put: { TableName: Table.TableArn, Item: { pk: S('x') } } };
  await invalid(write([put({ pk: S('x') }), byArn]), message);
  const Numbers = await newTable('pk:N');
  const number = (text) => ({ Put: { TableName: Numbers, Item: { pk: N(text) } } });
  await invalid(write([number('1'), number('1.0')]), message);
});

// A cancelled transaction has done nothing, so its token may try again.
test('a token is not used up by a cancelled transaction', async () => {
  const pk = unique('again');
  const ClientRequestToken = unique('t').slice(0, 36);
  const request = [check(pk, 'attribute_exists(pk)'), put({ pk: S(`${pk}-other`) })];
  await cancelled(write(request, { ClientRequestToken }), ['ConditionalCheckFailed', 'None']);
  await seed({ pk: S(pk) });
  await write(request, { ClientRequestToken });
  assert.ok(await get(`${pk}-other`));
});

test('a token is at most 36 characters long', async () => {
  await invalid(
    write([put({ pk: S('x') })], { ClientRequestToken: 'x'.repeat(37) }),
    /'clientRequestToken' failed to satisfy constraint: Member must have length less than or equal to 36/,
  );
});

// Money moves between two accounts from many sides; none may appear or vanish.
test('concurrent transfers keep the total', async () => {
  const [a, b] = [unique('account'), unique('account')];
  await seed({ pk: S(a), n: N(100) });
  await seed({ pk: S(b), n: N(100) });
  const move = (from, to) =>
    write([
      update(from, 'SET n = n - :one', { ':one': N(1) }, { ConditionExpression: 'n >= :one' }),
      update(to, 'SET n = n + :one', { ':one': N(1) }),
    ]);
  const results = await Promise.allSettled(
    Array.from({ length: 30 }, (_, i) => (i % 3 ? move(a, b) : move(b, a))),
  );
  let balance = 100;
  for (const [i, result] of results.entries()) {
    if (result.status === 'fulfilled') balance += i % 3 ? -1 : 1;
    else {
      assert.equal(result.reason.name, 'TransactionCanceledException');
      assert.ok(
        result.reason.CancellationReasons.some((reason) => reason.Code === 'TransactionConflict'),
      );
    }
  }
  assert.deepEqual((await get(a)).n, N(balance));
  assert.deepEqual((await get(b)).n, N(200 - balance));
});

// Index entries belong to the same commit.
test('index entries change with the transaction', async () => {
  const pk = unique('indexed');
  const g = Math.floor(Math.random() * 1e9);
  const find = (value) =>
    allPages('Query', {
      TableName,
      IndexName: 'by-g',
      KeyConditionExpression: 'g = :g',
      ExpressionAttributeValues: { ':g': N(value) },
    });
  await write([put({ pk: S(pk), g: N(g), l: L(), m: M({}) })]);
  assert.equal((await find(g)).items.length, 1);
  await write([update(pk, 'SET g = :g', { ':g': N(g + 0.5) })]);
  assert.equal((await find(g)).items.length, 0);
  assert.equal((await find(g + 0.5)).items.length, 1);
  await write([remove(pk)]);
  assert.equal((await find(g + 0.5)).items.length, 0);
});
