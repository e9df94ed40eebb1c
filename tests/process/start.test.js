// Starting: the ready line, help, and every start that must fail with one clear line.

import assert from 'node:assert/strict';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';

import { attributes, keySchema, newClient, S, send } from '../support/dynamodb.js';
import { runBinary, startServer, temporaryFolder } from '../support/server.js';

function folder(t) {
  const path = temporaryFolder();
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

// Starts that fail say why in one line and end with a code that a supervisor sees.
async function failsToStart(args, pattern) {
  const { code, output, errors } = await runBinary(args);
  assert.ok(code !== 0 && code !== null, `exit code ${code}: ${errors}`);
  assert.equal(errors.trim().split('\n').length, 1, errors);
  assert.match(errors, pattern);
  assert.doesNotMatch(output, /is ready on/);
}

async function putOne(server, pk = 'x') {
  const client = newClient({ endpoint: server.endpoint });
  const TableName = 'kept';
  await send(
    'CreateTable',
    {
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: attributes('pk'),
      KeySchema: keySchema('pk'),
    },
    client,
  );
  await send('PutItem', { TableName, Item: { pk: S(pk) } }, client);
  client.destroy();
}

// Scripts wait for this line before they send the first request.
test('the ready line names the address', async (t) => {
  const server = await startServer({ inMemory: true });
  t.after(() => server.stop('SIGKILL'));
  assert.match(server.output + server.errors, /is ready on http:\/\/127\.0\.0\.1:\d+/);
  assert.ok(server.port > 0);
});

test('--help explains the commands and flags', async () => {
  const top = await runBinary(['--help']);
  assert.equal(top.code, 0);
  assert.match(top.output, /serve/);
  const serve = await runBinary(['serve', '--help']);
  assert.equal(serve.code, 0);
  for (const flag of ['--port', '--data', '--in-memory', '--durability'])
    assert.match(serve.output, new RegExp(flag));
});

test('--version answers a version', async () => {
  const { code, output } = await runBinary(['--version']);
  assert.equal(code, 0);
  assert.match(output, /\d+\.\d+\.\d+/);
});

// Each row: what is wrong, the arguments, a word of the message.
for (const [what, args, pattern] of [
  ['an unknown flag', ['serve', '--in-memory', '--no-such-flag'], /no-such-flag/],
  ['an unknown command', ['no-such-command'], /no-such-command/],
  ['a port that is no number', ['serve', '--in-memory', '--port', 'http'], /port/i],
  ['a port out of range', ['serve', '--in-memory', '--port', '70000'], /port/i],
  ['an unknown durability', ['serve', '--in-memory', '--durability', 'sometimes'], /durability/i],
  ['a time without unit', ['serve', '--in-memory', '--idle-timeout', '5'], /idle-timeout/],
  [
    'a config file that is not there',
    ['serve', '--in-memory', '--config', '/no/such/file'],
    /\/no\/such\/file/,
  ],
  [
    'a data folder that cannot be made',
    ['serve', '--data', '/proc/nowhere/data'],
    /\/proc\/nowhere/,
  ],
]) {
  test(`${what} is refused`, () => failsToStart(args, pattern));
}

// Settings come from the environment too, and mistakes there are as visible.
test('a wrong value in the environment is refused by its name', async () => {
  const { code, errors } = await runBinary(['serve', '--in-memory'], {
    env: { MONOTABLE_PORT: 'http' },
  });
  assert.ok(code !== 0 && code !== null);
  assert.match(errors, /MONOTABLE_PORT/);
});

test('a config file sets values, and a mistake in it is named with its line', async (t) => {
  const file = join(folder(t), 'monotable.conf');
  writeFileSync(file, '# comment\nin-memory = true\nregion = eu-south-1\n');
  const server = await startServer({ inMemory: true, args: ['--config', file] });
  t.after(() => server.stop('SIGKILL'));
  const client = newClient({ endpoint: server.endpoint });
  t.after(() => client.destroy());
  const definition = {
    TableName: 'abc',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: attributes('pk'),
    KeySchema: keySchema('pk'),
  };
  const { TableDescription } = await send('CreateTable', definition, client);
  assert.match(TableDescription.TableArn, /^arn:aws:dynamodb:eu-south-1:/);
  writeFileSync(file, 'port = 0\nport-of-call = 1\n');
  await failsToStart(['serve', '--in-memory', '--config', file], /line 2.*port-of-call/);
});

test('a port in use is refused by name', async (t) => {
  const holder = createServer().listen(0, '127.0.0.1');
  await new Promise((ready) => holder.on('listening', ready));
  t.after(() => holder.close());
  const { port } = holder.address();
  await failsToStart(['serve', '--in-memory', '--port', String(port)], new RegExp(String(port)));
});

// Two writers on one folder would destroy it.
test('a second server on the same folder is refused, and the first goes on', async (t) => {
  const data = folder(t);
  const server = await startServer({ data });
  t.after(() => server.stop('SIGKILL'));
  await failsToStart(['serve', '--port', '0', '--data', data], /in use|another|lock/i);
  await putOne(server);
});

// Damage must be told, never papered over by an empty database.
const damages = {
  'an emptied CURRENT': (data) => truncateSync(join(data, 'CURRENT'), 0),
  'a CURRENT of nonsense': (data) => writeFileSync(join(data, 'CURRENT'), 'nonsense\n'),
  'an overwritten MANIFEST': (data) => {
    const manifest = readdirSync(data).find((name) => name.startsWith('MANIFEST-'));
    writeFileSync(join(data, manifest), Buffer.alloc(statSync(join(data, manifest)).size, 0xaa));
  },
  'a missing MANIFEST': (data) => {
    for (const name of readdirSync(data))
      if (name.startsWith('MANIFEST-')) rmSync(join(data, name));
  },
};

// The store may live in a folder of its own inside the data folder.
function storeFolder(data) {
  for (const name of ['.', ...readdirSync(data)]) {
    const path = join(data, name);
    if (statSync(path).isDirectory() && readdirSync(path).includes('CURRENT')) return path;
  }
  throw new Error(`no store in ${data}: ${readdirSync(data)}`);
}

for (const [what, damage] of Object.entries(damages)) {
  test(`a folder with ${what} is refused and left as it is`, async (t) => {
    const data = folder(t);
    const server = await startServer({ data });
    await putOne(server);
    assert.equal((await server.stop()).code, 0);
    const store = storeFolder(data);
    damage(store);
    const listing = () =>
      readdirSync(store)
        .filter((name) => /\.(sst|log)$|^CURRENT|^MANIFEST/.test(name))
        .sort();
    const before = listing();
    await failsToStart(['serve', '--port', '0', '--data', data], new RegExp(data));
    assert.deepEqual(listing(), before);
  });
}

// Somebody else's files are not a database to be adopted.
test('a data path that is a file is refused', async (t) => {
  const path = join(folder(t), 'file');
  writeFileSync(path, 'text');
  await failsToStart(['serve', '--port', '0', '--data', path], /file/);
  assert.equal(readFileSync(path, 'utf8'), 'text');
});

test('a data folder in a folder that is not there is made', async (t) => {
  const data = join(folder(t), 'new');
  mkdirSync(join(data, '..'), { recursive: true });
  const server = await startServer({ data });
  assert.equal((await server.stop()).code, 0);
});
