// The chat design (CHT): what its entities, enums, states and writes leave in its three tables. Each
// test names the requirement that it is about; reads are in chat_reads.test.js, what tenants see of
// each other is in chat_tenancy.test.js.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { document, file, uuid } from './chat_bodies.js';
import {
  describeIndex,
  invalidField,
  N,
  problem,
  raw,
  rest,
  S,
  samples,
  serve,
  texts,
  tryTransitions,
} from './rest.js';

let api; // of tenant-1
let operator;
let tenants;
let users;
let table;
let made = 100;

before(async () => {
  const server = await serve('chat', { args: ['--create-adopted'] });
  operator = rest(server);
  api = rest(server, { headers: { tenant: 'tenant-1' } });
  tenants = raw(server, 'Tenants');
  users = raw(server, 'Users');
  table = raw(server, 'RuralCreditAI');
});

function newId() {
  made += 1;
  return uuid(made);
}

const newConversation = async (more = {}) =>
  api.done(api.post('/conversations', { userId: 'user-1', title: 'Milho', ...more }), 201);
const newFile = async (more = {}) => api.done(api.post('/files', file(more)), 201);
const isInstant = (text) => assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('CHT-E1 to E6 the samples are stored byte for byte', async () => {
  const [tenant, user, ...others] = samples('chat');
  assert.deepEqual(await tenants.get(tenant.PK.S, tenant.SK.S), tenant);
  assert.deepEqual(await users.get(user.PK.S, user.SK.S), user);
  assert.equal(others.length, 5);
  for (const item of others) assert.deepEqual(await table.get(item.PK.S, item.SK.S), item);
});

test('CHT-E1 Tenant', async () => {
  const body = { name: 'Cooperativa', settings: { plan: 'FREE', seats: 5, tags: ['a', null] } };
  const created = await operator.post('/tenants', body);
  assert.equal(created.status, 201, created.text);
  const { tenantId, id, createdAt, updatedAt, ...shown } = created.body;
  assert.equal(id, tenantId);
  assert.deepEqual(shown, { ...body, status: 'ACTIVE' });
  isInstant(createdAt);
  assert.equal(created.headers.location, `/tenants/${tenantId}`);
  assert.deepEqual(await operator.item(`/tenants/${tenantId}`), created.body);
  const tags = { L: [S('a'), { NULL: true }] };
  assert.deepEqual(await tenants.get(`TENANT#${tenantId}`, 'METADATA#1'), {
    ...texts({ PK: `TENANT#${tenantId}`, SK: 'METADATA#1', id, name: 'Cooperativa' }),
    ...texts({ status: 'ACTIVE', createdAt, updatedAt }),
    settings: { M: { plan: S('FREE'), seats: N(5), tags } },
  });
});

test('CHT-E2 User', async () => {
  const body = { cognitoId: 'cog-2', email: 'Ana@Example.com', name: 'Ana', role: 'ADMIN' };
  const created = await api.post('/users', body);
  assert.equal(created.status, 201, created.text);
  const { createdAt, updatedAt, ...shown } = created.body;
  assert.deepEqual(shown, { tenantId: 'tenant-1', ...body, status: 'ACTIVE' });
  assert.deepEqual(await api.item('/tenants/tenant-1/users/cog-2'), created.body);
  assert.deepEqual(await users.get('TENANT#tenant-1', 'USER#cog-2'), {
    ...texts({ PK: 'TENANT#tenant-1', SK: 'USER#cog-2' }),
    ...texts({ GSI1PK: 'USER#cog-2', GSI1SK: 'TENANT#tenant-1' }),
    ...texts({ tenantId: 'tenant-1', status: 'ACTIVE', createdAt, updatedAt, ...body }),
  });
});

test('CHT-E3 Conversation', async () => {
  const created = await api.post('/conversations', { userId: 'user-1', title: 'Milho' });
  assert.equal(created.status, 201, created.text);
  const { conversationId, id, createdAt, updatedAt, ...shown } = created.body;
  assert.match(conversationId, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assert.equal(id, conversationId);
  assert.deepEqual(shown, {
    tenantId: 'tenant-1',
    userId: 'user-1',
    title: 'Milho',
    status: 'ACTIVE',
  });
  isInstant(createdAt);
  assert.equal(created.headers.location, `/conversations/${id}`);
  assert.deepEqual(await api.item(`/conversations/${id}`), created.body);
  assert.deepEqual(await table.get('TENANT#tenant-1', `CONVERSATION#${id}`), {
    ...texts({ PK: 'TENANT#tenant-1', SK: `CONVERSATION#${id}`, id }),
    ...texts({ GSI1PK: 'USER#user-1', GSI1SK: `CONVERSATION#${createdAt}` }),
    ...texts({ GSI2PK: 'TENANT#tenant-1#CONVERSATION', GSI2SK: createdAt }),
    ...texts({ createdAt, updatedAt, ...shown }),
    _v: N(1),
  });
});

test('CHT-E4 Message', async () => {
  const { conversationId } = await newConversation();
  const body = { id: newId(), role: 'USER', content: 'Olá', attachments: ['file-1', 'file-2'] };
  const created = await api.post(`/conversations/${conversationId}/messages`, body);
  assert.equal(created.status, 201, created.text);
  const { createdAt, ...shown } = created.body;
  isInstant(createdAt);
  assert.deepEqual(shown, { tenantId: 'tenant-1', conversationId, ...body });
  const at = `/conversations/${conversationId}/messages/${encodeURIComponent(createdAt)}`;
  assert.deepEqual(await api.item(at), created.body);
  assert.deepEqual(await api.item(created.headers.location), created.body);
  const { attachments, ...plain } = shown;
  assert.deepEqual(await table.get(`CONVERSATION#${conversationId}`, `MESSAGE#${createdAt}`), {
    ...texts({ PK: `CONVERSATION#${conversationId}`, SK: `MESSAGE#${createdAt}` }),
    ...texts({ GSI1PK: 'TENANT#tenant-1' }),
    ...texts({ GSI1SK: `CONVERSATION#${conversationId}#${createdAt}`, createdAt, ...plain }),
    attachments: { L: attachments.map(S) },
    _v: N(1),
  });
});

test('CHT-E5 File', async () => {
  const { conversationId } = await newConversation();
  const body = file({ conversationId, messageId: newId(), analysis: { pages: 3 } });
  const created = await api.post('/files', body);
  assert.equal(created.status, 201, created.text);
  const { fileId, id, createdAt, updatedAt, ...shown } = created.body;
  assert.equal(id, fileId);
  assert.deepEqual(shown, { tenantId: 'tenant-1', ...body, status: 'PROCESSING' });
  assert.deepEqual(await api.item(`/files/${id}`), created.body);
  const { size, analysis, ...plain } = shown;
  assert.equal(analysis.pages, 3);
  assert.deepEqual(await table.get('TENANT#tenant-1', `FILE#${id}`), {
    ...texts({ PK: 'TENANT#tenant-1', SK: `FILE#${id}`, id }),
    ...texts({ GSI1PK: `CONVERSATION#${conversationId}`, GSI1SK: `FILE#${createdAt}` }),
    ...texts({ GSI2PK: 'USER#user-1', GSI2SK: `FILE#${createdAt}` }),
    ...texts({ createdAt, updatedAt, ...plain }),
    size: N(size),
    analysis: { M: { pages: N(3) } },
    _v: N(1),
  });
});

test('CHT-E6 Document', async () => {
  const body = document({ description: 'Safra', metadata: { amount: 10.5, ok: true } });
  const created = await api.post('/documents', body);
  assert.equal(created.status, 201, created.text);
  const { documentId, id, createdAt, updatedAt, ...shown } = created.body;
  assert.equal(id, documentId);
  assert.deepEqual(shown, { tenantId: 'tenant-1', ...body });
  assert.deepEqual(await api.item(`/documents/${id}`), created.body);
  const { metadata, ...plain } = shown;
  assert.equal(metadata.ok, true);
  assert.deepEqual(await table.get('TENANT#tenant-1', `DOCUMENT#${id}`), {
    ...texts({ PK: 'TENANT#tenant-1', SK: `DOCUMENT#${id}`, id }),
    ...texts({ GSI1PK: 'CONVERSATION#conversation-1', GSI1SK: `DOCUMENT#${createdAt}` }),
    ...texts({ GSI2PK: 'USER#user-1', GSI2SK: `DOCUMENT#${createdAt}` }),
    ...texts({ createdAt, updatedAt, ...plain }),
    metadata: { M: { amount: N(10.5), ok: { BOOL: true } } },
    _v: N(1),
  });
});

test('CHT-O1 three tables and their indexes', async () => {
  assert.equal((await tenants.describe()).GlobalSecondaryIndexes, undefined);
  for (const [where, name] of [
    [users, 'GSI1'],
    [table, 'GSI1'],
    [table, 'GSI2'],
  ]) {
    assert.deepEqual(await describeIndex(where, name), {
      keys: [`${name}PK S`, `${name}SK S`],
      projection: 'ALL',
      status: 'ACTIVE',
    });
  }
});

test('CHT-D12 a file without a conversation is not in GSI1', async () => {
  const { fileId } = await newFile();
  const item = await table.get('TENANT#tenant-1', `FILE#${fileId}`);
  assert.equal('GSI1PK' in item || 'GSI1SK' in item, false);
  assert.equal(
    (await table.inIndex('GSI1')).some(({ SK }) => SK.S === `FILE#${fileId}`),
    false,
  );
  // It comes into the index with its conversation.
  await api.done(api.patch(`/files/${fileId}`, { conversationId: 'conversation-1' }), 200);
  const patched = await table.get('TENANT#tenant-1', `FILE#${fileId}`);
  assert.deepEqual(patched.GSI1PK, S('CONVERSATION#conversation-1'));
  await api.done(api.patch(`/files/${fileId}`, { conversationId: null }), 200);
  assert.equal('GSI1PK' in (await table.get('TENANT#tenant-1', `FILE#${fileId}`)), false);
});

// Each value is accepted, another is refused, and nothing is written then.
async function tryEnum(where, values, attribute, write) {
  for (const value of values) {
    const { status, text, body } = await write(value);
    assert.equal(status, 201, text);
    assert.equal(body[attribute], value);
  }
  await where.unchanged(() => invalidField(write('OTHER'), `/${attribute}`, 'enum'));
  const lower = values[0].toLowerCase();
  await where.unchanged(() => invalidField(write(lower), `/${attribute}`, 'enum'));
}

const newUser = (more) => {
  const cognitoId = newId();
  return api.post('/users', { cognitoId, email: `${cognitoId}@example.com`, ...more });
};

test('CHT-N1 Tenant.status', async () => {
  await tryEnum(tenants, ['ACTIVE', 'SUSPENDED'], 'status', (status) =>
    operator.post('/tenants', { name: 'x', status }),
  );
});

test('CHT-N2 User.role', async () => {
  await tryEnum(users, ['ADMIN', 'USER'], 'role', (role) => newUser({ role }));
  const { role } = await api.done(newUser({}), 201);
  assert.equal(role, 'USER');
});

test('CHT-N3 User.status is open', async () => {
  for (const status of ['ACTIVE', 'INACTIVE', 'INVITED']) {
    assert.equal((await api.done(newUser({ status }), 201)).status, status);
  }
  await users.unchanged(() => invalidField(newUser({ status: 1 }), '/status', 'type'));
});

test('CHT-N4 Conversation.status', async () => {
  await tryEnum(table, ['ACTIVE', 'ARCHIVED'], 'status', (status) =>
    api.post('/conversations', { userId: 'user-1', status }),
  );
});

test('CHT-N5 Message.role', async () => {
  await tryEnum(table, ['USER', 'ASSISTANT'], 'role', (role) =>
    api.post('/conversations/conversation-1/messages', { id: newId(), role, content: 'x' }),
  );
});

test('CHT-N6 File.status', async () => {
  await tryEnum(table, ['PROCESSING', 'READY', 'ERROR'], 'status', (status) =>
    api.post('/files', file({ status })),
  );
});

test('CHT-N7 Document.type', async () => {
  await tryEnum(table, ['CONTRACT', 'SIMULATION', 'REPORT'], 'type', (type) =>
    api.post('/documents', document({ type })),
  );
});

test('CHT-T1 transitions of files', async () => {
  await tryTransitions({
    transitions: { PROCESSING: ['READY', 'ERROR'], READY: [], ERROR: ['PROCESSING'] },
    initial: 'PROCESSING',
    create: newFile,
    change: ({ fileId }, status) => api.patch(`/files/${fileId}`, { status }),
    async check({ fileId }, status) {
      assert.deepEqual((await table.get('TENANT#tenant-1', `FILE#${fileId}`)).status, S(status));
    },
    table,
  });
});

test('CHT-T2 conversations are archived and back', async () => {
  await tryTransitions({
    transitions: { ACTIVE: ['ARCHIVED'], ARCHIVED: ['ACTIVE'] },
    initial: 'ACTIVE',
    create: newConversation,
    change: ({ id }, status) => api.patch(`/conversations/${id}`, { status }),
    async check({ id }, status) {
      assert.deepEqual(
        (await table.get('TENANT#tenant-1', `CONVERSATION#${id}`)).status,
        S(status),
      );
    },
    table,
  });
});

test('CHT-T3 tenants are suspended and back', async () => {
  await tryTransitions({
    transitions: { ACTIVE: ['SUSPENDED'], SUSPENDED: ['ACTIVE'] },
    initial: 'ACTIVE',
    create: () => operator.done(operator.post('/tenants', { name: 'x' }), 201),
    change: ({ id }, status) => operator.patch(`/tenants/${id}`, { status }),
    async check({ id }, status) {
      assert.deepEqual((await tenants.get(`TENANT#${id}`, 'METADATA#1')).status, S(status));
    },
    table: tenants,
  });
});

test('CHT-W1 a message and its conversation are written together', async () => {
  const before = await newConversation();
  const message = { id: newId(), role: 'ASSISTANT', content: 'Pronto.' };
  const path = `/conversations/${before.id}:post`;
  const { results } = await api.done(api.post(path, { message }), 200);
  assert.deepEqual(
    results.map(({ entity, status }) => `${entity} ${status}`),
    ['Message 201', 'Conversation 200'],
  );
  const { createdAt } = results[0].item;
  const [posted] = await table.query('PK = :a', `CONVERSATION#${before.id}`);
  assert.deepEqual(posted.SK, S(`MESSAGE#${createdAt}`));
  assert.deepEqual(posted.tenantId, S('tenant-1'));
  const item = await table.get('TENANT#tenant-1', `CONVERSATION#${before.id}`);
  assert.deepEqual(item.lastMessageAt, S(createdAt));
  assert.deepEqual(item.updatedAt, S(createdAt));
  // The index keys stay: they are made of the creation (CHT-D8).
  assert.deepEqual(item.GSI1SK, S(`CONVERSATION#${before.createdAt}`));
  assert.deepEqual(item._v, N(2));
});

test('CHT-W1 what cannot be posted leaves the conversation alone', async () => {
  const { id } = await newConversation();
  const message = { id: newId(), role: 'USER', content: 'x' };
  const post = (to, body) => api.post(`/conversations/${to}:post`, body);
  await table.unchanged(() => problem(post('nowhere', { message }), 404, 'not_found'));
  await table.unchanged(() =>
    invalidField(post(id, { message: { ...message, role: 'SYSTEM' } }), '/message/role', 'enum'),
  );
  await table.unchanged(() =>
    invalidField(post(id, { message: { ...message, id: '7' } }), '/message/id', 'format'),
  );
  await table.unchanged(() =>
    invalidField(
      post(id, { message: { ...message, content: undefined } }),
      '/message/content',
      'required',
    ),
  );
  const orphan = () => api.post('/conversations/nowhere/messages', message);
  await table.unchanged(() => problem(orphan(), 409, 'missing_reference'));
});

test('CHT-D2 messages of one instant move on by a millisecond', async () => {
  const { id } = await newConversation();
  const writes = ['a', 'b', 'c'].map((content) => ({
    create: 'Message',
    body: { id: newId(), conversationId: id, role: 'USER', content },
  }));
  const { results } = await api.done(api.post('/transact', { writes }), 200);
  const times = results.map(({ item }) => Date.parse(item.createdAt));
  assert.deepEqual(
    times.map((time) => time - times[0]),
    [0, 1, 2],
  );
  const found = await table.query('PK = :a', `CONVERSATION#${id}`);
  assert.deepEqual(
    found.map(({ content }) => content.S),
    ['a', 'b', 'c'],
  );
});

test('CHT-D2 messages that come together are all kept', async () => {
  const { id } = await newConversation();
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      api.post(`/conversations/${id}/messages`, { id: newId(), role: 'USER', content: `${i}` }),
    ),
  );
  for (const { status, text } of answers) assert.equal(status, 201, text);
  const found = await table.query('PK = :a', `CONVERSATION#${id}`);
  assert.equal(found.length, 40);
  assert.equal(new Set(found.map(({ content }) => content.S)).size, 40);
  for (const { SK, createdAt } of found) assert.equal(SK.S, `MESSAGE#${createdAt.S}`);
});

test('CHT-D2 posts that come together are all kept', async () => {
  const { id } = await newConversation();
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, i) =>
      api.post(`/conversations/${id}:post`, {
        message: { id: newId(), role: 'USER', content: `${i}` },
      }),
    ),
  );
  for (const { status, text } of answers) assert.equal(status, 200, text);
  assert.equal((await api.list(`/conversations/${id}/messages`)).length, 16);
});

test('CHT-W2 a file is registered, then ready with its analysis', async () => {
  const { results } = await api.done(api.post('/files:register', { file: file() }), 200);
  const { fileId, status } = results[0].item;
  assert.equal(status, 'PROCESSING');
  await api.done(api.post(`/files/${fileId}:ready`, { analysis: { pages: 2 } }), 200);
  const item = await table.get('TENANT#tenant-1', `FILE#${fileId}`);
  assert.deepEqual(item.status, S('READY'));
  assert.deepEqual(item.analysis, { M: { pages: N(2) } });
  const refused = await table.unchanged(() =>
    problem(api.post(`/files/${fileId}:failed`, { analysis: {} }), 409, 'illegal_transition'),
  );
  assert.equal(refused.from, 'READY');
  assert.deepEqual(refused.allowed, []);
});

test('CHT-W2 a file that failed may be tried again', async () => {
  const { fileId } = await newFile();
  await api.done(api.post(`/files/${fileId}:failed`, { analysis: { reason: 'x' } }), 200);
  const refused = await table.unchanged(() =>
    problem(api.post(`/files/${fileId}:ready`, {}), 409, 'illegal_transition'),
  );
  assert.deepEqual(refused.allowed, ['PROCESSING']);
  await api.done(api.patch(`/files/${fileId}`, { status: 'PROCESSING' }), 200);
  await api.done(api.post(`/files/${fileId}:ready`, {}), 200);
  await table.unchanged(() => problem(api.post('/files/none:ready', {}), 404, 'not_found'));
});

test('CHT-D9 an email is unique in its tenant, whatever its case', async () => {
  const again = { cognitoId: newId(), email: 'JOANA@example.com' };
  await users.unchanged(() => problem(api.post('/users', again), 409, 'not_unique'));
  const { tenantId } = await operator.done(operator.post('/tenants', { name: 'Outra' }), 201);
  const elsewhere = { tenant: tenantId };
  await api.done(api.post('/users', { ...again, cognitoId: 'user-1' }, elsewhere), 201);
  // A change frees the old one.
  await api.done(api.patch('/users/user-1', { email: 'joana.p@example.com' }, elsewhere), 200);
  await api.done(api.post('/users', again, elsewhere), 201);
});

test('CHT-D14 content ends before an item is full', async () => {
  const message = (content) =>
    api.post('/conversations/conversation-1/messages', { id: newId(), role: 'USER', content });
  await table.unchanged(() => invalidField(message('x'.repeat(90_001)), '/content', 'length'));
  await api.done(message('€'.repeat(90_000)), 201);
  const metadata = { text: 'x'.repeat(420_000) };
  await table.unchanged(() =>
    problem(api.post('/documents', document({ metadata })), 413, 'item_too_large'),
  );
});

test('CHT-D19 markers are items of the adopted table, which no client sees', async () => {
  const markers = (await users.scan()).filter(({ PK }) => PK.S.startsWith('MONOTABLE#'));
  assert.ok(markers.length > 0);
  const found = await api.item('/tenants/tenant-1/users?limit=1000');
  assert.equal(JSON.stringify(found).includes('MONOTABLE#'), false);
});

test('users and conversations belong to a tenant that exists', async () => {
  const nobody = { tenant: 'nobody' };
  const user = { cognitoId: newId(), email: 'x@example.com' };
  await users.unchanged(() => problem(api.post('/users', user, nobody), 409, 'missing_reference'));
  const conversation = () => api.post('/conversations', { userId: 'user-1' }, nobody);
  await table.unchanged(() => problem(conversation(), 409, 'missing_reference'));
});
