// Clients that dawdle are dropped, so that they cannot hold a server's connections.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { Connection, post, requestBytes } from '../support/http.js';
import { startServer } from '../support/server.js';

let server;

before(async () => {
  server = await startServer({
    inMemory: true,
    args: ['--header-timeout', '200ms', '--body-timeout', '300ms', '--idle-timeout', '500ms'],
  });
});

after(() => server?.stop());

async function droppedWithin(connection, limitMs) {
  const start = Date.now();
  const timer = setTimeout(() => connection.close(), limitMs + 2000);
  await connection.untilClosed();
  clearTimeout(timer);
  assert.ok(Date.now() - start < limitMs + 1500, 'the connection was kept');
}

const url = () => server.endpoint;

test('headers that do not end', async () => {
  const connection = await Connection.open(url());
  connection.write('POST / HTTP/1.1\r\nhost: x\r\n');
  await droppedWithin(connection, 200);
});

// A byte now and then does not extend the time.
test('headers that trickle', async () => {
  const connection = await Connection.open(url());
  connection.write('POST / HTTP/1.1\r\n');
  const timer = setInterval(() => connection.closed || connection.write('x'), 50);
  await droppedWithin(connection, 200);
  clearInterval(timer);
});

test('a body that does not end', async () => {
  const connection = await Connection.open(url());
  connection.write(requestBytes('ListTables', {}, { url: url() }).slice(0, -1));
  await droppedWithin(connection, 300);
});

test('a connection without requests', async () => {
  const connection = await Connection.open(url());
  connection.write(requestBytes('ListTables', {}, { url: url() }));
  assert.equal((await connection.response()).status, 200);
  await droppedWithin(connection, 500);
});

test('others are served meanwhile', async () => {
  const slow = await Promise.all(Array.from({ length: 50 }, () => Connection.open(url())));
  for (const connection of slow) connection.write('POST / HT');
  assert.equal((await post('ListTables', {}, {}, { url: url() })).status, 200);
  for (const connection of slow) connection.close();
});
