// Requests that are fine in themselves but do not fit what is stored: states, versions, keys, other
// tenants. Each is refused with the right problem and changes nothing.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { document, file, uuid } from './chat_bodies.js';
import { COMPANY, complete, completePath, header, ORDER, orderPath } from './orders_bodies.js';
import { order, orderPath as tradePath, position } from './trading_bodies.js';
import { serveAll } from './wrong.js';

const sample = orderPath(COMPANY, ORDER);

let orders;
let trading;
let chat;
let other;
let operator;
let refuses;

before(async () => {
  ({ orders, trading, chat, other, operator, refuses } = await serveAll());
  await operator.done(operator.post('/tenants', { tenantId: 'tenant-2', name: 'x' }), 201);
});

test('illegal transitions, whatever asks for them', async () => {
  const filled = await trading.done(
    trading.post('/orders', order('o1', { status: 'FILLED' })),
    201,
  );
  const path = `/orders/client_1/${filled.created_at}/o1`;
  for (const send of [
    () => trading.patch(path, { status: 'NEW' }),
    () => trading.put(path, order('o1', { status: 'NEW' })),
    () => trading.post(`${tradePath(filled)}/status`, { to: 'CANCELLED' }),
  ]) {
    const refused = await refuses(send, 409, 'illegal_transition', { '/status': 'transition' });
    assert.equal(refused.from, 'FILLED');
    assert.deepEqual(refused.allowed, []);
  }
  const write = { patch: 'File', key: { fileId: 'file-1' }, body: { status: 'PROCESSING' } };
  const refused = await refuses(
    () => chat.post('/transact', { writes: [write] }),
    409,
    'illegal_transition',
    {
      '/writes/0/body/status': 'transition',
    },
  );
  assert.equal(refused.to, 'PROCESSING');
  // In a batch each write has its own answer.
  const before = await chat.item('/files/file-1');
  const batch = { writes: [{ patch: { fileId: 'file-1', status: 'ERROR' } }] };
  const { results } = await chat.done(chat.post('/files:batchWrite', batch), 200);
  assert.equal(results[0].status, 409);
  assert.equal(results[0].problem.code, 'illegal_transition');
  assert.deepEqual(await chat.item('/files/file-1'), before);
});

test('states outside the list are not reached by a change', async () => {
  const refused = await refuses(
    () => orders.post(`${sample}/status`, { to: 'EmTransporte' }),
    409,
    'illegal_transition',
    { '/order_status': 'transition' },
  );
  assert.deepEqual(refused.allowed, ['AguardandoEstoque', 'AguardandoSeparacao', 'Cancelado']);
});

test('If-Match of an old version', async () => {
  const created = await chat.post('/files', file());
  const path = `/files/${created.body.fileId}`;
  const old = { 'if-match': created.headers.etag };
  assert.equal(created.headers.etag, '"v1"');
  const changed = await chat.patch(path, { size: 2 }, old);
  assert.equal(changed.status, 200, changed.text);
  assert.equal(changed.headers.etag, '"v2"');
  for (const send of [
    () => chat.patch(path, { size: 3 }, old),
    () => chat.put(path, file({ size: 3 }), old),
    () => chat.del(path, old),
    () => chat.patch(path, { size: 3 }, { 'if-match': '"v3"' }),
    () => chat.patch(path, { size: 3 }, { 'if-match': '"x"' }),
    () => chat.patch(path, { size: 3 }, { 'if-match': 'W/"v2"' }),
    () => chat.put(path, file({ size: 3 }), { 'if-none-match': '*' }),
  ]) {
    await refuses(send, 412, 'version_mismatch');
  }
  const mismatch = await refuses(() => chat.patch(path, { size: 3 }, old), 412, 'version_mismatch');
  assert.equal(mismatch.current, '"v2"');
  const write = {
    patch: 'File',
    key: { fileId: created.body.fileId },
    body: { size: 3 },
    ifMatch: 'v1',
  };
  await refuses(() => chat.post('/transact', { writes: [write] }), 412, 'version_mismatch');
  await chat.done(chat.patch(path, { size: 3 }, { 'if-match': '"v2"' }), 200);
  await chat.done(chat.del(path, { 'if-match': '"v3"' }), 204);
});

test('If-Match of an old state where a table has no versions', async () => {
  const first = await chat.get('/users/user-1');
  const old = { 'if-match': first.headers.etag };
  await chat.done(chat.patch('/users/user-1', { name: 'Joana P.' }, old), 200);
  const second = await chat.get('/users/user-1');
  assert.notEqual(second.headers.etag, first.headers.etag);
  await refuses(() => chat.patch('/users/user-1', { name: 'x' }, old), 412, 'version_mismatch');
  await refuses(() => chat.del('/users/user-1', old), 412, 'version_mismatch');
});

test('an unchanged item has no new version', async () => {
  const { headers } = await orders.get(sample);
  await orders.done(orders.patch(sample, {}), 200);
  await orders.done(orders.patch(sample, { company_name: 'Tech Solutions Ltda' }), 200);
  assert.equal((await orders.get(sample)).headers.etag, headers.etag);
});

test('what is not there', async () => {
  for (const send of [
    () => chat.patch('/files/none', { name: 'x' }),
    () => chat.del('/files/none'),
    () => chat.get('/files/none'),
    () => orders.patch(orderPath(COMPANY, 'ORD-20990101-0001'), { notes: 'x' }),
    () => orders.post(`${sample}/items/none/status`, { to: 'SemEstoque' }),
    () => chat.post('/transact', { writes: [{ check: 'File', key: { fileId: 'none' } }] }),
  ]) {
    await refuses(send, 404, 'not_found');
  }
  const head = await chat.head('/files/none');
  assert.equal(head.status, 404);
  assert.equal(head.text, '');
});

test('what is there already', async () => {
  const message = { id: uuid(1), role: 'USER', content: 'x' };
  for (const send of [
    () => orders.post('/orders', { cnpj: COMPANY, ...header(ORDER) }),
    () => orders.post(completePath(COMPANY), complete(ORDER, {})),
    () => orders.post(`${sample}/items`, { product_id: 'PRD-1001' }),
    () => chat.post('/files', file({ fileId: 'file-1' })),
    () => chat.post('/files:register', { file: file({ fileId: 'file-1' }) }),
    () => trading.post('/positions', position({ client_id: 'client_123' })),
  ]) {
    await refuses(send, 409, 'already_exists');
  }
  // This one moves on instead.
  await chat.done(chat.post('/conversations/conversation-1/messages', message), 201);
});

test('keys that may not change', async () => {
  for (const send of [
    () => orders.patch(`${sample}/items/PRD-1001`, { product_id: 'PRD-9' }),
    () => orders.patch(sample, { order_id: 'ORD-20240101-0001' }),
    () => chat.patch('/files/file-1', { fileId: 'file-9' }),
    () => trading.patch('/positions/client_123/BTCUSDT/LONG', { side: 'SHORT' }),
  ]) {
    await refuses(send, 409, 'key_change');
  }
  await refuses(() => chat.put('/files/file-1', file({ fileId: 'file-9' })), 400, 'invalid', {
    '/fileId': 'key',
  });
});

test('parents and references that are not there', async () => {
  const nowhere = orderPath(COMPANY, 'ORD-20990101-0001');
  await refuses(
    () => orders.post(`${nowhere}/items`, { product_id: 'P' }),
    409,
    'missing_reference',
  );
  await refuses(
    () => orders.put(`${nowhere}/status`, { order_status: 'Pendente' }),
    409,
    'missing_reference',
  );
  await refuses(
    () => operator.post('/conversations', { tenantId: 'nobody', userId: 'u' }),
    409,
    'missing_reference',
    { '/tenantId': 'missing_reference' },
  );
});

test('deletes that would leave parts behind', async () => {
  await refuses(() => orders.del(sample), 409, 'restricted');
});

test('rules of the model', async () => {
  const { price, ...unpriced } = order('o2');
  assert.ok(price);
  const refused = await refuses(() => trading.post('/orders', unpriced), 422, 'rule_failed');
  assert.equal(refused.detail, 'Only a MARKET order has no price.');
  assert.equal(refused.rule, 'price_unless_market');
  const created = await trading.done(trading.post('/orders', order('o3')), 201);
  const path = `/orders/client_1/${created.created_at}/o3`;
  await refuses(() => trading.patch(path, { price: null }), 422, 'rule_failed');
});

test('values that another item has', async () => {
  const joana = { cognitoId: 'x', email: 'Joana@Example.com' };
  await refuses(() => chat.post('/users', joana), 409, 'not_unique', { '/email': 'not_unique' });
  await trading.done(trading.post('/orders', order('o4')), 201);
  const again = order('o4', { client_id: 'client_2' });
  await refuses(() => trading.post('/orders', again), 409, 'not_unique', {
    '/order_id': 'not_unique',
  });
});

test("another tenant's data", async () => {
  await refuses(() => other.get('/files/file-1'), 404, 'not_found');
  await refuses(() => other.patch('/files/file-1', { name: 'x' }), 404, 'not_found');
  await refuses(() => other.del('/documents/document-1'), 404, 'not_found');
  await refuses(() => other.get('/tenants/tenant-1/files'), 403, 'forbidden');
  const tenantId = 'tenant-1';
  await refuses(() => other.post('/documents', document({ tenantId })), 403, 'forbidden');
});

test('a tenant must be named where an item is found by it', async () => {
  await refuses(() => operator.get('/files/file-1'), 400, 'invalid', { tenantId: 'required' });
  await refuses(() => operator.patch('/files/file-1', { name: 'x' }), 400, 'invalid', {
    '/tenantId': 'required',
  });
  await refuses(() => operator.post('/conversations', { userId: 'u' }), 400, 'invalid', {
    '/tenantId': 'required',
  });
});

test('a transaction of which one write is wrong writes nothing', async () => {
  const good = { create: 'Conversation', body: { userId: 'user-1' } };
  for (const [bad, status, code, fields] of [
    [{ delete: 'File', key: { fileId: 'none' } }, 404, 'not_found', {}],
    [{ create: 'File', body: { name: 7 } }, 400, 'invalid', { '/writes/1/body/name': 'type' }],
    [
      { create: 'File', body: file({ size: undefined }) },
      400,
      'invalid',
      { '/writes/1/body/size': 'required' },
    ],
    [
      { create: 'Document', body: document({ metadata: { x: 'x'.repeat(410_000) } }) },
      413,
      'item_too_large',
      {},
    ],
    [{ create: 'File', body: file({ fileId: 'file-1' }) }, 409, 'already_exists', {}],
  ]) {
    await refuses(() => chat.post('/transact', { writes: [good, bad] }), status, code, fields);
  }
  const many = Array.from({ length: 101 }, () => good);
  await refuses(() => chat.post('/transact', { writes: many }), 400, 'invalid', {
    '/writes': 'required',
  });
});

test('an idempotency key belongs to one request', async () => {
  const key = { 'idempotency-key': 'key-1' };
  const first = await chat.done(chat.post('/conversations', { userId: 'user-1' }, key), 201);
  const again = await chat.post('/conversations', { userId: 'user-1' }, key);
  assert.equal(again.headers['idempotency-replayed'], 'true');
  assert.equal(again.body.id, first.id);
  await refuses(
    () => chat.post('/conversations', { userId: 'user-2' }, key),
    422,
    'idempotency_mismatch',
  );
});
