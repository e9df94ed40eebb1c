// Clients that others generate from openapi.json, with the default settings of their tools:
// openapi-typescript with openapi-fetch, and @hey-api/openapi-ts. The programs of tests/clients use
// both on each design; the TypeScript compiler reads them strictly.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { createClient } from '@hey-api/openapi-ts';
import openapiTypes, { astToString } from 'openapi-typescript';

import { runBinary, temporaryFolder } from '../support/server.js';
import { designs, modelPath } from './designs.js';
import { serve } from './requirements/rest.js';

const tests = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const folder = temporaryFolder();
after(() => rmSync(folder, { recursive: true, force: true }));

function run(file, ...args) {
  return new Promise((done) => {
    const child = spawn(process.execPath, [file, ...args], { cwd: folder });
    let output = '';
    child.stdout.on('data', (bytes) => (output += bytes));
    child.stderr.on('data', (bytes) => (output += bytes));
    child.on('close', (code) => done({ code, output }));
  });
}

async function generate(design) {
  const document = join(folder, `${design}.json`);
  const command = ['model', 'export', 'openapi', modelPath(design), '--out', document];
  const { code, errors } = await runBinary(command);
  assert.equal(code, 0, errors);
  const types = astToString(await openapiTypes(pathToFileURL(document)));
  writeFileSync(join(folder, 'generated', `${design}.ts`), types);
  await createClient({
    input: document,
    output: join(folder, 'generated/hey', design),
    logs: { level: 'silent', file: false },
  });
}

before(async () => {
  mkdirSync(join(folder, 'generated/hey'), { recursive: true });
  symlinkSync(join(tests, 'node_modules'), join(folder, 'node_modules'));
  for (const name of readdirSync(join(tests, 'clients'))) {
    cpSync(join(tests, 'clients', name), join(folder, name));
  }
  for (const design of designs) await generate(design);
  // CommonJS, because the clients of @hey-api/openapi-ts import their files without extensions.
  const { code, output } = await run(
    join(tests, 'node_modules/typescript/bin/tsc'),
    ...['--strict', '--target', 'es2022', '--module', 'commonjs', '--moduleResolution', 'node10'],
    ...['--esModuleInterop', '--skipLibCheck', '--types', 'node', '--outDir', 'built'],
    ...designs.map((design) => `${design}.ts`),
  );
  assert.equal(code, 0, output);
});

for (const design of designs) {
  test(`generated clients work with ${design}`, async () => {
    const args = design === 'chat' ? ['--create-adopted'] : [];
    const server = await serve(design, { args });
    const { code, output } = await run(join(folder, 'built', `${design}.js`), server.endpoint);
    assert.equal(code, 0, output);
  });
}
