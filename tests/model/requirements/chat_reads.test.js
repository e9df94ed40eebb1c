// The chat design (CHT): every read of the document, once as the DynamoDB request that it names and
// once through REST. An operator sees what DynamoDB finds; a tenant sees what is theirs of it.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { conversationItem, documentItem, fileItem, messageItem } from './chat_bodies.js';
import { problem, raw, rest, serve } from './rest.js';

const GSI1 = { IndexName: 'GSI1' };
const GSI2 = { IndexName: 'GSI2' };
const NEWEST_FIRST = { ScanIndexForward: false };

let operator;
let own; // of tenant-1
let tenants;
let users;
let table;

before(async () => {
  const server = await serve('chat', { args: ['--create-adopted'] });
  operator = rest(server);
  own = rest(server, { headers: { tenant: 'tenant-1' } });
  tenants = raw(server, 'Tenants');
  users = raw(server, 'Users');
  table = raw(server, 'RuralCreditAI');
  for (const [tenantId, ...cognitoIds] of [
    ['tenant-1', 'user-2', 'user-10'],
    ['tenant-10', 'user-1'],
    ['tenant-2', 'user-1', 'user-2'],
  ]) {
    if (tenantId !== 'tenant-1') {
      await operator.done(operator.post('/tenants', { tenantId, name: tenantId }), 201);
    }
    for (const cognitoId of cognitoIds) {
      const body = { tenantId, cognitoId, email: `${cognitoId}@example.com` };
      await operator.done(operator.post('/users', body), 201);
    }
  }
  // With times of their own, so written past the API, which stamps what is created.
  const at = (day) => `2026-02-${day}T10:00:00.000Z`;
  for (const item of [
    conversationItem('tenant-1', 'conversation-2', 'user-1', at('01')),
    conversationItem('tenant-1', 'conversation-3', 'user-2', at('02')),
    conversationItem('tenant-1', 'conversation-10', 'user-10', at('03')),
    conversationItem('tenant-2', 'conversation-4', 'user-1', at('04')),
    conversationItem('tenant-10', 'conversation-5', 'user-1', at('05')),
    messageItem('tenant-1', 'conversation-10', at('03')),
    messageItem('tenant-2', 'conversation-4', at('04')),
    // Nothing but the attribute says that this is another tenant's.
    messageItem('tenant-2', 'conversation-1', '2026-01-11T09:00:02.000Z'),
    ...[fileItem, documentItem].flatMap((itemOf) => [
      itemOf('tenant-1', 'x-2', { conversationId: 'conversation-1', userId: 'user-1' }, at('02')),
      itemOf('tenant-1', 'x-3', { conversationId: 'conversation-10', userId: 'user-1' }, at('03')),
      itemOf('tenant-1', 'x-4', { conversationId: 'conversation-2', userId: 'user-10' }, at('04')),
      itemOf('tenant-2', 'x-5', { conversationId: 'conversation-1', userId: 'user-1' }, at('05')),
    ]),
    fileItem('tenant-1', 'x-6', { userId: 'user-1' }, at('06')),
  ]) {
    await table.put(item);
  }
});

const keyOf = {
  CONVERSATION: ({ tenantId, conversationId }) =>
    `TENANT#${tenantId} CONVERSATION#${conversationId}`,
  FILE: ({ tenantId, fileId }) => `TENANT#${tenantId} FILE#${fileId}`,
  DOCUMENT: ({ tenantId, documentId }) => `TENANT#${tenantId} DOCUMENT#${documentId}`,
  MESSAGE: ({ conversationId, createdAt }) => `CONVERSATION#${conversationId} MESSAGE#${createdAt}`,
  USER: ({ tenantId, cognitoId }) => `TENANT#${tenantId} USER#${cognitoId}`,
};

// Expects the operator's list to be what DynamoDB found of this kind, and the tenant's to be what
// of it is theirs; in the same order, and the same page by page. Answers the names in the latter.
async function same(kind, path, found) {
  const ofKind = found.filter(({ SK }) => SK.S.startsWith(`${kind}#`));
  for (const [caller, expected] of [
    [operator, ofKind],
    [own, ofKind.filter(({ tenantId }) => tenantId.S === 'tenant-1')],
  ]) {
    const items = await caller.list(path);
    assert.deepEqual(
      items.map(keyOf[kind]),
      expected.map(({ PK, SK }) => `${PK.S} ${SK.S}`),
    );
    assert.deepEqual(await caller.pages(path), items);
  }
  return (await own.list(path)).map((item) => keyOf[kind](item).split('#').at(-1));
}

test('CHT-Q1 a user whose tenant is known', async () => {
  const item = await users.get('TENANT#tenant-1', 'USER#user-1');
  const expected = {
    tenantId: 'tenant-1',
    cognitoId: 'user-1',
    email: item.email.S,
    name: item.name.S,
    role: item.role.S,
    status: item.status.S,
    createdAt: item.createdAt.S,
    updatedAt: item.updatedAt.S,
  };
  for (const caller of [operator, own]) {
    assert.deepEqual(await caller.item('/tenants/tenant-1/users/user-1'), expected);
  }
  await problem(operator.get('/tenants/tenant-2/users/user-10'), 404, 'not_found');
});

test('CHT-Q1 the tenants of a user', async () => {
  const found = await users.query(
    'GSI1PK = :a AND begins_with(GSI1SK, :b)',
    'USER#user-1',
    'TENANT#',
    GSI1,
  );
  assert.equal(found.length, 3);
  assert.deepEqual(await same('USER', '/users/user-1/tenants', found), ['user-1']);
});

test('CHT-Q2 conversations of a user, newest first', async () => {
  const found = await table.query(
    'GSI1PK = :a AND begins_with(GSI1SK, :b)',
    'USER#user-1',
    'CONVERSATION#',
    { ...GSI1, ...NEWEST_FIRST },
  );
  assert.equal(found.length, 4);
  const ids = await same('CONVERSATION', '/users/user-1/conversations', found);
  assert.deepEqual(ids, ['conversation-2', 'conversation-1']);
});

test('CHT-Q2 conversations of a user within a range of days', async () => {
  const found = await table.query(
    'GSI1PK = :a AND GSI1SK BETWEEN :b AND :c',
    'USER#user-1',
    'CONVERSATION#2026-02-01T00:00:00.000Z',
    'CONVERSATION#2026-02-04T23:59:59.999Z',
    { ...GSI1, ...NEWEST_FIRST },
  );
  const path = '/users/user-1/conversations?from=2026-02-01&to=2026-02-04';
  assert.deepEqual(await same('CONVERSATION', path, found), ['conversation-2']);
  assert.equal((await operator.list(path)).length, 2);
});

test('CHT-Q3 and CHT-D3 a conversation and its messages are two requests', async () => {
  const [item, found] = await Promise.all([
    table.get('TENANT#tenant-1', 'CONVERSATION#conversation-1'),
    table.query('PK = :a AND begins_with(SK, :b)', 'CONVERSATION#conversation-1', 'MESSAGE#'),
  ]);
  const [conversation, messages] = await Promise.all([
    own.item('/conversations/conversation-1'),
    own.list('/conversations/conversation-1/messages'),
  ]);
  assert.equal(conversation.title, item.title.S);
  assert.equal(conversation.lastMessageAt, item.lastMessageAt.S);
  assert.equal(found.length, 3); // with the other tenant's
  assert.deepEqual(
    messages.map(({ content }) => content),
    ['Quanto posso financiar com este projeto?', 'Preparei uma simulação.'],
  );
  // An operator names the tenant.
  assert.deepEqual(
    await operator.item('/conversations/conversation-1?tenantId=tenant-1'),
    conversation,
  );
  const { errors } = await problem(operator.get('/conversations/conversation-1'), 400, 'invalid');
  assert.equal(errors[0].path, 'tenantId');
});

test('CHT-Q4 messages of a conversation', async () => {
  const found = await table.query(
    'PK = :a AND begins_with(SK, :b)',
    'CONVERSATION#conversation-1',
    'MESSAGE#',
  );
  assert.equal(found.length, 3);
  const path = '/conversations/conversation-1/messages';
  assert.equal((await same('MESSAGE', path, found)).length, 2);
  const bounded = await table.query(
    'PK = :a AND SK BETWEEN :b AND :c',
    'CONVERSATION#conversation-1',
    'MESSAGE#2026-01-11T09:00:02.000Z',
    'MESSAGE#2026-01-11T09:00:05.250Z',
  );
  const range = 'from=2026-01-11T09:00:02Z&to=2026-01-11T09:00:05.250Z';
  assert.equal((await same('MESSAGE', `${path}?${range}`, bounded)).length, 1);
});

test('CHT-D10 a message by its time, which files and documents know', async () => {
  const { conversationId, messageId, messageCreatedAt } = await own.item('/files/file-1');
  const path = `/conversations/${conversationId}/messages/${messageCreatedAt}`;
  assert.equal((await own.item(path)).id, messageId);
  await problem(own.get(path.replace('01.000Z', '01.001Z')), 404, 'not_found');
});

for (const [id, kind, path] of [
  ['CHT-Q5 files', 'FILE', 'files'],
  ['CHT-Q6 documents', 'DOCUMENT', 'documents'],
]) {
  test(`${id} of a conversation`, async () => {
    const found = await table.query(
      'GSI1PK = :a AND begins_with(GSI1SK, :b)',
      'CONVERSATION#conversation-1',
      `${kind}#`,
      GSI1,
    );
    assert.equal(found.length, 3);
    const ids = await same(kind, `/conversations/conversation-1/${path}`, found);
    assert.deepEqual(ids, [`${path.slice(0, -1)}-1`, 'x-2']);
  });
}

for (const [id, kind, path, expected] of [
  ['CHT-Q7 documents', 'DOCUMENT', 'documents', ['x-3', 'x-2', 'document-1']],
  ['CHT-Q8 files', 'FILE', 'files', ['x-6', 'x-3', 'x-2', 'file-1']],
]) {
  test(`${id} of a user, newest first`, async () => {
    const found = await table.query(
      'GSI2PK = :a AND begins_with(GSI2SK, :b)',
      'USER#user-1',
      `${kind}#`,
      { ...GSI2, ...NEWEST_FIRST },
    );
    assert.equal(found.length, expected.length + 1);
    assert.deepEqual(await same(kind, `/users/user-1/${path}`, found), expected);
    const days = await table.query(
      'GSI2PK = :a AND GSI2SK BETWEEN :b AND :c',
      'USER#user-1',
      `${kind}#2026-02-02T00:00:00.000Z`,
      `${kind}#2026-02-03T23:59:59.999Z`,
      { ...GSI2, ...NEWEST_FIRST },
    );
    const range = 'from=2026-02-02&to=2026-02-03';
    assert.deepEqual(await same(kind, `/users/user-1/${path}?${range}`, days), ['x-3', 'x-2']);
  });
}

test('CHT-Q9 conversations of a tenant by date', async () => {
  const found = await table.query('GSI2PK = :a', 'TENANT#tenant-1#CONVERSATION', {
    ...GSI2,
    ...NEWEST_FIRST,
  });
  const ids = await same('CONVERSATION', '/tenants/tenant-1/conversations', found);
  assert.deepEqual(ids, ['conversation-10', 'conversation-3', 'conversation-2', 'conversation-1']);
  const path = '/tenants/tenant-1/conversations?from=2026-02-02&to=2026-02-02';
  assert.deepEqual(
    (await own.list(path)).map(({ id }) => id),
    ['conversation-3'],
  );
});

test('CHT-Q9 and CHT-D4 files and documents of a tenant by date are not served', async () => {
  for (const name of ['filesByDate', 'documentsByDate']) {
    await problem(own.get(`/patterns/${name}?tenantId=tenant-1`), 404, 'not_found');
  }
  const list = await own.list('/tenants/tenant-1/files');
  assert.ok(list.length > 0);
  const refused = await problem(
    own.get('/tenants/tenant-1/files?from=2026-02-01'),
    400,
    'no_access_pattern',
  );
  assert.ok(refused.patterns.some(({ name }) => name === 'filesOfTenant'));
});

for (const [kind, path] of [
  ['CONVERSATION', 'conversations/by-id'],
  ['FILE', 'files'],
  ['DOCUMENT', 'documents'],
]) {
  test(`CHT-Q10 a tenant's ${path.split('/')[0]} by id`, async () => {
    const found = await table.query(
      'PK = :a AND begins_with(SK, :b)',
      'TENANT#tenant-1',
      `${kind}#`,
    );
    assert.ok(found.length > 3);
    await same(kind, `/tenants/tenant-1/${path}`, found);
  });
}

test('CHT-Q11 users of a tenant', async () => {
  const found = await users.query('PK = :a AND begins_with(SK, :b)', 'TENANT#tenant-1', 'USER#');
  const ids = await same('USER', '/tenants/tenant-1/users', found);
  assert.deepEqual(ids, ['user-1', 'user-10', 'user-2']);
});

test('CHT-Q11 a tenant by id', async () => {
  const item = await tenants.get('TENANT#tenant-1', 'METADATA#1');
  assert.deepEqual(await own.item('/tenants/tenant-1'), {
    tenantId: 'tenant-1',
    id: 'tenant-1',
    name: item.name.S,
    status: item.status.S,
    settings: { plan: 'PRO' },
    createdAt: item.createdAt.S,
    updatedAt: item.updatedAt.S,
  });
  await problem(operator.get('/tenants/nobody'), 404, 'not_found');
});

test('CHT-Q12 messages of a tenant, by conversation', async () => {
  const found = await table.query(
    'GSI1PK = :a AND begins_with(GSI1SK, :b)',
    'TENANT#tenant-1',
    'CONVERSATION#conversation-1#',
    GSI1,
  );
  const path = '/tenants/tenant-1/conversations/conversation-1/messages';
  assert.equal((await same('MESSAGE', path, found)).length, 2);
});

test('CHT-D21 lists mix active and archived conversations, and can be filtered', async () => {
  await own.done(own.patch('/conversations/conversation-3', { status: 'ARCHIVED' }), 200);
  const path = '/tenants/tenant-1/conversations';
  assert.equal((await own.list(path)).length, 4);
  const archived = await own.list(`${path}?status=ARCHIVED`);
  assert.deepEqual(
    archived.map(({ id }) => id),
    ['conversation-3'],
  );
});
