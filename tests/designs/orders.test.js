// Order management with picking: one table, an inverted index and an index of item states. The
// items are those of the design document; each test is one of its access patterns.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import {
  attributes,
  keySchema,
  M,
  N,
  newTable,
  projectAll,
  putAll,
  rejects,
  S,
  send,
} from '../support/dynamodb.js';

const CNPJ = '12.345.678/0001-99';
const ORDER = 'ORD-20231001-0001';
const PK = S(`COMPANY#${CNPJ}#ORDER#${ORDER}`);

const meta = {
  PK,
  SK: S(`META#${CNPJ}`),
  order_id: S(ORDER),
  company_cnpj: S(CNPJ),
  company_name: S('Tech Solutions Ltda'),
  order_date: S('2023-10-01T10:30:00Z'),
  notes: S('Entregar no período da tarde.'),
};
const status = { PK, SK: S('STATUS#Pendente'), order_id: S(ORDER), order_status: S('Pendente') };
const phone = {
  PK,
  SK: S('ITEM#PRD-1001'),
  'GSI2-PK': S('ITEMSTATUS#AguardandoEstoque'),
  'GSI2-SK': S(`${PK.S}#ITEM#PRD-1001`),
  product_id: S('PRD-1001'),
  description: S('Smartphone XYZ'),
  quantity: N(1),
  unit_price: N('2500.00'),
};
const second = {
  PK,
  SK: S('ITEM#PRD-2002'),
  'GSI2-PK': S('ITEMSTATUS#AguardandoEstoque'),
  'GSI2-SK': S(`${PK.S}#ITEM#PRD-2002`),
  product_id: S('PRD-2002'),
};
const customer = {
  PK,
  SK: S('CUSTOMER#123.456.789-00'),
  first_name: S('Mariana'),
  last_name: S('Alves'),
  cpf: S('123.456.789-00'),
  email: S('mariana.alves@example.com'),
  phone: S('+55 21 91234-5678'),
  address: M({
    street: S('Avenida das Américas'),
    number: S('5000'),
    complement: S('Bloco 2, Apt 301'),
    neighborhood: S('Barra da Tijuca'),
    city: S('Rio de Janeiro'),
    state: S('RJ'),
    zip_code: S('22640-102'),
  }),
};
const shipping = {
  PK,
  SK: S('SHIPPING#Rio de Janeiro#2023-10-03'),
  shipping_method: S('Express'),
  shipping_cost: N('50.00'),
  city: S('Rio de Janeiro'),
  expected_delivery_date: S('2023-10-03'),
};
const payment = {
  PK,
  SK: S('PAYMENT#CartaoDeCredito'),
  payment_method: S('CartaoDeCredito'),
  transaction_id: S('TXN-9876543210'),
  amount: N('2800.00'),
};

// Another company's order with the same order id, and items in other states.
const OTHER = S(`COMPANY#98.765.432/0001-10#ORDER#${ORDER}`);
const others = [
  { PK: OTHER, SK: S('META#98.765.432/0001-10'), order_id: S(ORDER) },
  { PK: OTHER, SK: S('STATUS#AguardandoSeparacao'), order_status: S('AguardandoSeparacao') },
  { PK: OTHER, SK: S('CUSTOMER#123.456.789-00'), cpf: S('123.456.789-00') },
  {
    PK: OTHER,
    SK: S('ITEM#PRD-1001'),
    product_id: S('PRD-1001'),
    'GSI2-PK': S('ITEMSTATUS#SemEstoque'),
    'GSI2-SK': S(`${OTHER.S}#ITEM#PRD-1001`),
  },
  {
    PK: OTHER,
    SK: S('ITEM#PRD-3003'),
    product_id: S('PRD-3003'),
    'GSI2-PK': S('ITEMSTATUS#AguardandoSeparacao'),
    'GSI2-SK': S(`${OTHER.S}#ITEM#PRD-3003`),
  },
];

// Numbers come back in normal form.
const stored = (item) =>
  JSON.parse(JSON.stringify(item), (key, value) => (key === 'N' ? String(Number(value)) : value));

let TableName;

before(async () => {
  TableName = await newTable('PK SK', {
    AttributeDefinitions: attributes('GSI2-PK', 'GSI2-SK'),
    GlobalSecondaryIndexes: [
      { IndexName: 'GSI1', KeySchema: keySchema('SK', 'PK'), Projection: projectAll },
      { IndexName: 'GSI2', KeySchema: keySchema('GSI2-PK', 'GSI2-SK'), Projection: projectAll },
    ],
  });
  await putAll(TableName, [meta, status, phone, second, customer, shipping, payment, ...others]);
});

const query = async (KeyConditionExpression, values, more = {}) =>
  (
    await send('Query', {
      TableName,
      KeyConditionExpression,
      ExpressionAttributeValues: values,
      ...more,
    })
  ).Items;
const part = (prefix, more) =>
  query('PK = :pk AND begins_with(SK, :sk)', { ':pk': PK, ':sk': S(prefix) }, more);
const inverted = (SK, company) =>
  company
    ? query(
        'SK = :sk AND begins_with(PK, :pk)',
        { ':sk': S(SK), ':pk': S(`COMPANY#${company}#`) },
        { IndexName: 'GSI1' },
      )
    : query('SK = :sk', { ':sk': S(SK) }, { IndexName: 'GSI1' });
const inState = (state, prefix = 'COMPANY#') =>
  query(
    '#pk = :pk AND begins_with(#sk, :sk)',
    { ':pk': S(`ITEMSTATUS#${state}`), ':sk': S(prefix) },
    {
      IndexName: 'GSI2',
      ExpressionAttributeNames: { '#pk': 'GSI2-PK', '#sk': 'GSI2-SK' },
    },
  );
const get = async (SK) => (await send('GetItem', { TableName, Key: { PK, SK: S(SK) } })).Item;
const keysOf = (items) => items.map((item) => `${item.PK.S}|${item.SK.S}`);

test('ORD-Q1 the whole order, its parts in order of their sort keys', async () => {
  const items = await query('PK = :pk', { ':pk': PK });
  assert.deepEqual(items, [customer, phone, second, meta, payment, shipping, status].map(stored));
});

test('ORD-Q2 the header of an order', async () => {
  assert.deepEqual(await get(`META#${CNPJ}`), meta);
});

test('ORD-Q3 the current status of an order', async () => {
  assert.deepEqual(await part('STATUS#', { Limit: 1 }), [status]);
});

test('ORD-Q4 the items of an order', async () => {
  assert.deepEqual(await part('ITEM#'), [phone, second].map(stored));
});

test('ORD-Q5 one item of an order', async () => {
  assert.deepEqual(await get('ITEM#PRD-1001'), stored(phone));
});

test('ORD-Q6 the customer of an order', async () => {
  assert.deepEqual(await part('CUSTOMER#'), [customer]);
});

test('ORD-Q7 the shipping of an order', async () => {
  assert.deepEqual(await part('SHIPPING#'), [stored(shipping)]);
});

test('ORD-Q8 the payment of an order', async () => {
  assert.deepEqual(await part('PAYMENT#'), [stored(payment)]);
});

test('ORD-Q9 items out of stock, of all companies and of one', async () => {
  assert.deepEqual(keysOf(await inState('SemEstoque')), [`${OTHER.S}|ITEM#PRD-1001`]);
  assert.deepEqual(await inState('SemEstoque', `COMPANY#${CNPJ}#`), []);
});

test('ORD-Q10 items waiting for stock', async () => {
  assert.deepEqual(
    await inState('AguardandoEstoque', `COMPANY#${CNPJ}#`),
    [phone, second].map(stored),
  );
});

test('ORD-Q11 the picking list, of a company and of an order', async () => {
  assert.deepEqual(keysOf(await inState('AguardandoSeparacao', 'COMPANY#98.765.432/0001-10#')), [
    `${OTHER.S}|ITEM#PRD-3003`,
  ]);
  assert.equal((await inState('AguardandoSeparacao', `${OTHER.S}#`)).length, 1);
});

test('ORD-Q12 orders by status, of all companies and of one', async () => {
  assert.deepEqual(await inverted('STATUS#Pendente'), [status]);
  assert.deepEqual(keysOf(await inverted('STATUS#AguardandoSeparacao')), [
    `${OTHER.S}|STATUS#AguardandoSeparacao`,
  ]);
  assert.deepEqual(await inverted('STATUS#AguardandoSeparacao', CNPJ), []);
});

test('ORD-Q13 orders of a customer, over all companies', async () => {
  assert.deepEqual(
    keysOf(await inverted('CUSTOMER#123.456.789-00')),
    [PK, OTHER].map((pk) => `${pk.S}|CUSTOMER#123.456.789-00`),
  );
});

// The sort key holds city and date, so the index finds both together, not the city alone.
test('ORD-Q14 orders by city and date', async () => {
  assert.deepEqual(await inverted('SHIPPING#Rio de Janeiro#2023-10-03'), [stored(shipping)]);
  assert.deepEqual(await inverted('SHIPPING#Rio de Janeiro'), []);
});

test('ORD-Q15 orders by payment method', async () => {
  assert.deepEqual(await inverted('PAYMENT#CartaoDeCredito'), [stored(payment)]);
});

test('ORD-Q16 orders of a company', async () => {
  assert.deepEqual(await inverted(`META#${CNPJ}`), [meta]);
});

test('ORD-Q17 orders that contain a product', async () => {
  assert.deepEqual(
    keysOf(await inverted('ITEM#PRD-1001')),
    [PK, OTHER].map((pk) => `${pk.S}|ITEM#PRD-1001`),
  );
});

const fresh = (order) => S(`COMPANY#${CNPJ}#ORDER#${order}`);
const creation = (pk) =>
  [meta, status, customer, shipping, payment, phone, second].map((item) => ({
    Put: { TableName, Item: { ...item, PK: pk }, ConditionExpression: 'attribute_not_exists(PK)' },
  }));

test('ORD-W1 an order is created whole or not at all', async () => {
  const pk = fresh('ORD-W1');
  await send('TransactWriteItems', { TransactItems: creation(pk) });
  assert.equal((await query('PK = :pk', { ':pk': pk })).length, 7);
  const error = await rejects(
    send('TransactWriteItems', { TransactItems: creation(pk) }),
    'TransactionCanceledException',
  );
  assert.ok(error.CancellationReasons.every((reason) => reason.Code === 'ConditionalCheckFailed'));
});

const move = (pk, from, to) =>
  send('TransactWriteItems', {
    TransactItems: [
      {
        Delete: {
          TableName,
          Key: { PK: pk, SK: S(`STATUS#${from}`) },
          ConditionExpression: 'attribute_exists(PK)',
        },
      },
      {
        Put: {
          TableName,
          Item: { PK: pk, SK: S(`STATUS#${to}`), order_status: S(to) },
          ConditionExpression: 'attribute_not_exists(PK)',
        },
      },
    ],
  });

test('ORD-W2 a change of status moves one item, and only from where it is', async () => {
  const pk = fresh('ORD-W2');
  await send('PutItem', { TableName, Item: { PK: pk, SK: S('STATUS#Pendente') } });
  await move(pk, 'Pendente', 'AguardandoEstoque');
  await rejects(move(pk, 'Pendente', 'AguardandoSeparacao'), 'TransactionCanceledException');
  const items = await query('PK = :pk AND begins_with(SK, :sk)', {
    ':pk': pk,
    ':sk': S('STATUS#'),
  });
  assert.deepEqual(
    items.map((item) => item.SK.S),
    ['STATUS#AguardandoEstoque'],
  );
});

test('ORD-W3 a change of item state moves its index entry', async () => {
  const pk = fresh('ORD-W3');
  const Key = { PK: pk, SK: S('ITEM#PRD-1001') };
  await send('PutItem', {
    TableName,
    Item: {
      ...phone,
      ...Key,
      'GSI2-SK': S(`${pk.S}#ITEM#PRD-1001`),
      item_status: S('AguardandoEstoque'),
    },
  });
  const change = (from, to) =>
    send('UpdateItem', {
      TableName,
      Key,
      UpdateExpression: 'SET item_status = :new, #g = :g',
      ConditionExpression: 'item_status = :old',
      ExpressionAttributeNames: { '#g': 'GSI2-PK' },
      ExpressionAttributeValues: { ':old': S(from), ':new': S(to), ':g': S(`ITEMSTATUS#${to}`) },
    });
  await change('AguardandoEstoque', 'Separado');
  await rejects(change('AguardandoEstoque', 'Separado'), 'ConditionalCheckFailedException');
  assert.equal((await inState('AguardandoEstoque', `${pk.S}#`)).length, 0);
  assert.equal((await inState('Separado', `${pk.S}#`)).length, 1);
});

test('ORD-W4 a new delivery date moves the shipping item', async () => {
  const pk = fresh('ORD-W4');
  await send('PutItem', { TableName, Item: { ...shipping, PK: pk } });
  const SK = S('SHIPPING#São Paulo#2023-10-05');
  await send('TransactWriteItems', {
    TransactItems: [
      {
        Delete: {
          TableName,
          Key: { PK: pk, SK: shipping.SK },
          ConditionExpression: 'attribute_exists(PK)',
        },
      },
      { Put: { TableName, Item: { ...shipping, PK: pk, SK, city: S('São Paulo') } } },
    ],
  });
  assert.deepEqual(keysOf(await inverted(SK.S)), [`${pk.S}|${SK.S}`]);
});
