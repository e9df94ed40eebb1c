// Starts one server for all tests that only need the API, runs every test file (or those named on
// the command line) against it with node's test runner, and stops it.

import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { startServer } from './server.js';

const tests = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const FOLDERS = ['dynamodb', 'wire', 'designs', 'model', 'model/requirements', 'process'];

function testFiles() {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(tests, folder))
      .filter((name) => name.endsWith('.test.js'))
      .map((name) => join(tests, folder, name)),
  );
}

const files = process.argv.length > 2 ? process.argv.slice(2) : testFiles();
const server = process.env.MONOTABLE_ENDPOINT
  ? null
  : await startServer({
      inMemory: process.env.MONOTABLE_STORE === 'memory',
      durability: 'relaxed',
    });

const runner = spawn(
  process.execPath,
  // Most files wait for processes of their own, so more of them run at a time than there are cores.
  ['--test', '--test-reporter=spec', '--test-timeout=60000', '--test-concurrency=3', ...files],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      // The SDK announces with every file that it will need a newer Node.js one day; it gives the
      // warning no type of its own by which it could be told from others.
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --no-warnings`,
      MONOTABLE_ENDPOINT: process.env.MONOTABLE_ENDPOINT ?? server.endpoint,
    },
  },
);
const code = await new Promise((done) => runner.on('close', done));

if (server) {
  const ended = server.process.exitCode !== null || server.process.signalCode !== null;
  const { code: serverCode, signal } = await server.stop();
  if (ended || serverCode !== 0) {
    console.error(`the server ended with ${signal ?? serverCode}: ${server.errors}`);
    process.exit(1);
  }
}
process.exit(code);
