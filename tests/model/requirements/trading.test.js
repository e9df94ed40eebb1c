// The trading design (OMS): what its entities, indexes, states and writes leave in the table. Each
// test names the requirement that it is about; reads are in trading_reads.test.js.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { runBinary } from '../../support/server.js';
import { modelPath } from '../designs.js';
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
import {
  brazilian,
  DAY,
  daysAgo,
  execution,
  executionItem,
  isoOf,
  KEPT,
  order,
  orderItem,
  orderPath,
  position,
  secondsOf,
  TABLE,
} from './trading_bodies.js';

let server;
let api;
let table;
let made = 0;

before(async () => {
  server = await serve('trading');
  api = rest(server);
  table = raw(server, TABLE);
});

function newId(kind) {
  made += 1;
  return `${kind}_${made}`;
}

// Creates an order and answers it, as REST shows it.
async function create(more = {}) {
  const { results } = await api.done(
    api.post('/orders:create', { order: order(newId('order'), more) }),
    200,
  );
  return results[0].item;
}

const storedOrder = ({ client_id, created_at, order_id }) =>
  table.get(`CLIENT#${client_id}`, `ORDER#${created_at}#${order_id}`);
const changeTo = (item, to) => api.post(`${orderPath(item)}/status`, { to });

test('OMS-E1 to E3 the items of the document are stored byte for byte', async () => {
  const items = samples('trading');
  assert.equal(items.length, 3);
  for (const item of items) assert.deepEqual(await table.get(item.PK.S, item.SK.S), item);
});

test('OMS-E1 ORDER', async () => {
  const body = order(newId('order'), { master_order_id: 'master_1', analyst_id: 'ana' });
  const created = await api.post('/orders', body);
  assert.equal(created.status, 201, created.text);
  assert.equal(created.headers.etag, '"v1"');
  const { created_at, updated_at, ...shown } = created.body;
  assert.deepEqual(shown, { ...body, status: 'NEW' });
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.ok(Math.abs(secondsOf(created_at) - Date.now() / 1000) < 60);
  assert.deepEqual(await api.item(created.headers.location), created.body);
  assert.deepEqual(await api.item(orderPath(created.body)), created.body);
  const item = await storedOrder(created.body);
  assert.deepEqual(item, { ...orderItem(body, created_at, updated_at), _v: N(1) });
});

test('OMS-E2 EXECUTION', async () => {
  const { order_id } = await create({ master_order_id: 'master_2' });
  const body = execution(newId('exec'), order_id, { master_order_id: 'master_2' });
  const created = await api.post('/executions', body);
  assert.equal(created.status, 201, created.text);
  assert.deepEqual(created.body, body);
  assert.deepEqual(await api.item(created.headers.location), body);
  const item = await table.get(
    'CLIENT#client_1',
    `EXECUTION#${body.executed_at}#${body.execution_id}`,
  );
  assert.deepEqual(item, {
    ...executionItem(body),
    ttl: N(secondsOf(body.executed_at) + KEPT),
    _v: N(1),
  });
});

test('OMS-E3 POSITION', async () => {
  const body = position({ client_id: newId('client') });
  const created = await api.post('/positions', body);
  assert.equal(created.status, 201, created.text);
  const { last_updated, ...shown } = created.body;
  assert.deepEqual(shown, body);
  assert.deepEqual(
    await api.item(`/clients/${body.client_id}/positions/BTCUSDT/LONG`),
    created.body,
  );
  assert.deepEqual(await table.get(`CLIENT#${body.client_id}`, 'POSITION#BTCUSDT#LONG'), {
    ...texts({ PK: `CLIENT#${body.client_id}`, SK: 'POSITION#BTCUSDT#LONG' }),
    ...texts({ GSI1_PK: 'PRODUCT#prod_1', GSI1_SK: 'POSITION#BTCUSDT', entity_type: 'POSITION' }),
    ...texts({ client_id: body.client_id, product_id: 'prod_1', symbol: 'BTCUSDT', side: 'LONG' }),
    quantity: N(3.5),
    avg_entry_price: N(44500),
    unrealized_pnl: N(-1750),
    realized_pnl: N(500),
    last_updated: S(brazilian(last_updated)),
    _v: N(1),
  });
});

test('the indexes of the document: GSI1 and GSI3 hold all, GSI2 keys only', async () => {
  for (const [name, projection] of [
    ['GSI1', 'ALL'],
    ['GSI2', 'KEYS_ONLY'],
    ['GSI3', 'ALL'],
  ]) {
    assert.deepEqual(await describeIndex(table, name), {
      keys: [`${name}_PK S`, `${name}_SK S`],
      projection,
      status: 'ACTIVE',
    });
  }
  // Sparse: an order without master order is not in GSI2, and positions are in GSI1 only.
  const lonely = await create();
  const item = await storedOrder(lonely);
  assert.equal('GSI2_PK' in item || 'GSI2_SK' in item, false);
  const byMaster = await table.inIndex('GSI2');
  assert.equal(
    byMaster.some(({ SK }) => SK.S === item.SK.S),
    false,
  );
  assert.deepEqual(Object.keys(byMaster[0]).sort(), ['GSI2_PK', 'GSI2_SK', 'PK', 'SK']);
  const byOrder = await table.inIndex('GSI3');
  assert.equal(
    byOrder.some(({ SK }) => SK.S.startsWith('POSITION#')),
    false,
  );
});

test('OMS-N1 side', async () => {
  for (const side of ['BUY', 'SELL']) assert.equal((await create({ side })).side, side);
  await table.unchanged(() =>
    invalidField(api.post('/orders', order('x', { side: 'HOLD' })), '/side', 'enum'),
  );
  await table.unchanged(() =>
    invalidField(
      api.post('/orders:create', { order: order('x', { side: 'buy' }) }),
      '/order/side',
      'enum',
    ),
  );
});

test('OMS-N2 position side', async () => {
  const client_id = newId('client');
  for (const side of ['LONG', 'SHORT']) {
    await api.done(api.post('/positions', position({ client_id, side })), 201);
  }
  await table.unchanged(() =>
    invalidField(api.post('/positions', position({ client_id, side: 'BUY' })), '/side', 'enum'),
  );
});

const STATES = {
  NEW: ['PARTIALLY_FILLED', 'FILLED', 'CANCELLED', 'REJECTED'],
  PARTIALLY_FILLED: ['FILLED', 'CANCELLED'],
  FILLED: [],
  CANCELLED: [],
  REJECTED: [],
};
const FINAL = ['FILLED', 'CANCELLED', 'REJECTED'];

test('OMS-N3 status has its values and is open', async () => {
  for (const status of [...Object.keys(STATES), 'EXPIRED']) {
    assert.equal((await create({ status })).status, status);
  }
  await table.unchanged(() =>
    invalidField(api.post('/orders', order('x', { status: 1 })), '/status', 'type'),
  );
});

test('OMS-N4 order_type has its values and is open', async () => {
  for (const order_type of ['MARKET', 'LIMIT', 'STOP', 'STOP_LIMIT']) {
    assert.equal((await create({ order_type })).order_type, order_type);
  }
  await table.unchanged(() =>
    invalidField(api.post('/orders', order('x', { order_type: false })), '/order_type', 'type'),
  );
});

test('OMS-N5 environments are dev, staging and prod', async () => {
  const deploy = (name) =>
    runBinary(
      ['model', 'deploy', modelPath('trading'), '--endpoint', server.endpoint].concat([
        '--environment',
        name,
      ]),
    );
  for (const name of ['dev', 'staging', 'prod']) {
    const { code, errors } = await deploy(name);
    assert.equal(code, 0, errors);
    assert.equal((await raw(server, `oms_trading_data_${name}`).describe()).TableStatus, 'ACTIVE');
  }
  assert.notEqual((await deploy('test')).code, 0);
});

test('OMS-T1 transitions of orders', async () => {
  await tryTransitions({
    transitions: STATES,
    initial: 'NEW',
    create,
    change: changeTo,
    async check(item, status) {
      assert.deepEqual((await storedOrder(item)).status, S(status));
      assert.equal((await api.item(orderPath(item))).status, status);
    },
    table,
  });
});

test('OMS-T2 orders get a ttl of 90 days when they are final', async () => {
  for (const status of FINAL) {
    const item = await create();
    assert.equal('ttl' in (await storedOrder(item)), false);
    await api.done(changeTo(item, status), 200);
    assert.deepEqual((await storedOrder(item)).ttl, N(secondsOf(item.created_at) + 7_776_000));
  }
  const item = await create();
  await api.done(changeTo(item, 'PARTIALLY_FILLED'), 200);
  assert.equal('ttl' in (await storedOrder(item)), false);
  await api.done(changeTo(item, 'FILLED'), 200);
  assert.deepEqual((await storedOrder(item)).ttl, N(secondsOf(item.created_at) + 7_776_000));
  const final = await create({ status: 'FILLED' });
  assert.deepEqual((await storedOrder(final)).ttl, N(secondsOf(final.created_at) + 7_776_000));
});

test('OMS-T2 positions have no ttl, and no client sees one', async () => {
  const client_id = newId('client');
  await api.done(api.post('/positions', position({ client_id })), 201);
  assert.equal('ttl' in (await table.get(`CLIENT#${client_id}`, 'POSITION#BTCUSDT#LONG')), false);
  const item = await create({ status: 'FILLED' });
  assert.equal('ttl' in item || 'ttl' in (await api.item(orderPath(item))), false);
  const { TimeToLiveDescription } = await table.send('DescribeTimeToLive', {});
  assert.deepEqual(TimeToLiveDescription, { TimeToLiveStatus: 'ENABLED', AttributeName: 'ttl' });
});

test('OMS-T2 and OMS-D8 what has expired is hidden, though DynamoDB still shows it', async () => {
  const [sample, executed] = samples('trading');
  assert.ok(Number(sample.ttl.N) < Date.now() / 1000, 'the samples have expired');
  assert.ok(await table.get(sample.PK.S, sample.SK.S));
  assert.ok(await table.get(executed.PK.S, executed.SK.S));
  const key = {
    client_id: 'client_123',
    order_id: 'order_456',
    created_at: '2025-11-14T10:30:00Z',
  };
  await problem(api.get(orderPath(key)), 404, 'not_found');
  await problem(api.get('/executions/client_123/2025-11-14T10:31:00Z/exec_111'), 404, 'not_found');
  for (const path of [
    '/clients/client_123/orders',
    '/clients/client_123/executions',
    '/products/prod_001/orders',
    '/master-orders/master_789/orders',
    '/master-orders/master_789/executions',
    '/orders/order_456',
    '/orders/order_456/executions',
  ]) {
    assert.deepEqual(await api.list(path), [], path);
    assert.deepEqual(await api.pages(path), [], path);
  }
  // The position has no ttl.
  const [held] = await api.list('/clients/client_123/positions');
  assert.deepEqual(held, {
    client_id: 'client_123',
    product_id: 'prod_001',
    symbol: 'BTCUSDT',
    side: 'LONG',
    quantity: 3.5,
    avg_entry_price: 44500,
    unrealized_pnl: 1750,
    realized_pnl: 500,
    last_updated: '2025-11-14T10:35:00Z',
  });
});

test('OMS-D8 what is hidden cannot be changed either', async () => {
  const key = {
    client_id: 'client_123',
    order_id: 'order_456',
    created_at: '2025-11-14T10:30:00Z',
  };
  await table.unchanged(() => problem(changeTo(key, 'CANCELLED'), 404, 'not_found'));
  const path = '/orders/client_123/2025-11-14T10:30:00Z/order_456';
  await table.unchanged(() => problem(api.patch(path, { price: 1 }), 404, 'not_found'));
  await table.unchanged(() => problem(api.del(path), 404, 'not_found'));
});

test('an order is named by its time in a batch, too', async () => {
  const item = await create();
  const { client_id, created_at, order_id } = item;
  const expired = { client_id: 'client_123', order_id: 'order_456' };
  const keys = [{ client_id, created_at, order_id }];
  keys.push({ ...expired, created_at: '2025-11-14T10:30:00Z' });
  const { items } = await api.done(api.post('/orders:batchGet', { keys }), 200);
  assert.deepEqual(items, [item, null]);
});

test('OMS-D8 it is the ttl that hides, not the age', async () => {
  const client_id = newId('client');
  const now = Math.floor(Date.now() / 1000);
  const put = (id, days, more) =>
    table.put({ ...orderItem(order(id, { client_id }), isoOf(now - days * DAY)), ...more });
  await put('open', 400, {});
  await put('expired', 91, { status: S('FILLED'), ttl: N(now - DAY) });
  await put('lasting', 89, { status: S('FILLED'), ttl: N(now + DAY) });
  assert.deepEqual(
    (await api.list(`/clients/${client_id}/orders`)).map(({ order_id }) => order_id),
    ['open', 'lasting'],
  );
  assert.equal((await table.query('PK = :a', `CLIENT#${client_id}`)).length, 3);
});

test('OMS-W1 an order is created with its keys', async () => {
  const body = order(newId('order'), { master_order_id: 'master_3' });
  const { results } = await api.done(api.post('/orders:create', { order: body }), 200);
  assert.equal(results.length, 1);
  assert.equal(results[0].status, 201);
  const { created_at, updated_at } = results[0].item;
  const item = await storedOrder(results[0].item);
  assert.deepEqual(item, { ...orderItem(body, created_at, updated_at), _v: N(1) });
});

test('OMS-W1 what an order must have', async () => {
  const { symbol, ...lacking } = order(newId('order'));
  assert.ok(symbol);
  await table.unchanged(() =>
    invalidField(api.post('/orders:create', { order: lacking }), '/order/symbol', 'required'),
  );
  const negative = order(newId('order'), { quantity: -1 });
  await table.unchanged(() =>
    invalidField(api.post('/orders:create', { order: negative }), '/order/quantity', 'range'),
  );
});

test('OMS-D11 an order id is taken once, whatever its time and client', async () => {
  const item = await create();
  const again = order(item.order_id, { client_id: newId('client') });
  await table.unchanged(() => problem(api.post('/orders', again), 409, 'not_unique'));
  const executed = execution(newId('exec'), item.order_id);
  await api.done(api.post('/executions', executed), 201);
  const later = { ...executed, executed_at: daysAgo(1) };
  await table.unchanged(() => problem(api.post('/executions', later), 409, 'not_unique'));
  // Another client has no such order.
  const foreign = { ...executed, client_id: newId('client') };
  await table.unchanged(() => problem(api.post('/executions', foreign), 409, 'missing_reference'));
  // What has expired holds its id no longer, although it is still in the table.
  await api.done(api.post('/orders', order('order_456')), 201);
});

test('OMS-D14 only MARKET orders have no price', async () => {
  const { price, ...unpriced } = order(newId('order'));
  assert.ok(price);
  await table.unchanged(async () => {
    const refused = await problem(api.post('/orders', unpriced), 422, 'rule_failed');
    assert.equal(refused.rule, 'price_unless_market');
  });
  await api.done(api.post('/orders', { ...unpriced, order_type: 'MARKET' }), 201);
});

test('OMS-D9 the API has ISO 8601, the table has the form of the document', async () => {
  const { order_id } = await create();
  const utc = daysAgo(2);
  const local = isoOf(secondsOf(utc) - 3 * 3600).replace('Z', '-03:00');
  const body = execution(newId('exec'), order_id, { executed_at: local });
  const created = await api.done(api.post('/executions', body), 201);
  assert.equal(created.executed_at, utc);
  const item = await table.get('CLIENT#client_1', `EXECUTION#${utc}#${body.execution_id}`);
  assert.deepEqual(item.executed_at, S(brazilian(utc)));
  const legacy = execution(newId('exec'), order_id, { executed_at: brazilian(utc) });
  await table.unchanged(() =>
    invalidField(api.post('/executions', legacy), '/executed_at', 'type'),
  );
});

test('OMS-D21 numbers are exact to 38 digits', async () => {
  const quantity = '1234567890.1234567890123456789012345678';
  const exact = { prefer: 'numbers=string' };
  const body = order(newId('order'), { quantity });
  const created = await api.post('/orders', body, exact);
  assert.equal(created.status, 201, created.text);
  assert.equal(created.body.quantity, quantity);
  assert.deepEqual((await storedOrder(created.body)).quantity, { N: quantity });
  const shown = await api.get(orderPath(created.body));
  assert.ok(shown.text.includes(`"quantity":${quantity}`));
});

test('OMS-W2 a change of status touches the order and nothing else', async () => {
  const item = await create({ master_order_id: 'master_4' });
  const before = await storedOrder(item);
  const { results } = await api.done(changeTo(item, 'PARTIALLY_FILLED'), 200);
  const { updated_at } = results[0].item;
  assert.deepEqual(await storedOrder(item), {
    ...before,
    status: S('PARTIALLY_FILLED'),
    updated_at: S(brazilian(updated_at)),
    _v: N(2),
  });
});

test('OMS-D10 a wrong key makes no item', async () => {
  const item = await create();
  for (const wrong of [
    { ...item, order_id: 'nobody' },
    { ...item, client_id: 'nobody' },
    { ...item, created_at: daysAgo(3) },
  ]) {
    await table.unchanged(() => problem(changeTo(wrong, 'FILLED'), 404, 'not_found'));
  }
});

// Books an execution of an order: its status, and the position as the caller computes it.
function book(item, verb, { status = 'PARTIALLY_FILLED', executed = {}, held = {} } = {}) {
  const { client_id } = item;
  const { order_id, ...rest } = execution(newId('exec'), item.order_id, { client_id, ...executed });
  assert.equal(order_id, item.order_id);
  return api.post(`${orderPath(item)}:${verb}`, {
    execution: rest,
    status,
    position: position({ client_id, ...held }),
  });
}

test('OMS-W3 an execution, its order and the position are written together', async () => {
  const item = await create({ client_id: newId('client') });
  const first = await api.done(book(item, 'executeFirst'), 200);
  assert.deepEqual(
    first.results.map(({ entity, status }) => `${entity} ${status}`),
    ['Execution 201', 'Order 200', 'Position 201'],
  );
  assert.equal(first.results[0].item.order_id, item.order_id);
  const second = await api.done(
    book(item, 'execute', { status: 'FILLED', held: { quantity: 4 } }),
    200,
  );
  assert.deepEqual(
    second.results.map(({ entity, status }) => `${entity} ${status}`),
    ['Execution 201', 'Order 200', 'Position 200'],
  );
  const stored = await table.query('PK = :a', `CLIENT#${item.client_id}`);
  assert.deepEqual(
    stored.map(({ entity_type }) => entity_type.S),
    ['EXECUTION', 'EXECUTION', 'ORDER', 'POSITION'],
  );
  assert.deepEqual(stored[2].status, S('FILLED'));
  assert.deepEqual(stored[2].ttl, N(secondsOf(item.created_at) + KEPT));
  assert.deepEqual(stored[3].quantity, N(4));
  assert.deepEqual(stored[3]._v, N(2));
});

test('OMS-W3 nothing is booked if one of the three cannot be', async () => {
  const item = await create({ client_id: newId('client') });
  // There is no position yet, then there is one.
  await table.unchanged(() => problem(book(item, 'execute'), 404, 'not_found'));
  await api.done(book(item, 'executeFirst', { executed: { execution_id: 'exec_taken' } }), 200);
  await table.unchanged(() => problem(book(item, 'executeFirst'), 409, 'already_exists'));
  const taken = { executed: { execution_id: 'exec_taken', executed_at: daysAgo(1) } };
  await table.unchanged(() => problem(book(item, 'execute', taken), 409, 'not_unique'));
  await table.unchanged(() =>
    problem(book({ ...item, order_id: 'nobody' }, 'execute'), 404, 'not_found'),
  );
  await table.unchanged(() =>
    invalidField(book(item, 'execute', { executed: { side: 'LONG' } }), '/execution/side', 'enum'),
  );
  await api.done(book(item, 'execute', { status: 'FILLED' }), 200);
  await table.unchanged(async () => {
    const refused = await problem(book(item, 'execute'), 409, 'illegal_transition');
    assert.equal(refused.from, 'FILLED');
  });
});

test('OMS-W3 an execution refers to an order', async () => {
  await table.unchanged(async () => {
    const orphan = execution(newId('exec'), 'nobody');
    const { errors } = await problem(api.post('/executions', orphan), 409, 'missing_reference');
    assert.equal(errors[0].path, '/order_id');
  });
});

test('markers of unique values are in the table and no client sees them', async () => {
  const item = await create();
  const markers = (await table.scan()).filter(({ PK }) => PK.S.startsWith('MONOTABLE#'));
  assert.ok(markers.length > 0);
  const body = await api.item(`/clients/${item.client_id}/orders?limit=1000`);
  assert.equal(JSON.stringify(body).includes('MONOTABLE#'), false);
});
