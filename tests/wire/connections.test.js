// HTTP/1.1 as clients and proxies speak it, well and badly.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { crc32 } from '../support/crc32.js';
import { newTable, S, send, unique } from '../support/dynamodb.js';
import { endpoint, isAws } from '../support/endpoint.js';
import { Connection, post, requestBytes } from '../support/http.js';

// These talk to the socket without TLS.
const options = { skip: isAws && 'the real service is reached through TLS' };
const host = new URL(endpoint).host;
let TableName;

before(async () => {
  TableName = await newTable('pk');
});

async function withConnection(work) {
  const connection = await Connection.open();
  try {
    return await work(connection);
  } finally {
    connection.close();
  }
}

// The request with its body in pieces of the given sizes.
function chunked(target, body, sizes) {
  const head = requestBytes(target, body, {
    headers: { 'content-length': null, 'transfer-encoding': 'chunked' },
  });
  const text = JSON.stringify(body);
  let chunks = '';
  for (let at = 0, i = 0; at < text.length; i += 1) {
    const piece = text.slice(at, at + sizes[i % sizes.length]);
    chunks += `${piece.length.toString(16)}\r\n${piece}\r\n`;
    at += piece.length;
  }
  return `${head.slice(0, head.length - Buffer.byteLength(text))}${chunks}0\r\n\r\n`;
}

test('a connection serves many requests', options, () =>
  withConnection(async (connection) => {
    for (let i = 0; i < 20; i += 1) {
      connection.write(requestBytes('ListTables', { Limit: 1 }));
      const { status, headers } = await connection.response();
      assert.equal(status, 200);
      assert.notEqual(headers.connection, 'close');
    }
  }),
);

// Answers keep the order of the requests, although writes take longer than reads.
test('pipelined requests are answered in order', options, () =>
  withConnection(async (connection) => {
    const keys = Array.from({ length: 10 }, () => unique('pipeline'));
    const requests = keys.flatMap((pk) => [
      requestBytes('PutItem', { TableName, Item: { pk: S(pk) } }),
      requestBytes('DescribeTable', { TableName: pk }),
    ]);
    connection.write(requests.join(''));
    for (const pk of keys) {
      assert.equal((await connection.response()).text, '{}');
      assert.match((await connection.response()).text, new RegExp(pk));
    }
  }),
);

// A write and the read after it, sent without waiting.
test('a pipelined read sees the write before it', options, () =>
  withConnection(async (connection) => {
    const pk = unique('follow');
    connection.write(
      requestBytes('PutItem', { TableName, Item: { pk: S(pk) } }) +
        requestBytes('GetItem', { TableName, Key: { pk: S(pk) } }),
    );
    assert.equal((await connection.response()).text, '{}');
    assert.deepEqual(JSON.parse((await connection.response()).text), { Item: { pk: S(pk) } });
  }),
);

test('a body in chunks', options, () =>
  withConnection(async (connection) => {
    for (const sizes of [[1], [3, 5], [1000]]) {
      connection.write(chunked('ListTables', { Limit: 1 }, sizes));
      assert.equal((await connection.response()).status, 200);
    }
  }),
);

test('chunk extensions and trailers are read over', options, () =>
  withConnection(async (connection) => {
    const head = requestBytes('ListTables', '', {
      headers: { 'content-length': null, 'transfer-encoding': 'chunked' },
    });
    connection.write(`${head}2;name=value\r\n{}\r\n0\r\nx-trailer: 1\r\n\r\n`);
    assert.equal((await connection.response()).status, 200);
    connection.write(requestBytes('ListTables', {}));
    assert.equal((await connection.response()).status, 200);
  }),
);

// curl asks before it sends a large body.
test('Expect: 100-continue is answered before the body', options, () =>
  withConnection(async (connection) => {
    const bytes = requestBytes('ListTables', {}, { headers: { expect: '100-continue' } });
    connection.write(bytes.slice(0, -2));
    assert.equal((await connection.response()).status, 100);
    connection.write(bytes.slice(-2));
    assert.equal((await connection.response()).status, 200);
  }),
);

test('a request that arrives byte by byte', options, () =>
  withConnection(async (connection) => {
    for (const byte of requestBytes('ListTables', {})) {
      connection.write(byte);
      await new Promise(setImmediate);
    }
    assert.equal((await connection.response()).status, 200);
  }),
);

// Each row: headers of the request, version, whether the server closes after the answer.
for (const [what, headers, version, closes] of [
  ['HTTP/1.1', {}, '1.1', false],
  ['HTTP/1.1 with Connection: close', { connection: 'close' }, '1.1', true],
  ['HTTP/1.0', {}, '1.0', true],
]) {
  test(`${what} ${closes ? 'closes' : 'keeps the connection'}`, options, () =>
    withConnection(async (connection) => {
      connection.write(requestBytes('ListTables', {}, { headers, version }));
      const answer = await connection.response();
      assert.equal(answer.status, 200);
      if (!closes) return;
      // A silent close costs the JavaScript SDK a retry, so it is announced.
      if (version === '1.1') assert.equal(answer.headers.connection, 'close');
      await connection.untilClosed();
    }),
  );
}

test('header names are case-insensitive and may come in any order', options, () =>
  withConnection(async (connection) => {
    const [head, body] = requestBytes('ListTables', '{}').split('\r\n\r\n');
    const [start, ...lines] = head.split('\r\n');
    const mixed = lines
      .reverse()
      .map((line) => line.replace(/^[^:]+/, (name) => name.toUpperCase()).replace(': ', ':   '));
    connection.write(`${[start, ...mixed].join('\r\n')}\r\n\r\n${body}`);
    assert.equal((await connection.response()).status, 200);
  }),
);

// A client may stop sending and still wait for its answer.
test('an answer comes after the client has finished sending', options, () =>
  withConnection(async (connection) => {
    connection.write(requestBytes('ListTables', {}));
    connection.finish();
    assert.equal((await connection.response()).status, 200);
  }),
);

// The body is refused by its length, before it is sent.
test('a body over 16 MB is refused with 413', options, () =>
  withConnection(async (connection) => {
    const bytes = requestBytes('PutItem', '', { headers: { 'content-length': 17 * 1024 * 1024 } });
    connection.write(bytes);
    const answer = await connection.response();
    assert.equal(answer.status, 413);
    await connection.untilClosed();
  }),
);

test('a chunked body over 16 MB is refused with 413', options, () =>
  withConnection(async (connection) => {
    connection.write(
      requestBytes('PutItem', '', {
        headers: { 'content-length': null, 'transfer-encoding': 'chunked' },
      }),
    );
    const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
    for (let i = 0; i < 17 && !connection.closed; i += 1) connection.write(chunk);
    const answer = await connection.response();
    assert.equal(answer?.status, 413);
  }),
);

const line = (text) => `POST / HTTP/1.1\r\nhost: ${host}\r\n${text}\r\n\r\n`;

// Each row: what is wrong, the bytes. None may be taken as two requests or hang the connection.
const malformed = [
  ['no HTTP at all', 'hello there\r\n\r\n'],
  ['a request line without version', 'POST /\r\n\r\n'],
  ['another protocol version', 'POST / HTTP/3.0\r\n\r\n'],
  ['a header without colon', line('nonsense')],
  ['a blank before the colon', line('content-length : 0')],
  ['a length that is no number', line('content-length: ten')],
  ['a negative length', line('content-length: -1')],
  ['two different lengths', line('content-length: 1\r\ncontent-length: 2')],
  ['a length and chunks', line('content-length: 1\r\ntransfer-encoding: chunked')],
  ['an unknown transfer encoding', line('transfer-encoding: gzip')],
  ['a chunk size that is no number', `${line('transfer-encoding: chunked')}zz\r\n`],
  ['a header that goes on', `POST / HTTP/1.1\r\nhost: ${host}\r\na: b\r\n c\r\n\r\n`],
  ['a zero byte', line('a: b\u0000c')],
];

for (const [what, bytes] of malformed) {
  test(`a request with ${what} is refused and the connection closed`, options, () =>
    withConnection(async (connection) => {
      connection.write(bytes);
      const answer = await connection.response();
      assert.ok(answer && [400, 411, 501, 505].includes(answer.status), `status ${answer?.status}`);
      await connection.untilClosed();
    }),
  );
}

test('headers without end are refused', options, () =>
  withConnection(async (connection) => {
    connection.write(`POST / HTTP/1.1\r\n${`x: ${'y'.repeat(1000)}\r\n`.repeat(100)}`);
    const answer = await connection.response();
    assert.ok([400, 431].includes(answer?.status), `status ${answer?.status}`);
    await connection.untilClosed();
  }),
);

// Clients that use a proxy name the whole URI. Its host is the one that was signed.
test('the target may be a whole URI', options, () =>
  withConnection(async (connection) => {
    const request = requestBytes('ListTables', { Limit: 1 });
    for (const line of [`POST http://${host}/ HTTP/1.1`, `POST HTTP://${host} HTTP/1.1`]) {
      connection.write(request.replace('POST / HTTP/1.1', line));
      const { status, text } = await connection.response();
      assert.equal(status, 200, text);
    }
    connection.write(`OPTIONS * HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    const { status, headers } = await connection.response();
    assert.equal(status, 204);
    assert.match(headers.allow, /POST/);
  }),
);

test('a target that is no URI of this server is refused', options, async () => {
  for (const target of ['*', 'x', 'ftp://x/', 'http://', 'http://a@b/', 'x:80']) {
    await withConnection(async (connection) => {
      connection.write(`POST ${target} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\n\r\n`);
      assert.equal((await connection.response()).status, 400, target);
    });
  }
});

// Large answers leave in parts; none may be lost.
test('an answer of many megabytes arrives whole', options, async () => {
  const v = S('ç'.repeat(190_000));
  const Keys = Array.from({ length: 40 }, (_, i) => ({ pk: S(`large-${i}`) }));
  await Promise.all(Keys.map((key) => send('PutItem', { TableName, Item: { ...key, v } })));
  const answer = await post('BatchGetItem', { RequestItems: { [TableName]: { Keys } } });
  assert.equal(answer.status, 200);
  assert.equal(Number(answer.headers['x-amz-crc32']), crc32(answer.body));
  assert.ok(answer.body.length > 14_000_000);
  for (const item of answer.json.Responses[TableName]) assert.equal(item.v.S.length, 190_000);
});

// Clients go away at any moment; the server must not mind.
test('clients that leave do no harm', options, async () => {
  for (const bytes of [
    '',
    'POST',
    requestBytes('ListTables', {}).slice(0, -1),
    requestBytes('ListTables', {}),
  ]) {
    const connection = await Connection.open();
    if (bytes) connection.write(bytes);
    connection.close();
  }
  assert.equal((await post('ListTables', {})).status, 200);
});

test('three hundred idle connections do not stop others', options, async () => {
  const connections = await Promise.all(Array.from({ length: 300 }, () => Connection.open()));
  try {
    assert.equal((await post('ListTables', {})).status, 200);
    connections.at(-1).write(requestBytes('ListTables', {}));
    assert.equal((await connections.at(-1).response()).status, 200);
  } finally {
    for (const connection of connections) connection.close();
  }
});
