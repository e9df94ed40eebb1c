// The writes of the sales design: what changes together, and what changes nothing at all.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { invalidField, problem, S } from './rest.js';
import {
  create,
  newBuyer,
  newDocument,
  newInvoice,
  newLine,
  newProducer,
  newSale,
  serveSales,
} from './sales_requests.js';

let api;
let table;

before(async () => {
  ({ api, table } = await serveSales());
});

const sale = (id) => api.item(`/sales/${id}`);
const invoice = (id) => api.item(`/sales/${id}/invoice`);
const refused = (request, status, code) => table.unchanged(() => problem(request(), status, code));
const refusedField = (request, path, code) =>
  table.unchanged(() => invalidField(request(), path, code));

async function totalsOf(id) {
  const { Subtotal, Discount, Tax, Total } = await sale(id);
  return [Subtotal, Discount, Tax, Total];
}

test('SAL-W1 a sale is created with its lines', async () => {
  const lines = [
    newLine(1, { Quantity: 3, UnitPrice: 10.1, Discount: 0.3, Tax: 1 }),
    newLine(2, { Quantity: 1, UnitPrice: 0.2 }),
  ];
  const { results } = await api.done(api.post('/sales:withLines', { sale: newSale(), lines }));
  assert.deepEqual(
    results.map(({ status, entity, etag }) => `${status} ${entity} ${etag}`),
    ['201 Sale "v1"', '201 SaleLine "v1"', '201 SaleLine "v1"'],
  );
  const id = results[0].item.SaleId;
  assert.deepEqual(await totalsOf(id), [30.5, 0.3, 1, 31.2]);
  const items = await table.query('PK = :a', `SALE#${id}`);
  assert.deepEqual(
    items.map((item) => item.SK.S),
    ['#METADATA#sale', 'LINE#001', 'LINE#002'],
  );
});

test('SAL-W1 98 lines fit into the transaction, and no more', async () => {
  const lines = Array.from({ length: 99 }, (_, i) => newLine(i + 1));
  const SaleId = 'WIDE';
  await refusedField(
    () => api.post('/sales:withLines', { sale: newSale({ SaleId }), lines }),
    '/lines',
    'length',
  );
  lines.pop();
  await api.done(api.post('/sales:withLines', { sale: newSale({ SaleId }), lines }));
  assert.equal((await api.list('/sales/WIDE/lines')).length, 98);
  assert.equal((await sale('WIDE')).Total, 98 * 25);
});

test('SAL-W1 what is refused leaves neither sale nor lines', async () => {
  const withLines = (more, lines = [newLine(1)]) =>
    api.post('/sales:withLines', { sale: newSale(more), lines });
  await refused(() => withLines({ SaleId: 'SALE001' }), 409, 'already_exists');
  await refused(() => withLines({}, [newLine(1), newLine(1)]), 409, 'already_exists');
  const missing = await refused(() => withLines({ BuyerId: 'NONE' }), 409, 'missing_reference');
  assert.equal(missing.errors[0].path, '/sale/BuyerId');
  await refused(() => withLines({ ProducerId: 'NONE' }), 409, 'missing_reference');
  await refusedField(() => withLines({}, []), '/lines', 'length');
  await refusedField(
    () => withLines({}, [newLine(1), newLine(2, { Quantity: -1 })]),
    '/lines/1/Quantity',
    'range',
  );
  await refusedField(
    () => api.post('/sales:withLines', { lines: [newLine(1)] }),
    '/sale',
    'required',
  );
  const { BuyerId } = await create(api, '/buyers', newBuyer({ Status: 'BLOCKED' }));
  const rule = await refused(() => withLines({ BuyerId }), 422, 'rule_failed');
  assert.equal(rule.rule, 'buyer_is_active');
  assert.equal(rule.detail, 'The buyer is not active.');
});

// A client that lost the answer asks again.
test('SAL-W1 a repeated request with its key creates one sale', async () => {
  const body = { sale: newSale({ Notes: 'once' }), lines: [newLine(1)] };
  const key = { 'idempotency-key': 'sal-w1' };
  const first = await api.done(api.post('/sales:withLines', body, key));
  const again = await table.unchanged(() => api.post('/sales:withLines', body, key));
  assert.equal(again.status, 200, again.text);
  assert.equal(again.headers['idempotency-replayed'], 'true');
  assert.equal(again.body.results[0].item.SaleId, first.results[0].item.SaleId);
  body.sale.Notes = 'twice';
  await refused(() => api.post('/sales:withLines', body, key), 422, 'idempotency_mismatch');
});

test('SAL-W2 a sale is updated', async () => {
  const { SaleId } = await create(api, '/sales', newSale());
  const changes = { DeliveryDate: '2026-03-20T00:00:00Z', PaymentTerms: 'CASH', Notes: 'À tarde' };
  await api.done(api.post(`/sales/${SaleId}:revise`, changes), 200);
  const { DeliveryDate, PaymentTerms, Notes } = await sale(SaleId);
  assert.deepEqual({ DeliveryDate, PaymentTerms, Notes }, changes);
  await api.done(api.post(`/sales/${SaleId}:revise`, { Notes: 'De manhã' }), 200);
  assert.equal((await sale(SaleId)).PaymentTerms, 'CASH');
  const early = { DeliveryDate: '2026-02-28T00:00:00Z' };
  const rule = await refused(() => api.post(`/sales/${SaleId}:revise`, early), 422, 'rule_failed');
  assert.equal(rule.rule, 'delivery_after_sale');
  await refusedField(
    () => api.post(`/sales/${SaleId}:revise`, { PaymentTerms: 'NEVER' }),
    '/PaymentTerms',
    'enum',
  );
  await refusedField(() => api.post(`/sales/${SaleId}:revise`, { Note: 'x' }), '/Note', 'unknown');
  await refused(() => api.post('/sales/NONE:revise', { Notes: 'x' }), 404, 'not_found');
});

// All index keys follow from what is stored after the change.
test('SAL-W2 another date and buyer move a sale in its indexes', async () => {
  const { SaleId } = await create(api, '/sales', newSale());
  const { BuyerId, Name, Document } = await create(api, '/buyers', newBuyer({ Name: 'Nova' }));
  const SaleDate = '2026-03-05T00:00:00Z';
  const patched = await api.done(api.patch(`/sales/${SaleId}`, { BuyerId, SaleDate }), 200);
  assert.equal(patched.BuyerName, Name);
  assert.equal(patched.BuyerDocument, Document);
  const item = await table.get(`SALE#${SaleId}`, '#METADATA#sale');
  assert.equal(item.GSI1PK.S, `BUYER#${BuyerId}`);
  for (const n of [1, 2, 3]) assert.equal(item[`GSI${n}SK`].S, `SALE#${SaleDate}`);
  assert.equal(item.UpdatedBy.S, patched.UpdatedBy);
  await refused(() => api.patch(`/sales/${SaleId}`, { SaleId: 'OTHER' }), 409, 'key_change');
  await refused(() => api.patch(`/sales/${SaleId}`, { BuyerId: 'NONE' }), 409, 'missing_reference');
});

test('SAL-W2 a sale is replaced, and the same request again changes nothing', async () => {
  const put = () => api.put('/sales/PUT', newSale({ Notes: 'x' }));
  assert.equal((await put()).status, 201);
  const created = await sale('PUT');
  assert.equal(created.PaymentTerms, '30_DAYS', 'those of the buyer');
  const again = await table.unchanged(put);
  assert.equal(again.status, 200, again.text);
  assert.deepEqual(again.body, created);
  const replaced = await api.done(api.put('/sales/PUT', newSale({ PaymentTerms: 'CASH' })), 200);
  assert.equal(replaced.Notes, undefined);
  assert.equal(replaced.CreatedAt, created.CreatedAt);
  assert.equal(replaced.PaymentTerms, 'CASH');
});

test('SAL-W2 SAL-D27 an update of an older version is refused', async () => {
  const { SaleId } = await create(api, '/sales', newSale());
  const first = await api.get(`/sales/${SaleId}`);
  const ifMatch = { 'if-match': first.headers.etag };
  const second = await api.patch(`/sales/${SaleId}`, { Notes: 'mine' }, ifMatch);
  assert.equal(second.headers.etag, '"v2"');
  assert.equal((await table.get(`SALE#${SaleId}`, '#METADATA#sale'))._v.N, '2');
  const lost = () => api.patch(`/sales/${SaleId}`, { Notes: 'yours' }, ifMatch);
  await refused(lost, 412, 'version_mismatch');
});

test('SAL-W3 the status of a sale changes, and GSI3 with it', async () => {
  const { SaleId } = await create(api, '/sales', newSale());
  const changed = (to) => api.post(`/sales/${SaleId}/status`, { to });
  await api.done(changed('CONFIRMED'), 200);
  const item = await table.get(`SALE#${SaleId}`, '#METADATA#sale');
  assert.equal(item.Status.S, 'CONFIRMED');
  assert.equal(item.GSI3PK.S, 'STATUS#CONFIRMED');
  const illegal = await refused(() => changed('DELIVERED'), 409, 'illegal_transition');
  assert.equal(illegal.from, 'CONFIRMED');
  assert.deepEqual(illegal.allowed, ['INVOICED', 'CANCELLED']);
  await refusedField(() => changed('PAID'), '/to', 'enum');
  await refusedField(() => changed(undefined), '/to', 'required');
  await refused(() => api.post('/sales/NONE/status', { to: 'CONFIRMED' }), 404, 'not_found');
});

// Who asks for the state that the sale is in already gets it, and writes nothing.
test('SAL-W3 the same transition by several clients is done once', async () => {
  const { SaleId } = await create(api, '/sales', newSale({ Status: 'SHIPPED' }));
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => api.post(`/sales/${SaleId}/status`, { to: 'DELIVERED' })),
  );
  for (const { status, text } of answers) assert.equal(status, 200, text);
  const item = await table.get(`SALE#${SaleId}`, '#METADATA#sale');
  assert.equal(item.Status.S, 'DELIVERED');
  assert.equal(item._v.N, '2');
});

test('SAL-W4 SAL-D12 lines are added, changed and removed with the totals of the sale', async () => {
  const { SaleId } = await create(api, '/sales', newSale());
  const lines = `/sales/${SaleId}/lines`;
  const line = newLine(1, { Quantity: 2, UnitPrice: 10.25, Discount: 0.5, Tax: 1 });
  const { results } = await api.done(api.post(`${lines}:add`, { line }), 200);
  assert.deepEqual(
    results.map(({ entity, status }) => `${entity} ${status}`),
    ['SaleLine 201', 'Sale 200'],
  );
  assert.deepEqual(await totalsOf(SaleId), [20.5, 0.5, 1, 21]);
  await api.done(api.post(`${lines}:add`, { line: newLine(2) }), 200);
  assert.deepEqual(await totalsOf(SaleId), [45.5, 0.5, 1, 46]);
  const change = { Quantity: 4, UnitPrice: 10, Discount: 0, Tax: 2.5 };
  await api.done(api.post(`${lines}/1:change`, change), 200);
  assert.equal((await api.item(`${lines}/1`)).Total, 42.5);
  assert.deepEqual(await totalsOf(SaleId), [65, 0, 2.5, 67.5]);
  await api.done(api.post(`${lines}/2:remove`), 200);
  assert.deepEqual(await totalsOf(SaleId), [40, 0, 2.5, 42.5]);
  await problem(api.get(`${lines}/2`), 404, 'not_found');

  await refused(() => api.post(`${lines}:add`, { line: newLine(1) }), 409, 'already_exists');
  await refused(() => api.post(`${lines}/2:change`, change), 404, 'not_found');
  await refused(() => api.post(`${lines}/2:remove`), 404, 'not_found');
  await refusedField(
    () => api.post(`${lines}/1:change`, { ...change, Tax: undefined }),
    '/Tax',
    'required',
  );
  await refused(() => api.post('/sales/NONE/lines:add', { line: newLine(1) }), 404, 'not_found');
});

// The verbs of lines keep the totals, too; nobody has to know the operations.
test('SAL-W4 plain writes of lines change the totals', async () => {
  const { SaleId } = await create(api, '/sales', newSale());
  const lines = `/sales/${SaleId}/lines`;
  await create(api, lines, newLine(1));
  assert.deepEqual(await totalsOf(SaleId), [25, 0, 0, 25]);
  await api.done(api.patch(`${lines}/1`, { Quantity: 20 }), 200);
  assert.deepEqual(await totalsOf(SaleId), [50, 0, 0, 50]);
  await api.done(api.put(`${lines}/2`, newLine(2)), 201);
  assert.deepEqual(await totalsOf(SaleId), [75, 0, 0, 75]);
  await api.done(api.del(`${lines}/1`), 204);
  assert.deepEqual(await totalsOf(SaleId), [25, 0, 0, 25]);
  await refused(() => api.post('/sales/NONE/lines', newLine(1)), 409, 'missing_reference');
});

test('SAL-W4 lines that come at the same time are all in the totals', async () => {
  const { SaleId } = await create(api, '/sales', newSale());
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, i) => api.post(`/sales/${SaleId}/lines`, newLine(i + 1))),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 201),
  );
  assert.equal((await sale(SaleId)).Total, 12 * 25);
});

test('SAL-D31 amounts have two digits, rounded half even', async () => {
  const { SaleId } = await create(api, '/sales', newSale());
  for (const [LineNumber, Quantity, Subtotal] of [
    [1, 0.5, 0],
    [2, 1.5, 0.02],
    [3, 2.5, 0.02],
    [4, 3.500001, 0.04],
  ]) {
    const line = newLine(LineNumber, { Quantity, UnitPrice: 0.01 });
    assert.equal((await create(api, `/sales/${SaleId}/lines`, line)).Subtotal, Subtotal);
  }
  assert.equal((await sale(SaleId)).Total, 0.08);
  await refusedField(
    () => api.post(`/sales/${SaleId}/lines`, newLine(5, { UnitPrice: 0.001 })),
    '/UnitPrice',
    'scale',
  );
});

test('SAL-D5 instants have whole seconds, so that keys sort by time', async () => {
  await refusedField(
    () => api.post('/sales', newSale({ SaleDate: '2026-03-01T12:00:00.500Z' })),
    '/SaleDate',
    'precision',
  );
  const made = await create(api, '/sales', newSale({ SaleDate: '2026-03-01T12:00:00.000Z' }));
  assert.equal(made.SaleDate, '2026-03-01T12:00:00Z');
});

test('SAL-W5 SAL-D17 buyers and producers are created with documents of their own', async () => {
  const Document = newDocument();
  for (const [path, one, key] of [
    ['/buyers', 'buyer', 'BuyerId'],
    ['/producers', 'producer', 'ProducerId'],
  ]) {
    const body = path === '/buyers' ? newBuyer({ Document }) : newProducer({ Document });
    const { results } = await api.done(api.post(`${path}:create`, { [one]: body }), 200);
    const id = results[0].item[key];
    assert.equal(results[0].location, `${path}/${id}`);
    assert.equal((await api.item(`${path}/${id}`)).TaxId, Document);
    const again = await refused(() => api.post(path, body), 409, 'not_unique');
    assert.equal(again.errors[0].path, '/Document');
    await refused(() => api.post(`${path}:create`, { [one]: body }), 409, 'not_unique');
    const sameId = { ...body, Document: newDocument(), [key]: id };
    await refused(() => api.post(path, sameId), 409, 'already_exists');
    await api.done(api.patch(`${path}/${id}`, { Document: newDocument() }), 200);
    await create(api, path, body);
  }
});

test('SAL-W5 a document of the samples is taken, and a free one is free again', async () => {
  const taken = newBuyer({ Document: '12.345.678/0001-90' });
  await refused(() => api.post('/buyers', taken), 409, 'not_unique');
  const body = newBuyer();
  const { BuyerId } = await create(api, '/buyers', body);
  await api.done(api.del(`/buyers/${BuyerId}`), 204);
  await create(api, '/buyers', body);
  await refusedField(
    () => api.post('/buyers', newBuyer({ Document: '1' })),
    '/Document',
    'pattern',
  );
  await refusedField(() => api.post('/buyers', newBuyer({ Email: 'x' })), '/Email', 'format');
  await refused(() => api.del('/buyers/BUYER001'), 409, 'restricted');
  await refused(() => api.del('/producers/PRODUCER001'), 409, 'restricted');
});

// Until a sale is invoiced its copies follow; then they are evidence (SAL-D11).
test('SAL-W6 SAL-D11 a buyer is renamed with the copies of the name', async () => {
  const { BuyerId, Document } = await create(api, '/buyers', newBuyer({ Name: 'Antigo' }));
  const ids = {};
  for (const Status of ['DRAFT', 'CONFIRMED', 'INVOICED', 'SHIPPED', 'DELIVERED', 'CANCELLED']) {
    ids[Status] = (await create(api, '/sales', newSale({ BuyerId, Status }))).SaleId;
  }
  const other = await create(api, '/sales', newSale());
  await api.done(api.post(`/buyers/${BuyerId}:rename`, { Name: 'Álvaro & Filhos' }), 200);
  const item = await table.get(`BUYER#${BuyerId}`, '#METADATA#buyer');
  assert.equal(item.Name.S, 'Álvaro & Filhos');
  assert.equal(item.GSI1SK.S, 'BUYER#Álvaro & Filhos');
  for (const [status, id] of Object.entries(ids)) {
    const follows = status === 'DRAFT' || status === 'CONFIRMED';
    const { BuyerName, BuyerDocument } = await sale(id);
    assert.equal(BuyerName, follows ? 'Álvaro & Filhos' : 'Antigo', status);
    assert.equal(BuyerDocument, Document);
  }
  assert.equal((await sale(other.SaleId)).BuyerName, 'ACME Corporation');
  await refusedField(() => api.post(`/buyers/${BuyerId}:rename`, {}), '/Name', 'required');
  await refusedField(
    () => api.post(`/buyers/${BuyerId}:rename`, { Name: 'A#B' }),
    '/Name',
    'key_text',
  );
  await refused(() => api.post('/buyers/NONE:rename', { Name: 'x' }), 404, 'not_found');
});

test('SAL-W7 SAL-D15 SAL-D17 SAL-D18 an invoice is issued for a confirmed sale, once', async () => {
  const { SaleId } = await create(api, '/sales', newSale());
  const issue = (body) => api.post(`/sales/${SaleId}/invoice:issue`, { invoice: body });
  const body = newInvoice();
  await refused(() => issue(body), 422, 'rule_failed');
  await api.done(api.post(`/sales/${SaleId}/status`, { to: 'CONFIRMED' }));
  await api.done(issue(body), 200);
  assert.equal((await invoice(SaleId)).Status, 'DRAFT');
  assert.equal((await invoice(SaleId)).InvoiceModel, '55');
  assert.equal((await sale(SaleId)).Status, 'CONFIRMED');
  await refused(() => issue(newInvoice()), 409, 'already_exists');
  const another = await create(api, '/sales', newSale({ Status: 'CONFIRMED' }));
  const path = `/sales/${another.SaleId}/invoice:issue`;
  const again = newInvoice({ InvoiceKey: body.InvoiceKey });
  await refused(() => api.post(path, { invoice: again }), 409, 'not_unique');
  const short = newInvoice({ InvoiceKey: '123' });
  await refusedField(() => api.post(path, { invoice: short }), '/invoice/InvoiceKey', 'pattern');
  const none = () => api.post('/sales/NONE/invoice:issue', { invoice: newInvoice() });
  await refused(none, 404, 'not_found');
});

test('SAL-W7 SAL-T4 an invoice is authorised with its sale, or neither is', async () => {
  const { SaleId } = await create(api, '/sales', newSale({ Status: 'CONFIRMED' }));
  const authorize = () =>
    api.post(`/sales/${SaleId}/invoice:authorize`, { AuthorizationProtocol: '1' });
  await refused(authorize, 404, 'not_found');
  await create(api, `/sales/${SaleId}/invoice`, newInvoice());
  const early = await refused(authorize, 409, 'illegal_transition');
  assert.equal(early.from, 'DRAFT');
  await api.done(api.patch(`/sales/${SaleId}/invoice`, { Status: 'PENDING_AUTHORIZATION' }));
  await refusedField(
    () => api.post(`/sales/${SaleId}/invoice:authorize`, {}),
    '/AuthorizationProtocol',
    'required',
  );
  await api.done(authorize(), 200);
  assert.equal((await invoice(SaleId)).Status, 'AUTHORIZED');
  assert.equal((await sale(SaleId)).Status, 'INVOICED');
  await refused(authorize, 422, 'rule_failed');
});

test('SAL-W7 the invoice of a cancelled sale is not authorised', async () => {
  const { SaleId } = await create(api, '/sales', newSale({ Status: 'CONFIRMED' }));
  await create(api, `/sales/${SaleId}/invoice`, newInvoice({ Status: 'PENDING_AUTHORIZATION' }));
  await api.done(api.post(`/sales/${SaleId}/status`, { to: 'CANCELLED' }));
  const refusal = await refused(
    () => api.post(`/sales/${SaleId}/invoice:authorize`, { AuthorizationProtocol: '1' }),
    409,
    'illegal_transition',
  );
  assert.equal(refusal.from, 'CANCELLED');
  assert.equal((await invoice(SaleId)).Status, 'PENDING_AUTHORIZATION');
});

test('SAL-D10 a sale goes with its lines and invoice, if that is asked for', async () => {
  const { SaleId } = await create(api, '/sales', newSale());
  await create(api, `/sales/${SaleId}/lines`, newLine(1));
  const body = newInvoice();
  await create(api, `/sales/${SaleId}/invoice`, body);
  await refused(() => api.del(`/sales/${SaleId}`), 409, 'restricted');
  await api.done(api.del(`/sales/${SaleId}?cascade=collection`), 204);
  assert.deepEqual(await table.query('PK = :a', `SALE#${SaleId}`), []);
  const next = await create(api, '/sales', newSale());
  await create(api, `/sales/${next.SaleId}/invoice`, body);
});

// The document's own code writes past the model; its items are served like any other.
test('SAL-W1 a sale that the AWS SDK wrote is served', async () => {
  const written = await table.get('SALE#SALE001', '#METADATA#sale');
  await table.put({ ...written, PK: S('SALE#RAW'), SaleId: S('RAW') });
  assert.equal((await sale('RAW')).Total, 27550);
  assert.equal((await api.get('/sales/RAW')).status, 200);
});
