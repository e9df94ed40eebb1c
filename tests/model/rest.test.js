// What REST promises beside the designs' own patterns: versions, retries, transactions, and unique
// values of items that came past it.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, test } from 'node:test';

import { startServer, temporaryFolder } from '../support/server.js';
import { modelPath } from './designs.js';
import { raw, rest, serve } from './requirements/rest.js';

let api;
let table;

before(async () => {
  const server = await serve('sales');
  api = rest(server);
  table = raw(server, 'SalesTable-dev');
});

// Until something holds, or a second is over.
async function soon(holds) {
  const limit = Date.now() + 1000;
  while (!(await holds()) && Date.now() < limit) await new Promise((next) => setTimeout(next, 5));
  assert.ok(await holds());
}

test('an operation heeds If-Match, and several writes say it in their bodies', async () => {
  const { headers } = await api.get('/sales/SALE001');
  const old = await api.post('/sales/SALE001:revise', { Notes: 'a' }, { 'if-match': '"v77"' });
  assert.equal(old.status, 412, old.text);
  assert.equal(old.body.current, headers.etag);
  const done = await api.post('/sales/SALE001:revise', { Notes: 'a' }, { 'if-match': headers.etag });
  assert.equal(done.status, 200, done.text);
  const created = await api.post('/buyers:create', { buyer: {} }, { 'if-match': '"v1"' });
  assert.equal(created.status, 400, created.text);
  const write = { patch: 'Sale', key: { SaleId: 'SALE001' }, body: { Notes: 'b' } };
  const refused = await api.post('/transact', { writes: [write] }, { 'if-match': '"v1"' });
  assert.deepEqual(
    refused.body.errors.map((each) => each.path),
    ['If-Match'],
  );
  const late = await api.post('/transact', { writes: [{ ...write, ifMatch: 'v77' }] });
  assert.equal(late.status, 412, late.text);
});

test('a retry of a create gets the first answer', async () => {
  const body = { Name: 'Twice', Document: '11.111.111/0001-11' };
  const headers = { 'idempotency-key': 'twice' };
  const first = await api.post('/buyers', body, headers);
  const second = await api.post('/buyers', body, headers);
  assert.equal(first.status, 201, first.text);
  assert.equal(second.status, 201, second.text);
  assert.equal(second.headers.location, first.headers.location);
  assert.equal(second.headers['idempotency-replayed'], 'true');
  assert.deepEqual(second.body, first.body);
});

test('a put of a transaction without its name creates', async () => {
  const body = { Name: 'New', Document: '22.222.222/0001-22' };
  const answer = await api.post('/transact', { writes: [{ put: 'Buyer', body }] });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.body.results[0].status, 201);
});

test('unique values of raw writes are marked', async () => {
  const Document = '33.333.333/0001-33';
  await table.put({
    PK: { S: 'BUYER#RAW' },
    SK: { S: '#METADATA#buyer' },
    EntityType: { S: 'Buyer' },
    BuyerId: { S: 'RAW' },
    Name: { S: 'Raw' },
    Document: { S: Document },
    Status: { S: 'ACTIVE' },
    GSI1PK: { S: 'BUYERS' },
    GSI1SK: { S: 'BUYER#Raw' },
  });
  const marker = 'MONOTABLE#UNIQUE#buyer_document#33333333000133';
  await soon(async () => (await table.get(marker, 'MONOTABLE#')) !== undefined);
  const twin = await api.post('/buyers', { Name: 'Twin', Document });
  assert.equal(twin.body.code, 'not_unique', twin.text);
});

test('samples that come at a later start have their unique values', async () => {
  const folder = temporaryFolder();
  after(() => rmSync(folder, { recursive: true, force: true }));
  const args = ['--model', modelPath('sales')];
  await (await startServer({ data: folder, args })).stop();
  const server = await startServer({ data: folder, args: [...args, '--samples'] });
  try {
    const late = rest(server);
    const { Document } = await late.item('/buyers/BUYER001');
    const marker = `MONOTABLE#UNIQUE#buyer_document#${Document.replace(/\D/g, '')}`;
    const sales = raw(server, 'SalesTable-dev');
    await soon(async () => (await sales.get(marker, 'MONOTABLE#')) !== undefined);
    const twin = await late.post('/buyers', { Name: 'Twin', Document });
    assert.equal(twin.body.code, 'not_unique', twin.text);
  } finally {
    await server.stop();
  }
});

test('a transaction names items by keys that the server has set', async () => {
  const server = await serve('chat', { args: ['--create-adopted'] });
  const chat = rest(server, { headers: { tenant: 'tenant-1' } });
  const page = await chat.get('/conversations/conversation-1/messages?limit=1');
  const { conversationId, createdAt } = page.body.items[0];
  const answer = await chat.post('/transact', {
    writes: [{ patch: 'Message', key: { conversationId, createdAt }, body: { content: 'novo' } }],
  });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.body.results[0].item.content, 'novo');
});
