// The trading design (OMS): every read of the document, once as the DynamoDB request that it names
// and once through REST. Both must find the same things in the same order. The expired samples are
// what DynamoDB finds and REST does not; they are left out of what is compared.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { problem, raw, rest, serve } from './rest.js';
import {
  daysAgo,
  execution,
  executionItem,
  order,
  orderItem,
  orderPath,
  position,
  TABLE,
} from './trading_bodies.js';

const GSI1 = { IndexName: 'GSI1' };
const GSI2 = { IndexName: 'GSI2' };
const GSI3 = { IndexName: 'GSI3' };

let api;
let table;
// The order of which most is asked, as REST shows it.
let first;

before(async () => {
  const server = await serve('trading');
  api = rest(server);
  table = raw(server, TABLE);
  const create = async (body, verb = 'create') => {
    const { results } = await api.done(api.post(`/orders:${verb}`, { order: body }), 200);
    return results[0].item;
  };
  // Of some days ago, so written past the API, which stamps what is created.
  for (const [id, days, more] of [
    ['order_a', 30, { master_order_id: 'master_1' }],
    ['order_b', 20, { product_id: 'prod_10', master_order_id: 'master_10' }],
    ['order_c', 10, { client_id: 'client_10' }],
  ]) {
    await table.put(orderItem(order(id, more), daysAgo(days)));
  }
  first = await create(order('order_1', { master_order_id: 'master_1' }));
  await create(order('order_10', { master_order_id: 'master_1', client_id: 'client_10' }));
  await create(order('order_2', { product_id: 'prod_2', analyst_id: 'ana' }), 'byAnalyst');
  await create(order('order_3', { analyst_id: 'ana_2' }), 'byAnalyst');
  for (const [id, order_id, days, more] of [
    ['exec_1', 'order_1', 0, { master_order_id: 'master_1' }],
    ['exec_2', 'order_1', 2, { master_order_id: 'master_1', quantity: 0.25 }],
    ['exec_3', 'order_10', 1, { client_id: 'client_10' }],
  ]) {
    const body = execution(id, order_id, { executed_at: daysAgo(days), ...more });
    await api.done(api.post('/executions', body), 201);
  }
  for (const more of [
    {},
    { side: 'SHORT' },
    { symbol: 'ETHUSDT', product_id: 'prod_2' },
    { client_id: 'client_10' },
  ]) {
    await api.done(api.post('/positions', position(more)), 201);
  }
  // What is older than its 90 days is found by DynamoDB only.
  await table.put({
    ...executionItem(execution('exec_old', 'order_1', { executed_at: daysAgo(100) })),
    ttl: { N: String(Math.floor(Date.now() / 1000) - 10 * 86_400) },
  });
});

const isOf = (kind) => (item) => item.SK.S.startsWith(`${kind}#`);
const isAlive = ({ ttl }) => ttl === undefined || Number(ttl.N) > Date.now() / 1000;
const nameOf = {
  ORDER: ({ order_id }) => order_id,
  EXECUTION: ({ execution_id }) => execution_id,
  POSITION: ({ client_id, symbol, side }) => `${client_id} ${symbol} ${side}`,
  ANALYST_ORDER: ({ order_id }) => order_id,
};

function texts(item) {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, value.S]));
}

// Expects the list to be what DynamoDB found of this kind, in its order, and the same page by page.
async function same(kind, path, found) {
  const expected = found
    .filter(isOf(kind))
    .filter(isAlive)
    .map((item) => nameOf[kind](texts(item)));
  const items = await api.list(path);
  assert.deepEqual(items.map(nameOf[kind]), expected);
  assert.deepEqual(await api.pages(path), items);
  for (const item of items) {
    for (const plumbing of ['PK', 'GSI1_PK', 'entity_type', 'ttl', '_v']) {
      assert.equal(plumbing in item, false);
    }
  }
  return expected;
}

async function hydrated(keys) {
  const RequestItems = { [TABLE]: { Keys: keys.map(({ PK, SK }) => ({ PK, SK })) } };
  const { Responses } = await table.send('BatchGetItem', { RequestItems, TableName: undefined });
  const bySk = new Map(Responses[TABLE].map((item) => [item.SK.S, item]));
  return keys.map(({ SK }) => bySk.get(SK.S));
}

test('OMS-Q1 orders of a client', async () => {
  const found = await table.query('PK = :a AND begins_with(SK, :b)', 'CLIENT#client_1', 'ORDER#');
  const ids = await same('ORDER', '/clients/client_1/orders', found);
  assert.deepEqual(ids, ['order_a', 'order_b', 'order_1', 'order_2', 'order_3']);
});

test('OMS-Q1 orders of a client within a range of days', async () => {
  const from = daysAgo(25).slice(0, 10);
  const to = daysAgo(1).slice(0, 10);
  const found = await table.query(
    'PK = :a AND SK BETWEEN :b AND :c',
    'CLIENT#client_1',
    `ORDER#${from}`,
    `ORDER#${to}`,
  );
  const ids = await same('ORDER', `/clients/client_1/orders?from=${from}&to=${to}`, found);
  assert.deepEqual(ids, ['order_b']);
  const since = await table.query(
    'PK = :a AND SK BETWEEN :b AND :c',
    'CLIENT#client_1',
    `ORDER#${from}`,
    'ORDER#9',
  );
  const open = await same('ORDER', `/clients/client_1/orders?from=${from}`, since);
  assert.deepEqual(open, ['order_b', 'order_1', 'order_2', 'order_3']);
  // Both days belong to the range.
  const day = daysAgo(20).slice(0, 10);
  const items = await api.list(`/clients/client_1/orders?from=${day}&to=${day}`);
  assert.deepEqual(items.map(nameOf.ORDER), ['order_b']);
});

test('OMS-Q2 and OMS-D2 orders of a product, without its executions and positions', async () => {
  const found = await table.query('GSI1_PK = :a', 'PRODUCT#prod_1', GSI1);
  assert.ok(found.some(isOf('EXECUTION')) && found.some(isOf('POSITION')));
  const ids = await same('ORDER', '/products/prod_1/orders', found);
  assert.deepEqual([...ids].sort(), ['order_1', 'order_10', 'order_3', 'order_a', 'order_c']);
  const { meta } = await api.item('/products/prod_1/orders');
  assert.equal(meta.count, 5);
  assert.equal(meta.scanned, found.length); // the filter is paid for
});

test('OMS-Q2 and OMS-D3 orders of a product within a range of days', async () => {
  const from = daysAgo(31).slice(0, 10);
  const to = daysAgo(9).slice(0, 10);
  const found = await table.query(
    'GSI1_PK = :a AND GSI1_SK BETWEEN :b AND :c',
    'PRODUCT#prod_1',
    `${from}T00:00:00Z`,
    `${to}T23:59:59Z`,
    GSI1,
  );
  const ids = await same('ORDER', `/products/prod_1/orders?from=${from}&to=${to}`, found);
  assert.deepEqual(ids, ['order_a', 'order_c']);
  const later = await table.query(
    'GSI1_PK = :a AND GSI1_SK >= :b',
    'PRODUCT#prod_1',
    `${to}T00:00:00Z`,
    GSI1,
  );
  assert.ok(later.some(isOf('POSITION')));
  await same('ORDER', `/products/prod_1/orders?from=${to}`, later);
});

test('OMS-Q3 and OMS-D1 orders of an analyst, by what points at them', async () => {
  const found = await table.query('GSI1_PK = :a', 'ANALYST#ana', GSI1);
  const ids = await same('ANALYST_ORDER', '/analysts/ana/orders', found);
  assert.deepEqual(ids, ['order_2']);
  const [pointer] = await api.list('/analysts/ana/orders');
  assert.equal(pointer.analyst_id, 'ana');
  assert.equal((await api.item(orderPath(pointer))).product_id, 'prod_2');
  // The order itself stays with its product.
  assert.deepEqual((await api.list('/products/prod_2/orders')).map(nameOf.ORDER), ['order_2']);
});

test('OMS-Q4 child orders of a master order, read whole after GSI2', async () => {
  const keys = await table.query('GSI2_PK = :a', 'MASTER_ORDER#master_1', GSI2);
  assert.ok(keys.some(isOf('EXECUTION')));
  const found = await hydrated(keys.filter(isOf('ORDER')));
  const ids = await same('ORDER', '/master-orders/master_1/orders', found);
  assert.deepEqual([...ids].sort(), ['order_1', 'order_10', 'order_a']);
  const [oldest] = await api.list('/master-orders/master_1/orders');
  assert.equal(oldest.price, 45000);
});

test('OMS-Q4b and OMS-D4 executions of a master order can be summed up', async () => {
  const keys = await table.query('GSI2_PK = :a', 'MASTER_ORDER#master_1', GSI2);
  const found = await hydrated(keys.filter(isOf('EXECUTION')));
  const ids = await same('EXECUTION', '/master-orders/master_1/executions', found);
  assert.deepEqual(ids, ['exec_2', 'exec_1']);
  const executions = await api.list('/master-orders/master_1/executions');
  const sum = executions.reduce((total, { quantity }) => total + quantity, 0);
  assert.equal(sum, 0.75);
});

test('OMS-Q5 and OMS-D5 order by id, without its executions', async () => {
  const found = await table.query('GSI3_PK = :a', 'ORDER#order_1', GSI3);
  assert.ok(found.length > 1);
  assert.deepEqual(await same('ORDER', '/orders/order_1', found), ['order_1']);
  assert.deepEqual(await api.list('/orders/order_1'), [await api.item(orderPath(first))]);
  // Whether it exists.
  assert.deepEqual(await table.query('GSI3_PK = :a', 'ORDER#nobody', GSI3), []);
  assert.deepEqual(await api.list('/orders/nobody'), []);
});

test('OMS-Q6 positions of a client', async () => {
  const found = await table.query(
    'PK = :a AND begins_with(SK, :b)',
    'CLIENT#client_1',
    'POSITION#',
  );
  const names = await same('POSITION', '/clients/client_1/positions', found);
  assert.deepEqual(names, [
    'client_1 BTCUSDT LONG',
    'client_1 BTCUSDT SHORT',
    'client_1 ETHUSDT LONG',
  ]);
});

test('OMS-Q7 and OMS-D6 executions of an order', async () => {
  const found = await table.query('GSI3_PK = :a', 'ORDER#order_1', GSI3);
  assert.equal(found.filter(isOf('EXECUTION')).length, 3); // one of them has expired
  const ids = await same('EXECUTION', '/orders/order_1/executions', found);
  assert.deepEqual(ids, ['exec_2', 'exec_1']);
  assert.deepEqual((await api.list('/orders/order_10/executions')).map(nameOf.EXECUTION), [
    'exec_3',
  ]);
});

test('OMS-Q8 executions of a client', async () => {
  const found = await table.query(
    'PK = :a AND begins_with(SK, :b)',
    'CLIENT#client_1',
    'EXECUTION#',
  );
  const ids = await same('EXECUTION', '/clients/client_1/executions', found);
  assert.deepEqual(ids, ['exec_2', 'exec_1']);
  const day = daysAgo(2).slice(0, 10);
  const items = await api.list(`/clients/client_1/executions?from=${day}&to=${day}`);
  assert.deepEqual(items.map(nameOf.EXECUTION), ['exec_2']);
});

test('OMS-Q8 positions of a product', async () => {
  const found = await table.query(
    'GSI1_PK = :a AND begins_with(GSI1_SK, :b)',
    'PRODUCT#prod_1',
    'POSITION#',
    GSI1,
  );
  const names = await same('POSITION', '/products/prod_1/positions', found);
  assert.equal(names.length, 3);
  assert.ok(names.includes('client_10 BTCUSDT LONG'));
});

test('an order and a position by their keys', async () => {
  assert.equal((await api.item(orderPath(first))).order_id, 'order_1');
  await problem(api.get(orderPath({ ...first, client_id: 'client_10' })), 404, 'not_found');
  const held = await api.item('/clients/client_1/positions/ETHUSDT/LONG');
  assert.equal(held.product_id, 'prod_2');
  await problem(api.get('/clients/client_1/positions/ETHUSDT/SHORT'), 404, 'not_found');
});
