// The blog design served: its entities, indexes, statuses, and the writes that follow from them.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { create, items, serveBlog, shownOf, withData } from './blog_requests.js';
import { describeIndex, invalidField, N, problem, S, samples, tryTransitions } from './rest.js';

const MILLISECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const sample = Object.fromEntries(samples('blog').map((item) => [item.entityType.S, item]));

let api;
let table;
let made = 0;

before(async () => {
  ({ api, table } = await serveBlog());
});

const newUser = (more = {}) => {
  made += 1;
  return { email: `user${made}@example.com`, name: 'Bia', ...more };
};
const newPost = (more = {}) => ({ title: 'Um título', ...more });
const refused = (request, status, code) => table.unchanged(() => problem(request(), status, code));
const refusedField = (request, path, code) =>
  table.unchanged(() => invalidField(request(), path, code));

// What every item has at the top beside its keys.
function stampsOf(body) {
  assert.match(body.createdAt, MILLISECONDS);
  assert.ok(Math.abs(Date.now() - Date.parse(body.createdAt)) < 60_000);
  assert.equal(body.updatedAt, body.createdAt);
  return { createdAt: S(body.createdAt), updatedAt: S(body.updatedAt), _v: N(1) };
}

// The sample is what the table holds, byte for byte, and what REST shows; and what REST creates
// from its attributes is an item of the same form.
async function checkEntity({ type, sampleAt, createAt, body, keys, at, id }) {
  const item = sample[type];
  assert.deepEqual(await table.get(item.PK.S, item.SK.S), item);
  assert.deepEqual(await api.item(sampleAt), shownOf(item));
  const attributes = Object.fromEntries(
    Object.entries(shownOf(item)).filter(([name]) => name !== id),
  );
  const answer = await api.post(createAt, { ...attributes, ...body });
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.headers.etag, '"v1"');
  assert.equal(answer.headers.location, at(answer.body));
  assert.deepEqual(await api.item(at(answer.body)), answer.body);
  const { PK, SK, data = {}, ...index } = keys(answer.body);
  assert.deepEqual(await table.get(PK, SK), {
    ...withData(item, Object.fromEntries(Object.entries(data).map(([k, v]) => [k, S(v)]))),
    ...stampsOf(answer.body),
    PK: S(PK),
    SK: S(SK),
    ...Object.fromEntries(Object.entries(index).map(([name, text]) => [name, S(text)])),
  });
  return answer.body;
}

test('BLG-E1 BLG-D1 BLG-D15 a user is stored as the document has it', async () => {
  const user = await checkEntity({
    type: 'USER',
    id: 'userId',
    sampleAt: '/users/user-123',
    createAt: '/users',
    body: { email: 'Ana.Outra@Example.com' },
    at: ({ userId }) => `/users/${userId}`,
    keys: ({ userId }) => ({
      PK: `USER#${userId}`,
      SK: 'PROFILE',
      GSI1PK: 'USER#ana.outra@example.com',
      GSI1SK: 'PROFILE',
      data: { userId, email: 'Ana.Outra@Example.com' },
    }),
  });
  assert.match(user.userId, ULID);
});

test('BLG-E2 BLG-D17 a post is stored as the document has it, with its author', async () => {
  const post = await checkEntity({
    type: 'POST',
    id: 'postId',
    sampleAt: '/posts/post-123',
    createAt: '/posts',
    at: ({ postId }) => `/posts/${postId}`,
    keys: ({ postId, createdAt }) => ({
      PK: `POST#${postId}`,
      SK: 'METADATA',
      GSI1PK: 'POST#STATUS#PUBLISHED',
      GSI1SK: createdAt,
      GSI2PK: 'CATEGORY#cat-123',
      GSI2SK: `POST#${createdAt}`,
      data: { postId },
    }),
  });
  assert.match(post.postId, ULID);
});

test('BLG-E3 a comment is stored as the document has it', async () => {
  const comment = await checkEntity({
    type: 'COMMENT',
    id: 'commentId',
    sampleAt: '/posts/post-123/comments/comment-123',
    createAt: '/posts/post-123/comments',
    at: ({ commentId }) => `/posts/post-123/comments/${commentId}`,
    keys: ({ commentId, createdAt }) => ({
      PK: 'POST#post-123',
      SK: `COMMENT#${commentId}`,
      GSI1PK: 'COMMENT#user-123',
      GSI1SK: `POST#${createdAt}`,
      data: { commentId },
    }),
  });
  assert.match(comment.commentId, ULID);
});

test('BLG-E4 a like is stored as the document has it', async () => {
  const { userId } = await create(api, '/users', newUser());
  await checkEntity({
    type: 'LIKE',
    sampleAt: '/posts/post-123/likes/user-123',
    createAt: '/posts/post-123/likes',
    body: { userId },
    at: () => `/posts/post-123/likes/${userId}`,
    keys: ({ createdAt }) => ({
      PK: 'POST#post-123',
      SK: `LIKE#${userId}`,
      GSI1PK: `USER#${userId}`,
      GSI1SK: `LIKE#${createdAt}`,
      data: { userId },
    }),
  });
  await refused(() => api.post('/posts/post-123/likes', { userId }), 409, 'already_exists');
});

test('BLG-E5 a category is stored as the document has it', async () => {
  const category = await checkEntity({
    type: 'CATEGORY',
    id: 'categoryId',
    sampleAt: '/categories/cat-123',
    createAt: '/categories',
    body: { slug: 'outros-bancos' },
    at: ({ categoryId }) => `/categories/${categoryId}`,
    keys: ({ categoryId }) => ({
      PK: `CATEGORY#${categoryId}`,
      SK: 'METADATA',
      GSI1PK: 'CATEGORY#SLUG#outros-bancos',
      GSI1SK: 'METADATA',
      data: { categoryId, slug: 'outros-bancos' },
    }),
  });
  assert.match(category.categoryId, ULID);
  await refusedField(
    () => api.post('/categories', { slug: 'Não Serve', name: 'x' }),
    '/slug',
    'pattern',
  );
});

test('BLG-E6 a notification is stored as the document has it', async () => {
  const notification = await checkEntity({
    type: 'NOTIFICATION',
    id: 'notificationId',
    sampleAt: '/users/user-123/notifications/notification-123',
    createAt: '/users/user-123/notifications',
    at: ({ notificationId }) => `/users/user-123/notifications/${notificationId}`,
    keys: ({ notificationId, createdAt }) => ({
      PK: 'USER#user-123',
      SK: `NOTIFICATION#${notificationId}`,
      GSI1PK: 'USER#user-123',
      GSI1SK: `NOTIFICATION#${createdAt}`,
      data: { notificationId },
    }),
  });
  assert.match(notification.notificationId, ULID);
});

test('BLG-E7 a bookmark is stored as the document has it', async () => {
  const { postId } = await create(api, '/posts', newPost());
  await checkEntity({
    type: 'BOOKMARK',
    sampleAt: '/users/user-123/bookmarks/post-123',
    createAt: '/users/user-123/bookmarks',
    body: { postId },
    at: () => `/users/user-123/bookmarks/${postId}`,
    keys: ({ createdAt }) => ({
      PK: 'USER#user-123',
      SK: `BOOKMARK#${postId}`,
      GSI1PK: 'USER#user-123',
      GSI1SK: `BOOKMARK#${createdAt}`,
      data: { postId },
    }),
  });
  await refused(() => api.post('/users/user-123/bookmarks', { postId }), 409, 'already_exists');
});

test('BLG-E3 BLG-E4 BLG-E6 BLG-E7 what belongs to something needs it', async () => {
  for (const [path, body] of [
    ['/posts/none/comments', { userId: 'user-123', content: 'x' }],
    ['/posts/post-123/comments', { userId: 'none', content: 'x' }],
    ['/posts/none/likes', { userId: 'user-123' }],
    ['/posts/post-123/likes', { userId: 'none' }],
    ['/users/none/notifications', { message: 'x' }],
    ['/users/none/bookmarks', { postId: 'post-123' }],
    ['/users/user-123/bookmarks', { postId: 'none' }],
    ['/posts', newPost({ categoryId: 'none' })],
    ['/posts', newPost({ authorId: 'none' })],
  ]) {
    await refused(() => api.post(path, body), 409, 'missing_reference');
  }
});

for (const [id, name, types] of [
  ['BLG-I1', 'GSI1', ['BOOKMARK', 'CATEGORY', 'COMMENT', 'LIKE', 'NOTIFICATION', 'POST', 'USER']],
  ['BLG-I2', 'GSI2', ['POST']],
]) {
  test(`${id} BLG-D12 ${name} projects everything`, async () => {
    assert.deepEqual(await describeIndex(table, name), {
      keys: [`${name}PK S`, `${name}SK S`],
      projection: 'ALL',
      status: 'ACTIVE',
    });
    const indexed = await table.inIndex(name);
    const kinds = new Set(indexed.map((item) => item.entityType.S));
    assert.deepEqual([...kinds].sort(), types);
    for (const item of indexed) assert.deepEqual(item, await table.get(item.PK.S, item.SK.S));
  });
}

// Neither key of an index without the attribute that makes one of them.
test('BLG-I2 a post without a category is not in GSI2', async () => {
  const { postId } = await create(api, '/posts', newPost({ categoryId: 'cat-123' }));
  const inIndex = async () =>
    (await table.inIndex('GSI2')).some((item) => item.data.M.postId.S === postId);
  assert.ok(await inIndex());
  await api.done(api.patch(`/posts/${postId}`, { categoryId: null }), 200);
  assert.ok(!(await inIndex()));
  const item = await table.get(`POST#${postId}`, 'METADATA');
  assert.equal(item.GSI2PK, undefined);
  assert.equal(item.GSI2SK, undefined);
  await api.done(api.patch(`/posts/${postId}`, { categoryId: 'cat-123' }), 200);
  assert.ok(await inIndex());
});

const POST_STATUSES = { DRAFT: ['PUBLISHED'], PUBLISHED: ['ARCHIVED'], ARCHIVED: ['PUBLISHED'] };

test('BLG-N1 statuses of a post', async () => {
  for (const status of Object.keys(POST_STATUSES)) {
    assert.equal((await create(api, '/posts', newPost({ status }))).status, status);
  }
  assert.equal((await create(api, '/posts', newPost())).status, 'DRAFT');
  for (const status of ['HIDDEN', 'published', '']) {
    await refusedField(() => api.post('/posts', newPost({ status })), '/status', 'enum');
  }
});

test('BLG-T1 a post goes from status to status as declared', () =>
  tryTransitions({
    transitions: POST_STATUSES,
    initial: 'DRAFT',
    table,
    create: async () => (await create(api, '/posts', newPost())).postId,
    change: (id, status) => api.patch(`/posts/${id}`, { status }),
    async check(id, status) {
      const item = await table.get(`POST#${id}`, 'METADATA');
      assert.equal(item.data.M.status.S, status);
      assert.equal(item.GSI1PK.S, `POST#STATUS#${status}`);
      assert.equal(item.GSI1SK.S, item.createdAt.S);
    },
  }));

test('BLG-T1 a notification is read once', async () => {
  const path = '/users/user-123/notifications';
  await tryTransitions({
    transitions: { UNREAD: ['READ'], READ: [] },
    initial: 'UNREAD',
    table,
    create: async () => (await create(api, path, { message: 'x' })).notificationId,
    change: (id, status) => api.patch(`${path}/${id}`, { status }),
    async check(id, status) {
      const item = await table.get('USER#user-123', `NOTIFICATION#${id}`);
      assert.equal(item.data.M.status.S, status);
    },
  });
  const { notificationId } = await create(api, path, { message: 'x' });
  await api.done(api.post(`${path}/${notificationId}:read`), 200);
  assert.equal((await api.item(`${path}/${notificationId}`)).status, 'READ');
  await refused(() => api.post(`${path}/none:read`), 404, 'not_found');
});

test('BLG-T1 BLG-D6 publishing says when', async () => {
  const { postId } = await create(api, '/posts', newPost());
  await api.done(api.post(`/posts/${postId}:publish`), 200);
  const { status, publishedAt, createdAt } = await api.item(`/posts/${postId}`);
  assert.equal(status, 'PUBLISHED');
  assert.ok(publishedAt >= createdAt);
  await refused(() => api.post(`/posts/${postId}:publish`), 422, 'rule_failed');
  await api.done(api.patch(`/posts/${postId}`, { status: 'ARCHIVED' }), 200);
  await api.done(api.post(`/posts/${postId}:publish`), 200);
  await refused(() => api.post('/posts/none:publish'), 404, 'not_found');
});

// GSI1 has users by email and what users did by their ids, in partitions of one form.
test('BLG-D2 an id of a user is no email', async () => {
  await refusedField(
    () => api.post('/users', newUser({ userId: 'ana@example.com' })),
    '/userId',
    'pattern',
  );
  await refusedField(() => api.post('/users', newUser({ email: 'ana' })), '/email', 'format');
});

test('BLG-D3 emails and slugs are unique, emails in any case', async () => {
  const { userId } = await create(api, '/users', newUser({ email: 'Só.Uma@Example.com' }));
  for (const email of ['Só.Uma@Example.com', 'só.uma@example.com', 'USER@example.com']) {
    const { errors } = await refused(
      () => api.post('/users', newUser({ email })),
      409,
      'not_unique',
    );
    assert.equal(errors[0].path, '/email');
  }
  await refused(
    () => api.patch(`/users/${userId}`, { email: 'User@example.com' }),
    409,
    'not_unique',
  );
  await api.done(api.patch(`/users/${userId}`, { email: 'nova@example.com' }), 200);
  assert.equal((await table.get(`USER#${userId}`, 'PROFILE')).GSI1PK.S, 'USER#nova@example.com');
  await create(api, '/users', newUser({ email: 'SÓ.UMA@example.com' }));
  const again = { slug: 'databases', name: 'x' };
  await refused(() => api.post('/categories', again), 409, 'not_unique');
});

test('BLG-D9 likes and comments are counted with the write', async () => {
  const { postId } = await create(api, '/posts', newPost());
  const { userId } = await create(api, '/users', newUser());
  const counts = async () => {
    const { likeCount, commentCount } = await api.item(`/posts/${postId}`);
    return [likeCount, commentCount];
  };
  assert.deepEqual(await counts(), [0, 0]);
  const like = () => api.post(`/posts/${postId}:like`, { like: { userId } });
  const { results } = await api.done(like(), 200);
  assert.deepEqual(
    results.map(({ entity, status }) => `${entity} ${status}`),
    ['Like 201', 'Post 200'],
  );
  await refused(like, 409, 'already_exists');
  assert.deepEqual(await counts(), [1, 0]);
  const comment = (content) =>
    api.post(`/posts/${postId}:comment`, { comment: { userId, content } });
  const { commentId } = (await api.done(comment('Ótimo!'), 200)).results[0].item;
  await api.done(comment('De novo'), 200);
  assert.deepEqual(await counts(), [1, 2]);
  await api.done(api.post(`/posts/${postId}/likes/${userId}:remove`), 200);
  await api.done(api.post(`/posts/${postId}/comments/${commentId}:remove`), 200);
  assert.deepEqual(await counts(), [0, 1]);
  await refused(() => api.post(`/posts/${postId}/likes/${userId}:remove`), 404, 'not_found');
  await refused(() => api.post(`/posts/${postId}/comments/${commentId}:remove`), 404, 'not_found');
  await refusedField(() => comment(undefined), '/comment/content', 'required');
  await refused(() => api.post('/posts/none:like', { like: { userId } }), 404, 'not_found');
});

test('BLG-D9 likes that come at the same time are all counted', async () => {
  const { postId } = await create(api, '/posts', newPost());
  const users = [];
  for (let i = 0; i < 10; i += 1) users.push((await create(api, '/users', newUser())).userId);
  const answers = await Promise.all(
    users.map((userId) => api.post(`/posts/${postId}:like`, { like: { userId } })),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    users.map(() => 200),
  );
  assert.equal((await api.item(`/posts/${postId}`)).likeCount, users.length);
  assert.equal((await api.list(`/posts/${postId}/likes`)).length, users.length);
});

test('BLG-D13 what goes with a post and a user, and what keeps a category', async () => {
  const { categoryId } = await create(api, '/categories', { slug: 'passageira', name: 'x' });
  const { postId } = await create(api, '/posts', newPost({ categoryId }));
  const { userId } = await create(api, '/users', newUser());
  await create(api, `/posts/${postId}/comments`, { userId, content: 'x' });
  await create(api, `/posts/${postId}/likes`, { userId });
  await create(api, `/users/${userId}/notifications`, { message: 'x' });
  await create(api, `/users/${userId}/bookmarks`, { postId });
  await refused(() => api.del(`/categories/${categoryId}`), 409, 'restricted');
  await refused(() => api.del(`/users/${userId}`), 409, 'restricted');
  await api.done(api.del(`/users/${userId}?cascade=collection`), 204);
  assert.deepEqual(await table.query('PK = :a', `USER#${userId}`), []);
  assert.equal((await table.query('PK = :a', `POST#${postId}`)).length, 3);
  await refused(() => api.del(`/posts/${postId}`), 409, 'restricted');
  await api.done(api.del(`/posts/${postId}?cascade=collection`), 204);
  assert.deepEqual(await table.query('PK = :a', `POST#${postId}`), []);
  await api.done(api.del(`/categories/${categoryId}`), 204);
  await create(api, '/categories', { slug: 'passageira', name: 'y' });
});

// What the AWS SDK writes with the document's keys is served like the rest.
test('BLG-E6 a notification that the AWS SDK wrote is served', async () => {
  const item = items.notification('user-123', 'raw-1', '2026-01-09T00:00:00.000Z');
  await table.put(item);
  assert.deepEqual(await api.item('/users/user-123/notifications/raw-1'), shownOf(item));
});
