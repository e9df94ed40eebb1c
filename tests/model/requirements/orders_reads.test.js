// The orders design (ORD): every read of the document, once as the DynamoDB request that it names
// and once through REST. Both must find the same things in the same order.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import {
  COMPANY,
  companyPath,
  complete,
  completePath,
  CPF,
  ORDER,
  orderPath,
  partition,
} from './orders_bodies.js';
import { problem, raw, rest, S, serve, texts } from './rest.js';

const OTHER = '98.765.432/0001-10';
// Not a CNPJ, but its keys begin with those of the company unless the delimiter is heeded.
const LONGER = `${COMPANY}0`;
const SECOND = 'ORD-20231001-0002';
const THIRD = 'ORD-20231002-0001';
const GSI1 = { IndexName: 'GSI1' };
const GSI2 = {
  IndexName: 'GSI2',
  ExpressionAttributeNames: { '#pk': 'GSI2-PK', '#sk': 'GSI2-SK' },
};
const GSI2_ALL = { IndexName: 'GSI2', ExpressionAttributeNames: { '#pk': 'GSI2-PK' } };

let api;
let table;

const P = partition(COMPANY, ORDER);
const sample = orderPath(COMPANY, ORDER);

before(async () => {
  const server = await serve('orders');
  api = rest(server);
  table = raw(server, 'orders');
  for (const [cnpj, id, parts] of [
    [
      COMPANY,
      SECOND,
      {
        items: {
          'PRD-1001': 'SemEstoque',
          'PRD-10010': 'AguardandoSeparacao',
          'PRD-3003': 'Separado',
        },
        city: 'Rio de Janeiro',
        date: '2023-10-05',
      },
    ],
    [
      COMPANY,
      THIRD,
      {
        items: { 'PRD-1001': 'AguardandoSeparacao' },
        cpf: '987.654.321-00',
        city: 'Rio de Janeiro',
        date: '2023-10-03',
        payment_method: 'CartaoDeCredito',
      },
    ],
    [
      OTHER,
      ORDER,
      {
        items: { 'PRD-1001': 'AguardandoSeparacao', 'PRD-2002': 'SemEstoque' },
        city: 'Rio',
        date: '2023-10-03',
        payment_method: 'CartaoDeCredito',
      },
    ],
  ]) {
    await api.done(api.post(completePath(cnpj), complete(id, parts)), 200);
  }
  await api.done(api.post(`${orderPath(COMPANY, SECOND)}/status`, { to: 'AguardandoEstoque' }));

  // Written past the model: another kind in the partition, and keys that are nearly the same.
  await table.put(texts({ PK: P, SK: 'NOTE#1', text: 'Portaria' }));
  await table.put(texts({ PK: P, SK: 'ITEMS#1', text: 'no item' }));
  const near = partition(LONGER, ORDER);
  await table.put(texts({ PK: near, SK: `META#${LONGER}`, order_id: ORDER, company_name: 'X' }));
  await table.put(texts({ PK: near, SK: 'STATUS#Pendente', order_status: 'Pendente' }));
  for (const state of ['SemEstoque', 'AguardandoEstoque', 'AguardandoSeparacao']) {
    await table.put({
      ...texts({ PK: near, SK: `ITEM#${state}`, product_id: state, item_status: state }),
      'GSI2-PK': S(`ITEMSTATUS#${state}`),
      'GSI2-SK': S(`${near}#ITEM#${state}`),
    });
  }
  const longer = partition(COMPANY, `${ORDER}0`);
  await table.put(texts({ PK: longer, SK: 'ITEM#PRD-9', product_id: 'PRD-9' }));
});

const nameOfOrder = ({ cnpj, order_id }) => partition(cnpj, order_id);
const nameOfItem = (item) => `${nameOfOrder(item)}#ITEM#${item.product_id}`;
const partitionOf = ({ PK }) => PK.S;
const wholeKey = ({ PK, SK }) => `${PK.S}#${SK.S}`;

// Expects the list to hold what DynamoDB found, in its order, and to be the same page by page.
async function same(path, found, nameOfFound, nameOf) {
  const items = await api.list(path);
  assert.deepEqual(items.map(nameOf), found.map(nameOfFound));
  assert.deepEqual(await api.pages(path), items);
  return items;
}
const sameItems = (path, found) => same(path, found, wholeKey, nameOfItem);
// The answer is headers of orders, although what was found are parts of them.
async function sameOrders(path, found) {
  const orders = await same(path, found, partitionOf, nameOfOrder);
  for (const order of orders) assert.ok(order.company_name, 'a header');
  return orders.map(({ order_id }) => order_id);
}

test('ORD-Q1 whole order', async () => {
  const found = await table.query('PK = :a', P);
  assert.equal(found.length, 9); // with the two that are none of the design's
  const full = await api.item(`${sample}/full`);
  assert.equal(full.company_name, 'Tech Solutions Ltda');
  assert.equal(full.status.order_status, 'Pendente');
  assert.deepEqual(
    full.items.map(({ product_id }) => product_id),
    ['PRD-1001', 'PRD-2002'],
  );
  assert.equal(full.customer.first_name, 'Mariana');
  assert.equal(full.customer.address.city, 'Rio de Janeiro');
  assert.equal(full.shipping.shipping_cost, 50);
  assert.deepEqual(
    full.payments.map(({ amount }) => amount),
    [2800],
  );
  assert.equal(full.complete, true);
  assert.equal(full.next, null);
  assert.equal(JSON.stringify(full).includes('Portaria'), false);
  await problem(api.get(`${orderPath(COMPANY, 'ORD-20991231-9999')}/full`), 404, 'not_found');
});

test('ORD-Q1 whole order, one part a page', async () => {
  const parts = [];
  let next = null;
  do {
    const after = next === null ? '' : `&after=${encodeURIComponent(next)}`;
    const page = await api.item(`${sample}/full?limit=1${after}`);
    assert.equal(page.complete, false);
    if (next === null) assert.equal(page.order_id, ORDER);
    const single = [page.status, page.customer, page.shipping].filter(Boolean);
    const members = [...single, ...(page.items ?? []), ...(page.payments ?? [])];
    assert.ok(members.length <= 1);
    parts.push(...members);
    next = page.next;
  } while (next !== null);
  assert.equal(parts.length, 6);
});

test('ORD-Q2 order header', async () => {
  const item = await table.get(P, `META#${COMPANY}`);
  assert.deepEqual(await api.item(sample), {
    cnpj: COMPANY,
    order_id: item.order_id.S,
    company_cnpj: item.company_cnpj.S,
    company_name: item.company_name.S,
    order_date: item.order_date.S,
    notes: item.notes.S,
  });
  await problem(api.get(orderPath(OTHER, SECOND)), 404, 'not_found');
});

test('ORD-Q3 current order status', async () => {
  const found = await table.query('PK = :a AND begins_with(SK, :b)', P, 'STATUS#', { Limit: 1 });
  assert.equal(found.length, 1);
  const items = await api.pages(`${sample}/status`);
  assert.deepEqual(items, [{ cnpj: COMPANY, order_id: ORDER, order_status: 'Pendente' }]);
  const changed = await api.pages(`${orderPath(COMPANY, SECOND)}/status`);
  assert.equal(changed[0].order_status, 'AguardandoEstoque');
});

test('ORD-Q4 items of an order', async () => {
  const found = await table.query('PK = :a AND begins_with(SK, :b)', P, 'ITEM#');
  assert.equal(found.length, 2);
  await sameItems(`${sample}/items`, found);
});

test('ORD-Q5 one item of an order', async () => {
  const item = await table.get(P, 'ITEM#PRD-1001');
  assert.deepEqual(await api.item(`${sample}/items/PRD-1001`), {
    cnpj: COMPANY,
    order_id: ORDER,
    product_id: item.product_id.S,
    description: item.description.S,
    quantity: Number(item.quantity.N),
    unit_price: Number(item.unit_price.N),
    item_status: item.item_status.S,
  });
  await problem(api.get(`${sample}/items/PRD-100`), 404, 'not_found');
});

test('ORD-Q6 customer of an order', async () => {
  const [found] = await table.query('PK = :a AND begins_with(SK, :b)', P, 'CUSTOMER#');
  const items = await api.pages(`${sample}/customer`);
  assert.deepEqual(
    items.map(({ cpf }) => cpf),
    [found.cpf.S],
  );
});

test('ORD-Q7 shipping of an order', async () => {
  const [found] = await table.query('PK = :a AND begins_with(SK, :b)', P, 'SHIPPING#');
  const items = await api.pages(`${sample}/shipping`);
  assert.deepEqual(
    items.map(({ city, expected_delivery_date }) => `SHIPPING#${city}#${expected_delivery_date}`),
    [found.SK.S],
  );
});

test('ORD-Q8 payments of an order', async () => {
  const second = orderPath(COMPANY, SECOND);
  await api.done(api.post(`${second}/payments`, { payment_method: 'Boleto' }), 201);
  for (const [path, key] of [
    [sample, P],
    [second, partition(COMPANY, SECOND)],
  ]) {
    const found = await table.query('PK = :a AND begins_with(SK, :b)', key, 'PAYMENT#');
    const nameOf = (item) => `${nameOfOrder(item)}#PAYMENT#${item.payment_method}`;
    await same(`${path}/payments`, found, wholeKey, nameOf);
  }
});

for (const [id, state, scoped, all] of [
  ['ORD-Q9 items out of stock', 'SemEstoque', 'items/out-of-stock', '/items/out-of-stock'],
  [
    'ORD-Q10 items awaiting stock',
    'AguardandoEstoque',
    'items/awaiting-stock',
    '/items/awaiting-stock',
  ],
  ['ORD-Q11 picking list', 'AguardandoSeparacao', 'picking', '/picking'],
]) {
  test(`${id} of a company`, async () => {
    const found = await table.query(
      '#pk = :a AND begins_with(#sk, :b)',
      `ITEMSTATUS#${state}`,
      `COMPANY#${COMPANY}#`,
      GSI2,
    );
    assert.ok(found.length > 0);
    const items = await sameItems(`${companyPath(COMPANY)}/${scoped}`, found);
    for (const item of items) {
      assert.equal(item.cnpj, COMPANY);
      assert.equal(item.item_status, state);
    }
  });

  test(`${id} of all companies`, async () => {
    const found = await table.query('#pk = :a', `ITEMSTATUS#${state}`, GSI2_ALL);
    const items = await sameItems(all, found);
    assert.ok(new Set(items.map(({ cnpj }) => cnpj)).size > 1);
  });
}

test('ORD-Q11 picking list of one order', async () => {
  const found = await table.query(
    '#pk = :a AND begins_with(#sk, :b)',
    'ITEMSTATUS#AguardandoSeparacao',
    `${partition(COMPANY, SECOND)}#`,
    GSI2,
  );
  const items = await sameItems(`${orderPath(COMPANY, SECOND)}/picking`, found);
  assert.deepEqual(
    items.map(({ product_id }) => product_id),
    ['PRD-10010'],
  );
});

test('ORD-Q12 orders by status', async () => {
  const scoped = 'SK = :a AND begins_with(PK, :b)';
  const company = `COMPANY#${COMPANY}#`;
  const pending = await table.query(scoped, 'STATUS#Pendente', company, GSI1);
  const path = `${companyPath(COMPANY)}/orders?order_status=`;
  assert.deepEqual(await sameOrders(`${path}Pendente`, pending), [ORDER, THIRD]);
  const waiting = await table.query(scoped, 'STATUS#AguardandoEstoque', company, GSI1);
  assert.deepEqual(await sameOrders(`${path}AguardandoEstoque`, waiting), [SECOND]);
  assert.deepEqual(await api.list(`${path}Separado`), []);
  const everywhere = await table.query('SK = :a', 'STATUS#Pendente', GSI1);
  assert.equal(everywhere.length, 4);
  await sameOrders('/orders?order_status=Pendente', everywhere);
});

test('ORD-Q13 orders of a customer', async () => {
  const scoped = 'SK = :a AND begins_with(PK, :b)';
  const found = await table.query(scoped, `CUSTOMER#${CPF}`, `COMPANY#${COMPANY}#`, GSI1);
  const path = `${companyPath(COMPANY)}/customers/${CPF}/orders`;
  assert.deepEqual(await sameOrders(path, found), [ORDER, SECOND]);
  const everywhere = await table.query('SK = :a', `CUSTOMER#${CPF}`, GSI1);
  assert.equal(everywhere.length, 3);
  await sameOrders(`/customers/${CPF}/orders`, everywhere);
});

test('ORD-Q14 orders by city, which GSI3 serves', async () => {
  const byCity = { IndexName: 'GSI3', ExpressionAttributeNames: { '#pk': 'GSI3-PK' } };
  const found = await table.query('#pk = :a', 'CITY#Rio de Janeiro', byCity);
  const path = `/cities/${encodeURIComponent('Rio de Janeiro')}/orders`;
  assert.deepEqual(await sameOrders(path, found), [ORDER, THIRD, SECOND]);
  const bounded = {
    IndexName: 'GSI3',
    ExpressionAttributeNames: { '#pk': 'GSI3-PK', '#sk': 'GSI3-SK' },
  };
  const later = await table.query(
    '#pk = :a AND #sk BETWEEN :b AND :c',
    'CITY#Rio de Janeiro',
    '2023-10-04',
    '2023-10-06',
    bounded,
  );
  assert.deepEqual(await sameOrders(`${path}?from=2023-10-04&to=2023-10-05`, later), [SECOND]);
  assert.equal((await api.list(`${path}?to=2023-10-03`)).length, 2);
});

test('ORD-Q14 orders by city and date, which the inversion serves', async () => {
  const found = await table.query('SK = :a', 'SHIPPING#Rio de Janeiro#2023-10-03', GSI1);
  const path = `/cities/${encodeURIComponent('Rio de Janeiro')}/orders/2023-10-03`;
  assert.deepEqual(await sameOrders(path, found), [ORDER, THIRD]);
});

test('ORD-Q15 orders by payment method', async () => {
  const scoped = 'SK = :a AND begins_with(PK, :b)';
  const card = 'PAYMENT#CartaoDeCredito';
  const found = await table.query(scoped, card, `COMPANY#${COMPANY}#`, GSI1);
  const path = `${companyPath(COMPANY)}/orders?payment_method=CartaoDeCredito`;
  assert.deepEqual(await sameOrders(path, found), [ORDER, THIRD]);
  const everywhere = await table.query('SK = :a', card, GSI1);
  assert.equal(everywhere.length, 3);
  await sameOrders('/orders?payment_method=CartaoDeCredito', everywhere);
});

test('ORD-Q16 orders of a company, newest first', async () => {
  const newestFirst = { ...GSI1, ScanIndexForward: false };
  const found = await table.query('SK = :a', `META#${COMPANY}`, newestFirst);
  const path = `${companyPath(COMPANY)}/orders`;
  assert.deepEqual(await sameOrders(path, found), [THIRD, SECOND, ORDER]);
  const oldestFirst = await table.query('SK = :a', `META#${COMPANY}`, GSI1);
  assert.deepEqual(await sameOrders(`${path}?order=asc`, oldestFirst), [ORDER, SECOND, THIRD]);
});

test('ORD-Q17 orders that contain a product', async () => {
  const found = await table.query('SK = :a', 'ITEM#PRD-1001', GSI1);
  assert.equal(found.length, 4);
  await sameOrders('/products/PRD-1001/orders', found);
  assert.deepEqual(
    (await api.list('/products/PRD-10010/orders')).map(({ order_id }) => order_id),
    [SECOND],
  );
});

test('ORD-D6 what is asked about one company shows no other', async () => {
  for (const path of [
    `${companyPath(OTHER)}/picking`,
    `${companyPath(OTHER)}/orders`,
    `${companyPath(OTHER)}/orders?order_status=Pendente`,
    `${companyPath(OTHER)}/orders?payment_method=CartaoDeCredito`,
    `${companyPath(OTHER)}/customers/${CPF}/orders`,
  ]) {
    const items = await api.list(path);
    assert.equal(items.length, 1, path);
    assert.equal(items[0].cnpj, OTHER);
  }
});

test('ORD-D12 orders that were found by a part are headers', async () => {
  const [order] = await api.list(`${companyPath(OTHER)}/customers/${CPF}/orders`);
  assert.deepEqual(Object.keys(order).sort(), [
    'cnpj',
    'company_cnpj',
    'company_name',
    'notes',
    'order_date',
    'order_id',
  ]);
});

test('orders are listed by what the keys serve only', async () => {
  const { patterns } = await problem(api.get('/orders'), 400, 'no_access_pattern');
  assert.ok(patterns.some(({ name }) => name === 'allOrdersByStatus'));
  await problem(api.get('/orders?company_name=Tech'), 400, 'no_access_pattern');
});
