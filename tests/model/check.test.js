// `monotable model check`: the five designs are right, and what is wrong is said with its place.

import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { runBinary, temporaryFolder } from '../support/server.js';
import { designs, modelPath } from './designs.js';

function file(t, name, text) {
  const folder = temporaryFolder();
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

for (const design of designs) {
  // A design that the checks refuse cannot be deployed.
  test(`${design} has no errors`, async () => {
    const { code, output, errors } = await runBinary(['model', 'check', modelPath(design)]);
    assert.equal(code, 0, output + errors);
    assert.match(output, /; 0 errors, \d+ warnings?, \d+ notes?\n$/);
  });
}

// One command checks a folder of designs, for a pipeline.
test('several files are checked at once', async () => {
  const { code, output } = await runBinary(['model', 'check', ...designs.map(modelPath)]);
  assert.equal(code, 0, output);
  assert.equal(output.match(/; 0 errors/g).length, designs.length);
});

// Editors and pipelines read findings as data.
test('findings are JSON on request, with their place', async (t) => {
  const text = readFileSync(modelPath('sales'), 'utf8').replace('SALE#{SaleId}', 'SALE#{SaleIdd}');
  const line = text.split('\n').findIndex((each) => each.includes('{SaleIdd}')) + 1;
  const path = file(t, 'sales.model.yaml', text);
  const { code, output } = await runBinary(['model', 'check', '--format', 'json', path]);
  assert.equal(code, 1, output);
  const [checked] = JSON.parse(output).files;
  assert.equal(checked.file, path);
  const found = checked.findings.find((each) => each.line === line);
  assert.ok(found, output);
  assert.equal(found.severity, 'error');
  assert.match(found.id, /^[a-z_]+$/);
  assert.match(found.message + found.fix, /SaleIdd/);
  assert.match(found.fix, /SaleId\b/);
});

// Text that is no model at all is a finding too, not a crash.
test('rubbish is refused with a place', async (t) => {
  for (const text of [
    '',
    'a: [1',
    '- list\n',
    'format: stm/1\n',
    '\u0000\u0001',
    'a: &x 1\nb: *x\n',
  ]) {
    const path = file(t, 'rubbish.yaml', text);
    const { code, output, errors, signal } = await runBinary(['model', 'check', path]);
    assert.equal(signal, null);
    assert.equal(code, 1, JSON.stringify(text) + output + errors);
    assert.match(output, /rubbish\.yaml:\d+:\d+: error: /);
  }
});

// --strict is for pipelines that accept warnings only when the model says so.
test('--strict makes warnings errors', async (t) => {
  const path = file(
    t,
    'lax.model.yaml',
    `format: stm/1
model: lax
tables: {main: {name: lax, keys: {hash: "PK S", range: "SK S"}}}
entities:
  Event:
    path: events
    keys: {primary: {PK: "STREAM#{stream}", SK: "{at}"}}
    attributes: {stream: string!, at: instant!}
patterns:
  - {name: events, list: Event, where: "PK = STREAM#{stream}"}
`,
  );
  const relaxed = await runBinary(['model', 'check', path]);
  assert.equal(relaxed.code, 0, relaxed.output);
  assert.match(relaxed.output, /: warning: /);
  const strict = await runBinary(['model', 'check', '--strict', path]);
  assert.equal(strict.code, 1, strict.output);
});

// Scripts tell a bad model (1) from a bad call (2).
test('what cannot start ends with 2 and one line', async () => {
  for (const args of [
    ['check'],
    ['check', '/nonexistent.yaml'],
    ['chekc'],
    ['check', '--odd'],
    ['docs'],
  ]) {
    const { code, output, errors } = await runBinary(['model', ...args]);
    assert.equal(code, 2, args.join(' '));
    assert.equal(output, '');
    assert.equal(errors.trim().split('\n').length, 1, errors);
  }
});
