// Clients that send wrong requests as fast as they can: see tests/hostile. Longer, with the server
// of another terminal:
//   build/release/hostile --port 8000 --corpus tests/fuzz/corpus/request --requests 10000000

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { binary, startServer } from '../support/server.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const program = join(dirname(binary), 'hostile');
const corpus = join(root, 'tests/fuzz/corpus/request');

test('a server survives hostile clients', async (t) => {
  assert.ok(existsSync(program), 'build it with: script/build release monotable hostile');
  const server = await startServer({
    inMemory: true,
    args: ['--model', join(root, 'models/sales.model.yaml'), '--samples'],
  });
  t.after(() => server.stop('SIGKILL'));
  const args = ['--port', String(server.port), '--corpus', corpus, '--seconds', '3'];
  const memory = ['--pid', String(server.process.pid), '--memory-mb', '600'];
  const run = promisify(execFile)(program, [...args, ...memory], { maxBuffer: 64 << 20 });
  const { stdout } = await run.catch((error) => assert.fail(`${error.stdout}${server.errors}`));
  t.diagnostic(stdout.trim().replaceAll('\n', '; '));
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
});
