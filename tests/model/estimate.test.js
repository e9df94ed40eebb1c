// `monotable model estimate`: the numbers of the sales document, and what it left out.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { runBinary } from '../support/server.js';
import { modelPath } from './designs.js';

async function estimate(design, ...args) {
  const { code, output, errors } = await runBinary([
    'model',
    'estimate',
    modelPath(design),
    ...args,
  ]);
  assert.equal(code, 0, errors);
  return output;
}

// The line of a thing, as its columns.
function row(text, what) {
  const line = text.split('\n').find((each) => each.startsWith(`  ${what} `));
  assert.ok(line, `${what} in\n${text}`);
  return line.trim().split(/ {2,}/);
}

// The document's two capacity tables, to the digit.
test('the capacity tables of sales are those of its document', async () => {
  const text = await estimate('sales', '--as-the-document');
  for (const [what, perDay, size, units, perSecond] of [
    ['getSale', '1,000', '4 KB', '1', '0.012'],
    ['listSales', '100', '4 KB x 20', '20', '0.023'],
    ['getBuyer', '500', '2 KB', '0.5', '0.003'],
    ['listBuyers', '50', '2 KB x 50', '25', '0.014'],
    ['create Producer', '5', '2 KB', '2', '0.0001'],
    ['create Buyer', '10', '2 KB', '2', '0.0002'],
    ['update Sale', '200', '4 KB', '4', '0.009'],
  ]) {
    assert.deepEqual(row(text, what).slice(0, 5), [what, perDay, size, units, perSecond]);
  }
  assert.match(text, /total +0\.052 /);
  assert.match(text, /total +0\.014 /);
});

// 36 500 sales of 5 KB with their lines, 500 buyers, 200 producers: about 184 MB a year, 920 in 5.
test('the storage of sales is that of its document', async () => {
  const text = await estimate('sales', '--as-the-document');
  assert.deepEqual(row(text, 'Sale').slice(1, 3), ['36,500', '4 KB']);
  assert.deepEqual(row(text, 'Buyer'), ['Buyer', '500', '2 KB', '1 MB']);
  assert.deepEqual(row(text, 'Producer'), ['Producer', '200', '2 KB', '400 KB']);
  const [, year, five] = /total +([\d.]+) MB\n +5 years +([\d.]+) MB/.exec(text);
  assert.ok(Math.abs(year - 184) < 1.5, year);
  assert.ok(Math.abs(five - 920) < 7.5, five);
  assert.match(text, /storage +9\d\d(\.\d)? MB +0\.23 USD/);
});

// With indexes a status change takes 20 units, not 4: the table, two copies, and a moved entry.
test('the estimate of sales counts indexes and transactions', async () => {
  const text = await estimate('sales');
  assert.equal(row(text, 'update Sale')[2], '20');
  assert.match(text, /^ +update Sale .*as Status changes/m);
  assert.match(text, /storage after 5 years +[23]\.\d+ GB/);
  assert.match(text, /point-in-time recovery \(staging, production\)/);
});

test('prices come from the file that is named', async () => {
  const command = ['model', 'estimate', modelPath('sales'), '--prices', '/nonexistent.yaml'];
  const { code, errors } = await runBinary(command);
  assert.equal(code, 2);
  assert.match(errors, /^monotable: \/nonexistent\.yaml cannot be read: .*\n$/);
  assert.match(await estimate('sales'), /Prices of us-east-1 since 2024-11-01/);
});

// The document promises less than 5 USD a month and counts on free units that on-demand tables do
// not have. The first is right for a well-read blog, the second is corrected.
test('BLG-O2 the cost of the blog is confirmed, its free units are not', async () => {
  const text = await estimate('blog');
  const [, total] = /^ +total +([\d.]+) USD$/m.exec(text);
  assert.ok(Number(total) > 0 && Number(total) < 5, total);
  assert.match(text, /free\s+read and write units of an account are for provisioned tables only/);
});

test('every design has a workload', async () => {
  for (const design of ['orders', 'sales', 'blog', 'trading', 'chat']) {
    assert.match(await estimate(design), /^ +total +[\d.]+ USD$/m, design);
  }
});
