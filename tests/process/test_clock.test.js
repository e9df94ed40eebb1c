// A server whose time stands still until a test moves it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { attributes, keySchema, newClient, S, send } from '../support/dynamodb.js';
import { post } from '../support/http.js';
import { own } from '../support/own_operations.js';
import { runBinary, startServer } from '../support/server.js';

const START = Date.parse('2026-03-01T12:00:00Z') / 1000;

async function serving(t, options = {}) {
  const server = await startServer({ inMemory: true, ...options });
  t.after(() => server.stop('SIGKILL'));
  return server;
}

const frozen = (t, options) =>
  serving(t, { args: ['--test-clock', '2026-03-01T12:00:00Z'], ...options });

async function createdAt(client, TableName) {
  const { TableDescription } = await send(
    'CreateTable',
    {
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: attributes('pk'),
      KeySchema: keySchema('pk'),
    },
    client,
  );
  return TableDescription.CreationDateTime.getTime() / 1000;
}

for (const inMemory of [true, false]) {
  test(`time stands still until it is moved, ${inMemory ? 'in memory' : 'on disk'}`, async (t) => {
    const server = await frozen(t, { inMemory });
    const client = newClient({ endpoint: server.endpoint });
    t.after(() => client.destroy());
    assert.equal(await createdAt(client, 'first'), START);
    assert.equal(await createdAt(client, 'second'), START);
    assert.deepEqual(await own(server, 'AdvanceClock', { Seconds: 86400 }), { Now: START + 86400 });
    assert.equal(await createdAt(client, 'third'), START + 86400);
    assert.deepEqual(await own(server, 'AdvanceClock', { Seconds: 0.25 }), {
      Now: START + 86400.25,
    });
    assert.deepEqual(await own(server, 'AdvanceClock', { Seconds: 0 }), { Now: START + 86400.25 });
    await send('PutItem', { TableName: 'third', Item: { pk: S('x') } }, client);
  });
}

test('time does not go back', async (t) => {
  const server = await frozen(t);
  for (const input of [{ Seconds: -1 }, { Seconds: -0.5 }, {}, { Seconds: 1e15 }]) {
    await assert.rejects(own(server, 'AdvanceClock', input), { name: 'ValidationException' });
  }
  await assert.rejects(own(server, 'AdvanceClock', { Seconds: 'soon' }), {
    name: 'SerializationException',
  });
  assert.deepEqual(await own(server, 'AdvanceClock', { Seconds: 0 }), { Now: START });
});

test('now is a moment, too', async (t) => {
  const before = Date.now() / 1000;
  const server = await serving(t, { args: ['--test-clock', 'now'] });
  const { Now } = await own(server, 'AdvanceClock', { Seconds: 0 });
  assert.ok(Now >= Math.floor(before) && Now <= Date.now() / 1000 + 1, `${Now}`);
  assert.deepEqual(await own(server, 'AdvanceClock', { Seconds: 0 }), { Now });
});

test('without the setting the operation is unknown', async (t) => {
  const server = await serving(t);
  await assert.rejects(own(server, 'AdvanceClock', { Seconds: 1 }), {
    name: 'UnknownOperationException',
  });
  await assert.rejects(own(server, 'StopTheWorld'), { name: 'UnknownOperationException' });
});

// Clients sign with their own time, which is real, wherever the clock of the server stands.
test('signatures are checked by the real time', async (t) => {
  const env = { MONOTABLE_ACCESS_KEY_ID: 'AKID', MONOTABLE_SECRET_ACCESS_KEY: 'a secret' };
  const server = await frozen(t, { env });
  const credentials = { accessKeyId: 'AKID', secretAccessKey: 'a secret' };
  const call = (more) => {
    const options = { url: server.endpoint, ...more };
    return post('Monotable_20261101.AdvanceClock', { Seconds: 1 }, {}, options);
  };
  assert.equal((await call({ credentials })).status, 200);
  const stranger = await call({});
  assert.equal(stranger.type, 'UnrecognizedClientException', 'signed like any other operation');
  const stale = await call({ credentials, date: new Date('2026-03-01T12:00:00Z') });
  assert.equal(stale.type, 'InvalidSignatureException');
});

test('what is no moment is refused in one line', async () => {
  const { code, errors } = await runBinary(['serve', '--in-memory', '--test-clock', 'noon']);
  assert.equal(code, 1);
  assert.match(errors, /^monotable: Option --test-clock: 'noon' is not accepted\. .*\n$/);
});
