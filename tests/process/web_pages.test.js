// What a page of another site can try on a server that needs no access keys: the browser of this
// machine sends its requests to the loopback address, and says where they come from.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';

import { modelPath } from '../model/designs.js';
import { newClient, send } from '../support/dynamodb.js';
import { Connection, exchange, post } from '../support/http.js';
import { startServer } from '../support/server.js';

const EVIL = 'http://evil.example';
const BUYER = '/api/v1/sales/buyers/BUYER001';

let server;

before(async () => {
  server = await startServer({
    inMemory: true,
    args: [
      '--model',
      modelPath('sales'),
      '--samples',
      '--test-controls',
      '--allowed-host',
      'db.example, 10.1.2.3',
    ],
  });
});

after(() => server?.stop());

const ask = (path, headers = {}, { method = 'GET', body } = {}) =>
  exchange({ url: server.endpoint, method, path, headers, body });

const nameOfBuyer = async () => (await ask(BUYER)).json.Name;

// A page whose own name was pointed at 127.0.0.1 could read every answer as its own.
test('a name that is not of this machine is refused at every door', async () => {
  for (const host of ['evil.example', `evil.example:${server.port}`, '127.0.0.1.evil.example']) {
    const headers = { host };
    for (const path of ['/', '/docs', '/healthz', '/api/v1', BUYER]) {
      assert.equal((await ask(path, headers)).status, 403, `${host} ${path}`);
    }
    const rest = await ask(BUYER, headers);
    assert.equal(rest.headers['content-type'], 'application/problem+json');
    assert.match(rest.json.detail, /--allowed-host \S*evil\.example,/);
    const dynamodb = await post('ListTables', {}, headers, { url: server.endpoint });
    assert.equal(dynamodb.status, 403);
    assert.equal(dynamodb.type, 'AccessDeniedException');
    assert.match(dynamodb.message, /--allowed-host/);
    const control = await ask(
      '/test-controls/reset',
      { ...headers, 'content-type': 'application/json' },
      { method: 'POST', body: '{}' },
    );
    assert.equal(control.status, 403);
  }
  assert.equal((await ask(BUYER)).status, 200);
});

test('the names of this machine and those of the setting are accepted', async () => {
  for (const host of ['localhost:1', '127.0.0.9', '[::1]:80', 'x.localhost', 'DB.example:9', '10.1.2.3']) {
    assert.equal((await ask(BUYER, { host })).status, 200, host);
  }
  const client = newClient({ endpoint: `http://localhost:${server.port}` });
  try {
    assert.deepEqual((await send('ListTables', {}, client)).TableNames, ['SalesTable-dev']);
  } finally {
    client.destroy();
  }
});

test('tools that speak HTTP/1.0 need no Host', async () => {
  const connection = await Connection.open(server.endpoint);
  connection.write('GET / HTTP/1.0\r\n\r\n');
  assert.equal((await connection.response()).status, 200);
  connection.close();
});

// The forms of a page: browsers send them without asking the server first.
test('a form of another site renames nobody', async () => {
  const before = await nameOfBuyer();
  const rename = (headers, body = '{"Name":"Eve"}') =>
    ask(`${BUYER}:rename`, headers, { method: 'POST', body });
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    const headers = { 'content-type': type };
    assert.equal((await rename({ ...headers, origin: EVIL })).status, 403);
    assert.equal((await rename(headers)).status, 415);
  }
  assert.equal((await rename({})).status, 415);
  assert.equal((await rename({})).headers['content-type'], 'application/problem+json');
  const json = { 'content-type': 'application/json' };
  for (const origin of [EVIL, 'null', 'https://localhost.evil.example', 'file://']) {
    assert.equal((await rename({ ...json, origin })).status, 403, origin);
    const list = await post('ListTables', {}, { origin }, { url: server.endpoint });
    assert.equal(list.type, 'AccessDeniedException', origin);
  }
  assert.equal(await nameOfBuyer(), before);
  // The page of this server, and an application of the same developer on another port.
  for (const origin of [server.endpoint, 'http://localhost:3000', 'https://db.example']) {
    assert.equal((await rename({ ...json, origin }, JSON.stringify({ Name: before }))).status, 200);
  }
});

test('another site loads nothing, but a link from it works', async () => {
  const from = (site, mode) => ({ 'sec-fetch-site': site, 'sec-fetch-mode': mode });
  assert.equal((await ask(BUYER, from('cross-site', 'no-cors'))).status, 403);
  assert.equal((await ask('/docs', from('cross-site', 'navigate'))).status, 200);
  assert.equal((await ask(BUYER, from('same-origin', 'cors'))).status, 200);
});

// A browser asks before it sends JSON to another site, and no answer here says yes.
test('no answer lets another site read it', async () => {
  const preflight = {
    origin: 'http://localhost:3000',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type,x-amz-target',
  };
  for (const path of ['/', BUYER, '/docs']) {
    const { headers } = await ask(path, preflight, { method: 'OPTIONS' });
    assert.deepEqual(
      Object.keys(headers).filter((name) => name.startsWith('access-control')),
      [],
    );
  }
});

const sha256 = (text) => createHash('sha256').update(text).digest('base64');

// A browser runs only the scripts and styles whose hashes are in the policy.
test('the policy of each page lists exactly its scripts and styles', async () => {
  for (const path of ['/docs', '/api/v1/sales/docs']) {
    const { headers, text } = await ask(path);
    const policy = Object.fromEntries(
      headers['content-security-policy'].split('; ').map((part) => {
        const [name, ...values] = part.split(' ');
        return [name, values];
      }),
    );
    for (const element of ['script', 'style']) {
      const inline = [...text.matchAll(new RegExp(`<${element}[^>]*>([^]*?)</${element}>`, 'g'))];
      assert.ok(inline.length > 0, `${path} ${element}`);
      assert.deepEqual(
        policy[`${element}-src`],
        inline.map((match) => `'sha256-${sha256(match[1])}'`),
      );
    }
    assert.deepEqual(policy['default-src'], ["'none'"]);
    assert.deepEqual(policy['connect-src'], ["'self'"]);
    assert.deepEqual(policy['frame-ancestors'], ["'none'"]);
    assert.equal(headers['x-frame-options'], 'DENY');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
    // Markup without inline handlers and styles, which no hash covers.
    const markup = text.replace(/<(script|style)>[^]*?<\/\1>/g, '');
    assert.doesNotMatch(markup, /\son[a-z]+\s*=|\sstyle\s*=|javascript:/i);
  }
});

// What a client sends comes back in messages, but never as something that a browser would run.
test('answers that repeat the request are not HTML', async () => {
  const evil = '/<script>alert(1)</script>';
  for (const [path, headers, method] of [
    [evil, {}, 'GET'],
    [`/api/v1/sales${evil}`, {}, 'GET'],
    [`/api/v1/sales/sales?${evil}`, {}, 'GET'],
    ['/', { host: '<script>alert(1)</script>' }, 'GET'],
    [`/problems${evil}`, {}, 'GET'],
    [evil, { 'x-amz-target': evil }, 'POST'],
  ]) {
    const answer = await ask(path, headers, { method });
    assert.doesNotMatch(answer.headers['content-type'] ?? '', /html|xml|svg/, path);
  }
});
