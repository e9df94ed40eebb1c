// Listening beyond this machine needs credentials, and then every signature is checked.

import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { newClient, rejects, send } from '../support/dynamodb.js';
import { exchange, post } from '../support/http.js';
import { runBinary, startServer, temporaryFolder } from '../support/server.js';

const good = { accessKeyId: 'AKIAGOOD', secretAccessKey: 'the/secret+of/the+key' };
let folder;
let file;
let server;

before(async () => {
  folder = temporaryFolder();
  file = join(folder, 'credentials');
  writeFileSync(
    file,
    `[default]\naws_access_key_id = ${good.accessKeyId}\naws_secret_access_key = ${good.secretAccessKey}\n`,
  );
  server = await startServer({
    inMemory: true,
    args: ['--host', '0.0.0.0', '--credentials-file', file],
  });
});

after(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const list = (credentials) => {
  const client = newClient({ endpoint: server.endpoint, credentials });
  return send('ListTables', {}, client).finally(() => client.destroy());
};
const signed = (body, headers, options) =>
  post('ListTables', body, headers, { url: server.endpoint, credentials: good, ...options });

test('a server open to the network refuses to start without credentials', async () => {
  const { code, errors } = await runBinary([
    'serve',
    '--in-memory',
    '--port',
    '0',
    '--host',
    '0.0.0.0',
  ]);
  assert.ok(code !== 0 && code !== null);
  assert.equal(errors.trim().split('\n').length, 1, errors);
  assert.match(errors, /credentials/i);
});

test('a credentials file that is not there is refused by name', async () => {
  const { code, errors } = await runBinary([
    'serve',
    '--in-memory',
    '--port',
    '0',
    '--credentials-file',
    '/no/such/file',
  ]);
  assert.ok(code !== 0 && code !== null);
  assert.match(errors, /\/no\/such\/file/);
});

test('the right secret is let in', async () => {
  assert.deepEqual((await list(good)).TableNames, []);
});

test('a wrong secret is refused', async () => {
  await rejects(
    list({ ...good, secretAccessKey: 'wrong' }),
    'InvalidSignatureException',
    'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
  );
});

test('an unknown key is refused', async () => {
  await rejects(
    list({ ...good, accessKeyId: 'AKIAOTHER' }),
    'UnrecognizedClientException',
    'The security token included in the request is invalid.',
  );
});

test('a request without signature is refused', async () => {
  const answer = await signed({}, { authorization: null });
  assert.equal(answer.type, 'MissingAuthenticationTokenException');
});

// The signature covers the body and the headers it names.
test('a changed body or header is refused', async () => {
  assert.equal((await signed('{"Limit":1}')).status, 200);
  assert.equal(
    (await signed('{"Limit":1}', {}, { sendBody: '{"Limit":2}' })).type,
    'InvalidSignatureException',
  );
  assert.equal(
    (await signed({}, { 'x-amz-target': 'DynamoDB_20120810.DescribeLimits' })).type,
    'InvalidSignatureException',
  );
});

// Otherwise a signature that somebody saw would serve for another host or another operation.
test('host and the headers of Amazon must be signed', async () => {
  for (const [header, name] of [
    ['host', "'Host' or ':authority'"],
    ['x-amz-target', "'x-amz-target'"],
    ['x-amz-date', "'x-amz-date'"],
  ]) {
    const answer = await signed({}, {}, { unsigned: [header] });
    assert.equal(answer.status, 400, header);
    assert.equal(answer.type, 'InvalidSignatureException');
    assert.equal(answer.message, `${name} must be a 'SignedHeader' in the AWS Authorization.`);
  }
  assert.equal((await signed({}, { 'x-amz-more': 'x' })).type, 'InvalidSignatureException');
  assert.equal((await signed({}, {}, { unsigned: ['content-type'] })).status, 200);
});

// Behind a proxy, the server has whatever name the proxy gives it. Nobody gets in without a key.
test('with access keys the server answers to any name', async () => {
  const health = await exchange({
    url: server.endpoint,
    method: 'GET',
    headers: { host: 'db.example', origin: 'https://app.example' },
  });
  assert.equal(health.status, 200);
});

// An old signature is a stolen one.
test('a signature of another time is refused', async () => {
  const past = await signed({}, {}, { date: new Date(Date.now() - 20 * 60_000) });
  assert.equal(past.type, 'InvalidSignatureException');
  assert.match(past.message, /^Signature expired: /);
  const future = await signed({}, {}, { date: new Date(Date.now() + 20 * 60_000) });
  assert.equal(future.type, 'InvalidSignatureException');
  assert.match(future.message, /^Signature not yet current: /);
});

test('secrets are in no output', () => {
  assert.ok(!(server.output + server.errors).includes(good.secretAccessKey));
});
