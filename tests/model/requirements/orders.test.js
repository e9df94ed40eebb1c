// The orders design (ORD): what its entities, indexes, states and writes leave in the table.
// Each test names the requirement that it is about; reads are in orders_reads.test.js.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import {
  COMPANY,
  complete,
  completePath,
  CPF,
  customer,
  header,
  ORDER,
  orderPath,
  partition,
  shipping,
} from './orders_bodies.js';
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

// Of the tests' own, so that the sample order stays as it is.
const MINE = '45.997.418/0001-53';

let api;
let table;
let made = 0;

before(async () => {
  const server = await serve('orders');
  api = rest(server);
  table = raw(server, 'orders');
});

function newId() {
  made += 1;
  return `ORD-20240101-${String(made).padStart(4, '0')}`;
}

// Creates an order with all of its parts and answers its id.
async function create(more = {}) {
  const id = newId();
  await api.done(api.post(completePath(MINE), complete(id, more)), 200);
  return id;
}

// Creates only the header of an order.
async function createHeader() {
  const id = newId();
  await api.done(api.post('/orders', { cnpj: MINE, ...header(id) }), 201);
  return id;
}

const mine = (id) => orderPath(MINE, id);
const stored = (id, SK) => table.get(partition(MINE, id), SK);
const only = async (path) => {
  const items = await api.list(path);
  assert.equal(items.length, 1);
  return items[0];
};

test('ORD-E1 to E6 the order of the document is stored byte for byte', async () => {
  const items = samples('orders');
  assert.equal(items.length, 7);
  for (const item of items) assert.deepEqual(await table.get(item.PK.S, item.SK.S), item);
});

test('ORD-E1 OrderHeader', async () => {
  const id = newId();
  const created = await api.post('/orders', { cnpj: MINE, ...header(id) });
  assert.equal(created.status, 201, created.text);
  assert.equal(created.headers.location, mine(id));
  assert.equal(created.headers.etag, '"v1"');
  const expected = { cnpj: MINE, company_cnpj: MINE, ...header(id) };
  assert.deepEqual(created.body, expected);
  assert.deepEqual(await api.item(mine(id)), expected);
  assert.deepEqual(await stored(id, `META#${MINE}`), {
    ...texts({ PK: partition(MINE, id), SK: `META#${MINE}`, company_cnpj: MINE, ...header(id) }),
    _v: N(1),
  });
});

test('ORD-E2 OrderStatus', async () => {
  const id = await createHeader();
  await api.done(api.put(`${mine(id)}/status`, { order_status: 'Pendente' }), 201);
  const shown = { cnpj: MINE, order_id: id, order_status: 'Pendente' };
  assert.deepEqual(await only(`${mine(id)}/status`), shown);
  assert.deepEqual(await stored(id, 'STATUS#Pendente'), {
    ...texts({ PK: partition(MINE, id), SK: 'STATUS#Pendente' }),
    ...texts({ order_id: id, order_status: 'Pendente' }),
    _v: N(1),
  });
});

test('ORD-E3 OrderItem', async () => {
  const id = await createHeader();
  const item = { product_id: 'PRD-7', description: 'Adubo', quantity: 3, unit_price: 10.5 };
  const created = await api.post(`${mine(id)}/items`, { ...item, brand: 'Terra', stock: 4 });
  assert.equal(created.status, 201, created.text);
  assert.equal(created.headers.location, `${mine(id)}/items/PRD-7`);
  const shown = { ...item, item_status: 'AguardandoEstoque', brand: 'Terra', stock: 4 };
  assert.deepEqual(await api.item(`${mine(id)}/items/PRD-7`), {
    cnpj: MINE,
    order_id: id,
    ...shown,
  });
  // "etc.": attributes that the model does not name are kept.
  assert.deepEqual(await stored(id, 'ITEM#PRD-7'), {
    ...texts({ PK: partition(MINE, id), SK: 'ITEM#PRD-7', product_id: 'PRD-7' }),
    'GSI2-PK': S('ITEMSTATUS#AguardandoEstoque'),
    'GSI2-SK': S(`${partition(MINE, id)}#ITEM#PRD-7`),
    ...texts({ description: 'Adubo', item_status: 'AguardandoEstoque', brand: 'Terra' }),
    quantity: N(3),
    unit_price: N(10.5),
    stock: N(4),
    _v: N(1),
  });
});

test('ORD-E4 OrderCustomer', async () => {
  const id = await createHeader();
  await api.done(api.put(`${mine(id)}/customer`, customer()), 201);
  const shown = { cnpj: MINE, order_id: id, ...customer() };
  assert.deepEqual(await only(`${mine(id)}/customer`), shown);
  const { address, ...plain } = customer();
  assert.deepEqual(await stored(id, `CUSTOMER#${CPF}`), {
    ...texts({ PK: partition(MINE, id), SK: `CUSTOMER#${CPF}`, ...plain }),
    address: { M: texts(address) },
    _v: N(1),
  });
});

test('ORD-E5 Shipping', async () => {
  const id = await createHeader();
  await api.done(api.post(`${mine(id)}/shipping`, shipping()), 201);
  assert.deepEqual(await only(`${mine(id)}/shipping`), {
    cnpj: MINE,
    order_id: id,
    ...shipping(),
  });
  assert.deepEqual(await stored(id, 'SHIPPING#São Paulo#2023-11-08'), {
    ...texts({ PK: partition(MINE, id), SK: 'SHIPPING#São Paulo#2023-11-08' }),
    'GSI3-PK': S('CITY#São Paulo'),
    'GSI3-SK': S(`2023-11-08#${partition(MINE, id)}`),
    ...texts({ shipping_method: 'Express', city: 'São Paulo' }),
    expected_delivery_date: S('2023-11-08'),
    shipping_cost: N(19.9),
    _v: N(1),
  });
});

test('ORD-E6 Payment', async () => {
  const id = await createHeader();
  const payment = { payment_method: 'CartaoDeCredito', transaction_id: 'TXN-1', amount: 99.99 };
  const created = await api.post(`${mine(id)}/payments`, payment);
  assert.equal(created.status, 201, created.text);
  assert.equal(created.headers.location, `${mine(id)}/payments/CartaoDeCredito`);
  const shown = { cnpj: MINE, order_id: id, ...payment };
  assert.deepEqual(await api.item(`${mine(id)}/payments/CartaoDeCredito`), shown);
  assert.deepEqual(await stored(id, 'PAYMENT#CartaoDeCredito'), {
    ...texts({ PK: partition(MINE, id), SK: 'PAYMENT#CartaoDeCredito' }),
    ...texts({ payment_method: 'CartaoDeCredito', transaction_id: 'TXN-1' }),
    amount: N(99.99),
    _v: N(1),
  });
});

test('ORD-I1 GSI1 is the inversion and holds everything', async () => {
  assert.deepEqual(await describeIndex(table, 'GSI1'), {
    keys: ['SK S', 'PK S'],
    projection: 'ALL',
    status: 'ACTIVE',
  });
  assert.equal((await table.inIndex('GSI1')).length, (await table.scan()).length);
});

test('ORD-I2 GSI2 holds items by status and nothing else', async () => {
  assert.deepEqual(await describeIndex(table, 'GSI2'), {
    keys: ['GSI2-PK S', 'GSI2-SK S'],
    projection: 'ALL',
    status: 'ACTIVE',
  });
  const id = await create({ items: { A: 'SemEstoque', B: 'Separado', C: 'Cancelado' } });
  const found = (await table.inIndex('GSI2')).filter(({ PK }) => PK.S === partition(MINE, id));
  assert.deepEqual(
    found.map(({ SK }) => SK.S),
    ['ITEM#A'],
  );
});

test('ORD-D5 GSI3 is added for deliveries by city and is sparse', async () => {
  assert.deepEqual(await describeIndex(table, 'GSI3'), {
    keys: ['GSI3-PK S', 'GSI3-SK S'],
    projection: 'ALL',
    status: 'ACTIVE',
  });
  const others = (await table.inIndex('GSI3')).filter(({ SK }) => !SK.S.startsWith('SHIPPING#'));
  assert.deepEqual(others, []);
});

const ORDER_STATES = {
  Pendente: ['AguardandoEstoque', 'AguardandoSeparacao', 'Cancelado'],
  AguardandoEstoque: ['AguardandoSeparacao', 'Cancelado'],
  AguardandoSeparacao: ['Separado', 'Cancelado'],
  Separado: [],
  Cancelado: [],
};
const ITEM_STATES = {
  AguardandoEstoque: ['SemEstoque', 'AguardandoSeparacao', 'Cancelado'],
  SemEstoque: ['AguardandoSeparacao', 'Cancelado'],
  AguardandoSeparacao: ['Separado', 'SemEstoque', 'Cancelado'],
  Separado: [],
  Cancelado: [],
};

test('ORD-N1 order_status has its values and is open', async () => {
  for (const order_status of [...Object.keys(ORDER_STATES), 'EmTransporte']) {
    const id = await createHeader();
    await api.done(api.put(`${mine(id)}/status`, { order_status }), 201);
    assert.deepEqual((await stored(id, `STATUS#${order_status}`)).order_status, S(order_status));
  }
  const id = await createHeader();
  const wrong = api.put(`${mine(id)}/status`, { order_status: 7 });
  await invalidField(wrong, '/order_status', 'type');
});

test('ORD-N2 item_status has its values and is open', async () => {
  const id = await createHeader();
  for (const item_status of [...Object.keys(ITEM_STATES), 'EmTransporte']) {
    const body = { product_id: `PRD-${item_status}`, item_status };
    assert.equal((await api.done(api.post(`${mine(id)}/items`, body))).item_status, item_status);
  }
  const wrong = api.post(`${mine(id)}/items`, { product_id: 'x', item_status: true });
  await invalidField(wrong, '/item_status', 'type');
});

test('ORD-N3 payment_method is open', async () => {
  const id = await createHeader();
  for (const payment_method of ['CartaoDeCredito', 'Pix', 'Boleto']) {
    await api.done(api.post(`${mine(id)}/payments`, { payment_method }), 201);
  }
  await invalidField(
    api.post(`${mine(id)}/payments`, { payment_method: 1 }),
    '/payment_method',
    'type',
  );
});

test('ORD-N4 shipping_method is open', async () => {
  for (const shipping_method of ['Express', 'Rodoviario']) {
    const id = await createHeader();
    const body = { ...shipping(), shipping_method };
    await api.done(api.put(`${mine(id)}/shipping`, body), 201);
  }
  const wrong = { ...shipping(), shipping_method: [] };
  await invalidField(
    api.put(`${mine(await createHeader())}/shipping`, wrong),
    '/shipping_method',
    'type',
  );
});

test('ORD-T1 transitions of orders, which move the status', async () => {
  await tryTransitions({
    transitions: ORDER_STATES,
    initial: 'Pendente',
    create,
    change: (id, to) => api.post(`${mine(id)}/status`, { to }),
    async check(id, state) {
      const inOrder = await table.query(
        'PK = :a AND begins_with(SK, :b)',
        partition(MINE, id),
        'STATUS#',
      );
      assert.equal(inOrder.length, 1);
      assert.deepEqual(inOrder[0].SK, S(`STATUS#${state}`));
      assert.deepEqual(inOrder[0].order_status, S(state));
      const inverted = await table.query(
        'SK = :a AND PK = :b',
        `STATUS#${state}`,
        partition(MINE, id),
        {
          IndexName: 'GSI1',
        },
      );
      assert.equal(inverted.length, 1);
    },
    table,
  });
});

test('ORD-T2 transitions of items, which the index follows', async () => {
  await tryTransitions({
    transitions: ITEM_STATES,
    initial: 'AguardandoEstoque',
    create,
    change: (id, to) => api.post(`${mine(id)}/items/PRD-1/status`, { to }),
    async check(id, state) {
      const item = await stored(id, 'ITEM#PRD-1');
      const left = ['Separado', 'Cancelado'].includes(state);
      assert.deepEqual(item.item_status, S(state));
      assert.deepEqual(item['GSI2-PK'], left ? undefined : S(`ITEMSTATUS#${state}`));
      assert.equal('GSI2-SK' in item, !left);
    },
    table,
  });
});

test('ORD-T2 a patch is bound by the transitions, too', async () => {
  const id = await create({ items: { 'PRD-1': 'Separado' } });
  const refused = await table.unchanged(() =>
    problem(
      api.patch(`${mine(id)}/items/PRD-1`, { item_status: 'SemEstoque' }),
      409,
      'illegal_transition',
    ),
  );
  assert.equal(refused.from, 'Separado');
  assert.deepEqual(refused.allowed, []);
});

test('ORD-W1 an order is created with all of its parts', async () => {
  const id = newId();
  const body = complete(id, { items: { 'PRD-1': undefined, 'PRD-2': 'SemEstoque' } });
  const { results } = await api.done(api.post(completePath(MINE), body), 200);
  assert.deepEqual(
    results.map(({ entity, status }) => `${entity} ${status}`),
    ['Order', 'OrderStatus', 'OrderCustomer', 'Shipping', 'Payment', 'OrderItem', 'OrderItem'].map(
      (name) => `${name} 201`,
    ),
  );
  const items = await table.query('PK = :a', partition(MINE, id));
  assert.deepEqual(
    items.map(({ SK }) => SK.S),
    [
      `CUSTOMER#${CPF}`,
      'ITEM#PRD-1',
      'ITEM#PRD-2',
      `META#${MINE}`,
      'PAYMENT#Pix',
      'SHIPPING#São Paulo#2023-11-08',
      'STATUS#Pendente',
    ],
  );
});

test('ORD-W1 an order that exists is not created again', async () => {
  const id = await create();
  await table.unchanged(() =>
    problem(api.post(completePath(MINE), complete(id, {})), 409, 'already_exists'),
  );
  await table.unchanged(() =>
    problem(api.post(completePath(COMPANY), complete(ORDER, {})), 409, 'already_exists'),
  );
});

test('ORD-W1 a part that is wrong leaves no other part behind', async () => {
  const body = complete(newId(), {});
  body.items.push({ product_id: 'PRD-2', quantity: 0 });
  await table.unchanged(() =>
    invalidField(api.post(completePath(MINE), body), '/items/1/quantity', 'range'),
  );
});

test('ORD-D10 the same product twice is refused, not overwritten', async () => {
  const body = complete(newId(), {});
  body.items.push({ ...body.items[0], quantity: 9 });
  await table.unchanged(() => problem(api.post(completePath(MINE), body), 409, 'already_exists'));
  const id = await create();
  await table.unchanged(() =>
    problem(api.post(`${mine(id)}/items`, { product_id: 'PRD-1' }), 409, 'already_exists'),
  );
  await table.unchanged(() =>
    problem(api.post(`${mine(id)}/payments`, { payment_method: 'Pix' }), 409, 'already_exists'),
  );
});

test('ORD-D19 95 items fit into the transaction, 96 do not', async () => {
  const items = (count) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`P${i}`]));
  const id = await create({ items: items(95) });
  assert.equal((await table.query('PK = :a', partition(MINE, id))).length, 100);
  const tooMany = complete(newId(), { items: items(96) });
  await table.unchanged(() =>
    invalidField(api.post(completePath(MINE), tooMany), '/items', 'length'),
  );
  const none = complete(newId(), { items: {} });
  await table.unchanged(() => invalidField(api.post(completePath(MINE), none), '/items', 'length'));
});

test('ORD-W2 a change of status deletes the old one and puts the new one', async () => {
  const id = await create();
  await api.done(api.post(`${mine(id)}/status`, { to: 'AguardandoEstoque' }), 200);
  assert.equal(await stored(id, 'STATUS#Pendente'), undefined);
  assert.deepEqual(await stored(id, 'STATUS#AguardandoEstoque'), {
    ...texts({ PK: partition(MINE, id), SK: 'STATUS#AguardandoEstoque', order_id: id }),
    order_status: S('AguardandoEstoque'),
    _v: N(2),
  });
});

test('ORD-W2 an order without status or without anything has none to change', async () => {
  const id = await createHeader();
  const to = 'Cancelado';
  await table.unchanged(() => problem(api.post(`${mine(id)}/status`, { to }), 404, 'not_found'));
  await table.unchanged(() =>
    problem(api.post(`${mine('ORD-20990101-0001')}/status`, { to }), 404, 'not_found'),
  );
});

test('ORD-D1 an order has exactly one status, whoever asks at the same time', async () => {
  const id = await create();
  const answers = await Promise.all(
    ['AguardandoEstoque', 'AguardandoSeparacao', 'Cancelado'].flatMap((to) =>
      Array.from({ length: 4 }, () => api.post(`${mine(id)}/status`, { to })),
    ),
  );
  assert.ok(answers.some(({ status }) => status === 200));
  for (const { status } of answers) assert.ok(status === 200 || status === 409, String(status));
  const found = await table.query(
    'PK = :a AND begins_with(SK, :b)',
    partition(MINE, id),
    'STATUS#',
  );
  assert.equal(found.length, 1);
});

test('ORD-D1 a second status cannot be created beside the first', async () => {
  const id = await create();
  const second = {
    writes: [
      { create: 'OrderStatus', body: { cnpj: MINE, order_id: id, order_status: 'Separado' } },
    ],
  };
  await table.unchanged(() => problem(api.post('/transact', second), 409, 'already_exists'));
});

test('ORD-W3 a change of an item follows into the index', async () => {
  const id = await create();
  const { results } = await api.done(
    api.post(`${mine(id)}/items/PRD-1/status`, { to: 'SemEstoque' }),
    200,
  );
  assert.equal(results[0].item.item_status, 'SemEstoque');
  const item = await stored(id, 'ITEM#PRD-1');
  assert.deepEqual(item['GSI2-PK'], S('ITEMSTATUS#SemEstoque'));
  assert.deepEqual(item.item_status, S('SemEstoque'));
  assert.deepEqual(item.description, S('Produto PRD-1'));
  assert.deepEqual(item._v, N(2));
});

test('ORD-W3 an item that is not there is not made by a change', async () => {
  const id = await create();
  const to = 'SemEstoque';
  for (const path of [`${mine(id)}/items/PRD-9/status`, `${mine(newId())}/items/PRD-1/status`]) {
    await table.unchanged(() => problem(api.post(path, { to }), 404, 'not_found'));
  }
  await table.unchanged(() =>
    invalidField(api.post(`${mine(id)}/items/PRD-1/status`, {}), '/to', 'required'),
  );
});

test('ORD-D20 picked and cancelled items leave the index', async () => {
  const id = await create({ items: { 'PRD-1': 'AguardandoSeparacao' } });
  const picking = () => api.list(`${mine(id)}/picking`);
  assert.equal((await picking()).length, 1);
  await api.done(api.post(`${mine(id)}/items/PRD-1/status`, { to: 'Separado' }), 200);
  assert.deepEqual(await picking(), []);
});

test('ORD-W4 another city and date move the delivery', async () => {
  const id = await create();
  const to = { city: 'Campinas', expected_delivery_date: '2023-11-20' };
  await api.done(api.post(`${mine(id)}/shipping:move`, to), 200);
  assert.equal(await stored(id, 'SHIPPING#São Paulo#2023-11-08'), undefined);
  const moved = await stored(id, 'SHIPPING#Campinas#2023-11-20');
  assert.deepEqual(moved['GSI3-PK'], S('CITY#Campinas'));
  assert.deepEqual(moved['GSI3-SK'], S(`2023-11-20#${partition(MINE, id)}`));
  assert.deepEqual(moved.shipping_cost, N(19.9));
  assert.deepEqual(moved._v, N(2));
  // A patch of the attribute is the same.
  await api.done(api.patch(`${mine(id)}/shipping`, { city: 'Santos' }), 200);
  const all = await table.query(
    'PK = :a AND begins_with(SK, :b)',
    partition(MINE, id),
    'SHIPPING#',
  );
  assert.deepEqual(
    all.map(({ SK }) => SK.S),
    ['SHIPPING#Santos#2023-11-20'],
  );
});

test('ORD-W4 another method moves the payment, unless it is taken', async () => {
  const id = await create({ payment_method: 'Pix' });
  await api.done(api.post(`${mine(id)}/payments`, { payment_method: 'Boleto', amount: 1 }), 201);
  const move = (from, to) => api.post(`${mine(id)}/payments/${from}:move`, { to });
  await table.unchanged(() => problem(move('Pix', 'Boleto'), 409, 'already_exists'));
  await table.unchanged(() => problem(move('Dinheiro', 'Pix'), 404, 'not_found'));
  await api.done(move('Pix', 'CartaoDeCredito'), 200);
  assert.equal(await stored(id, 'PAYMENT#Pix'), undefined);
  const moved = await stored(id, 'PAYMENT#CartaoDeCredito');
  assert.deepEqual(moved.payment_method, S('CartaoDeCredito'));
  assert.deepEqual(moved.transaction_id, S(`TXN-${id}`));
  assert.deepEqual(moved.amount, N(250.5));
});

test('ORD-W4 another customer moves the customer', async () => {
  const id = await create();
  const to = { cpf: '987.654.321-00', first_name: 'Rita', last_name: 'Melo' };
  await api.done(api.post(`${mine(id)}/customer:move`, to), 200);
  assert.equal(await stored(id, `CUSTOMER#${CPF}`), undefined);
  const moved = await stored(id, 'CUSTOMER#987.654.321-00');
  assert.deepEqual(moved.first_name, S('Rita'));
  assert.deepEqual(moved.cpf, S('987.654.321-00'));
  await table.unchanged(() =>
    invalidField(api.post(`${mine(id)}/customer:move`, { ...to, cpf: '1' }), '/cpf', 'pattern'),
  );
  const none = await createHeader();
  await table.unchanged(() =>
    problem(api.post(`${mine(none)}/customer:move`, to), 404, 'not_found'),
  );
});

test('ORD-D11 an order has one customer and one delivery', async () => {
  const id = await create();
  const second = customer('987.654.321-00');
  await table.unchanged(() =>
    problem(api.post(`${mine(id)}/customer`, second), 409, 'already_exists'),
  );
  await table.unchanged(() =>
    problem(api.post(`${mine(id)}/shipping`, shipping('Campinas')), 409, 'already_exists'),
  );
  // PUT replaces it, under the new key.
  await api.done(api.put(`${mine(id)}/customer`, second), 200);
  const found = await table.query(
    'PK = :a AND begins_with(SK, :b)',
    partition(MINE, id),
    'CUSTOMER#',
  );
  assert.deepEqual(
    found.map(({ SK }) => SK.S),
    ['CUSTOMER#987.654.321-00'],
  );
});

test('ORD-D13 cnpj and order_id are read out of the key', async () => {
  const item = await api.item(`${orderPath(COMPANY, ORDER)}/items/PRD-1001`);
  assert.equal(item.cnpj, COMPANY);
  assert.equal(item.order_id, ORDER);
  const raw = await table.get(partition(COMPANY, ORDER), 'ITEM#PRD-1001');
  assert.equal('cnpj' in raw || 'order_id' in raw, false);
});

test('ORD-D14 order ids have the form of the document', async () => {
  for (const id of ['ORD-1', 'ORD-20231001-00001', 'X', 'ord-20231001-0001']) {
    await table.unchanged(() =>
      invalidField(api.post('/orders', { cnpj: MINE, ...header(id) }), '/order_id', 'pattern'),
    );
  }
});

test('ORD-D15 a CNPJ is punctuated and may have letters; # is refused in keys', async () => {
  const lettered = '12.ABC.345/01DE-35';
  const id = newId();
  await api.done(api.post('/orders', { cnpj: lettered, ...header(id) }), 201);
  assert.equal((await api.item(orderPath(lettered, id))).company_cnpj, lettered);
  const plain = { cnpj: '12345678000199', ...header(newId()) };
  await table.unchanged(() => invalidField(api.post('/orders', plain), '/cnpj', 'pattern'));
  const order = await createHeader();
  await table.unchanged(() =>
    invalidField(api.put(`${mine(order)}/shipping`, shipping('São#Paulo')), '/city', 'key_text'),
  );
});

test('ORD-D2 names with a hyphen need an alias, which the requests of the server have', async () => {
  await assert.rejects(
    table.query('GSI2-PK = :a', 'ITEMSTATUS#SemEstoque', { IndexName: 'GSI2' }),
    { name: 'ValidationException' },
  );
  assert.equal((await api.get('/items/out-of-stock')).status, 200);
});

test('an order goes with all of its parts, or not at all', async () => {
  const id = await create();
  await table.unchanged(() => problem(api.del(mine(id)), 409, 'restricted'));
  await api.done(api.del(`${mine(id)}?cascade=collection`), 204);
  assert.deepEqual(await table.query('PK = :a', partition(MINE, id)), []);
});
