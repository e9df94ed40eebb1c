// The sales design served: its entities, indexes, enums and transitions.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { describeIndex, invalidField, N, problem, S, samples, tryTransitions } from './rest.js';
import {
  create,
  newBuyer,
  newDocument,
  newInvoice,
  newInvoiceKey,
  newLine,
  newProducer,
  newSale,
  serveSales,
  shownOf,
} from './sales_requests.js';

const SECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const sample = Object.fromEntries(samples('sales').map((item) => [item.EntityType.S, item]));

let api;
let table;

before(async () => {
  ({ api, table } = await serveSales());
});

// The document's item must be what the table holds, byte for byte, and what REST shows of it.
async function checkSample(type, path) {
  const item = sample[type];
  assert.deepEqual(await table.get(item.PK.S, item.SK.S), item);
  assert.deepEqual(await api.item(path), shownOf(item));
}

// What the server says about an item that was just created, in its stored form.
function stampsOf(body, { authors = true } = {}) {
  assert.match(body.CreatedAt, SECONDS);
  assert.ok(Math.abs(Date.now() - Date.parse(body.CreatedAt)) < 60_000);
  assert.equal(body.UpdatedAt, body.CreatedAt);
  const stamps = { CreatedAt: S(body.CreatedAt), UpdatedAt: S(body.UpdatedAt), _v: N(1) };
  if (!authors) return stamps;
  return { ...stamps, CreatedBy: S(body.CreatedBy), UpdatedBy: S(body.CreatedBy) };
}

// SAL-D9: the sale is INVOICED, because its invoice is authorised. SAL-D13: 500.00 is not 2 % of
// 25500.00; amounts count, percentages inform.
test('SAL-E1 SAL-E2 SAL-D9 SAL-D13 a sale and its line are stored as the document has them', async () => {
  await checkSample('Sale', '/sales/SALE001');
  await checkSample('SaleLine', '/sales/SALE001/lines/1');
  const { SaleId, ...sale } = shownOf(sample.Sale);
  const { SaleId: sameId, ...line } = shownOf(sample.SaleLine);
  assert.equal(sameId, SaleId);
  const { results } = await api.done(api.post('/sales:withLines', { sale, lines: [line] }), 200);
  assert.deepEqual(
    results.map(({ status, entity }) => `${status} ${entity}`),
    ['201 Sale', '201 SaleLine'],
  );
  const made = results[0].item;
  const id = made.SaleId;
  assert.equal(results[0].location, `/sales/${id}`);
  assert.equal(results[1].location, `/sales/${id}/lines/1`);
  assert.deepEqual(await api.item(`/sales/${id}`), made);
  assert.deepEqual(await api.item(`/sales/${id}/lines/1`), results[1].item);
  assert.deepEqual(await table.get(`SALE#${id}`, '#METADATA#sale'), {
    ...sample.Sale,
    ...stampsOf(made),
    PK: S(`SALE#${id}`),
    SaleId: S(id),
  });
  assert.deepEqual(await table.get(`SALE#${id}`, 'LINE#001'), {
    ...sample.SaleLine,
    ...stampsOf(results[1].item, { authors: false }),
    PK: S(`SALE#${id}`),
    SaleId: S(id),
  });
});

// The keys are templates over what a client gives, so what it leaves out must not break them.
test('SAL-E1 a sale with only what is required', async () => {
  const answer = await api.post('/sales', newSale({ SaleDate: '2026-03-01T09:00:00-03:00' }));
  assert.equal(answer.status, 201, answer.text);
  const id = answer.body.SaleId;
  assert.match(id, /^SALE\d{3,}$/);
  assert.equal(answer.headers.location, `/sales/${id}`);
  assert.equal(answer.headers.etag, '"v1"');
  assert.deepEqual(await table.get(`SALE#${id}`, '#METADATA#sale'), {
    PK: S(`SALE#${id}`),
    SK: S('#METADATA#sale'),
    EntityType: S('Sale'),
    SaleId: S(id),
    BuyerId: S('BUYER001'),
    BuyerName: S('ACME Corporation'),
    BuyerDocument: S('12.345.678/0001-90'),
    ProducerId: S('PRODUCER001'),
    ProducerName: S('Farm Industries Ltd'),
    ProducerDocument: S('98.765.432/0001-10'),
    SaleDate: S('2026-03-01T12:00:00Z'),
    Status: S('DRAFT'),
    PaymentTerms: S('30_DAYS'),
    Subtotal: N(0),
    Discount: N(0),
    Tax: N(0),
    Total: N(0),
    Currency: S('BRL'),
    GSI1PK: S('BUYER#BUYER001'),
    GSI1SK: S('SALE#2026-03-01T12:00:00Z'),
    GSI2PK: S('PRODUCER#PRODUCER001'),
    GSI2SK: S('SALE#2026-03-01T12:00:00Z'),
    GSI3PK: S('STATUS#DRAFT'),
    GSI3SK: S('SALE#2026-03-01T12:00:00Z'),
    ...stampsOf(answer.body),
  });
});

test('SAL-E1 what is wrong with a sale is said for each field', async () => {
  const wrong = newSale({ SaleDate: 'yesterday', Quantity: -1, Total: 'x', Colour: 'red' });
  delete wrong.BuyerId;
  const body = await table.unchanged(() => problem(api.post('/sales', wrong), 400, 'invalid'));
  const codes = Object.fromEntries(body.errors.map(({ path, code }) => [path, code]));
  assert.equal(codes['/SaleDate'], 'type');
  assert.equal(codes['/Quantity'], 'range');
  assert.equal(codes['/Colour'], 'unknown');
  await invalidField(
    api.post('/sales', { SaleDate: '2026-03-01T12:00:00Z' }),
    '/BuyerId',
    'required',
  );
  await table.unchanged(() =>
    invalidField(api.post('/sales', newSale({ SaleId: 'A#B' })), '/SaleId', 'key_text'),
  );
  await table.unchanged(() =>
    invalidField(api.put('/sales/A%23B', newSale()), 'SaleId', 'key_text'),
  );
});

// The key pads the number, so that ten comes after nine.
test('SAL-E2 line numbers are padded in the key', async () => {
  const { SaleId } = await create(api, '/sales', newSale());
  for (const LineNumber of [1, 12, 999]) {
    const line = await create(api, `/sales/${SaleId}/lines`, newLine(LineNumber));
    const item = await table.get(`SALE#${SaleId}`, `LINE#${String(LineNumber).padStart(3, '0')}`);
    assert.deepEqual(item, {
      PK: S(`SALE#${SaleId}`),
      SK: S(`LINE#${String(LineNumber).padStart(3, '0')}`),
      EntityType: S('SaleLine'),
      SaleId: S(SaleId),
      LineNumber: N(LineNumber),
      ProductCode: S('PROD-SOY-001'),
      ProductName: S('Soja'),
      Quantity: N(10),
      Unit: S('KG'),
      UnitPrice: N(2.5),
      Subtotal: N(25),
      Discount: N(0),
      Tax: N(0),
      Total: N(25),
      ...stampsOf(line, { authors: false }),
    });
  }
});

test('SAL-D8 line numbers end where the padding does', async () => {
  const { SaleId } = await create(api, '/sales', newSale());
  for (const LineNumber of [0, 1000, 1.5]) {
    await table.unchanged(() =>
      invalidField(
        api.post(`/sales/${SaleId}/lines`, newLine(LineNumber)),
        '/LineNumber',
        LineNumber === 1.5 ? 'type' : 'range',
      ),
    );
  }
});

// SAL-D16: the check digits of the document's CNPJs are wrong, and are not verified.
test('SAL-E3 SAL-D16 a buyer is stored as the document has it', async () => {
  await checkSample('Buyer', '/buyers/BUYER001');
  const Document = newDocument();
  const { BuyerId: none, ...attributes } = shownOf(sample.Buyer);
  const buyer = await create(api, '/buyers', { ...attributes, Document });
  assert.notEqual(buyer.BuyerId, none);
  assert.match(buyer.BuyerId, /^BUYER\d{3,}$/);
  assert.deepEqual(await api.item(`/buyers/${buyer.BuyerId}`), buyer);
  assert.deepEqual(await table.get(`BUYER#${buyer.BuyerId}`, '#METADATA#buyer'), {
    ...sample.Buyer,
    ...stampsOf(buyer),
    PK: S(`BUYER#${buyer.BuyerId}`),
    BuyerId: S(buyer.BuyerId),
    Document: S(Document),
    TaxId: S(Document),
  });
});

test('SAL-E4 a producer is stored as the document has it', async () => {
  await checkSample('Producer', '/producers/PRODUCER001');
  const Document = newDocument();
  const { ProducerId: none, ...attributes } = shownOf(sample.Producer);
  const producer = await create(api, '/producers', { ...attributes, Document });
  assert.notEqual(producer.ProducerId, none);
  assert.match(producer.ProducerId, /^PRODUCER\d{3,}$/);
  assert.deepEqual(await api.item(`/producers/${producer.ProducerId}`), producer);
  assert.deepEqual(await table.get(`PRODUCER#${producer.ProducerId}`, '#METADATA#producer'), {
    ...sample.Producer,
    ...stampsOf(producer),
    PK: S(`PRODUCER#${producer.ProducerId}`),
    ProducerId: S(producer.ProducerId),
    Document: S(Document),
    TaxId: S(Document),
  });
});

test('SAL-E5 SAL-D15 SAL-D32 an invoice is stored as the document has it', async () => {
  await checkSample('InvoiceMetadata', '/sales/SALE001/invoice');
  const InvoiceKey = newInvoiceKey();
  const { SaleId } = await create(api, '/sales', newSale());
  const { SaleId: none, ...attributes } = shownOf(sample.InvoiceMetadata);
  assert.notEqual(SaleId, none);
  const path = `/sales/${SaleId}/invoice`;
  const answer = await api.post(path, { ...attributes, InvoiceKey });
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.headers.location, path);
  assert.deepEqual(await api.item(path), answer.body);
  assert.deepEqual(await table.get(`SALE#${SaleId}`, '#INVOICE#metadata'), {
    ...sample.InvoiceMetadata,
    ...stampsOf(answer.body, { authors: false }),
    PK: S(`SALE#${SaleId}`),
    SaleId: S(SaleId),
    InvoiceKey: S(InvoiceKey),
  });
});

test('SAL-D6 ids are counted on, without the prefix of the key', async () => {
  const ids = [];
  for (let i = 0; i < 3; i += 1) ids.push((await create(api, '/sales', newSale())).SaleId);
  const numbers = ids.map((id) => Number(id.replace(/^SALE/, '')));
  assert.deepEqual(numbers, [numbers[0], numbers[0] + 1, numbers[0] + 2]);
  assert.ok(!ids.includes('SALE001'), 'the sample has this id');
});

// Raw reads of the indexes show exactly the entities that have keys there.
for (const [id, name, types] of [
  ['SAL-I1', 'GSI1', ['Buyer', 'Sale']],
  ['SAL-I2', 'GSI2', ['Producer', 'Sale']],
  ['SAL-I3', 'GSI3', ['Sale']],
]) {
  test(`${id} ${name} projects everything of ${types.join(' and ')}, and nothing else`, async () => {
    assert.deepEqual(await describeIndex(table, name), {
      keys: [`${name}PK S`, `${name}SK S`],
      projection: 'ALL',
      status: 'ACTIVE',
    });
    const indexed = await table.inIndex(name);
    const kinds = new Set(indexed.map((item) => item.EntityType.S));
    assert.deepEqual([...kinds].sort(), types);
    const all = await table.scan();
    assert.equal(indexed.length, all.filter((item) => types.includes(item.EntityType?.S)).length);
    for (const item of indexed) assert.deepEqual(item, await table.get(item.PK.S, item.SK.S));
  });
}

test('SAL-D1 producers are not in GSI1', async () => {
  assert.deepEqual(await table.query('GSI1PK = :a', 'PRODUCERS', { IndexName: 'GSI1' }), []);
});

const SALE_STATUSES = {
  DRAFT: ['CONFIRMED', 'CANCELLED'],
  CONFIRMED: ['INVOICED', 'CANCELLED'],
  INVOICED: ['SHIPPED', 'CANCELLED'],
  SHIPPED: ['DELIVERED'],
  DELIVERED: [],
  CANCELLED: [],
};
const TERMS = ['CASH', '15_DAYS', '30_DAYS', '45_DAYS', '60_DAYS', '90_DAYS'];
const BUYER_STATUSES = {
  ACTIVE: ['INACTIVE', 'BLOCKED', 'SUSPENDED'],
  INACTIVE: ['ACTIVE'],
  BLOCKED: ['ACTIVE'],
  SUSPENDED: ['ACTIVE'],
};
const PRODUCER_STATUSES = {
  ACTIVE: ['INACTIVE', 'SUSPENDED'],
  INACTIVE: ['ACTIVE'],
  SUSPENDED: ['ACTIVE'],
};
const INVOICE_STATUSES = {
  DRAFT: ['PENDING_AUTHORIZATION'],
  PENDING_AUTHORIZATION: ['AUTHORIZED', 'REJECTED'],
  AUTHORIZED: ['CANCELLED'],
  REJECTED: ['DRAFT'],
  CANCELLED: [],
};

// Creates with each of the values, and expects others to be refused with nothing written.
async function tryValues({ path, body, field, values, others }) {
  for (const value of values) {
    const made = await create(api, path, body(value));
    assert.equal(field(made), value);
  }
  for (const value of others) {
    await table.unchanged(() =>
      invalidField(api.post(path, body(value)), pointerTo(field), 'enum'),
    );
  }
}

// /Status for (sale) => sale.Status.
function pointerTo(field) {
  const names = [];
  const recorder = new Proxy({}, { get: (_, name) => (names.push(name), recorder) });
  field(recorder);
  return `/${names.join('/')}`;
}

test('SAL-N1 statuses of a sale', () =>
  tryValues({
    path: '/sales',
    body: (Status) => newSale({ Status }),
    field: (sale) => sale.Status,
    values: Object.keys(SALE_STATUSES),
    others: ['PAID', 'draft', ''],
  }));

test('SAL-N2 SAL-D21 payment terms', async () => {
  await tryValues({
    path: '/sales',
    body: (PaymentTerms) => newSale({ PaymentTerms }),
    field: (sale) => sale.PaymentTerms,
    values: TERMS,
    others: ['20_DAYS', 'Days15', '15 DAYS'],
  });
  await tryValues({
    path: '/buyers',
    body: (PaymentTerms) => newBuyer({ PaymentTerms }),
    field: (buyer) => buyer.PaymentTerms,
    values: TERMS,
    others: ['CREDIT'],
  });
});

test('SAL-N3 statuses of a buyer', () =>
  tryValues({
    path: '/buyers',
    body: (Status) => newBuyer({ Status }),
    field: (buyer) => buyer.Status,
    values: Object.keys(BUYER_STATUSES),
    others: ['DELETED'],
  }));

test('SAL-N4 statuses of a producer, which is never blocked', () =>
  tryValues({
    path: '/producers',
    body: (Status) => newProducer({ Status }),
    field: (producer) => producer.Status,
    values: Object.keys(PRODUCER_STATUSES),
    others: ['BLOCKED'],
  }));

test('SAL-N5 statuses of an invoice', async () => {
  for (const Status of Object.keys(INVOICE_STATUSES)) {
    const { SaleId } = await create(api, '/sales', newSale());
    const invoice = await create(api, `/sales/${SaleId}/invoice`, newInvoice({ Status }));
    assert.equal(invoice.Status, Status);
  }
  const { SaleId } = await create(api, '/sales', newSale());
  const wrong = newInvoice({ Status: 'INVOICED' });
  await table.unchanged(() =>
    invalidField(api.post(`/sales/${SaleId}/invoice`, wrong), '/Status', 'enum'),
  );
});

// Only types of documents are a closed list; the document names one value of each of the others.
test('SAL-N6 types of documents and accounts, currencies, units', async () => {
  await tryValues({
    path: '/buyers',
    body: (DocumentType) => newBuyer({ DocumentType }),
    field: (buyer) => buyer.DocumentType,
    values: ['CNPJ', 'CPF'],
    others: ['RG'],
  });
  const account = { Bank: '001', Agency: '1234-5', Account: '1-9' };
  await tryValues({
    path: '/producers',
    body: (AccountType) => newProducer({ BankAccount: { ...account, AccountType } }),
    field: (producer) => producer.BankAccount.AccountType,
    values: ['CHECKING', 'SAVINGS', 'PAYMENT'],
    others: [],
  });
  await tryValues({
    path: '/sales',
    body: (Currency) => newSale({ Currency }),
    field: (sale) => sale.Currency,
    values: ['BRL', 'USD'],
    others: [],
  });
  const { SaleId } = await create(api, '/sales', newSale());
  for (const [i, Unit] of ['KG', 'TON'].entries()) {
    const line = await create(api, `/sales/${SaleId}/lines`, newLine(i + 1, { Unit }));
    assert.equal(line.Unit, Unit);
  }
});

// A status is an attribute and a partition of GSI3; both change or neither.
test('SAL-T1 a sale goes from status to status as declared', () =>
  tryTransitions({
    transitions: SALE_STATUSES,
    initial: 'DRAFT',
    table,
    create: async () => (await create(api, '/sales', newSale())).SaleId,
    change: (id, Status) => api.patch(`/sales/${id}`, { Status }),
    async check(id, status) {
      const item = await table.get(`SALE#${id}`, '#METADATA#sale');
      assert.equal(item.Status.S, status);
      assert.equal(item.GSI3PK.S, `STATUS#${status}`);
      const found = await table.query('GSI3PK = :a', `STATUS#${status}`, { IndexName: 'GSI3' });
      assert.ok(found.some((sale) => sale.SaleId.S === id));
    },
  }));

// There is no way around: every verb that can write a status checks it.
test('SAL-T1 an illegal transition is refused whichever way it is asked for', async () => {
  const { SaleId } = await create(api, '/sales', newSale({ Status: 'SHIPPED' }));
  const Status = 'CANCELLED';
  for (const request of [
    () => api.patch(`/sales/${SaleId}`, { Status }),
    () => api.put(`/sales/${SaleId}`, newSale({ Status, PaymentTerms: 'CASH' })),
    () => api.post(`/sales/${SaleId}/status`, { to: Status }),
    () => api.post('/transact', { writes: [{ patch: 'Sale', key: { SaleId }, body: { Status } }] }),
  ]) {
    const refused = await table.unchanged(() => problem(request(), 409, 'illegal_transition'));
    assert.equal(refused.from, 'SHIPPED');
    assert.deepEqual(refused.allowed, ['DELIVERED']);
  }
  const batch = await table.unchanged(() =>
    api.post('/sales:batchWrite', { writes: [{ patch: { SaleId, Status } }] }),
  );
  assert.equal(batch.body.results[0].status, 409);
  assert.equal(batch.body.results[0].problem.code, 'illegal_transition');
});

test('SAL-T2 an invoice goes from status to status as declared', () =>
  tryTransitions({
    transitions: INVOICE_STATUSES,
    initial: 'DRAFT',
    table,
    async create() {
      const { SaleId } = await create(api, '/sales', newSale());
      await create(api, `/sales/${SaleId}/invoice`, newInvoice());
      return SaleId;
    },
    change: (id, Status) => api.patch(`/sales/${id}/invoice`, { Status }),
    async check(id, status) {
      assert.equal((await table.get(`SALE#${id}`, '#INVOICE#metadata')).Status.S, status);
    },
  }));

// What was checked must still hold when it is written.
test('SAL-T2 of different transitions at the same time one wins', async () => {
  const { SaleId } = await create(api, '/sales', newSale());
  const path = `/sales/${SaleId}/invoice`;
  await create(api, path, newInvoice({ Status: 'PENDING_AUTHORIZATION' }));
  const wanted = Array.from({ length: 10 }, (_, i) => (i % 2 ? 'AUTHORIZED' : 'REJECTED'));
  const answers = await Promise.all(wanted.map((Status) => api.patch(path, { Status })));
  const { Status } = await api.item(path);
  for (const [i, { status, text }] of answers.entries()) {
    assert.equal(status, wanted[i] === Status ? 200 : 409, text);
  }
});

test('SAL-T3 buyers and producers leave ACTIVE and come back', async () => {
  await tryTransitions({
    transitions: BUYER_STATUSES,
    initial: 'ACTIVE',
    table,
    create: async () => (await create(api, '/buyers', newBuyer())).BuyerId,
    change: (id, Status) => api.patch(`/buyers/${id}`, { Status }),
    async check(id, status) {
      assert.equal((await table.get(`BUYER#${id}`, '#METADATA#buyer')).Status.S, status);
    },
  });
  await tryTransitions({
    transitions: PRODUCER_STATUSES,
    initial: 'ACTIVE',
    table,
    create: async () => (await create(api, '/producers', newProducer())).ProducerId,
    change: (id, Status) => api.patch(`/producers/${id}`, { Status }),
    async check(id, status) {
      assert.equal((await table.get(`PRODUCER#${id}`, '#METADATA#producer')).Status.S, status);
    },
  });
});

// The invoice says what the sale then is, in one transaction.
test('SAL-T4 a sale is invoiced when its invoice is authorised', async () => {
  const { SaleId } = await create(api, '/sales', newSale({ Status: 'CONFIRMED' }));
  const invoice = newInvoice({ FileUrl: 's3://invoices/a.pdf' });
  await create(api, `/sales/${SaleId}/invoice`, invoice);
  await api.done(api.patch(`/sales/${SaleId}/invoice`, { Status: 'PENDING_AUTHORIZATION' }));
  const authorize = { AuthorizationProtocol: '135260000000001' };
  const { results } = await api.done(api.post(`/sales/${SaleId}/invoice:authorize`, authorize));
  assert.deepEqual(
    results.map(({ entity, item }) => `${entity} ${item.Status}`),
    ['InvoiceMetadata AUTHORIZED', 'Sale INVOICED'],
  );
  const sale = await table.get(`SALE#${SaleId}`, '#METADATA#sale');
  assert.equal(sale.GSI3PK.S, 'STATUS#INVOICED');
  assert.equal(sale.InvoiceNumber.S, invoice.InvoiceNumber);
  assert.equal(sale.InvoiceKey.S, invoice.InvoiceKey);
  assert.equal(sale.InvoiceDate.S, invoice.IssueDate);
  assert.equal(sale.InvoiceFileUrl.S, invoice.FileUrl);
  const authorized = await table.get(`SALE#${SaleId}`, '#INVOICE#metadata');
  assert.equal(authorized.Status.S, 'AUTHORIZED');
  assert.match(authorized.AuthorizationDate.S, SECONDS);
  assert.equal(authorized.AuthorizationProtocol.S, authorize.AuthorizationProtocol);
});
