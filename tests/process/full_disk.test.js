// A full disk: writes fail with a server error, reads go on, and when there is room again so do
// writes. Nothing that was acknowledged is lost.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { attributes, keySchema, N, newClient, S, send } from '../support/dynamodb.js';
import { startServer, temporaryFolder } from '../support/server.js';

const TableName = 'filling';
let disk;
let reason;

before(() => {
  disk = temporaryFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', disk], { stdio: 'pipe' });
  } catch (error) {
    reason = `a small file system cannot be mounted here: ${String(error.stderr ?? error).trim()}`;
  }
});

after(() => {
  if (!reason) execFileSync('umount', ['-l', disk]);
  rmSync(disk, { recursive: true, force: true });
});

test('a full disk stops writes only, and only as long as it is full', async (t) => {
  if (reason) return t.skip(reason);
  const data = join(disk, 'data');
  const ballast = join(disk, 'ballast');
  // Writes go on once a write buffer is free again, so a small disk wants a small one.
  const args = ['--write-buffer-mb', '4'];
  let server = await startServer({ data, args });
  let client = newClient({ endpoint: server.endpoint });
  t.after(() => server.stop('SIGKILL'));
  const call = (operation, input) => send(operation, input, client);
  await call('CreateTable', {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: attributes('pk'),
    KeySchema: keySchema('pk'),
  });

  const acknowledged = [];
  // Random, so that compression does not make room.
  const big = randomBytes(150_000).toString('base64');
  const put = async (i) => {
    await call('PutItem', { TableName, Item: { pk: S(`p${i}`), i: N(i), big: S(big) } });
    acknowledged.push(i);
  };
  const get = async (i) =>
    (await call('GetItem', { TableName, Key: { pk: S(`p${i}`) }, ConsistentRead: true })).Item;

  for (let i = 0; i < 20; i += 1) await put(i);
  const free = Number(
    execFileSync('df', ['--output=avail', '-B1', disk]).toString().trim().split('\n')[1],
  );
  writeFileSync(ballast, Buffer.alloc(Math.max(0, free - 1_000_000)));

  let failure;
  for (let i = 20; i < 600 && !failure; i += 1) await put(i).catch((error) => (failure = error));
  assert.ok(failure, 'the disk did not fill');
  assert.equal(failure.$metadata.httpStatusCode, 503);
  assert.equal(failure.name, 'ServiceUnavailableException');
  assert.doesNotMatch(failure.message, /\/tmp|tmpfs/);

  // Reads do not need the disk to have room.
  for (const i of acknowledged) assert.deepEqual((await get(i)).i, N(i));

  rmSync(ballast);
  // The store notices on its own; a client that retries gets through.
  const limit = Date.now() + 20_000;
  for (let done = false; !done; ) {
    try {
      await put(1000);
      done = true;
    } catch (error) {
      assert.ok(Date.now() < limit, `writes did not come back: ${error.message}`);
      await new Promise((next) => setTimeout(next, 100));
    }
  }

  client.destroy();
  await server.stop();
  server = await startServer({ data, args });
  client = newClient({ endpoint: server.endpoint });
  for (const i of acknowledged) assert.deepEqual((await get(i))?.i, N(i), `p${i}`);
  client.destroy();
});
