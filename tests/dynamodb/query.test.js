// Query: order, pages, filters, projections and indexes.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { paginateQuery } from '@aws-sdk/client-dynamodb';

import {
  allPages,
  attributes,
  client,
  invalid,
  keySchema,
  L,
  M,
  N,
  newTable,
  putAll,
  rejects,
  S,
  send,
} from '../support/dynamodb.js';

let TableName;
let Hash;

const SORT = [
  '#METADATA',
  'ITEM#PRD-1001',
  'ITEM#PRD-2002',
  'META#12.345.678/0001-99',
  'SHIPPING#São Paulo#1',
  'Z',
  'a',
  'á',
  '日',
];

before(async () => {
  [TableName, Hash] = await Promise.all([
    newTable('pk sk', {
      AttributeDefinitions: attributes('g'),
      GlobalSecondaryIndexes: [
        {
          IndexName: 'keys',
          KeySchema: keySchema('g', 'sk'),
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    }),
    newTable('pk'),
  ]);
  await putAll(TableName, [
    ...SORT.map((sk, i) => ({
      pk: S('COMPANY#1'),
      sk: S(sk),
      i: N(i),
      g: S('g'),
      even: { BOOL: i % 2 === 0 },
      m: M({ l: L(N(i)) }),
    })),
    { pk: S('COMPANY#1#ORDER#1'), sk: S('Z') },
    { pk: S('COMPANY'), sk: S('Z') },
  ]);
  await putAll(Hash, [{ pk: S('only'), v: N(1) }]);
});

function query(KeyConditionExpression, values, more = {}) {
  return send('Query', {
    TableName,
    KeyConditionExpression,
    ExpressionAttributeValues: values,
    ...more,
  });
}

const pk = { ':p': S('COMPANY#1') };
const sortKeys = (answer) => answer.Items.map((item) => item.sk.S);

// A partition holds its own items only, in the byte order of their sort keys.
test('a partition comes in order of the sort key bytes', async () => {
  const answer = await query('pk = :p', pk);
  assert.deepEqual(sortKeys(answer), SORT);
  assert.equal(answer.Count, SORT.length);
  assert.equal(answer.ScannedCount, SORT.length);
  assert.equal(answer.LastEvaluatedKey, undefined);
});

test('ScanIndexForward false turns the order round', async () => {
  const answer = await query('pk = :p', pk, { ScanIndexForward: false });
  assert.deepEqual(sortKeys(answer), [...SORT].reverse());
});

test('a partition that is not there is empty', async () => {
  const answer = await query('pk = :p', { ':p': S('nobody') });
  assert.deepEqual([answer.Items, answer.Count, answer.ScannedCount], [[], 0, 0]);
});

test('a table without sort key has one item a partition', async () => {
  const answer = await query('pk = :p', { ':p': S('only') }, { TableName: Hash });
  assert.deepEqual(answer.Items, [{ pk: S('only'), v: N(1) }]);
});

for (const ScanIndexForward of [true, false]) {
  // Pages of any size visit each item once; the last page may be empty.
  test(`pages ${ScanIndexForward ? 'forwards' : 'backwards'} visit each item once`, async () => {
    for (const Limit of [1, 2, 3, SORT.length, 100]) {
      const { items } = await allPages('Query', {
        TableName,
        KeyConditionExpression: 'pk = :p',
        ExpressionAttributeValues: pk,
        Limit,
        ScanIndexForward,
      });
      const expected = ScanIndexForward ? SORT : [...SORT].reverse();
      assert.deepEqual(
        items.map((item) => item.sk.S),
        expected,
      );
    }
  });
}

// A page that is exactly full ends with a key, because nobody has looked further.
test('a full page carries LastEvaluatedKey', async () => {
  const answer = await query('pk = :p', pk, { Limit: SORT.length });
  assert.deepEqual(answer.LastEvaluatedKey, { pk: S('COMPANY#1'), sk: S(SORT.at(-1)) });
  const over = await query('pk = :p', pk, { Limit: SORT.length + 1 });
  assert.equal(over.LastEvaluatedKey, undefined);
});

// Limit counts what is read, not what passes the filter.
test('a filter works after the limit', async () => {
  const answer = await query(
    'pk = :p',
    { ...pk, ':t': { BOOL: true } },
    { FilterExpression: 'even = :t', Limit: 3 },
  );
  assert.equal(answer.Count, 2);
  assert.equal(answer.ScannedCount, 3);
  assert.deepEqual(answer.LastEvaluatedKey.sk, S(SORT[2]));
});

// A start key need not exist: paging goes on where it would be.
test('paging goes on after a deleted item', async () => {
  const answer = await query('pk = :p', pk, {
    ExclusiveStartKey: { pk: S('COMPANY#1'), sk: S('ITEM#PRD-1500') },
  });
  assert.equal(sortKeys(answer)[0], 'ITEM#PRD-2002');
});

test('the SDK paginator works', async () => {
  const input = { TableName, KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: pk };
  let count = 0;
  for await (const page of paginateQuery({ client, pageSize: 2 }, input)) count += page.Count;
  assert.equal(count, SORT.length);
});

test('COUNT answers numbers only', async () => {
  const answer = await query('pk = :p', pk, { Select: 'COUNT' });
  assert.equal(answer.Items, undefined);
  assert.equal(answer.Count, SORT.length);
});

test('a projection applies to each item', async () => {
  const answer = await query(
    'pk = :p AND sk = :s',
    { ...pk, ':s': S('a') },
    { ProjectionExpression: 'sk, m.l[0]' },
  );
  assert.deepEqual(answer.Items, [{ sk: S('a'), m: M({ l: L(N(6)) }) }]);
  const legacy = await query('pk = :p AND sk = :s', { ...pk, ':s': S('a') }).then(
    (full) => full.Items[0].i,
  );
  assert.deepEqual(legacy, N(6));
});

// A megabyte of items is a page, whatever the limit says.
test('a page holds at most a megabyte', async () => {
  const big = 'x'.repeat(300_000);
  for (let i = 0; i < 5; i += 1)
    await send('PutItem', { TableName, Item: { pk: S('big'), sk: S(`${i}`), big: S(big) } });
  const input = {
    TableName,
    KeyConditionExpression: 'pk = :p',
    ExpressionAttributeValues: { ':p': S('big') },
  };
  const first = await send('Query', input);
  assert.ok(first.Count === 4 || first.Count === 3, `a page of ${first.Count} items`);
  assert.ok(first.LastEvaluatedKey);
  const { items } = await allPages('Query', input);
  assert.deepEqual(
    items.map((item) => item.sk.S),
    ['0', '1', '2', '3', '4'],
  );
});

// Each row: what is wrong, the condition, its values, more parameters, the message.
const refusals = [
  // Filters may not look at the keys, which are the index's business.
  [
    'a filter on the hash key',
    'pk = :p',
    pk,
    { FilterExpression: 'pk = :p' },
    'Filter Expression can only contain non-primary key attributes: Primary key attribute: pk',
  ],
  [
    'a filter on the sort key',
    'pk = :p',
    pk,
    { FilterExpression: 'attribute_exists(sk)' },
    'Filter Expression can only contain non-primary key attributes: Primary key attribute: sk',
  ],
  [
    'an empty filter',
    'pk = :p',
    pk,
    { FilterExpression: '' },
    'Invalid FilterExpression: The expression can not be empty;',
  ],

  // Select and its companions.
  [
    'an unknown Select',
    'pk = :p',
    pk,
    { Select: 'EVERYTHING' },
    /'select' failed to satisfy constraint: Member must satisfy enum value set: \[SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES\]/,
  ],
  [
    'COUNT with a projection',
    'pk = :p',
    pk,
    { Select: 'COUNT', ProjectionExpression: 'pk' },
    /Cannot specify the ProjectionExpression when choosing to get only the Count/,
  ],
  [
    'SPECIFIC_ATTRIBUTES without any',
    'pk = :p',
    pk,
    { Select: 'SPECIFIC_ATTRIBUTES' },
    /SPECIFIC_ATTRIBUTES/,
  ],
  [
    'ALL_PROJECTED_ATTRIBUTES without index',
    'pk = :p',
    pk,
    { Select: 'ALL_PROJECTED_ATTRIBUTES' },
    /ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName/,
  ],
  [
    'a limit of 0',
    'pk = :p',
    pk,
    { Limit: 0 },
    /[lL]imit' failed to satisfy constraint: Member must have value greater than or equal to 1/,
  ],

  // Indexes.
  [
    'an unknown index',
    'pk = :p',
    pk,
    { IndexName: 'nowhere' },
    'The table does not have the specified index: nowhere',
  ],
  [
    'a consistent read of a global index',
    'g = :g',
    { ':g': S('g') },
    { IndexName: 'keys', ConsistentRead: true },
    'Consistent reads are not supported on global secondary indexes',
  ],
  [
    'ALL_ATTRIBUTES of an index without them',
    'g = :g',
    { ':g': S('g') },
    { IndexName: 'keys', Select: 'ALL_ATTRIBUTES' },
    'One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index keys because its projection type is not ALL',
  ],
  [
    'an attribute the index does not hold',
    'g = :g',
    { ':g': S('g') },
    { IndexName: 'keys', ProjectionExpression: 'i' },
    'One or more parameter values were invalid: Global secondary index keys does not project [i]',
  ],

  // Start keys.
  [
    'a start key that is incomplete',
    'pk = :p',
    pk,
    { ExclusiveStartKey: { pk: S('COMPANY#1') } },
    /The provided starting key is invalid/,
  ],
  [
    'a start key of another type',
    'pk = :p',
    pk,
    { ExclusiveStartKey: { pk: S('COMPANY#1'), sk: N(1) } },
    /starting key is invalid|does not match the schema/,
  ],
  [
    'a start key of another partition',
    'pk = :p',
    pk,
    { ExclusiveStartKey: { pk: S('other'), sk: S('x') } },
    /starting key is (outside query boundaries|invalid)/,
  ],
];

for (const [what, condition, values, more, message] of refusals) {
  test(`Query refuses ${what}`, () => invalid(query(condition, values, more), message));
}

test('a missing table is refused', async () => {
  await rejects(
    query('pk = :p', pk, { TableName: 'no-such-table' }),
    'ResourceNotFoundException',
    'Requested resource not found',
  );
});
