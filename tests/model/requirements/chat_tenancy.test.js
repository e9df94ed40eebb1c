// The chat design (CHT-O2, CHT-D6): what one tenant sees and changes of another's, which is nothing.
// Both tenants use the same ids wherever they can, since partitions of users and conversations do
// not say whose they are.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { document, file, uuid } from './chat_bodies.js';
import { problem, raw, rest, serve } from './rest.js';

const MESSAGE = '/conversations/conversation-1/messages/2026-01-11T09:00:01.000Z';

let operator;
let first; // tenant-1, of the samples
let second; // tenant-2
let tables;

before(async () => {
  const server = await serve('chat', { args: ['--create-adopted'] });
  operator = rest(server);
  first = rest(server, { headers: { tenant: 'tenant-1' } });
  second = rest(server, { headers: { tenant: 'tenant-2' } });
  tables = ['Tenants', 'Users', 'RuralCreditAI'].map((name) => raw(server, name));
  await operator.done(operator.post('/tenants', { tenantId: 'tenant-2', name: 'Outra' }), 201);
  const user = { cognitoId: 'user-1', email: 'joana@example.com', name: 'Joana (2)' };
  await second.done(second.post('/users', user), 201);
  const conversation = { conversationId: 'conversation-1', userId: 'user-1', title: 'Segunda' };
  await second.done(second.post('/conversations', conversation), 201);
  const message = { id: uuid(1), role: 'USER', content: 'Segunda' };
  await second.done(second.post('/conversations/conversation-1/messages', message), 201);
  const more = { conversationId: 'conversation-1', fileId: 'file-2' };
  await second.done(second.post('/files', file(more)), 201);
  await second.done(second.post('/documents', document({ documentId: 'document-2' })), 201);
});

// Whether it is forbidden or not there is the same to who may not know.
async function denied(answer) {
  const { status, text } = await answer;
  assert.ok(status === 403 || status === 404, `${status}: ${text}`);
  await problem(answer, status, status === 403 ? 'forbidden' : 'not_found');
  assert.equal(text.includes('Quanto posso'), false);
}

// Everything that belongs to the first tenant.
async function owned() {
  const all = await Promise.all(tables.map((table) => table.scan({ ConsistentRead: true })));
  const items = all.flat().filter((item) => {
    const owner = item.tenantId?.S ?? item.PK.S.replace('TENANT#', '');
    return owner === 'tenant-1';
  });
  return Object.fromEntries(items.map((item) => [`${item.PK.S}|${item.SK.S}`, item]));
}

// Runs something that must leave what is the first tenant's as it is.
async function harmless(action) {
  const before = await owned();
  assert.equal(Object.keys(before).length, 7);
  await action();
  assert.deepEqual(await owned(), before);
}

test('CHT-O2 every item says its tenant', async () => {
  const items = (await Promise.all(tables.map((table) => table.scan()))).flat();
  for (const item of items.filter(({ PK }) => !PK.S.startsWith('MONOTABLE#'))) {
    assert.ok(item.SK.S === 'METADATA#1' || item.tenantId.S, item.SK.S);
  }
});

test("CHT-D6 another tenant's items cannot be read", async () => {
  for (const path of [
    '/tenants/tenant-1',
    '/tenants/tenant-1/users/user-1',
    '/files/file-1',
    '/documents/document-1',
    MESSAGE,
    '/files/file-1?tenantId=tenant-1',
    '/conversations/conversation-1?tenantId=tenant-1',
  ]) {
    await denied(second.get(path));
    const { status } = await second.head(path);
    assert.ok(status === 403 || status === 404, `HEAD ${path}: ${status}`);
  }
});

test('CHT-D6 the same ids name the own items', async () => {
  assert.equal((await second.item('/conversations/conversation-1')).title, 'Segunda');
  assert.equal((await first.item('/conversations/conversation-1')).tenantId, 'tenant-1');
  assert.equal((await second.item('/users/user-1')).name, 'Joana (2)');
  assert.equal((await first.item('/users/user-1')).name, 'Joana Pereira');
});

test('CHT-D6 lists of shared partitions show the own items only', async () => {
  for (const [path, mine] of [
    ['/users/user-1/tenants', 1],
    ['/users/user-1/conversations', 1],
    ['/users/user-1/files', 1],
    ['/users/user-1/documents', 1],
    ['/conversations/conversation-1/messages', 1],
    ['/conversations/conversation-1/files', 1],
    ['/conversations/conversation-1/documents', 1],
    ['/patterns/messagesOfConversation?conversationId=conversation-1', 1],
  ]) {
    const body = await second.item(path);
    assert.equal(body.items.length, mine, path);
    for (const { tenantId } of body.items) assert.equal(tenantId, 'tenant-2', path);
    const pages = await second.pages(path);
    assert.deepEqual(pages, body.items, path);
    const all = await operator.item(path);
    assert.ok(all.items.length > mine, path);
    const counted = await second.item(`${path}${path.includes('?') ? '&' : '?'}count=exact`);
    assert.equal(counted.meta.total, mine, path);
  }
});

test('CHT-D6 lists that name another tenant are refused', async () => {
  for (const path of [
    '/tenants/tenant-1/users',
    '/tenants/tenant-1/conversations',
    '/tenants/tenant-1/conversations/by-id',
    '/tenants/tenant-1/files',
    '/tenants/tenant-1/documents',
    '/tenants/tenant-1/conversations/conversation-1/messages',
    '/patterns/usersOfTenant?tenantId=tenant-1',
    '/users/user-1/conversations?tenantId=tenant-1',
  ]) {
    await denied(second.get(path));
  }
});

test("CHT-D6 another tenant's items cannot be changed", async () => {
  for (const [verb, path, body] of [
    ['patch', '/tenants/tenant-1', { name: 'x' }],
    ['put', '/tenants/tenant-1', { name: 'x' }],
    ['del', '/tenants/tenant-1'],
    ['patch', '/files/file-1', { name: 'x' }],
    ['del', '/files/file-1'],
    ['patch', '/documents/document-1', { title: 'x' }],
    ['del', '/documents/document-1'],
    ['patch', MESSAGE, { content: 'x' }],
    ['del', MESSAGE],
    ['post', '/files/file-1:ready', {}],
    ['post', '/files/file-1:failed', {}],
  ]) {
    await harmless(() =>
      denied(body === undefined ? second[verb](path) : second[verb](path, body)),
    );
  }
});

test('CHT-D6 a PUT under the same name is about the own item', async () => {
  await harmless(async () => {
    await second.done(second.put('/files/file-1', file({ name: 'own.pdf' })), 201);
    await second.done(second.put('/users/user-1', { email: 'j@example.com' }), 200);
    // The key of this one is taken by the other tenant's message, and PUT takes no other.
    const { status, text } = await second.put(MESSAGE, { id: uuid(2), role: 'USER', content: 'x' });
    assert.ok([403, 404, 409].includes(status), `${status}: ${text}`);
  });
  assert.equal((await first.item('/files/file-1')).name, 'projeto.pdf');
  assert.equal((await second.item('/files/file-1')).name, 'own.pdf');
});

test('CHT-D6 nothing is created for another tenant, nor given to one', async () => {
  const tenantId = 'tenant-1';
  for (const [path, body] of [
    ['/tenants', { tenantId: 'tenant-3', name: 'x' }],
    ['/users', { tenantId, cognitoId: 'x', email: 'x@example.com' }],
    ['/conversations', { tenantId, userId: 'user-1' }],
    ['/files', file({ tenantId })],
    ['/files:register', { file: file({ tenantId }) }],
    ['/documents', document({ tenantId })],
    ['/transact', { writes: [{ create: 'Conversation', body: { tenantId, userId: 'u' } }] }],
  ]) {
    await harmless(() => problem(second.post(path, body), 403, 'forbidden'));
  }
  await harmless(() => problem(second.patch('/files/file-2', { tenantId }), 403, 'forbidden'));
  await harmless(() =>
    problem(first.patch('/files/file-1', { tenantId: 'tenant-2' }), 403, 'forbidden'),
  );
});

test('CHT-D6 not even an operator moves an item to another tenant', async () => {
  const write = {
    patch: 'Document',
    key: { tenantId: 'tenant-1', documentId: 'document-1' },
    body: { tenantId: 'tenant-2' },
  };
  await harmless(() => problem(operator.post('/transact', { writes: [write] }), 409, 'key_change'));
});

test('CHT-D6 batches and transactions are bound to the tenant, too', async () => {
  const { items } = await second.done(
    second.post('/files:batchGet', { keys: [{ fileId: 'file-1' }, { fileId: 'file-2' }] }),
    200,
  );
  assert.equal(items[0] === null || items[0].tenantId === 'tenant-2', true);
  assert.equal(items[1].fileId, 'file-2');
  const foreign = { keys: [{ documentId: 'document-1' }] };
  const { items: none } = await second.done(second.post('/documents:batchGet', foreign), 200);
  assert.deepEqual(none, [null]);

  await harmless(async () => {
    const { results } = await second.done(
      second.post('/documents:batchWrite', {
        writes: [
          { patch: { documentId: 'document-1', title: 'x' } },
          { delete: { documentId: 'document-1' } },
          { delete: { documentId: 'document-1', tenantId: 'tenant-1' } },
        ],
      }),
      200,
    );
    for (const { status } of results) assert.ok(status === 403 || status === 404);
  });
  for (const write of [
    { patch: 'Document', key: { documentId: 'document-1' }, body: { title: 'x' } },
    { delete: 'Document', key: { documentId: 'document-1' } },
    { delete: 'Document', key: { documentId: 'document-1', tenantId: 'tenant-1' } },
    { check: 'Document', key: { documentId: 'document-1' } },
    { delete: 'Tenant', key: { tenantId: 'tenant-1' } },
  ]) {
    await harmless(() => denied(second.post('/transact', { writes: [write] })));
  }
});

test("CHT-D6 a message cannot be posted into another tenant's conversation", async () => {
  const { id } = await first.done(first.post('/conversations', { userId: 'user-1' }), 201);
  const message = { id: uuid(3), role: 'USER', content: 'x' };
  const before = await owned();
  await problem(second.post(`/conversations/${id}:post`, { message }), 404, 'not_found');
  await problem(second.post(`/conversations/${id}/messages`, message), 409, 'missing_reference');
  assert.deepEqual(await owned(), before);
  assert.deepEqual(await first.list(`/conversations/${id}/messages`), []);
});
