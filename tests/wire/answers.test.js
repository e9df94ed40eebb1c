// What an answer looks like on the wire: status, headers, checksum, error shape.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { crc32 } from '../support/crc32.js';
import { newTable, S, send, unique } from '../support/dynamodb.js';
import { exchange, post } from '../support/http.js';

let TableName;

before(async () => {
  TableName = await newTable('pk');
});

function checkHeaders(answer) {
  assert.match(answer.headers['x-amzn-requestid'], /^[A-Z0-9]{52}$/);
  assert.equal(answer.headers['content-type'], 'application/x-amz-json-1.0');
  assert.equal(Number(answer.headers['content-length']), answer.body.length);
  assert.equal(Number(answer.headers['x-amz-crc32']), crc32(answer.body));
  assert.ok(Math.abs(Date.parse(answer.headers.date) - Date.now()) < 60_000);
}

// Old boto3 retries for 25 seconds on a wrong checksum, so it must be right or absent.
test('an answer carries a request id, a checksum and a date', async () => {
  const answer = await post('ListTables', {});
  assert.equal(answer.status, 200);
  checkHeaders(answer);
});

test('every request has an id of its own', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => post('ListTables', {})));
  assert.equal(new Set(answers.map((answer) => answer.headers['x-amzn-requestid'])).size, 20);
});

test('the checksum is of the bytes, also outside ASCII', async () => {
  await send('PutItem', { TableName, Item: { pk: S('ação'), v: S('🚜'.repeat(1000)) } });
  const answer = await post('GetItem', { TableName, Key: { pk: S('ação') } });
  checkHeaders(answer);
  assert.equal(answer.json.Item.v.S, '🚜'.repeat(1000));
});

// A void answer is an empty object.
test('an operation without output answers {}', async () => {
  const answer = await post('PutItem', { TableName, Item: { pk: S('void') } });
  assert.equal(answer.text, '{}');
  const missing = await post('GetItem', { TableName, Key: { pk: S(unique('none')) } });
  assert.equal(missing.text, '{}');
});

test('an error has type and message in the body', async () => {
  const answer = await post('DescribeTable', { TableName: 'no-such-table' });
  assert.equal(answer.status, 400);
  checkHeaders(answer);
  assert.deepEqual(answer.json, {
    __type: 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException',
    message: 'Requested resource not found: Table: no-such-table not found',
  });
});

// Prefixes differ by the layer that raises the error, and some clients log them.
test('a validation error has its own prefix', async () => {
  const answer = await post('PutItem', { TableName, Item: {} });
  assert.equal(answer.status, 400);
  assert.equal(answer.json.__type, 'com.amazon.coral.validate#ValidationException');
  assert.equal(typeof answer.json.message, 'string');
});

test('a failed condition carries its item in the body', async () => {
  await send('PutItem', { TableName, Item: { pk: S('there') } });
  const answer = await post('PutItem', {
    TableName,
    Item: { pk: S('there') },
    ConditionExpression: 'attribute_not_exists(pk)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  assert.deepEqual(answer.json, {
    __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException',
    message: 'The conditional request failed',
    Item: { pk: S('there') },
  });
});

// This one spells Message with a capital.
test('a cancelled transaction lists its reasons', async () => {
  const Key = { pk: S(unique('none')) };
  const answer = await post('TransactWriteItems', {
    TransactItems: [
      { ConditionCheck: { TableName, Key, ConditionExpression: 'attribute_exists(pk)' } },
      { Put: { TableName, Item: { pk: S(unique('other')) } } },
    ],
    ClientRequestToken: unique('t').slice(0, 36),
  });
  assert.deepEqual(answer.json, {
    __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
    Message:
      'Transaction cancelled, please refer cancellation reasons for specific reasons [ConditionalCheckFailed, None]',
    CancellationReasons: [
      { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed' },
      { Code: 'None' },
    ],
  });
});

// Times are numbers of seconds; a string breaks the JavaScript SDK.
test('times are numbers', async () => {
  const { json } = await post('DescribeTable', { TableName });
  assert.equal(typeof json.Table.CreationDateTime, 'number');
  assert.ok(Math.abs(json.Table.CreationDateTime * 1000 - Date.now()) < 3_600_000);
});

// JSON needs a few characters escaped; all others come back as they are.
test('strings of control characters, quotes and any script come back', async () => {
  const text = '\u0000\u0001\b\f\n\r\t"\\/\u007f\u2028é漢😀';
  await send('PutItem', { TableName, Item: { pk: S('controls'), [text]: S(text) } });
  const { json } = await post('GetItem', { TableName, Key: { pk: S('controls') } });
  assert.deepEqual(json.Item, { pk: S('controls'), [text]: S(text) });
});

// boto3 sends everything outside ASCII escaped, JavaScript sends it raw; both mean the same key.
test('escaped and raw text are the same', async () => {
  await post(
    'PutItem',
    `{"TableName":"${TableName}","Item":{"pk":{"S":"\\u00e1\\ud83d\\ude9c\\u0041"}}}`,
  );
  const { json } = await post('GetItem', { TableName, Key: { pk: S('á🚜A') } });
  assert.deepEqual(json.Item, { pk: S('á🚜A') });
});

test('blanks and unknown or null members are ignored', async () => {
  const answer = await post(
    'GetItem',
    `\n { "TableName" : "${TableName}" ,\t"Key":{"pk":{"S":"x"}}, "Later": {"a":[1]}, "ProjectionExpression": null }\r\n`,
  );
  assert.equal(answer.status, 200);
});

// Load balancers ask for this.
test('GET / says that the service is healthy', async () => {
  const answer = await exchange({ method: 'GET' });
  assert.equal(answer.status, 200);
  assert.match(answer.text, /^healthy: dynamodb\.[a-z0-9-]+\.amazonaws\.com/);
});

test('other paths and methods are not found', async () => {
  for (const [method, path] of [
    ['GET', '/nothing/here'],
    ['PUT', '/'],
    ['DELETE', '/'],
  ]) {
    const answer = await exchange({ method, path });
    assert.ok(
      answer.status === 404 || answer.status === 405,
      `${method} ${path}: ${answer.status}`,
    );
  }
});
