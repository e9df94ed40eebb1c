// Requests that are wrong in themselves: each is refused with the right problem, which names every
// field that is wrong, and changes nothing.

import assert from 'node:assert/strict';
import http from 'node:http';
import { before, test } from 'node:test';

import { document, file, uuid } from './chat_bodies.js';
import {
  COMPANY,
  complete,
  completePath,
  customer,
  header,
  ORDER,
  orderPath,
  shipping,
} from './orders_bodies.js';
import { execution, order, position } from './trading_bodies.js';
import { serveAll } from './wrong.js';

const sample = orderPath(COMPANY, ORDER);
const NEW = 'ORD-20240101-0001';

let server;
let orders;
let trading;
let chat;
let refuses;
let invalid;

before(async () => {
  ({ server, orders, trading, chat, refuses, invalid } = await serveAll());
});

test('values of wrong types, each with its place', async () => {
  await invalid(
    () =>
      orders.post('/orders', {
        cnpj: 12345678000199,
        order_id: ['ORD-20240101-0001'],
        company_name: true,
        order_date: 'yesterday',
        notes: {},
      }),
    {
      '/cnpj': 'type',
      '/order_id': 'type',
      '/company_name': 'type',
      '/order_date': 'type',
      '/notes': 'type',
    },
  );
  await invalid(
    () => orders.post(`${sample}/items`, { product_id: 'P', quantity: 'two', unit_price: [] }),
    { '/quantity': 'type', '/unit_price': 'type' },
  );
  await invalid(() => orders.post(`${sample}/items`, { product_id: 'P', quantity: 1.5 }), {
    '/quantity': 'type',
  });
  for (const date of ['03/10/2023', '2023-02-30', '2023-10-03T00:00:00Z', 20231003]) {
    const body = { ...shipping(), expected_delivery_date: date };
    await invalid(() => orders.put(`${sample}/shipping`, body), {
      '/expected_delivery_date': 'type',
    });
  }
});

test('values of wrong types deep inside', async () => {
  const body = customer();
  await invalid(
    () => orders.put(`${sample}/customer`, { ...body, address: { ...body.address, number: 10 } }),
    { '/address/number': 'type' },
  );
  await invalid(() => orders.put(`${sample}/customer`, { ...body, address: [] }), {
    '/address': 'type',
  });
  await invalid(() => orders.patch(`${sample}/customer`, { address: { city: 7 } }), {
    '/address/city': 'type',
  });
  const message = { id: uuid(1), role: 'USER', content: 'x', attachments: ['a', 7, null] };
  await invalid(() => chat.post('/conversations/conversation-1/messages', message), {
    '/attachments/1': 'type',
    '/attachments/2': 'type',
  });
  await invalid(() => chat.post('/files', file({ analysis: ['no map'] })), { '/analysis': 'type' });
  const whole = complete(NEW, { items: { A: undefined, B: undefined } });
  whole.items[1].quantity = 'x';
  whole.customer.address.street = null;
  whole.payment = 'Pix';
  await invalid(() => orders.post(completePath(COMPANY), whole), {
    '/items/1/quantity': 'type',
    '/customer/address/street': 'required',
    '/payment': 'type',
  });
});

test('numbers that cannot be stored', async () => {
  const text = (quantity) =>
    JSON.stringify(order('o')).replace('"quantity":1.5', `"quantity":${quantity}`);
  for (const quantity of ['1e200', '1e-200', '1.23456789012345678901234567890123456789']) {
    await invalid(() => trading.post('/orders', text(quantity)), { '/quantity': 'range' });
  }
  await invalid(() => trading.post('/orders', text('"NaN"')), { '/quantity': 'type' });
});

test('values that break a constraint', async () => {
  await invalid(
    () =>
      orders.post('/orders', {
        cnpj: '12345678000199',
        ...header('ORD-1'),
        notes: 'x'.repeat(2001),
      }),
    { '/cnpj': 'pattern', '/order_id': 'pattern', '/notes': 'length' },
  );
  await invalid(
    () => orders.post(`${sample}/items`, { product_id: 'P', quantity: 0, unit_price: -0.01 }),
    { '/quantity': 'range', '/unit_price': 'range' },
  );
  await invalid(() => orders.post(`${sample}/items`, { product_id: 'P', unit_price: 1.005 }), {
    '/unit_price': 'scale',
  });
  await invalid(() => orders.post(`${sample}/items`, { product_id: 'P', unit_price: 1e14 }), {
    '/unit_price': 'precision',
  });
  await invalid(() => orders.put(`${sample}/customer`, { ...customer('1'), email: 'joao' }), {
    '/cpf': 'pattern',
    '/email': 'format',
  });
  await invalid(() => chat.post('/files', file({ size: -1, name: 'x'.repeat(256) })), {
    '/size': 'range',
    '/name': 'length',
  });
  await invalid(
    () =>
      chat.post('/conversations/conversation-1/messages', { id: 'x', role: 'USER', content: 'x' }),
    { '/id': 'format' },
  );
  await invalid(() => chat.post('/conversations', { userId: '' }), { '/userId': 'length' });
  await invalid(() => chat.patch('/files/file-1', { $add: { size: -184321 } }), {
    '/size': 'range',
  });
});

test('values that are none of an enum, with what was likely meant', async () => {
  const { errors } = await invalid(() => trading.post('/orders', order('o', { side: 'BYU' })), {
    '/side': 'enum',
  });
  assert.match(errors[0].message, /BUY, SELL/);
  const { errors: near } = await invalid(
    () => chat.post('/documents', document({ type: 'REPORTS' })),
    {
      '/type': 'enum',
    },
  );
  assert.match(near[0].message, /CONTRACT, SIMULATION, REPORT.*did you mean REPORT\?/i);
  await invalid(() => trading.post('/positions', position({ side: 'BUY' })), { '/side': 'enum' });
  await invalid(() => chat.patch('/conversations/conversation-1', { status: 'active' }), {
    '/status': 'enum',
  });
  await invalid(() => trading.get('/clients/client_123/positions/BTCUSDT/LNG'), { side: 'enum' });
  await invalid(() => chat.get('/tenants/tenant-1/conversations?status=GONE'), { status: 'enum' });
});

test('attributes that the model does not know, with what was likely meant', async () => {
  const { errors } = await invalid(
    () => chat.post('/conversations', { userId: 'user-1', titel: 'x', zzz: 1 }),
    { '/titel': 'unknown', '/zzz': 'unknown' },
  );
  assert.match(errors[0].message, /did you mean title\?/i);
  assert.doesNotMatch(errors[1].message, /did you mean/i);
  const { address, ...rest } = customer();
  await invalid(
    () => orders.put(`${sample}/customer`, { ...rest, address: { ...address, citty: 'x' } }),
    { '/address/citty': 'unknown' },
  );
  await invalid(() => chat.patch('/files/file-1', { nmae: 'x' }), { '/nmae': 'unknown' });
  await invalid(() => chat.patch('/files/file-1', { $ad: { size: 1 } }), { '/$ad': 'unknown' });
  await invalid(() => chat.patch('/files/file-1', { $remove: ['nothing'] }), {
    '/$remove/0': 'unknown',
  });
  const status = { to: 'Cancelado', reason: 'x' };
  await invalid(() => orders.post(`${sample}/status`, status), { '/reason': 'unknown' });
  const write = { patch: 'File', key: { fileId: 'file-1' }, bdy: {} };
  await invalid(() => chat.post('/transact', { writes: [write] }), { '/writes/0/bdy': 'unknown' });
  const entity = { patch: 'Fiel', key: { fileId: 'file-1' }, body: {} };
  const named = await invalid(() => chat.post('/transact', { writes: [entity] }), {
    '/writes/0/patch': 'entity',
  });
  assert.match(named.detail, /Did you mean File\?/);
});

test('parameters that a route does not take, with what was likely meant', async () => {
  const list = '/tenants/tenant-1/conversations';
  const { errors } = await invalid(() => chat.get(`${list}?limti=5`), { limti: 'unknown' });
  assert.match(errors[0].message, /Did you mean limit\?/);
  await invalid(() => chat.get(`${list}?limit=0&order=up&count=some&zzz=1`), {
    limit: 'range',
    order: 'value',
    count: 'value',
    zzz: 'unknown',
  });
  for (const limit of ['1001', '-1', 'x', '', '1.5', '99999999999999999999']) {
    await invalid(() => chat.get(`${list}?limit=${limit}`), { limit: 'range' });
  }
  await invalid(() => chat.get(`${list}?limit=1&limit=2`), { limit: 'repeated' });
  const { errors: fields } = await invalid(() => chat.get(`${list}?fields=titel`), {
    fields: 'unknown',
  });
  assert.match(fields[0].message, /Did you mean title\?/);
  await invalid(() => orders.get(`${sample}?expand=lines`), { expand: 'unknown' });
  await invalid(() => orders.get(`${sample}?limit=1`), { limit: 'unknown' });
  await invalid(() => chat.post('/conversations?dry=1', { userId: 'u' }), { dry: 'unknown' });
  await invalid(() => orders.del(`${sample}?cascade=all`), { cascade: 'value' });
  await invalid(() => orders.get('/patterns/getOrder?cnpj=x'), { order_id: 'required' });
});

test('ranges and filters that are wrong', async () => {
  const list = '/tenants/tenant-1/conversations';
  await invalid(() => chat.get(`${list}?from=yesterday`), { from: 'type' });
  await invalid(() => chat.get(`${list}?createdAt=gt.now`), { createdAt: 'type' });
  await invalid(() => chat.get('/tenants/tenant-1/files?size=gte.many'), { size: 'type' });
  await refuses(
    () => chat.get('/tenants/tenant-1/files?from=2026-01-01'),
    400,
    'no_access_pattern',
  );
  await refuses(() => orders.get('/orders?notes=x'), 400, 'no_access_pattern');
});

test('what is required and missing', async () => {
  await invalid(() => orders.post('/orders', {}), { '/cnpj': 'required', '/order_id': 'required' });
  await invalid(() => orders.post('/orders', { cnpj: COMPANY, order_id: NEW }), {
    '/company_name': 'required',
    '/order_date': 'required',
  });
  await invalid(
    () => orders.post('/orders', { cnpj: COMPANY, ...header(NEW), company_name: null }),
    {
      '/company_name': 'required',
    },
  );
  await invalid(
    () => orders.put(`${sample}/customer`, { ...customer(), address: { street: 'x' } }),
    {
      '/address/number': 'required',
      '/address/city': 'required',
      '/address/state': 'required',
      '/address/zip_code': 'required',
    },
  );
  await invalid(() => chat.patch('/files/file-1', { name: null }), { '/name': 'required' });
  await invalid(() => chat.patch('/files/file-1', { $remove: ['s3Key'] }), {
    '/s3Key': 'required',
  });
  await invalid(() => orders.post(`${sample}/status`, {}), { '/to': 'required' });
  await invalid(() => chat.post('/files', ''), {
    '/userId': 'required',
    '/name': 'required',
    '/type': 'required',
    '/size': 'required',
    '/s3Key': 'required',
  });
  await invalid(() => chat.post('/files:batchGet', {}), { '/keys': 'required' });
  await invalid(() => chat.post('/files:batchGet', { keys: [{}] }), {
    '/keys/0/fileId': 'required',
  });
  await invalid(() => chat.post('/transact', { writes: [] }), { '/writes': 'required' });
});

test('what the server fills in is refused where that was asked for', async () => {
  const strict = { prefer: 'handling=strict' };
  const body = { userId: 'u', createdAt: '2020-01-01T00:00:00.000Z', id: 'x', _v: 7, GSI1PK: 'x' };
  await invalid(() => chat.post('/conversations', body, strict), {
    '/createdAt': 'read_only',
    '/id': 'read_only',
    '/_v': 'read_only',
    '/GSI1PK': 'read_only',
  });
  // Otherwise it is not heeded.
  const created = await chat.done(chat.post('/conversations', body), 201);
  assert.notEqual(created.createdAt, body.createdAt);
  assert.equal(created.id, created.conversationId);
});

test('# in what is part of a key', async () => {
  await invalid(() => orders.put(`${sample}/shipping`, shipping('Rio#Sul')), {
    '/city': 'key_text',
  });
  await invalid(() => orders.post(`${sample}/items`, { product_id: 'A#B' }), {
    '/product_id': 'key_text',
  });
  await invalid(() => trading.post('/orders', order('a#b', { product_id: 'p#' })), {
    '/order_id': 'key_text',
    '/product_id': 'key_text',
  });
  await invalid(() => chat.post('/conversations', { userId: 'user-1#x' }), {
    '/userId': 'key_text',
  });
  await invalid(() => chat.patch('/files/file-1', { conversationId: '#' }), {
    '/conversationId': 'key_text',
  });
  const open = complete(NEW, { items: { 'A#B': undefined } });
  await invalid(() => orders.post(completePath(COMPANY), open), {
    '/items/0/product_id': 'key_text',
  });
  const delivery = { city: 'A#B', expected_delivery_date: '2024-01-01' };
  await invalid(() => orders.post(`${sample}/shipping:move`, delivery), { '/city': 'key_text' });
});

test('# in a parameter of a read', async () => {
  await invalid(() => orders.get('/products/PRD%231/orders'), { product_id: 'key_text' });
  await invalid(() => orders.get('/orders?order_status=A%23B'), { order_status: 'key_text' });
  await invalid(() => chat.get('/files/file%231'), { fileId: 'key_text' });
  await invalid(() => chat.get('/users/user-1%23/conversations'), { userId: 'key_text' });
});

test('# in the path of a write', async () => {
  const to = 'SemEstoque';
  await invalid(() => orders.post(`${sample}/items/PRD%231/status`, { to }), {
    product_id: 'key_text',
  });
  await invalid(() => chat.patch('/files/file%231', { name: 'x' }), { fileId: 'key_text' });
  await invalid(() => chat.del('/files/file%231'), { fileId: 'key_text' });
  await invalid(() => chat.put('/files/file%231', file()), { fileId: 'key_text' });
});

test('bodies that are no JSON', async () => {
  for (const body of [
    '{',
    '{"userId":"u",}',
    "{'userId':'u'}",
    '{"userId":"u"} x',
    '{"userId":"u","userId":"v"}',
    '{"userId":"\\ud800"}',
    '{"userId":"a\nb"}',
    '{"userId":01}',
    'userId=u',
    '['.repeat(2000),
  ]) {
    const { errors } = await invalid(() => chat.post('/conversations', body), { '': 'json' });
    assert.match(errors[0].message, /line \d+, column \d+/);
  }
  for (const body of ['[]', '"x"', '7', 'true', 'null']) {
    await invalid(() => chat.post('/conversations', body), { '': 'type' });
    await invalid(() => chat.patch('/files/file-1', body), { '': 'type' });
    await invalid(() => orders.post(`${sample}/status`, body), { '': 'type' });
  }
  const bytes = Buffer.from('{"userId":"\xff"}', 'latin1');
  await invalid(
    () =>
      fetchRaw('POST', '/api/v1/chat/conversations', bytes, {
        'content-type': 'application/json',
        tenant: 'tenant-1',
      }),
    { '': 'json' },
  );
});

// As rest() answers, but with a body of bytes.
async function fetchRaw(method, path, body, headers) {
  const answer = await fetch(server.endpoint + path, { method, headers, body });
  const text = await answer.text();
  return {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    text,
    body: JSON.parse(text),
  };
}

test('bodies of another content type', async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
    const headers = { 'content-type': type };
    for (const send of [
      () => chat.post('/conversations', '{"userId":"u"}', headers),
      () => chat.patch('/files/file-1', '{"name":"x"}', headers),
      () => orders.post(`${sample}/status`, '{"to":"Cancelado"}', headers),
    ]) {
      await refuses(send, 415, 'unsupported_media_type');
    }
  }
  const merge = { 'content-type': 'application/merge-patch+json; charset=utf-8' };
  await chat.done(chat.patch('/files/file-1', { analysis: { pages: 13 } }, merge), 200);
});

test('methods that a path does not take', async () => {
  for (const [send, allowed] of [
    [() => orders.del('/orders'), ['GET', 'HEAD', 'POST']],
    [() => orders.put('/orders', {}), ['GET', 'HEAD', 'POST']],
    [() => orders.post(sample, {}), ['DELETE', 'GET', 'HEAD', 'PATCH', 'PUT']],
    [() => orders.get(completePath(COMPANY)), ['POST']],
    [() => orders.patch('/patterns/getOrder', {}), ['GET', 'HEAD']],
    [() => orders.del('/picking'), ['GET', 'HEAD']],
    [() => chat.get('/transact'), ['POST']],
    [() => chat.put('/files:batchGet', {}), ['POST']],
  ]) {
    await refuses(send, 405, 'method_not_allowed');
    const { headers } = await send();
    const methods = headers.allow.split(', ').filter((method) => method !== 'OPTIONS');
    assert.deepEqual(methods.sort(), allowed);
  }
});

test('paths that there are not', async () => {
  const { detail } = await refuses(() => orders.get('/order/x/y'), 404, 'not_found');
  assert.match(detail, /Did you mean \/orders\/\{cnpj\}\/\{order_id\}\?/);
  const misspelt = completePath(COMPANY).slice(0, -1);
  const verb = await refuses(() => orders.post(misspelt, {}), 404, 'not_found');
  assert.match(verb.detail, /:complete\?/);
  await refuses(() => orders.get('/orders//x'), 404, 'not_found');
  await refuses(() => orders.get('/patterns/none'), 404, 'not_found');
  await invalid(() => orders.get('/orders/%zz/x'), { path: 'encoding' });
  await invalid(() => orders.get('/orders/%ff/x'), { path: 'encoding' });
});

test('models that there are not', async () => {
  for (const path of ['/api/v1/order/orders/x', '/api/v1/sales/sales', '/orders']) {
    const answer = await fetch(server.endpoint + path);
    assert.equal(answer.status, 404, path);
    assert.match((await answer.json()).detail, /orders, trading, chat/);
  }
});

test('items that are too large', async () => {
  const large = 'x'.repeat(410_000);
  await refuses(
    () => chat.post('/documents', document({ metadata: { large } })),
    413,
    'item_too_large',
  );
  await refuses(() => chat.patch('/files/file-1', { analysis: { large } }), 413, 'item_too_large');
  // Attributes that the model does not know count, too.
  const item = { product_id: 'PRD-LARGE', large };
  await refuses(() => orders.post(`${sample}/items`, item), 413, 'item_too_large');
  const whole = complete(NEW, {});
  whole.items[0].large = large;
  await refuses(() => orders.post(completePath(COMPANY), whole), 413, 'item_too_large');
  const half = 'x'.repeat(300_000);
  const { documentId } = await chat.done(
    chat.post('/documents', document({ metadata: { half } })),
    201,
  );
  await refuses(
    () => chat.patch(`/documents/${documentId}`, { metadata: { more: half } }),
    413,
    'item_too_large',
  );
});

test('keys that are too long', async () => {
  // 1024 bytes of the sort key, in fewer characters.
  const city = 'ã'.repeat(100);
  await orders.done(orders.patch(`${sample}/shipping`, { city }), 200);
  const userId = '€'.repeat(64);
  await chat.done(chat.post('/conversations', { userId }), 201);
  await invalid(() => chat.post('/conversations', { userId: `${userId}x` }), {
    '/userId': 'length',
  });
});

test('bodies that are larger than a request may be', async () => {
  const announced = () =>
    new Promise((done, failed) => {
      const headers = { 'content-type': 'application/json', 'content-length': 17 << 20 };
      const url = `${server.endpoint}/api/v1/chat/conversations`;
      const request = http.request(url, { method: 'POST', headers }, (response) => {
        let text = '';
        response.on('data', (bytes) => (text += bytes));
        response.on('end', () => {
          request.destroy();
          const { statusCode: status, headers: answered } = response;
          done({ status, headers: answered, text, body: JSON.parse(text) });
        });
      });
      request.on('error', failed);
      request.flushHeaders(); // nothing of the body is sent
    });
  await refuses(announced, 413, 'item_too_large');
});

test('moments that the model cannot keep', async () => {
  const body = execution('e', 'order_456', { executed_at: '2026-11-01T10:00:00.250Z' });
  await invalid(() => trading.post('/executions', body), { '/executed_at': 'precision' });
  for (const executed_at of ['2026-11-01', '2026-11-01T10:00:00', '2026-13-01T10:00:00Z', 1, '']) {
    await invalid(() => trading.post('/executions', execution('e', 'order_456', { executed_at })), {
      '/executed_at': 'type',
    });
  }
});

test('preconditions and keys of requests that are wrong', async () => {
  const patch = (headers) => chat.patch('/files/file-1', { name: 'x' }, headers);
  await invalid(() => patch({ 'if-match': '"v1", "v2"' }), { 'If-Match': 'header' });
  await invalid(() => patch({ 'if-none-match': '"v1"' }), { 'If-None-Match': 'header' });
  const long = { 'idempotency-key': 'k'.repeat(256) };
  await invalid(() => patch(long), { 'Idempotency-Key': 'header' });
});
