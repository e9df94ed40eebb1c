// Requests no SDK would send: unknown operations, missing signatures, broken JSON, wrong types.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { newTable, S, unique } from '../support/dynamodb.js';
import { post, TARGET } from '../support/http.js';

let TableName;

before(async () => {
  TableName = await newTable('pk');
});

const NO_SIGNATURE = { authorization: null, 'x-amz-date': null };

test('an unknown operation has a type and no message', async () => {
  for (const target of ['NoSuchOperation', `${TARGET}.`, 'Nothing_20990101.PutItem', 'nodots']) {
    const answer = await post(target, {});
    assert.equal(answer.status, 400, target);
    assert.equal(answer.json.__type, 'com.amazon.coral.service#UnknownOperationException', target);
  }
});

test('a request without target is an unknown operation', async () => {
  const answer = await post(null, {});
  assert.ok(answer.status === 400 || answer.status === 404);
  assert.match(answer.text, /UnknownOperationException/);
});

// Operation names are exact.
test('the target is case-sensitive', async () => {
  const answer = await post('putitem', {});
  assert.equal(answer.type, 'UnknownOperationException');
});

// Hand-written clients send plain JSON or name the character set.
test('the content type may be plain JSON or carry a parameter', async () => {
  for (const type of ['application/json', 'application/x-amz-json-1.0; charset=utf-8']) {
    const answer = await post('ListTables', {}, { 'content-type': type });
    assert.equal(answer.status, 200, type);
  }
});

test('another content type is an unknown operation', async () => {
  const answer = await post('ListTables', {}, { 'content-type': 'text/xml' });
  assert.ok(answer.status === 400 || answer.status === 404);
  assert.match(answer.text, /UnknownOperationException/);
});

test('a request without signature is refused', async () => {
  const answer = await post('ListTables', {}, NO_SIGNATURE);
  assert.equal(answer.status, 400);
  assert.equal(answer.json.__type, 'com.amazon.coral.service#MissingAuthenticationTokenException');
  assert.equal(answer.message, 'Request is missing Authentication Token');
});

// The answer lists only what is missing.
test('a signature without its parts names them', async () => {
  const answer = await post(
    'ListTables',
    {},
    { authorization: 'AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request' },
  );
  assert.equal(answer.status, 400);
  assert.equal(answer.type, 'IncompleteSignatureException');
  assert.match(
    answer.message,
    /Authorization header requires 'Signature' parameter\. Authorization header requires 'SignedHeaders' parameter\./,
  );
  assert.doesNotMatch(answer.message, /requires 'Credential'/);
});

test('unknown operations and broken JSON are answered before the signature', async () => {
  assert.equal((await post('NoSuchOperation', {}, NO_SIGNATURE)).type, 'UnknownOperationException');
  assert.equal((await post('ListTables', '{', NO_SIGNATURE)).type, 'SerializationException');
});

const deep = (levels) =>
  `{"TableName":"x","Item":{"a":${'{"L":['.repeat(levels)}${']}'.repeat(levels)}}}`;

// Each row: what is wrong with the body, the body.
const broken = [
  ['half an object', '{'],
  ['no JSON', 'hello'],
  ['a trailing comma', '{"TableName":"abc",}'],
  ['single quotes', "{'TableName':'abc'}"],
  ['something after the object', '{} x'],
  ['an array', '[]'],
  ['a string', '"text"'],
  ['a number', '5'],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
  ['a raw control character', '{"TableName":"a\u0001b"}'],
  ['a bad escape', '{"TableName":"\\x"}'],
  ['a hundred thousand open braces', '{"a":'.repeat(100_000)],
];

for (const [what, body] of broken) {
  test(`a body with ${what} is a SerializationException`, async () => {
    const answer = await post('ListTables', body);
    assert.equal(answer.status, 400);
    assert.equal(answer.json.__type, 'com.amazon.coral.service#SerializationException');
  });
}

// Depth must be limited before memory is, and never by a crash.
test('documents nested far too deep are refused', async () => {
  for (const levels of [40, 500, 20_000]) {
    const answer = await post('PutItem', deep(levels));
    assert.equal(answer.status, 400);
    assert.match(answer.type, /^(SerializationException|ValidationException)$/);
  }
  assert.equal((await post('ListTables', {})).status, 200);
});

// Each row: the operation, a body with one member of a wrong type.
const wrongTypes = [
  ['GetItem', { TableName: 5 }],
  ['GetItem', { TableName: true }],
  ['GetItem', { TableName: [] }],
  ['GetItem', { TableName: {} }],
  ['GetItem', { Key: 'pk' }],
  ['GetItem', { Key: [] }],
  ['GetItem', { Key: { pk: 'x' } }],
  ['GetItem', { Key: { pk: { S: 5 } } }],
  ['GetItem', { Key: { pk: { S: {} } } }],
  ['GetItem', { Key: { pk: { N: 5 } } }],
  ['GetItem', { Key: { pk: { B: 5 } } }],
  ['GetItem', { Key: { pk: { SS: 'a' } } }],
  ['GetItem', { Key: { pk: { SS: [1] } } }],
  ['GetItem', { Key: { pk: { L: {} } } }],
  ['GetItem', { Key: { pk: { M: [] } } }],
  ['GetItem', { Key: { pk: { BOOL: 'true' } } }],
  ['GetItem', { ConsistentRead: 'true' }],
  ['GetItem', { AttributesToGet: 'a' }],
  ['GetItem', { ExpressionAttributeNames: [] }],
  ['GetItem', { ExpressionAttributeNames: { '#a': 5 } }],
  ['Query', { Limit: '5' }],
  ['Query', { Limit: true }],
  ['Query', { ScanIndexForward: 1 }],
  ['Query', { ExpressionAttributeValues: [] }],
  ['BatchGetItem', { RequestItems: [] }],
  ['BatchGetItem', { RequestItems: { abc: [] } }],
  ['BatchWriteItem', { RequestItems: { abc: {} } }],
  ['TransactWriteItems', { TransactItems: {} }],
  ['TransactWriteItems', { TransactItems: ['x'] }],
  ['CreateTable', { KeySchema: {} }],
  ['CreateTable', { AttributeDefinitions: ['pk'] }],
  ['CreateTable', { ProvisionedThroughput: { ReadCapacityUnits: '1' } }],
];

for (const [operation, body] of wrongTypes) {
  test(`${operation} with ${JSON.stringify(body)} is a SerializationException`, async () => {
    const answer = await post(operation, { TableName: 'abc', ...body });
    assert.equal(answer.status, 400);
    assert.equal(answer.type, 'SerializationException', answer.text);
  });
}

// Binary values are base64, and nothing else.
test('a binary that is not base64 is refused', async () => {
  for (const B of ['****', 'a', 'YQ=', 'YQ==YQ==']) {
    const answer = await post('PutItem', { TableName, Item: { pk: S('x'), b: { B } } });
    assert.equal(answer.status, 400, B);
    assert.match(answer.type, /^(SerializationException|ValidationException)$/, B);
  }
});

test('a value of two types is refused', async () => {
  const answer = await post('PutItem', { TableName, Item: { pk: S('x'), a: { S: 'a', N: '1' } } });
  assert.equal(answer.type, 'ValidationException');
  assert.equal(
    answer.message,
    'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes',
  );
});

test('a value of an unknown type is refused', async () => {
  const answer = await post('PutItem', { TableName, Item: { pk: S('x'), a: { Z: 'a' } } });
  assert.equal(answer.type, 'ValidationException');
  assert.equal(
    answer.message,
    'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes',
  );
});

// Half a surrogate pair is no text; it must not become a key nobody can read again.
test('lone surrogates do no harm', async () => {
  const answer = await post(
    'PutItem',
    `{"TableName":"${TableName}","Item":{"pk":{"S":"${unique('lone')}\\ud800"}}}`,
  );
  assert.ok(answer.status === 200 || answer.status === 400);
});

test('missing parameters are validation errors, not crashes', async () => {
  const operations = [
    'PutItem',
    'GetItem',
    'DeleteItem',
    'UpdateItem',
    'Query',
    'Scan',
    'BatchGetItem',
    'BatchWriteItem',
    'TransactGetItems',
    'TransactWriteItems',
    'CreateTable',
    'DescribeTable',
    'UpdateTable',
    'DeleteTable',
    'DescribeTimeToLive',
    'UpdateTimeToLive',
    'TagResource',
    'UntagResource',
    'ListTagsOfResource',
  ];
  for (const operation of operations) {
    const answer = await post(operation, {});
    assert.equal(answer.status, 400, operation);
    assert.equal(answer.type, 'ValidationException', `${operation}: ${answer.text}`);
  }
});
