// The chat design (CHT-O2) with bearer tokens: the tenant is the one of the token's claim tenant_id
// and cannot be chosen.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { temporaryFolder } from '../../support/server.js';
import { problem, rest, serve } from './rest.js';

const SECRET = 'a secret of at least thirty-two bytes';
const folder = temporaryFolder();
after(() => rmSync(folder, { recursive: true, force: true }));

let server;

before(async () => {
  const path = join(folder, 'secret');
  writeFileSync(path, SECRET, { mode: 0o600 });
  server = await serve('chat', { args: ['--create-adopted', '--jwt-secret-file', path] });
});

const now = () => Math.floor(Date.now() / 1000);
const encoded = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

function token(claims, { secret = SECRET, alg = 'HS256' } = {}) {
  const text = `${encoded({ alg, typ: 'JWT' })}.${encoded({ exp: now() + 600, ...claims })}`;
  const signature =
    alg === 'none' ? '' : createHmac('sha256', secret).update(text).digest('base64url');
  return `${text}.${signature}`;
}

const withToken = (bearer, headers = {}) =>
  rest(server, { headers: { authorization: `Bearer ${bearer}`, ...headers } });
const asTenant = (tenant_id, headers) => withToken(token({ sub: 'user-1', tenant_id }), headers);

test('CHT-O2 the claim names the tenant', async () => {
  const conversation = await asTenant('tenant-1').item('/conversations/conversation-1');
  assert.equal(conversation.tenantId, 'tenant-1');
  assert.equal((await asTenant('tenant-1').list('/users/user-1/conversations')).length, 1);
  await problem(asTenant('tenant-2').get('/conversations/conversation-1'), 404, 'not_found');
  assert.deepEqual(await asTenant('tenant-2').list('/users/user-1/conversations'), []);
  await problem(asTenant('tenant-2').get('/tenants/tenant-1'), 403, 'forbidden');
});

test('CHT-O2 no header, parameter or body chooses another one', async () => {
  const other = { tenant: 'tenant-1' };
  await problem(asTenant('tenant-2', other).get('/files/file-1'), 403, 'forbidden');
  await problem(asTenant('tenant-2').get('/files/file-1?tenantId=tenant-1'), 403, 'forbidden');
  const body = { tenantId: 'tenant-1', userId: 'user-1' };
  await problem(asTenant('tenant-2').post('/conversations', body), 403, 'forbidden');
  assert.equal((await asTenant('tenant-1', other).item('/files/file-1')).tenantId, 'tenant-1');
});

test('CHT-O2 a token without the claim is of no tenant', async () => {
  for (const claims of [{}, { tenant_id: '' }, { tenantId: 'tenant-1' }]) {
    const caller = withToken(token({ sub: 'user-1', ...claims }));
    await problem(caller.get('/files/file-1'), 403, 'forbidden');
  }
});

test('CHT-O2 who has no valid token sees nothing', async () => {
  const claims = { sub: 'user-1', tenant_id: 'tenant-1' };
  const good = token(claims);
  const [head, , signature] = good.split('.');
  for (const bearer of [
    'x',
    '',
    token(claims, { secret: 'another secret of at least thirty-two' }),
    token(claims, { alg: 'none' }),
    token({ ...claims, exp: now() - 3600 }),
    token({ ...claims, exp: undefined }),
    token({ ...claims, exp: String(now() + 600) }),
    token({ ...claims, nbf: now() + 3600 }),
    `${head}.${encoded({ ...claims, exp: now() + 600, tenant_id: 'tenant-2' })}.${signature}`,
    good.slice(0, -2),
  ]) {
    await problem(withToken(bearer).get('/files/file-1'), 401, 'unauthenticated');
  }
  const anonymous = rest(server, { headers: { tenant: 'tenant-1' } });
  await problem(anonymous.get('/files/file-1'), 401, 'unauthenticated');
  const { headers } = await anonymous.get('/files/file-1');
  assert.match(headers['www-authenticate'], /^Bearer/);
  await problem(anonymous.post('/files:ready', {}), 401, 'unauthenticated');
});

test('CHT-O2 the DynamoDB API is closed as well, as long as there is no access key', async () => {
  const response = await fetch(server.endpoint, {
    method: 'POST',
    headers: {
      authorization:
        'AWS4-HMAC-SHA256 Credential=any/20260101/eu-west-1/dynamodb/aws4_request, ' +
        'SignedHeaders=host;x-amz-date;x-amz-target, Signature=0',
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-date': '20260101T000000Z',
      'x-amz-target': 'DynamoDB_20120810.ListTables',
    },
    body: '{}',
  });
  assert.equal(response.status, 400);
  assert.match((await response.json()).__type, /UnrecognizedClientException$/);
});
