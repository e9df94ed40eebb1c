// The access patterns of the sales design, each as the document's own request and as its route:
// both must find the same, in the same order. The data has near misses everywhere: ids that begin
// with other ids, other entities in the same partitions, instants at the ends of days.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { problem, S } from './rest.js';
import {
  create,
  newBuyer,
  newInvoice,
  newLine,
  newProducer,
  newSale,
  serveSales,
  shownOf,
} from './sales_requests.js';

const STATUSES = ['DRAFT', 'CONFIRMED', 'INVOICED', 'SHIPPED', 'DELIVERED', 'CANCELLED'];

// SALE001 of the samples is of 2026-01-30T14:30:00Z, INVOICED, of BUYER001 and PRODUCER001.
const SALES = [
  ['S1', 'B1', 'P1', '2025-12-31T23:59:59Z', 'DRAFT'],
  ['S10', 'B1', 'P1', '2026-01-01T00:00:00Z', 'CONFIRMED'],
  ['S100', 'B10', 'P1', '2026-01-15T10:00:00Z', 'DELIVERED'],
  ['S2', 'B1', 'P10', '2026-01-31T23:59:59Z', 'CONFIRMED'],
  ['S3', 'B1', 'P1', '2026-02-01T00:00:00Z', 'SHIPPED'],
  ['S4', 'B10', 'P10', '2026-02-02T00:00:00Z', 'CANCELLED'],
  ['S5', 'B10', 'P10', '2026-02-03T00:00:00Z', 'CONFIRMED'],
];

let api;
let table;

before(async () => {
  ({ api, table } = await serveSales());
  for (const [BuyerId, Name] of [
    ['B1', 'Zeta'],
    ['B10', 'acme'],
    ['B100', 'Álvaro'],
  ]) {
    await create(api, '/buyers', newBuyer({ BuyerId, Name }));
  }
  for (const [ProducerId, Name] of [
    ['P1', 'Vale Verde'],
    ['P10', 'Boa Vista'],
  ]) {
    await create(api, '/producers', newProducer({ ProducerId, Name }));
  }
  for (const [SaleId, BuyerId, ProducerId, SaleDate, Status] of SALES) {
    await create(api, '/sales', newSale({ SaleId, BuyerId, ProducerId, SaleDate, Status }));
  }
  for (const number of [100, 2, 10, 1]) await create(api, '/sales/S1/lines', newLine(number));
  await create(api, '/sales/S10/lines', newLine(1));
  await create(api, '/sales/S1/invoice', newInvoice());
  await create(api, '/sales/S10/invoice', newInvoice());
});

const onIndex = (n, pk, sk = '', more = {}) =>
  table.query(`GSI${n}PK = :a AND begins_with(GSI${n}SK, :b)`, pk, sk, {
    IndexName: `GSI${n}`,
    ...more,
  });
const between = (n, pk, from, to, more = {}) =>
  table.query(`GSI${n}PK = :a AND GSI${n}SK BETWEEN :b AND :c`, pk, from, to, {
    IndexName: `GSI${n}`,
    ...more,
  });
const newestFirst = { ScanIndexForward: false };

// The route finds what the request found, on one page and on pages of one item.
async function same(found, path, ids) {
  const expected = found.map(shownOf);
  assert.deepEqual(await api.list(path), expected);
  assert.deepEqual(await api.pages(path), expected);
  const names = expected.map((each) => each.SaleId ?? each.BuyerId ?? each.ProducerId);
  assert.deepEqual(names, ids);
}

async function sameItem(PK, SK, path) {
  assert.deepEqual(await api.item(path), shownOf(await table.get(PK, SK)));
}

test('SAL-Q1 a sale by id', async () => {
  await sameItem('SALE#SALE001', '#METADATA#sale', '/sales/SALE001');
  await sameItem('SALE#S1', '#METADATA#sale', '/api/v1/sales/sales/S1');
  assert.equal((await api.head('/sales/S1')).status, 200);
  for (const id of ['S', 'S1000', 'BUYER001', 's1']) {
    assert.equal(await table.get(`SALE#${id}`, '#METADATA#sale'), undefined);
    await problem(api.get(`/sales/${id}`), 404, 'not_found');
    assert.equal((await api.head(`/sales/${id}`)).status, 404);
  }
});

// No index has all sales (SAL-D2): the document scans, the route merges six partitions of GSI3.
test('SAL-Q2 all sales, newest first', async () => {
  const scanned = await table.scan({
    FilterExpression: 'EntityType = :t',
    ExpressionAttributeValues: { ':t': S('Sale') },
  });
  const lists = await Promise.all(STATUSES.map((status) => onIndex(3, `STATUS#${status}`)));
  const merged = lists.flat().sort((a, b) => (a.GSI3SK.S < b.GSI3SK.S ? 1 : -1));
  assert.equal(merged.length, scanned.length);
  await same(merged, '/sales', ['S5', 'S4', 'S3', 'S2', 'SALE001', 'S100', 'S10', 'S1']);
  const oldest = (await api.list('/sales?order=asc')).map((sale) => sale.SaleId);
  assert.deepEqual(oldest, ['S1', 'S10', 'S100', 'SALE001', 'S2', 'S3', 'S4', 'S5']);
  assert.deepEqual(await api.pages('/sales', 3), merged.map(shownOf));
});

// A cursor between two sales of one instant in different partitions must neither lose nor repeat.
test('SAL-Q2 sales of the same second are each listed once', async () => {
  const ids = [];
  for (const Status of STATUSES) {
    const sale = newSale({ SaleId: `TIE-${Status}`, SaleDate: '2030-05-05T05:05:05Z', Status });
    ids.push((await create(api, '/sales', sale)).SaleId);
  }
  for (const order of ['asc', 'desc']) {
    const path = `/sales?from=2030-05-05&to=2030-05-05&order=${order}`;
    const all = (await api.list(path)).map((sale) => sale.SaleId);
    const paged = (await api.pages(path)).map((sale) => sale.SaleId);
    assert.deepEqual(paged, all);
    assert.deepEqual([...all].sort(), [...ids].sort());
  }
  for (const id of ids) await api.done(api.del(`/sales/${id}`), 204);
});

test('SAL-Q3 the lines of a sale', async () => {
  const lines = await table.query('PK = :a AND begins_with(SK, :b)', 'SALE#S1', 'LINE#');
  const expected = lines.map(shownOf);
  assert.deepEqual(
    expected.map((line) => line.LineNumber),
    [1, 2, 10, 100],
  );
  assert.deepEqual(await api.list('/sales/S1/lines'), expected);
  assert.deepEqual(await api.pages('/sales/S1/lines'), expected);
  assert.deepEqual(await api.list('/sales/S1/lines?consistent=true'), expected);
  assert.deepEqual(await api.list('/sales/S2/lines'), []);
});

// One Query for all of it, in the order of the keys: invoice, sale, lines (SAL-D7).
test('SAL-Q3b SAL-D7 a sale with all its lines', async () => {
  const items = await table.query('PK = :a', 'SALE#S1');
  assert.deepEqual(
    items.map((item) => item.SK.S),
    ['#INVOICE#metadata', '#METADATA#sale', 'LINE#001', 'LINE#002', 'LINE#010', 'LINE#100'],
  );
  const [invoice, sale, ...lines] = items.map(shownOf);
  const whole = { ...sale, invoice, lines, next: null, complete: true };
  assert.deepEqual(await api.item('/sales/S1/full'), whole);
  assert.deepEqual(await api.item('/sales/S1?expand=invoice,lines'), whole);
  const withLines = { ...sale, lines, next: null, complete: true };
  assert.deepEqual(await api.item('/sales/S1?expand=lines'), withLines);
  const without = await api.item('/sales/S2/full');
  assert.equal(without.invoice, null);
  assert.deepEqual(without.lines, []);
  await problem(api.get('/sales/NONE/full'), 404, 'not_found');
});

test('SAL-Q3b a sale with its lines in pages', async () => {
  const whole = await api.item('/sales/S1/full');
  const first = await api.item('/sales/S1/full?limit=1');
  assert.equal(first.SaleId, 'S1');
  assert.equal(first.complete, false);
  const members = [];
  let page = first;
  for (;;) {
    if (page.invoice) members.push(page.invoice);
    members.push(...page.lines);
    if (page.next === null) break;
    page = await api.item(`/sales/S1/full?limit=1&after=${encodeURIComponent(page.next)}`);
  }
  assert.deepEqual(members, [whole.invoice, ...whole.lines]);
});

test('SAL-Q4 a buyer by id', async () => {
  await sameItem('BUYER#B1', '#METADATA#buyer', '/buyers/B1');
  await problem(api.get('/buyers/B'), 404, 'not_found');
});

// By bytes: capitals, then small letters, then letters with accents (SAL-D20).
test('SAL-Q5 SAL-D20 all buyers alphabetically', async () => {
  const found = await onIndex(1, 'BUYERS', 'BUYER#');
  assert.deepEqual(await table.query('GSI1PK = :a', 'BUYERS', { IndexName: 'GSI1' }), found);
  await same(found, '/buyers', ['BUYER001', 'B1', 'B10', 'B100']);
  assert.deepEqual(
    (await api.list('/buyers')).map((buyer) => buyer.Name),
    ['ACME Corporation', 'Zeta', 'acme', 'Álvaro'],
  );
});

test('SAL-Q6 sales of a buyer, newest first', async () => {
  const found = await onIndex(1, 'BUYER#B1', 'SALE#', newestFirst);
  await same(found, '/buyers/B1/sales', ['S3', 'S2', 'S10', 'S1']);
  await same(await onIndex(1, 'BUYER#B10', 'SALE#', newestFirst), '/buyers/B10/sales', [
    'S5',
    'S4',
    'S100',
  ]);
  assert.deepEqual(await api.list('/buyers/B100/sales'), []);
  assert.deepEqual(await api.list('/buyers/NONE/sales'), []);
});

// The last day of a range is a part of it (SAL-D4), which a bound of a bare date would leave out.
const JANUARY = ['SALE#2026-01-01T00:00:00Z', 'SALE#2026-01-31T23:59:59Z'];
const IN_JANUARY = 'from=2026-01-01&to=2026-01-31';

test('SAL-Q6b SAL-D4 sales of a buyer in a range of dates', async () => {
  const found = await between(1, 'BUYER#B1', ...JANUARY, newestFirst);
  await same(found, `/buyers/B1/sales?${IN_JANUARY}`, ['S2', 'S10']);
  const bare = await between(1, 'BUYER#B1', 'SALE#2026-01-01', 'SALE#2026-01-31');
  assert.deepEqual(
    bare.map((item) => item.SaleId.S),
    ['S10'],
  );
  const exact = 'from=2026-01-01T00:00:00Z&to=2026-01-31T23:59:59Z';
  await same(found, `/buyers/B1/sales?${exact}`, ['S2', 'S10']);
  const offset = `from=${encodeURIComponent('2025-12-31T21:00:00-03:00')}&to=2026-01-31T23:59:58Z`;
  await same([found[1]], `/buyers/B1/sales?${offset}`, ['S10']);
  const open = await table.query(
    'GSI1PK = :a AND GSI1SK BETWEEN :b AND :c',
    'BUYER#B1',
    'SALE#2026-01-31T00:00:00Z',
    'SALE#9999',
    { IndexName: 'GSI1', ...newestFirst },
  );
  await same(open, '/buyers/B1/sales?from=2026-01-31', ['S3', 'S2']);
  assert.equal((await api.list('/buyers/B1/sales?to=2025-12-31')).length, 1);
  await problem(api.get('/buyers/B1/sales?from=yesterday'), 400, 'invalid');
});

test('SAL-Q7 a producer by id', async () => {
  await sameItem('PRODUCER#P1', '#METADATA#producer', '/producers/P1');
  await problem(api.get('/producers/P'), 404, 'not_found');
});

test('SAL-Q8 all producers alphabetically', async () => {
  const found = await onIndex(2, 'PRODUCERS', 'PRODUCER#');
  assert.deepEqual(await table.query('GSI2PK = :a', 'PRODUCERS', { IndexName: 'GSI2' }), found);
  await same(found, '/producers', ['P10', 'PRODUCER001', 'P1']);
});

test('SAL-Q9 sales of a producer', async () => {
  const found = await onIndex(2, 'PRODUCER#P1', 'SALE#', newestFirst);
  await same(found, '/producers/P1/sales', ['S3', 'S100', 'S10', 'S1']);
  const forward = await onIndex(2, 'PRODUCER#P1', 'SALE#');
  await same(forward, '/producers/P1/sales?order=asc', ['S1', 'S10', 'S100', 'S3']);
});

test('SAL-Q9b sales of a producer in a range of dates', async () => {
  const found = await between(2, 'PRODUCER#P1', ...JANUARY, newestFirst);
  await same(found, `/producers/P1/sales?${IN_JANUARY}`, ['S100', 'S10']);
});

// Without a status no index serves it (SAL-D3): six partitions again, oldest first.
test('SAL-Q10 SAL-D3 sales in a range of dates', async () => {
  const lists = await Promise.all(
    STATUSES.map((status) => between(3, `STATUS#${status}`, ...JANUARY)),
  );
  const merged = lists.flat().sort((a, b) => (a.GSI3SK.S < b.GSI3SK.S ? -1 : 1));
  await same(merged, `/sales?${IN_JANUARY}`, ['S10', 'S100', 'SALE001', 'S2']);
  const half = await problem(api.get('/sales?from=2026-01-01'), 400, 'no_access_pattern');
  assert.ok(half.patterns.some(({ name }) => name === 'salesByDate'));
});

test('SAL-Q10 SAL-Q11 sales of a status in a range of dates', async () => {
  const found = await between(3, 'STATUS#CONFIRMED', ...JANUARY, newestFirst);
  await same(found, `/sales?Status=CONFIRMED&${IN_JANUARY}`, ['S2', 'S10']);
});

test('SAL-Q11 sales by status', async () => {
  for (const [status, ids] of [
    ['DRAFT', ['S1']],
    ['CONFIRMED', ['S5', 'S2', 'S10']],
    ['INVOICED', ['SALE001']],
    ['SHIPPED', ['S3']],
    ['DELIVERED', ['S100']],
    ['CANCELLED', ['S4']],
  ]) {
    const found = await onIndex(3, `STATUS#${status}`, 'SALE#', newestFirst);
    await same(found, `/sales?Status=${status}`, ids);
  }
  await problem(api.get('/sales?Status=PAID'), 400, 'invalid');
});

test('SAL-Q11b the pipeline: sales counted by status', async () => {
  const counts = {};
  for (const status of STATUSES) {
    const { Count } = await table.send('Query', {
      IndexName: 'GSI3',
      KeyConditionExpression: 'GSI3PK = :a',
      ExpressionAttributeValues: { ':a': S(`STATUS#${status}`) },
      Select: 'COUNT',
    });
    counts[status] = Count;
  }
  const pipeline = await api.item('/pipeline');
  assert.deepEqual(pipeline.counts, counts);
  assert.equal(pipeline.total, 8);
});

test('SAL-Q12 the invoice of a sale', async () => {
  await sameItem('SALE#S1', '#INVOICE#metadata', '/sales/S1/invoice');
  await problem(api.get('/sales/S2/invoice'), 404, 'not_found');
});

// A list is never made by reading a table, and a cursor is good for its own question only.
test('SAL-Q6 cursors and filters', async () => {
  const { next } = await api.item('/buyers/B1/sales?limit=2');
  assert.ok(next);
  const after = `after=${encodeURIComponent(next)}`;
  for (const path of [
    `/buyers/B10/sales?limit=2&${after}`,
    `/buyers/B1/sales?limit=2&order=asc&${after}`,
    `/producers/P1/sales?limit=2&${after}`,
    `/buyers/B1/sales?limit=2&after=x${encodeURIComponent(next)}`,
  ]) {
    await problem(api.get(path), 400, 'bad_cursor');
  }
  const confirmed = await api.pages('/buyers/B1/sales?Status=CONFIRMED');
  assert.deepEqual(
    confirmed.map((sale) => sale.SaleId),
    ['S2', 'S10'],
  );
  await problem(api.get('/buyers/B1/sales?consistent=true'), 400, 'invalid');
  await problem(api.get('/lines'), 404, 'not_found');
});
