// Blog and portfolio backend: one table, two overloaded indexes, attributes inside `data`.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import {
  attributes,
  keySchema,
  M,
  newTable,
  projectAll,
  putAll,
  S,
  send,
} from '../support/dynamodb.js';

const texts = (map) =>
  Object.fromEntries(Object.entries(map).map(([name, text]) => [name, S(text)]));
const entity = (entityType, keys, data, at = '2026-01-10T10:00:00.000Z') => ({
  ...texts(keys),
  ...texts({ entityType, createdAt: at, updatedAt: at }),
  data: M(texts(data)),
});

const user = entity(
  'USER',
  { PK: 'USER#user-123', SK: 'PROFILE', GSI1PK: 'USER#user@example.com', GSI1SK: 'PROFILE' },
  { name: 'João Ninguém', email: 'user@example.com' },
);
const post = (id, status, at) =>
  entity(
    'POST',
    {
      PK: `POST#${id}`,
      SK: 'METADATA',
      GSI1PK: `POST#STATUS#${status}`,
      GSI1SK: at,
      GSI2PK: 'CATEGORY#cat-123',
      GSI2SK: `POST#${at}`,
    },
    { title: `Título ${id}`, status, categoryId: 'cat-123' },
    at,
  );
const posts = [
  post('post-1', 'PUBLISHED', '2026-01-01T10:00:00.000Z'),
  post('post-2', 'DRAFT', '2026-01-02T10:00:00.000Z'),
  post('post-3', 'PUBLISHED', '2026-01-03T10:00:00.000Z'),
];
const comment = (id, at) =>
  entity(
    'COMMENT',
    { PK: 'POST#post-1', SK: `COMMENT#${id}`, GSI1PK: 'COMMENT#user-123', GSI1SK: `POST#${at}` },
    { text: 'Ótimo!' },
    at,
  );
const comments = [
  comment('c1', '2026-01-05T10:00:00.000Z'),
  comment('c2', '2026-01-04T10:00:00.000Z'),
];
const like = entity(
  'LIKE',
  {
    PK: 'POST#post-1',
    SK: 'LIKE#user-123',
    GSI1PK: 'USER#user-123',
    GSI1SK: 'LIKE#2026-01-06T10:00:00.000Z',
  },
  {},
);
const category = entity(
  'CATEGORY',
  {
    PK: 'CATEGORY#cat-123',
    SK: 'METADATA',
    GSI1PK: 'CATEGORY#SLUG#programacao',
    GSI1SK: 'METADATA',
  },
  { name: 'Programação', slug: 'programacao' },
);
const notification = (id, at) =>
  entity(
    'NOTIFICATION',
    {
      PK: 'USER#user-123',
      SK: `NOTIFICATION#${id}`,
      GSI1PK: 'USER#user-123',
      GSI1SK: `NOTIFICATION#${at}`,
    },
    { text: 'Novo comentário' },
    at,
  );
const notifications = [
  notification('a', '2026-01-09T10:00:00.000Z'),
  notification('b', '2026-01-07T10:00:00.000Z'),
];
const bookmark = entity(
  'BOOKMARK',
  {
    PK: 'USER#user-123',
    SK: 'BOOKMARK#post-3',
    GSI1PK: 'USER#user-123',
    GSI1SK: 'BOOKMARK#2026-01-08T10:00:00.000Z',
  },
  {},
);

let TableName;

before(async () => {
  TableName = await newTable('PK SK', {
    AttributeDefinitions: attributes('GSI1PK', 'GSI1SK', 'GSI2PK', 'GSI2SK'),
    GlobalSecondaryIndexes: [1, 2].map((i) => ({
      IndexName: `GSI${i}`,
      KeySchema: keySchema(`GSI${i}PK`, `GSI${i}SK`),
      Projection: projectAll,
    })),
  });
  await putAll(TableName, [
    user,
    ...posts,
    ...comments,
    like,
    category,
    ...notifications,
    bookmark,
  ]);
});

const query = async (KeyConditionExpression, values, more = {}) =>
  (
    await send('Query', {
      TableName,
      KeyConditionExpression,
      ExpressionAttributeValues: texts(values),
      ...more,
    })
  ).Items;
const onGsi1 = (pk, more) => query('GSI1PK = :pk', { ':pk': pk }, { IndexName: 'GSI1', ...more });
const onGsi1From = (pk, sk, more) =>
  query(
    'GSI1PK = :pk AND begins_with(GSI1SK, :sk)',
    { ':pk': pk, ':sk': sk },
    { IndexName: 'GSI1', ...more },
  );
const inPartition = (pk, sk) =>
  query('PK = :pk AND begins_with(SK, :sk)', { ':pk': pk, ':sk': sk });
const get = async (PK, SK) => (await send('GetItem', { TableName, Key: texts({ PK, SK }) })).Item;

test('BLG-Q1 a user by email', async () => {
  assert.deepEqual(await onGsi1('USER#user@example.com'), [user]);
});

test('BLG-Q2 posts of a category', async () => {
  const items = await query(
    'GSI2PK = :pk AND begins_with(GSI2SK, :sk)',
    { ':pk': 'CATEGORY#cat-123', ':sk': 'POST#' },
    { IndexName: 'GSI2' },
  );
  assert.deepEqual(items, posts);
});

test('BLG-Q3 notifications of a user', async () => {
  assert.deepEqual(await inPartition('USER#user-123', 'NOTIFICATION#'), notifications);
});

test('BLG-Q4 posts by status, newest first and in a range', async () => {
  assert.deepEqual(await onGsi1('POST#STATUS#PUBLISHED', { ScanIndexForward: false }), [
    posts[2],
    posts[0],
  ]);
  const range = await query(
    'GSI1PK = :pk AND GSI1SK BETWEEN :a AND :b',
    { ':pk': 'POST#STATUS#PUBLISHED', ':a': '2026-01-02', ':b': '2026-01-04' },
    { IndexName: 'GSI1' },
  );
  assert.deepEqual(range, [posts[2]]);
});

test('BLG-Q5 a user by id', async () =>
  assert.deepEqual(await get('USER#user-123', 'PROFILE'), user));
test('BLG-Q6 a post by id', async () =>
  assert.deepEqual(await get('POST#post-2', 'METADATA'), posts[1]));
test('BLG-Q7 a category by id', async () =>
  assert.deepEqual(await get('CATEGORY#cat-123', 'METADATA'), category));

test('BLG-Q8 a category by slug', async () => {
  const items = await query(
    'GSI1PK = :pk AND GSI1SK = :sk',
    { ':pk': 'CATEGORY#SLUG#programacao', ':sk': 'METADATA' },
    { IndexName: 'GSI1' },
  );
  assert.deepEqual(items, [category]);
});

test('BLG-Q9 comments of a post', async () =>
  assert.deepEqual(await inPartition('POST#post-1', 'COMMENT#'), comments));
test('BLG-Q10 likes of a post', async () =>
  assert.deepEqual(await inPartition('POST#post-1', 'LIKE#'), [like]));

test('BLG-Q11 whether a user liked or bookmarked a post', async () => {
  assert.ok(await get('POST#post-1', 'LIKE#user-123'));
  assert.equal(await get('POST#post-2', 'LIKE#user-123'), undefined);
  assert.ok(await get('USER#user-123', 'BOOKMARK#post-3'));
});

test('BLG-Q12 comments of a user, by time', async () => {
  assert.deepEqual(await onGsi1('COMMENT#user-123'), [comments[1], comments[0]]);
});

test('BLG-Q13 likes of a user', async () =>
  assert.deepEqual(await onGsi1From('USER#user-123', 'LIKE#'), [like]));

test('BLG-Q14 notifications of a user, newest first', async () => {
  assert.deepEqual(
    await onGsi1From('USER#user-123', 'NOTIFICATION#', { ScanIndexForward: false }),
    notifications,
  );
});

test('BLG-Q15 bookmarks of a user by time', async () =>
  assert.deepEqual(await onGsi1From('USER#user-123', 'BOOKMARK#'), [bookmark]));
test('BLG-Q16 bookmarks of a user', async () =>
  assert.deepEqual(await inPartition('USER#user-123', 'BOOKMARK#'), [bookmark]));

// The post itself sorts last in its partition.
test('BLG-Q17 a post with all that belongs to it', async () => {
  assert.deepEqual(await query('PK = :pk', { ':pk': 'POST#post-1' }), [
    ...comments,
    like,
    posts[0],
  ]);
});

// `data` is a reserved word, and a status change moves the index entry.
test('BLG-T1 a draft is published', async () => {
  await send('PutItem', {
    TableName,
    Item: { ...post('post-9', 'DRAFT', '2027-01-01T10:00:00.000Z'), GSI2PK: S('CATEGORY#none') },
  });
  const { Attributes } = await send('UpdateItem', {
    TableName,
    Key: texts({ PK: 'POST#post-9', SK: 'METADATA' }),
    UpdateExpression: 'SET #d.#s = :new, GSI1PK = :gsi',
    ConditionExpression: '#d.#s = :old',
    ExpressionAttributeNames: { '#d': 'data', '#s': 'status' },
    ExpressionAttributeValues: texts({
      ':old': 'DRAFT',
      ':new': 'PUBLISHED',
      ':gsi': 'POST#STATUS#PUBLISHED',
    }),
    ReturnValues: 'UPDATED_NEW',
  });
  assert.deepEqual(Attributes, {
    data: M({ status: S('PUBLISHED') }),
    GSI1PK: S('POST#STATUS#PUBLISHED'),
  });
  const [newest] = await onGsi1('POST#STATUS#PUBLISHED', { ScanIndexForward: false, Limit: 1 });
  assert.deepEqual(newest.PK, S('POST#post-9'));
  await send('DeleteItem', { TableName, Key: texts({ PK: 'POST#post-9', SK: 'METADATA' }) });
});
