// Cursors that are not of the list that they are sent with: forged, cut, of another pattern, other
// parameters, another order or filter, another tenant, another model. Each is refused.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { COMPANY, companyPath, complete, completePath, orderPath } from './orders_bodies.js';
import { position } from './trading_bodies.js';
import { serveAll } from './wrong.js';

const OTHER = '98.765.432/0001-10';
const PICKING = `${companyPath(COMPANY)}/picking`;

let orders;
let trading;
let chat;
let other;
let operator;
let refuses;

before(async () => {
  ({ orders, trading, chat, other, operator, refuses } = await serveAll());
  for (const cnpj of [COMPANY, OTHER]) {
    const items = {
      A: 'AguardandoSeparacao',
      B: 'AguardandoSeparacao',
      C: 'SemEstoque',
      D: 'SemEstoque',
    };
    const body = complete('ORD-20240101-0001', { items });
    await orders.done(orders.post(completePath(cnpj), body), 200);
  }
  for (const symbol of ['A', 'B']) {
    await trading.done(trading.post('/positions', position({ symbol })), 201);
  }
  await operator.done(operator.post('/tenants', { tenantId: 'tenant-2', name: 'x' }), 201);
  for (const caller of [chat, other]) {
    for (const title of ['a', 'b', 'c']) {
      await caller.done(caller.post('/conversations', { userId: 'user-9', title }), 201);
    }
  }
});

async function cursorOf(caller, path) {
  const { next } = await caller.item(`${path}${path.includes('?') ? '&' : '?'}limit=1`);
  assert.equal(typeof next, 'string', `${path} has more than one page`);
  return next;
}

const withCursor = (path, cursor) =>
  `${path}${path.includes('?') ? '&' : '?'}after=${encodeURIComponent(cursor)}`;

const refusesCursor = (caller, path, cursor) =>
  refuses(() => caller.get(withCursor(path, cursor)), 400, 'bad_cursor');

test('a cursor goes on where it stopped, as often as one likes', async () => {
  const cursor = await cursorOf(orders, PICKING);
  for (let i = 0; i < 2; i += 1) {
    const { items } = await orders.item(withCursor(PICKING, cursor));
    assert.deepEqual(
      items.map(({ product_id }) => product_id),
      ['B'],
    );
  }
  // How many are wanted is no part of the question.
  const { items } = await orders.item(`${withCursor(PICKING, cursor)}&limit=7`);
  assert.equal(items.length, 1);
});

test('a cursor with one character changed, at any place', async () => {
  const cursor = await cursorOf(orders, PICKING);
  for (let i = 0; i < cursor.length; i += 1) {
    const changed = cursor[i] === 'A' ? 'B' : 'A';
    const forged = cursor.slice(0, i) + changed + cursor.slice(i + 1);
    const { status, body } = await orders.get(withCursor(PICKING, forged));
    assert.equal(status, 400, `at ${i} of ${cursor.length}`);
    assert.equal(body.code, 'bad_cursor');
  }
});

test('a cursor that is cut, lengthened or made up', async () => {
  const cursor = await cursorOf(orders, PICKING);
  const signature = Buffer.from(cursor, 'base64url');
  for (const forged of [
    cursor.slice(1),
    cursor.slice(0, -1),
    cursor.slice(0, -4),
    `${cursor}AAAA`,
    `${cursor}=`,
    '',
    'x',
    '%',
    '!!!!',
    '\u0000',
    Buffer.from('{"PK":"COMPANY#"}').toString('base64url'),
    Buffer.concat([signature, signature]).toString('base64url'),
    'A'.repeat(10_000),
  ]) {
    await refusesCursor(orders, PICKING, forged);
  }
});

test('a cursor of another pattern', async () => {
  const cursor = await cursorOf(orders, PICKING);
  for (const path of [
    '/picking',
    `${companyPath(COMPANY)}/items/out-of-stock`,
    `${orderPath(COMPANY, 'ORD-20240101-0001')}/picking`,
    `${orderPath(COMPANY, 'ORD-20240101-0001')}/items`,
    `${companyPath(COMPANY)}/orders`,
    `${orderPath(COMPANY, 'ORD-20240101-0001')}/full`,
  ]) {
    await refusesCursor(orders, path, cursor);
  }
});

test('a cursor of other parameters', async () => {
  const cursor = await cursorOf(orders, PICKING);
  await refusesCursor(orders, `${companyPath(OTHER)}/picking`, cursor);
  const list = `${companyPath(COMPANY)}/orders`;
  const byStatus = await cursorOf(orders, '/orders?order_status=Pendente');
  await refusesCursor(orders, '/orders?order_status=Cancelado', byStatus);
  await refusesCursor(orders, '/orders?payment_method=Pix', byStatus);
  await refusesCursor(orders, list, byStatus);
});

test('a cursor of another order, filter or range', async () => {
  const cursor = await cursorOf(orders, PICKING);
  await refusesCursor(orders, `${PICKING}?order=desc`, cursor);
  await refusesCursor(orders, `${PICKING}?quantity=gte.1`, cursor);
  const filtered = await cursorOf(orders, `${PICKING}?quantity=gte.1`);
  await refusesCursor(orders, PICKING, filtered);
  await refusesCursor(orders, `${PICKING}?quantity=gte.0`, filtered);
  const list = '/users/user-9/conversations';
  const open = await cursorOf(chat, list);
  await refusesCursor(chat, `${list}?from=2026-01-01`, open);
  const ranged = await cursorOf(chat, `${list}?from=2026-01-01`);
  await refusesCursor(chat, list, ranged);
  await refusesCursor(chat, `${list}?from=2026-01-02`, ranged);
});

test('a cursor of another tenant', async () => {
  const list = '/users/user-9/conversations';
  const mine = await cursorOf(chat, list);
  await refusesCursor(other, list, mine);
  await refusesCursor(operator, list, mine);
  const all = await cursorOf(operator, list);
  await refusesCursor(chat, list, all);
  await refusesCursor(other, list, all);
  const { items } = await chat.item(withCursor(list, mine));
  for (const { tenantId } of items) assert.equal(tenantId, 'tenant-1');
});

test('a cursor of another model, and a cursor where there is no list', async () => {
  const positions = await cursorOf(trading, '/clients/client_1/positions');
  await refusesCursor(orders, PICKING, positions);
  await refusesCursor(chat, '/users/user-9/conversations', positions);
  const item = orderPath(COMPANY, 'ORD-20240101-0001');
  await refuses(() => orders.get(withCursor(item, positions)), 400, 'invalid', {
    after: 'unknown',
  });
});

test('a cursor of a whole order is not that of another', async () => {
  const full = (cnpj) => `${orderPath(cnpj, 'ORD-20240101-0001')}/full`;
  const { next } = await orders.item(`${full(COMPANY)}?limit=1`);
  await refusesCursor(orders, full(OTHER), next);
  await refusesCursor(orders, `${orderPath(COMPANY, 'ORD-20240101-0001')}/items`, next);
});
