// `monotable model test`: the examples of the designs hold, and one that does not is found.

import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import { runBinary, temporaryFolder } from '../support/server.js';
import { designs, modelPath } from './designs.js';

// Before the samples of the trading design expire.
const NOW = ['--now', '2026-02-02'];

for (const design of designs) {
  test(`the examples of ${design} hold`, async () => {
    const { code, output, errors } = await runBinary(['model', 'test', modelPath(design), ...NOW]);
    assert.equal(code, 0, output + errors);
    assert.match(output, /\d+ examples, 0 failed\n$/);
  });
}

// An index that sorts otherwise, or a sample that moved, must not go unnoticed.
test('an example that does not hold fails', async (t) => {
  const folder = temporaryFolder();
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const samples = join(dirname(modelPath('sales')), 'samples');
  cpSync(samples, join(folder, 'samples'), { recursive: true });
  const path = join(folder, 'sales.model.yaml');
  const text = readFileSync(modelPath('sales'), 'utf8');
  writeFileSync(path, text.replace('returns: [SALE001]', 'returns: [SALE002]'));
  const { code, output } = await runBinary(['model', 'test', path, ...NOW]);
  assert.equal(code, 1);
  assert.match(output, /^FAILED .*returned SALE001, should return SALE002$/m);
  assert.match(output, /examples, 1 failed\n$/);
});

// What has expired is hidden where the model says so, so the moment matters.
test('samples are seen as of the given moment', async () => {
  const trading = modelPath('trading');
  const { code, output } = await runBinary(['model', 'test', trading, '--now', '2036-01-01']);
  assert.equal(code, 1);
  assert.match(output, /^FAILED .*returned nothing/m);
  const odd = await runBinary(['model', 'test', trading, '--now', 'soon']);
  assert.equal(odd.code, 2);
  assert.match(odd.errors, /^monotable: Option --now: 'soon' is not accepted\./);
});
