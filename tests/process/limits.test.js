// Limits of a server: connections, body size, and the time for a client to take its answer.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { attributes, keySchema, newClient, S, send } from '../support/dynamodb.js';
import { Connection, post, requestBytes } from '../support/http.js';
import { startServer } from '../support/server.js';

async function serving(t, ...args) {
  const server = await startServer({ inMemory: true, args });
  t.after(() => server.stop());
  return server.endpoint;
}

// Idle clients make room for others, however many come.
test('idle connections make room for others', async (t) => {
  const url = await serving(t, '--max-connections', '5');
  const held = [];
  for (let i = 0; i < 20; i += 1) {
    const connection = await Connection.open(url);
    held.push(connection);
    connection.write(requestBytes('ListTables', {}, { url }));
    assert.equal((await connection.response()).status, 200);
  }
  await held[0].untilClosed();
  for (const connection of held) connection.close();
});

// One client too many is told so, and the others are served.
test('more busy connections than allowed are refused', async (t) => {
  const url = await serving(t, '--max-connections', '5');
  const bytes = requestBytes('ListTables', {}, { url });
  const held = await Promise.all(Array.from({ length: 5 }, () => Connection.open(url)));
  // Their bodies are on the way.
  for (const connection of held) connection.write(bytes.slice(0, -1));
  await new Promise((next) => setTimeout(next, 100));
  const extra = await Connection.open(url);
  const answer = await extra.response();
  assert.equal(answer.status, 503);
  assert.equal(answer.headers['retry-after'], '1');
  assert.match(answer.text, /ServiceUnavailableException/);
  extra.close();
  for (const connection of held) {
    connection.write(bytes.slice(-1));
    assert.equal((await connection.response()).status, 200);
    connection.close();
  }
});

test('the size of a body can be limited', async (t) => {
  const url = await serving(t, '--max-body-mb', '1');
  assert.equal((await post('ListTables', ' '.repeat(1_000_000) + '{}', {}, { url })).status, 200);
  const connection = await Connection.open(url);
  t.after(() => connection.close());
  connection.write(
    requestBytes('ListTables', '', { url, headers: { 'content-length': 1_100_000 } }),
  );
  assert.equal((await connection.response()).status, 413);
});

// A client that asks for megabytes and does not read them holds memory.
test('a client that does not take its answer is dropped', async (t) => {
  const url = await serving(t, '--write-timeout', '300ms');
  const client = newClient({ endpoint: url });
  t.after(() => client.destroy());
  const TableName = 'large';
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
  const Keys = Array.from({ length: 40 }, (_, i) => ({ pk: S(`${i}`) }));
  const v = S('x'.repeat(390_000));
  for (const key of Keys) await send('PutItem', { TableName, Item: { ...key, v } }, client);

  const connection = await Connection.open(url);
  t.after(() => connection.close());
  connection.pause();
  const request = { RequestItems: { [TableName]: { Keys } } };
  connection.write(requestBytes('BatchGetItem', request, { url }));
  await new Promise((next) => setTimeout(next, 1500));
  connection.resume();
  assert.equal(await connection.response(), undefined);
  assert.equal((await post('ListTables', {}, {}, { url })).status, 200);
});
