// `monotable model deploy`, `samples` and `diff`, and `serve --model`: tables become what models
// say, once and without losing anything.

import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import * as sdk from '@aws-sdk/client-dynamodb';

import { runBinary, startServer, temporaryFolder } from '../support/server.js';
import { designs, modelPath } from './designs.js';

const folder = temporaryFolder();
let server;
let client;

before(async () => {
  // The samples of the trading design have expired, and are to stay.
  server = await startServer({ inMemory: true, args: ['--ttl-delay', '3650d'] });
  client = clientOf(server);
});

after(async () => {
  client.destroy();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

function clientOf({ endpoint }, credentials = { accessKeyId: 'a', secretAccessKey: 'b' }) {
  return new sdk.DynamoDBClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
}

function send(operation, input, sender = client) {
  return sender.send(new sdk[`${operation}Command`](input));
}

function model(verb, ...args) {
  return runBinary(['model', verb, '--endpoint', server.endpoint, ...args]);
}

const INDEXES = '      GSI1: {hash: "Author S", range: "id S", project: all}\n';

// A model of one table in a file of its own.
function notes(table, { indexes = INDEXES, more = '' } = {}) {
  const path = join(folder, `${table}.model.yaml`);
  writeFileSync(
    path,
    `format: stm/1
model: notes
tables:
  main:
    name: ${table}
    keys: {hash: "PK S", range: "SK S"}
    type_attribute: kind
${more}    indexes:
${indexes}entities:
  Note:
    path: notes
    id: {attribute: id}
    keys: {primary: {PK: "NOTE#{id}", SK: META}}
    attributes: {id: string!, Author: string, Topic: string}
patterns:
  - {id: AP1, name: getNote, get: Note, by: [id]}
`,
  );
  return path;
}

async function indexNames(TableName) {
  const { Table } = await send('DescribeTable', { TableName });
  return (Table.GlobalSecondaryIndexes ?? []).map((index) => index.IndexName).sort();
}

async function countIn(TableName, IndexName, attribute, value) {
  const { Count } = await send('Query', {
    TableName,
    IndexName,
    KeyConditionExpression: '#a = :v',
    ExpressionAttributeNames: { '#a': attribute },
    ExpressionAttributeValues: { ':v': { S: value } },
  });
  return Count;
}

for (const design of designs) {
  // What the checks prove must also be what a server accepts, and nothing is done twice.
  test(`${design} is deployed with its samples, once`, async () => {
    const path = modelPath(design);
    const first = await model('deploy', path, '--create-adopted', '--samples');
    assert.equal(first.code, 0, first.errors);
    assert.match(first.output, /: create table \(PK S, SK S/);
    assert.match(first.output, /: samples: \d+ written, 0 were there\n/);
    const second = await model('deploy', path, '--samples');
    assert.equal(second.code, 0, second.errors);
    assert.match(second.output, /: nothing to do\n/);
    assert.match(second.output, /: samples: 0 written, \d+ were there\n/);
    const same = await model('diff', path);
    assert.equal(same.code, 0, same.output + same.errors);
  });
}

// Items that are there when an index comes must be found by it.
test('an index comes to a table with data, and goes when that is allowed', async () => {
  const TableName = 'notes-live';
  assert.equal((await model('deploy', notes(TableName))).code, 0);
  for (let i = 0; i < 50; i += 1) {
    const Item = { PK: { S: `NOTE#${i}` }, SK: { S: 'META' }, id: { S: `${i}` } };
    Item.Author = { S: i % 2 ? 'ann' : 'bob' };
    Item.Topic = { S: 'trees' };
    await send('PutItem', { TableName, Item });
  }
  const grown = notes(TableName, {
    indexes: `${INDEXES}      GSI2: {hash: "Topic S", project: keys}\n      GSI3: {hash: "id S"}\n`,
  });
  const planned = await model('deploy', grown, '--dry-run');
  assert.equal(planned.code, 0, planned.errors);
  assert.match(planned.output, /create index GSI2 \(Topic S; keys only\)\n.*create index GSI3/);
  assert.deepEqual(await indexNames(TableName), ['GSI1']);
  const done = await model('deploy', grown);
  assert.equal(done.code, 0, done.errors);
  assert.deepEqual(await indexNames(TableName), ['GSI1', 'GSI2', 'GSI3']);
  assert.equal(await countIn(TableName, 'GSI2', 'Topic', 'trees'), 50);

  const shrunk = notes(TableName);
  const refused = await model('deploy', shrunk);
  assert.equal(refused.code, 1);
  assert.match(refused.errors, /^monotable: .*'delete index GSI2'.*--allow-destructive\.\n$/);
  assert.deepEqual(await indexNames(TableName), ['GSI1', 'GSI2', 'GSI3']);
  const differs = await model('diff', shrunk);
  assert.equal(differs.code, 1);
  assert.match(differs.output, /delete index GSI2 \(destructive\)/);
  const removed = await model('deploy', shrunk, '--allow-destructive');
  assert.equal(removed.code, 0, removed.errors);
  assert.deepEqual(await indexNames(TableName), ['GSI1']);
  assert.equal(await countIn(TableName, 'GSI1', 'Author', 'ann'), 25);
});

// A changed index is another index: it is made anew from the items.
test('an index whose keys changed is made anew', async () => {
  const TableName = 'notes-rebuilt';
  assert.equal((await model('deploy', notes(TableName))).code, 0);
  const Item = { PK: { S: 'NOTE#1' }, SK: { S: 'META' }, id: { S: '1' }, Topic: { S: 'trees' } };
  await send('PutItem', { TableName, Item });
  const changed = notes(TableName, { indexes: '      GSI1: {hash: "Topic S", project: all}\n' });
  assert.equal((await model('deploy', changed)).code, 1);
  const done = await model('deploy', changed, '--allow-destructive');
  assert.equal(done.code, 0, done.errors);
  assert.equal(await countIn(TableName, 'GSI1', 'Topic', 'trees'), 1);
});

test('settings follow the model', async () => {
  const TableName = 'notes-settings';
  assert.equal((await model('deploy', notes(TableName))).code, 0);
  const more = '    ttl_attribute: ttl\n    stream: new\n    billing: provisioned\n';
  const done = await model('deploy', notes(TableName, { more }));
  assert.equal(done.code, 0, done.errors);
  const { Table } = await send('DescribeTable', { TableName });
  assert.equal(Table.StreamSpecification.StreamViewType, 'NEW_IMAGE');
  assert.equal(Table.ProvisionedThroughput.ReadCapacityUnits, 5);
  assert.equal(Table.GlobalSecondaryIndexes[0].ProvisionedThroughput.WriteCapacityUnits, 5);
  const { TimeToLiveDescription } = await send('DescribeTimeToLive', { TableName });
  assert.equal(TimeToLiveDescription.AttributeName, 'ttl');
  const again = await model('deploy', notes(TableName, { more }));
  assert.match(again.output, /nothing to do/);
});

// Somebody else owns an adopted table: it is looked at and never touched.
test('adopted tables are checked, not changed', async () => {
  const TableName = 'notes-adopted';
  const more = '    adopt: true\n';
  const missing = await model('deploy', notes(TableName, { more }));
  assert.equal(missing.code, 1);
  assert.match(missing.errors, /notes-adopted is adopted, so it is not created, but there is none/);
  assert.equal((await model('deploy', notes(TableName, { more }), '--create-adopted')).code, 0);
  assert.equal((await model('deploy', notes(TableName, { more }))).code, 0);
  const wider = notes(TableName, { more, indexes: `${INDEXES}      GSI2: {hash: "Topic S"}\n` });
  const lacking = await model('deploy', wider, '--create-adopted', '--allow-destructive');
  assert.equal(lacking.code, 1);
  assert.match(lacking.errors, /adopted, so it is not changed, but it lacks index GSI2/);
  assert.deepEqual(await indexNames(TableName), ['GSI1']);
});

test('a key that differs is a problem, said in one line', async () => {
  await send('CreateTable', {
    TableName: 'notes-keys',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'PK', AttributeType: 'N' }],
    KeySchema: [{ AttributeName: 'PK', KeyType: 'HASH' }],
  });
  const { code, errors } = await model('deploy', notes('notes-keys'), '--allow-destructive');
  assert.equal(code, 1);
  assert.match(errors, /^monotable: Table notes-keys: its key is PK N and should be PK S, SK S;/);
});

test('environments and parameters name the tables', async () => {
  const path = modelPath('trading');
  const set = ['--environment', 'prod', '--set', 'TableName=oms'];
  const done = await model('deploy', path, ...set);
  assert.equal(done.code, 0, done.errors);
  const { Table } = await send('DescribeTable', { TableName: 'oms_prod' });
  assert.equal(Table.DeletionProtectionEnabled, true);
  for (const [args, message] of [
    [['--environment', 'prd'], /no environment 'prd'\. Did you mean prod\?/],
    [['--set', 'TabelName=x'], /no parameter 'TabelName'\. Did you mean TableName\?/],
    [['--set', 'EnablePITR=maybe'], /cannot be 'maybe'/],
    [['--set', 'x'], /Option --set: 'x' is not accepted/],
  ]) {
    const refused = await model('deploy', path, ...args);
    assert.equal(refused.code, 2);
    assert.match(refused.errors, message);
    assert.equal(refused.errors.split('\n').length, 2, refused.errors);
  }
});

test('samples are overwritten only on request', async () => {
  const path = modelPath('orders');
  assert.equal((await model('deploy', path)).code, 0);
  await model('samples', path);
  const { Items } = await send('Scan', { TableName: 'orders', Limit: 1 });
  const edited = { ...Items[0], Edited: { S: 'yes' } };
  await send('PutItem', { TableName: 'orders', Item: edited });
  const Key = { PK: edited.PK, SK: edited.SK };
  await model('samples', path);
  assert.ok((await send('GetItem', { TableName: 'orders', Key })).Item.Edited);
  const { code, output } = await model('samples', path, '--overwrite');
  assert.equal(code, 0);
  assert.match(output, /, 0 were there/);
  assert.equal((await send('GetItem', { TableName: 'orders', Key })).Item.Edited, undefined);
});

test('servers that cannot be asked are one line', async () => {
  for (const [endpoint, message] of [
    ['http://127.0.0.1:1', /No answer from 127\.0\.0\.1:1: Connection refused/],
    ['https://127.0.0.1:1', /No answer from 127\.0\.0\.1:1: Connection refused/],
    ['ftp://127.0.0.1:8000', /is no endpoint/],
    ['nowhere', /is no endpoint/],
  ]) {
    const command = ['model', 'deploy', modelPath('blog'), '--endpoint', endpoint];
    const { code, output, errors } = await runBinary(command);
    assert.equal(code, 2);
    assert.equal(output, '');
    assert.match(errors, message);
    assert.equal(errors.split('\n').length, 2, errors);
  }
});

// Requests are signed with what the AWS clients are given.
test('a server with access keys accepts the right ones only', async () => {
  const env = { MONOTABLE_ACCESS_KEY_ID: 'AKID', MONOTABLE_SECRET_ACCESS_KEY: 'secret' };
  const guarded = await startServer({ inMemory: true, env });
  try {
    const command = ['model', 'deploy', modelPath('blog'), '--endpoint', guarded.endpoint];
    const signed = { AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'secret' };
    const refused = await runBinary(command, { env: { ...signed, AWS_SECRET_ACCESS_KEY: 'x' } });
    assert.equal(refused.code, 2);
    assert.match(refused.errors, /signature/);
    for (const right of [signed, env]) {
      const accepted = await runBinary(command, { env: right });
      assert.equal(accepted.code, 0, accepted.errors);
    }
  } finally {
    await guarded.stop();
  }
});

// A server that is started with models has their tables before it takes the first request.
test('serve --model deploys at the start, and again at the next', async () => {
  const data = join(folder, 'data');
  const args = ['--model', modelPath('sales'), '--model', modelPath('chat')];
  args.push('--create-adopted', '--samples', '--environment', 'dev');
  for (const round of [1, 2]) {
    const serving = await startServer({ data, args });
    const asking = clientOf(serving);
    const { TableNames } = await send('ListTables', {}, asking);
    assert.deepEqual(TableNames.sort(), ['RuralCreditAI', 'SalesTable-dev', 'Tenants', 'Users']);
    const { Count } = await send('Scan', { TableName: 'SalesTable-dev' }, asking);
    assert.ok(Count > 0);
    asking.destroy();
    await serving.stop();
    assert.match(serving.errors, round === 1 ? /create table/ : /samples: 0 written/);
  }
});

test('serve refuses a model with errors, with their places', async () => {
  const path = join(folder, 'wrong.model.yaml');
  const text = readFileSync(modelPath('sales'), 'utf8').replace('SALE#{SaleId}', 'SALE#{SaleIdd}');
  writeFileSync(path, text);
  const command = ['serve', '--in-memory', '--port', '0', '--model', path];
  const { code, output, errors } = await runBinary(command);
  assert.equal(code, 1);
  assert.equal(output, '');
  assert.match(errors, /wrong\.model\.yaml:\d+:\d+: error: .*SaleIdd/);
});

// Two versions of a file, without a server.
test('diff says what a change of the model needs', async () => {
  const old = notes('notes-diff');
  const changed = join(folder, 'changed.model.yaml');
  const text = readFileSync(old, 'utf8')
    .replace(INDEXES, `${INDEXES}      GSI2: {hash: "Topic S"}\n`)
    .replace('"NOTE#{id}"', '"N#{id}"')
    .replace('Topic: string}', 'Topic: string!, Pages: integer}');
  writeFileSync(changed, text);
  const same = await runBinary(['model', 'diff', old, old]);
  assert.equal(same.code, 0);
  assert.equal(same.output, 'The models do not differ.\n');
  const { code, output } = await runBinary(['model', 'diff', old, changed]);
  assert.equal(code, 1);
  assert.match(output, /## Needs deploy\n\n- `tables\.main\.indexes\.GSI2` is new/);
  assert.match(output, /## Needs data rewrite\n\n- `entities\.Note\.keys\.primary` template/);
  assert.match(output, /## Breaking for clients\n\n- `entities\.Note\.attributes\.Topic` required/);
  assert.match(output, /## Harmless\n\n- `entities\.Note\.attributes\.Pages` is new/);
  assert.equal((await runBinary(['model', 'diff', old])).code, 2);
});
