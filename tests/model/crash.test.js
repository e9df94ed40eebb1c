// A server of the sales design is killed with SIGKILL while several clients write through REST. What
// was acknowledged is there afterwards, and the rules hold for everything that is there: totals are
// the sums of their lines, copies are those of the buyer, unique values and ids are unique.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, test } from 'node:test';

import { startServer, temporaryFolder } from '../support/server.js';
import { modelPath } from './designs.js';
import { rest } from './requirements/rest.js';

const ROUNDS = 3;
const CLIENTS = 6;
const ROUND_MS = 700;

const folder = temporaryFolder();
after(() => rmSync(folder, { recursive: true, force: true }));

function start() {
  return startServer({ data: folder, args: ['--model', modelPath('sales'), '--samples'] });
}

const line = (number) => ({
  LineNumber: number,
  ProductCode: 'A',
  ProductName: 'Café',
  Quantity: 1,
  Unit: 'KG',
  UnitPrice: number,
});

// One client: sales with lines, more lines, renames, until the connection breaks.
async function write(api, client, round, acknowledged) {
  for (let i = 0; ; i += 1) {
    try {
      const answer = await api.post('/sales:withLines', {
        sale: { BuyerId: 'BUYER001', ProducerId: 'PRODUCER001', SaleDate: '2026-03-01T10:00:00Z' },
        lines: [line(1), line(2)],
      });
      assert.equal(answer.status, 200, answer.text);
      const { SaleId } = answer.body.results[0].item;
      const lines = new Set([1, 2]);
      assert.ok(!acknowledged.has(SaleId), `${SaleId} was given twice`);
      acknowledged.set(SaleId, lines);
      const added = await api.post(`/sales/${SaleId}/lines`, line(3));
      assert.equal(added.status, 201, added.text);
      lines.add(3);
      if (client !== 0) continue;
      const renamed = await api.patch('/buyers/BUYER001', { Name: `Round ${round}, ${i}` });
      assert.equal(renamed.status, 200, renamed.text);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return;
    }
  }
}

async function check(api, acknowledged) {
  const { Name } = await api.item('/buyers/BUYER001');
  for (const [SaleId, lines] of acknowledged) {
    const sale = await api.item(`/sales/${SaleId}/full`);
    const numbers = sale.lines.map((each) => each.LineNumber);
    for (const number of lines) assert.ok(numbers.includes(number), `${SaleId} line ${number}`);
    const sum = sale.lines.reduce((total, each) => total + each.Total, 0);
    assert.equal(sale.Total, sum, SaleId);
    assert.equal(sale.BuyerName, Name, SaleId);
  }
}

test('acknowledged writes and all rules survive SIGKILL', { timeout: 60000 }, async () => {
  const acknowledged = new Map();
  for (let round = 0; round < ROUNDS; round += 1) {
    const server = await start();
    const api = rest(server);
    const clients = Array.from({ length: CLIENTS }, (_, i) => write(api, i, round, acknowledged));
    await new Promise((next) => setTimeout(next, ROUND_MS));
    server.process.kill('SIGKILL');
    await server.exited;
    await Promise.all(clients);
  }
  assert.ok(acknowledged.size > ROUNDS * CLIENTS, `only ${acknowledged.size} sales`);

  const server = await start();
  try {
    const api = rest(server);
    await check(api, acknowledged);
    // Numbers that were given are not given again, and unique values are still taken.
    const sale = await api.post('/sales', {
      BuyerId: 'BUYER001',
      ProducerId: 'PRODUCER001',
      SaleDate: '2026-03-01T10:00:00Z',
    });
    assert.equal(sale.status, 201, sale.text);
    assert.ok(!acknowledged.has(sale.body.SaleId));
    const { Document } = await api.item('/buyers/BUYER001');
    const twin = await api.post('/buyers', { Name: 'Twin', Document });
    assert.equal(twin.body.code, 'not_unique', twin.text);
  } finally {
    await server.stop();
  }
});
