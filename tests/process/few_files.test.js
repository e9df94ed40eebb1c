// A process that may open few files: connections leave the store enough of them.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

import { attributes, keySchema, N, newClient, S, send } from '../support/dynamodb.js';
import { Connection, post } from '../support/http.js';
import { startServer } from '../support/server.js';

const TableName = 'written';
const definition = {
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: attributes('pk'),
  KeySchema: keySchema('pk'),
};

async function serving(t, options) {
  const server = await startServer(options);
  t.after(() => server.stop('SIGKILL'));
  const client = newClient({ endpoint: server.endpoint });
  t.after(() => client.destroy());
  return { server, call: (operation, input) => send(operation, input, client) };
}

test('more idle connections than files stop nobody', async (t) => {
  // Small write buffers, so that the store opens files all the time.
  const args = ['--write-buffer-mb', '1'];
  const { server, call } = await serving(t, { limits: ['--nofile=256'], args });
  assert.match(server.errors, /may open 256 files, so there can be \d+ connections/);
  await call('CreateTable', definition);
  const idle = await Promise.all(
    Array.from({ length: 400 }, () => Connection.open(server.endpoint).catch(() => undefined)),
  );
  const v = S('x'.repeat(100_000));
  for (let i = 0; i < 60; i += 1) {
    await call('PutItem', { TableName, Item: { pk: S(`p${i}`), i: N(i), v } });
  }
  const { Item } = await call('GetItem', { TableName, Key: { pk: S('p59') } });
  assert.deepEqual(Item.i, N(59));
  // A client without a connection is served as well.
  assert.equal((await post('ListTables', {}, {}, { url: server.endpoint })).status, 200);
  for (const connection of idle) connection?.close();
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
});

test('too few files to serve at all are told at the start', async () => {
  await assert.rejects(startServer({ limits: ['--nofile=60'] }), (error) => {
    assert.equal(error.code, 1);
    assert.match(error.errors, /may open 60 files, and the server needs \d+ or more/);
    return true;
  });
});

test('a server that lost all its files ends without an abort', async (t) => {
  const { server, call } = await serving(t, { args: ['--write-buffer-mb', '1'] });
  await call('CreateTable', definition);
  execFileSync('prlimit', ['--pid', String(server.process.pid), '--nofile=3']);
  const v = S('x'.repeat(300_000));
  // Some of these may fail; none may take the server down.
  for (let i = 0; i < 30; i += 1) {
    await Promise.race([
      call('PutItem', { TableName, Item: { pk: S(`p${i}`), v } }).catch(() => {}),
      new Promise((next) => setTimeout(next, 100)),
    ]);
  }
  assert.equal(server.process.exitCode, null, server.errors);
  const start = Date.now();
  assert.equal((await server.stop()).signal, null, server.errors);
  assert.ok(Date.now() - start < 12_000);
});
