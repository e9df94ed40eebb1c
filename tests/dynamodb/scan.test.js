// Scan: pages, segments, filters.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { paginateScan } from '@aws-sdk/client-dynamodb';

import {
  allPages,
  attributes,
  client,
  invalid,
  keySchema,
  N,
  newTable,
  putAll,
  rejects,
  S,
  send,
} from '../support/dynamodb.js';

const COUNT = 60;
let TableName;

before(async () => {
  TableName = await newTable('pk sk', {
    AttributeDefinitions: attributes('odd'),
    GlobalSecondaryIndexes: [
      {
        IndexName: 'odds',
        KeySchema: keySchema('odd'),
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['n'] },
      },
    ],
  });
  await putAll(
    TableName,
    Array.from({ length: COUNT }, (_, i) => ({
      pk: S(`p${i % 20}`),
      sk: S(`s${i}`),
      n: N(i),
      ...(i % 2 ? { odd: S('odd') } : { even: S('even') }),
    })),
  );
});

const scan = (more = {}) => send('Scan', { TableName, ...more });
const numbers = (items) => items.map((item) => Number(item.n.N)).sort((a, b) => a - b);
const everything = Array.from({ length: COUNT }, (_, i) => i);

test('a scan finds everything', async () => {
  const answer = await scan();
  assert.deepEqual(numbers(answer.Items), everything);
  assert.deepEqual([answer.Count, answer.ScannedCount], [COUNT, COUNT]);
  assert.deepEqual(numbers((await scan({ ConsistentRead: true })).Items), everything);
});

test('pages of any size find everything once', async () => {
  for (const Limit of [1, 7, COUNT]) {
    const { items } = await allPages('Scan', { TableName, Limit });
    assert.deepEqual(numbers(items), everything);
  }
});

// Segments share the table without gaps and without overlap, also when paged.
test('segments divide the table', async () => {
  for (const TotalSegments of [1, 2, 5, 64]) {
    const found = [];
    for (let Segment = 0; Segment < TotalSegments; Segment += 1) {
      const { items } = await allPages('Scan', { TableName, Segment, TotalSegments, Limit: 4 });
      found.push(...items);
    }
    assert.deepEqual(numbers(found), everything);
  }
});

// All items of a partition are in one segment.
test('a partition is not cut by segments', async () => {
  const owner = new Map();
  for (let Segment = 0; Segment < 4; Segment += 1) {
    const { Items } = await scan({ Segment, TotalSegments: 4 });
    for (const { pk } of Items) {
      assert.equal(owner.get(pk.S) ?? Segment, Segment);
      owner.set(pk.S, Segment);
    }
  }
});

test('a filter counts what it dropped', async () => {
  const answer = await scan({
    FilterExpression: 'n < :v',
    ExpressionAttributeValues: { ':v': N(10) },
  });
  assert.equal(answer.Count, 10);
  assert.equal(answer.ScannedCount, COUNT);
});

// Unlike a query's, a scan's filter may look at keys.
test('a filter may look at the keys', async () => {
  const answer = await scan({
    FilterExpression: 'pk = :p AND begins_with(sk, :s)',
    ExpressionAttributeValues: { ':p': S('p3'), ':s': S('s4') },
  });
  assert.deepEqual(numbers(answer.Items), [43]);
});

test('a projection and COUNT', async () => {
  const projected = await scan({ ProjectionExpression: 'n', Limit: 1 });
  assert.deepEqual(Object.keys(projected.Items[0]), ['n']);
  const counted = await scan({ Select: 'COUNT' });
  assert.equal(counted.Items, undefined);
  assert.equal(counted.Count, COUNT);
});

// A sparse index holds only the items that have its key.
test('an index can be scanned, in pages and segments', async () => {
  const odd = everything.filter((i) => i % 2);
  assert.deepEqual(numbers((await scan({ IndexName: 'odds' })).Items), odd);
  const { items } = await allPages('Scan', { TableName, IndexName: 'odds', Limit: 4 });
  assert.deepEqual(numbers(items), odd);
  const found = [];
  for (let Segment = 0; Segment < 3; Segment += 1) {
    found.push(...(await scan({ IndexName: 'odds', Segment, TotalSegments: 3 })).Items);
  }
  assert.deepEqual(numbers(found), odd);
});

// The cursor of an index page names the entry and the item.
test('the cursor of an index carries both keys', async () => {
  const { LastEvaluatedKey } = await scan({ IndexName: 'odds', Limit: 1 });
  assert.deepEqual(Object.keys(LastEvaluatedKey).sort(), ['odd', 'pk', 'sk']);
});

test('the SDK paginator works', async () => {
  let count = 0;
  for await (const page of paginateScan({ client, pageSize: 9 }, { TableName }))
    count += page.Count;
  assert.equal(count, COUNT);
});

const ONE = '1 validation error detected: ';

// Each row: what is wrong, the parameters, the message.
const refusals = [
  [
    'a limit of 0',
    { Limit: 0 },
    `${ONE}Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1`,
  ],
  [
    'a segment without a total',
    { Segment: 0 },
    'The TotalSegments parameter is required but was not present in the request when Segment parameter is present',
  ],
  [
    'a total without a segment',
    { TotalSegments: 2 },
    'The Segment parameter is required but was not present in the request when parameter TotalSegments is present',
  ],
  [
    'a segment past the total',
    { Segment: 5, TotalSegments: 5 },
    'The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 5 is not less than TotalSegments: 5',
  ],
  [
    'no segments',
    { Segment: 0, TotalSegments: 0 },
    `${ONE}Value '0' at 'totalSegments' failed to satisfy constraint: Member must have value greater than or equal to 1`,
  ],
  [
    'too many segments',
    { Segment: 0, TotalSegments: 1_000_001 },
    `${ONE}Value '1000001' at 'totalSegments' failed to satisfy constraint: Member must have value less than or equal to 1000000`,
  ],
  [
    'a negative segment',
    { Segment: -1, TotalSegments: 2 },
    `${ONE}Value '-1' at 'segment' failed to satisfy constraint: Member must have value greater than or equal to 0`,
  ],
  [
    'an unknown index',
    { IndexName: 'nowhere' },
    'The table does not have the specified index: nowhere',
  ],
  [
    'a consistent read of a global index',
    { IndexName: 'odds', ConsistentRead: true },
    'Consistent reads are not supported on global secondary indexes',
  ],
  [
    'a start key of another shape',
    { ExclusiveStartKey: { pk: S('p') } },
    /[Tt]he provided starting key is invalid/,
  ],
  [
    'a filter that is empty',
    { FilterExpression: '' },
    'Invalid FilterExpression: The expression can not be empty;',
  ],
  [
    'a filter with a reserved word',
    { FilterExpression: 'attribute_exists(data)' },
    'Invalid FilterExpression: Attribute name is a reserved keyword; reserved keyword: data',
  ],
  [
    'a filter beside ScanFilter',
    {
      FilterExpression: 'attribute_exists(n)',
      ScanFilter: { n: { ComparisonOperator: 'NOT_NULL' } },
    },
    'Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {ScanFilter} Expression parameters: {FilterExpression}',
  ],
];

for (const [what, more, message] of refusals) {
  test(`Scan refuses ${what}`, () => invalid(scan(more), message));
}

test('a missing table is refused', async () => {
  await rejects(
    scan({ TableName: 'no-such-table' }),
    'ResourceNotFoundException',
    'Requested resource not found',
  );
});
