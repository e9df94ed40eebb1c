// The package without a test runner of others: start and its server, npx, and the end of both.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { test } from 'node:test';

import { start } from 'monotable';

import tables from './tables.cjs';

const { Tables } = tables;
const require = createRequire(import.meta.url);
const DAY_S = 86_400;

async function isListening(url) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const answered = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return answered;
}

async function ends(url) {
  for (let i = 0; i < 100; i += 1) {
    if (!(await isListening(url))) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

// Runs a script that prints the URL of its server as its first line.
async function runScript(args) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [bytes] = await once(child.stdout, 'data');
  return { child, url: /http:\/\/[\d.]+:\d+/.exec(String(bytes))[0] };
}

async function serving(t, options) {
  const server = await start(options);
  t.after(() => server.stop());
  const users = new Tables(server.clientConfig);
  t.after(() => users.close());
  return { server, users };
}

test('a server starts and stops quickly', async () => {
  const times = [];
  for (let i = 0; i < 5; i += 1) {
    const before = performance.now();
    const server = await start();
    times.push(performance.now() - before);
    assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+$/);
    await server.stop();
    assert.equal(await isListening(server.url), false);
    await server.stop();
  }
  console.log(`start took ${times.map((time) => time.toFixed(0)).join(', ')} ms`);
  assert.ok(Math.min(...times) < 1000, `start took ${times}`);
});

test('two servers share nothing', async (t) => {
  const first = await serving(t);
  const second = await serving(t);
  await first.users.create('Music');
  assert.deepEqual(await first.users.names(), ['Music']);
  assert.deepEqual(await second.users.names(), []);
});

test('reset drops all tables', async (t) => {
  const { server, users } = await serving(t);
  await users.create('Music');
  await server.reset();
  assert.deepEqual(await users.names(), []);
  await users.create('Music');
  assert.deepEqual(await users.ids('Music'), []);
});

test('restore brings a snapshot back, again and again', async (t) => {
  const { server, users } = await serving(t);
  await users.create('Music');
  await users.put('Music', 'a');
  const snapshot = await server.snapshot();
  for (let i = 0; i < 3; i += 1) {
    await users.put('Music', 'b');
    assert.deepEqual(await users.ids('Music'), ['a', 'b']);
    await server.restore(snapshot);
    assert.deepEqual(await users.ids('Music'), ['a']);
  }
  await server.reset();
  await server.restore(snapshot);
  assert.deepEqual(await users.ids('Music'), ['a']);
  await server.forget(snapshot);
  await assert.rejects(server.restore(snapshot), /restore failed: There is no snapshot '1'/);
});

test('advance lets items expire', async (t) => {
  const { server, users } = await serving(t);
  await users.create('Sessions');
  await users.expire('Sessions');
  const now = Math.floor(Date.now() / 1000);
  await users.put('Sessions', 'tomorrow', now + DAY_S);
  await users.put('Sessions', 'in a month', now + 30 * DAY_S);
  const time = await server.advance({ days: 1, hours: 1 });
  assert.ok(Math.abs(time.getTime() - Date.now() - 25 * 3_600_000) < 60_000);
  assert.deepEqual(await users.ids('Sessions'), ['in a month']);
  await server.advance('30d');
  assert.deepEqual(await users.ids('Sessions'), []);
  await assert.rejects(server.advance('yesterday'), /is not a duration/);
  await assert.rejects(server.advance(-1), /is not a duration/);
});

test('a clock that stands', async (t) => {
  const { server } = await serving(t, { clock: '2026-01-30T14:30:00Z' });
  assert.equal((await server.advance('90s')).toISOString(), '2026-01-30T14:31:30.000Z');
  assert.equal((await server.advance(0)).toISOString(), '2026-01-30T14:31:30.000Z');
});

test('models are served and their samples put back', async (t) => {
  const models = process.env.MODELS_FOLDER;
  const { server, users } = await serving(t, {
    models: `${models}/sales.model.yaml`,
    samples: true,
  });
  const sale = async () =>
    (await fetch(`${server.url}/api/v1/sales/sales/SALE001?fields=SaleId,Status`)).json();
  const before = await sale();
  assert.equal(before.SaleId, 'SALE001');
  const names = await users.names();
  await users.create('Another');
  await server.reset();
  assert.deepEqual(await users.names(), names);
  assert.deepEqual(await sale(), before);
});

test('the environment leads clients to the server', async (t) => {
  const { server } = await serving(t);
  Object.assign(process.env, server.environment);
  const users = new Tables();
  await users.create('Music');
  assert.deepEqual(await users.names(), ['Music']);
  users.close();
});

test('a mistake is told', async () => {
  await assert.rejects(start({ prot: 1 }), /start has no option 'prot'/);
  await assert.rejects(start({ args: ['--prot', '1'] }), /did not start: .*--prot.*--port/s);
  await assert.rejects(start({ models: 'no.model.yaml' }), /did not start: .*no\.model\.yaml/s);
});

test('CommonJS has the same functions', async () => {
  const commonJs = require('monotable');
  const server = await commonJs.start();
  const snapshot = await server.snapshot();
  await server.restore(snapshot);
  await server.stop();
  assert.throws(() => commonJs.current(), /There is no server yet/);
});

test('a process that has nothing else to do ends, and its server with it', async () => {
  const script = "require('monotable').start().then((server) => console.log(server.url))";
  const { child, url } = await runScript(['-e', script]);
  const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode];
  assert.equal(code, 0);
  assert.ok(await ends(url));
});

test('a process that is killed leaves no server behind', async () => {
  const script =
    "require('monotable').start().then((server) => { console.log(server.url); setInterval(() => {}, 1000); })";
  const { child, url } = await runScript(['-e', script]);
  assert.ok(await isListening(url));
  child.kill('SIGKILL');
  assert.ok(await ends(url));
});

test('npx monotable serves until it is told to stop', async (t) => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL']) {
    await t.test(signal, async () => {
      const program = 'node_modules/.bin/monotable';
      const { child, url } = await runScript([program, '--in-memory', '--port', '0']);
      assert.ok(await isListening(url));
      child.kill(signal);
      const [code] = await once(child, 'exit');
      assert.equal(code, signal === 'SIGKILL' ? null : 0);
      assert.ok(await ends(url));
    });
  }
});

test('npx monotable has the other commands, too', () => {
  const run = (...words) =>
    spawnSync('npx', ['--no-install', 'monotable', ...words], { encoding: 'utf8' });
  assert.match(run('version').stdout, /^monotable \d+\.\d+\.\d+/i);
  assert.match(run('--help').stdout, /Usage: monotable serve/);
  const failed = run('--no-such-option');
  assert.equal(failed.status, 1);
  assert.match(failed.stderr, /no option --no-such-option/);
});

test('other platforms are told what to do', () => {
  const script = `
    Object.defineProperty(process, 'platform', { value: 'darwin' });
    require('monotable').start().catch((error) => console.log(error.message));`;
  const { stdout } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  assert.match(stdout, /linux-x64 with glibc, and this is darwin-x64\. Build monotable/);
});
