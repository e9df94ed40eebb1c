// Memory: large requests share what there is, and a server without memory fails requests, not all.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { test } from 'node:test';

import { attributes, keySchema, newClient, S, send } from '../support/dynamodb.js';
import { Connection, post, requestBytes } from '../support/http.js';
import { startServer } from '../support/server.js';

const MB = 1024 * 1024;
const TableName = 'large';
const definition = {
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: attributes('pk'),
  KeySchema: keySchema('pk'),
};

// Sends all bytes before it reads, as many clients do, and answers the status line and headers.
function upload(url, bytes) {
  const { hostname, port } = new URL(url);
  return new Promise((done) => {
    const socket = net.connect({ host: hostname, port: Number(port) });
    let answer = '';
    let error;
    socket.pause();
    socket.write(bytes, () => socket.resume());
    socket.on('data', (data) => {
      answer += data.toString('latin1');
      if (answer.includes('\r\n\r\n')) socket.destroy();
    });
    socket.on('error', (e) => (error = e.code));
    socket.on('close', () => done(answer === '' ? `no answer: ${error}` : answer));
  });
}

function peakMegabytes(server) {
  const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)[1]) / 1024;
}

test('a hundred large uploads at once: each is answered, others are served', async (t) => {
  const server = await startServer({ inMemory: true, args: ['--request-memory-mb', '200'] });
  t.after(() => server.stop('SIGKILL'));
  const url = server.endpoint;
  const body = `{"Padding":"${'x'.repeat(15 * MB)}"}`;
  const bytes = Buffer.from(requestBytes('ListTables', body, { url }));
  const uploads = Promise.all(Array.from({ length: 100 }, () => upload(url, bytes)));
  let others = 0;
  let over = false;
  uploads.then(() => (over = true));
  while (!over) {
    const start = Date.now();
    assert.equal((await post('ListTables', {}, {}, { url })).status, 200);
    assert.ok(Date.now() - start < 3000, 'a small request waited');
    others += 1;
    await new Promise((next) => setTimeout(next, 20));
  }
  assert.ok(others > 3);
  const statuses = {};
  for (const answer of await uploads) {
    const line = answer.split('\r\n')[0];
    statuses[line] = (statuses[line] ?? 0) + 1;
    if (line.includes('503')) assert.match(answer, /\r\nRetry-After: \d+\r\n/);
    assert.match(line, /^HTTP\/1\.1 (200|503) /);
  }
  t.diagnostic(`${JSON.stringify(statuses)}, at most ${peakMegabytes(server).toFixed()} MB`);
  assert.ok(peakMegabytes(server) < 500);
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
});

test('a server without memory fails requests and goes on', async (t) => {
  const server = await startServer({
    inMemory: true,
    args: ['--request-memory-mb', '8000'],
    limits: [`--as=${1500 * MB}`],
  });
  t.after(() => server.stop('SIGKILL'));
  const url = server.endpoint;
  const client = newClient({ endpoint: url, maxAttempts: 1 });
  t.after(() => client.destroy());
  await send('CreateTable', definition, client);
  // Numbers take much more memory when they are parsed.
  const body = `{"Padding":[${'1,'.repeat(7 * MB)}1]}`;
  const bytes = Buffer.from(requestBytes('ListTables', body, { url }));
  const answers = await Promise.all(Array.from({ length: 20 }, () => upload(url, bytes)));
  const failed = answers.filter((answer) => /^HTTP\/1.1 50[03]/.test(answer)).length;
  t.diagnostic(`${failed} of ${answers.length} had no memory`);
  assert.equal(server.process.exitCode, null, server.errors);
  assert.equal((await post('ListTables', {}, {}, { url })).status, 200);
  await send('PutItem', { TableName, Item: { pk: S('a') } }, client);
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
});

// Each client gets an answer of 10 MB and keeps its connection.
test('large reads at once share the memory and give it back', async (t) => {
  const server = await startServer({ inMemory: true, args: ['--request-memory-mb', '200'] });
  t.after(() => server.stop('SIGKILL'));
  const url = server.endpoint;
  const client = newClient({ endpoint: url, maxAttempts: 1 });
  t.after(() => client.destroy());
  await send('CreateTable', definition, client);
  const Keys = Array.from({ length: 26 }, (_, i) => ({ pk: S(`${i}`) }));
  const text = S('x'.repeat(380_000));
  await Promise.all(Keys.map((key) => send('PutItem', { TableName, Item: { ...key, text } }, client)));

  const request = requestBytes('BatchGetItem', { RequestItems: { [TableName]: { Keys } } }, { url });
  const connections = await Promise.all(Array.from({ length: 40 }, () => Connection.open(url)));
  t.after(() => connections.forEach((connection) => connection.close()));
  const statuses = await Promise.all(
    connections.map(async (connection) => {
      connection.write(request);
      return (await connection.response()).status;
    }),
  );
  assert.ok(statuses.every((status) => status === 200 || status === 503));
  // How many there is memory for depends on how quickly the clients read.
  assert.ok(statuses.includes(200));
  t.diagnostic(`at most ${peakMegabytes(server).toFixed()} MB`);
  // All of them together would take more than a gigabyte.
  assert.ok(peakMegabytes(server) < 700, `${peakMegabytes(server)} MB`);
});
