// DynamoDB Streams through the SDK: what is listed, what records show, and how they are read.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { invalid, keySchema, N, newTable, rejects, S, send, unique } from '../support/dynamodb.js';
import {
  iteratorOf,
  numberOf,
  readFrom,
  readStream,
  shardsOf,
  stream,
} from '../support/streams.js';

const withStream = (StreamViewType = 'NEW_AND_OLD_IMAGES') => ({
  StreamSpecification: { StreamEnabled: true, StreamViewType },
});

async function latestArn(TableName) {
  return (await send('DescribeTable', { TableName })).Table.LatestStreamArn;
}

async function newStream(keys = 'pk', view = undefined) {
  const TableName = await newTable(keys, withStream(view));
  return { TableName, arn: await latestArn(TableName) };
}

const put = (TableName, pk, n) => send('PutItem', { TableName, Item: { pk: S(pk), n: N(n) } });
const numbers = (records) => records.map(({ dynamodb }) => dynamodb.NewImage?.n?.N);

test('a stream is listed and described', async () => {
  const { TableName, arn } = await newStream('pk sk:N', 'KEYS_ONLY');
  const label = arn.split('/stream/')[1];
  const { Streams } = await stream('ListStreams', { TableName });
  assert.deepEqual(Streams, [{ StreamArn: arn, TableName, StreamLabel: label }]);

  const { StreamDescription: described } = await stream('DescribeStream', { StreamArn: arn });
  assert.equal(described.StreamArn, arn);
  assert.equal(described.StreamLabel, label);
  assert.equal(described.StreamStatus, 'ENABLED');
  assert.equal(described.StreamViewType, 'KEYS_ONLY');
  assert.equal(described.TableName, TableName);
  assert.deepEqual(described.KeySchema, keySchema('pk', 'sk'));
  assert.ok(Math.abs(described.CreationRequestDateTime - Date.now()) < 60_000);
  assert.equal(described.LastEvaluatedShardId, undefined);
  assert.ok(described.Shards.length > 0);
  for (const shard of described.Shards) {
    assert.match(shard.ShardId, /^shardId-\d{20}-[0-9a-f]{8}$/);
    assert.match(shard.SequenceNumberRange.StartingSequenceNumber, /^\d{21,40}$/);
    assert.equal(shard.SequenceNumberRange.EndingSequenceNumber, undefined);
    assert.equal(shard.ParentShardId, undefined);
  }
});

test('streams and shards are listed in pages', async () => {
  const streams = [await newStream(), await newStream(), await newStream()];
  const arns = [];
  let ExclusiveStartStreamArn;
  do {
    const page = await stream('ListStreams', { Limit: 1, ExclusiveStartStreamArn });
    arns.push(...page.Streams.map(({ StreamArn }) => StreamArn));
    assert.ok(page.Streams.length <= 1);
    ExclusiveStartStreamArn = page.LastEvaluatedStreamArn;
  } while (ExclusiveStartStreamArn);
  for (const { arn } of streams) assert.equal(arns.filter((other) => other === arn).length, 1);

  const [{ arn: StreamArn }] = streams;
  const ids = [];
  let ExclusiveStartShardId;
  do {
    const { StreamDescription: page } = await stream('DescribeStream', {
      StreamArn,
      Limit: 3,
      ExclusiveStartShardId,
    });
    ids.push(...page.Shards.map(({ ShardId }) => ShardId));
    ExclusiveStartShardId = page.LastEvaluatedShardId;
  } while (ExclusiveStartShardId);
  const all = await shardsOf(StreamArn);
  assert.deepEqual(
    ids,
    all.map(({ ShardId }) => ShardId),
  );
});

const views = {
  KEYS_ONLY: [false, false],
  NEW_IMAGE: [true, false],
  OLD_IMAGE: [false, true],
  NEW_AND_OLD_IMAGES: [true, true],
};
for (const [view, [shows, showsOld]] of Object.entries(views)) {
  test(`records of a stream with ${view}`, async () => {
    const { TableName, arn } = await newStream('pk', view);
    const Key = { pk: S('Ação') };
    await put(TableName, 'Ação', 1);
    await send('UpdateItem', {
      TableName,
      Key,
      UpdateExpression: 'SET n = n + :one',
      ExpressionAttributeValues: { ':one': N(1) },
    });
    await send('DeleteItem', { TableName, Key });
    const records = await readStream(arn);
    assert.deepEqual(
      records.map(({ eventName }) => eventName),
      ['INSERT', 'MODIFY', 'REMOVE'],
    );
    const first = { ...Key, n: N(1) };
    const second = { ...Key, n: N(2) };
    const images = [
      [first, undefined],
      [second, first],
      [undefined, second],
    ];
    for (const [i, { dynamodb, ...record }] of records.entries()) {
      assert.match(record.eventID, /^[0-9a-f]{32}$/);
      assert.equal(record.eventVersion, '1.1');
      assert.equal(record.eventSource, 'aws:dynamodb');
      assert.match(record.awsRegion, /^[a-z0-9-]+$/);
      assert.equal(record.userIdentity, undefined);
      assert.equal(dynamodb.StreamViewType, view);
      assert.deepEqual(dynamodb.Keys, Key);
      assert.deepEqual(dynamodb.NewImage, shows ? images[i][0] : undefined);
      assert.deepEqual(dynamodb.OldImage, showsOld ? images[i][1] : undefined);
      assert.ok(dynamodb.SizeBytes > 0);
      assert.equal(dynamodb.ApproximateCreationDateTime.getMilliseconds(), 0);
      assert.ok(Math.abs(dynamodb.ApproximateCreationDateTime - Date.now()) < 60_000);
    }
    assert.equal(new Set(records.map(({ eventID }) => eventID)).size, 3);
  });
}

test('a write that changes nothing leaves no record', async () => {
  const { TableName, arn } = await newStream();
  await put(TableName, 'a', 1);
  await put(TableName, 'a', 1);
  await send('DeleteItem', { TableName, Key: { pk: S('b') } });
  await send('UpdateItem', {
    TableName,
    Key: { pk: S('a') },
    UpdateExpression: 'SET n = :n',
    ExpressionAttributeValues: { ':n': N(1) },
  });
  assert.deepEqual(numbers(await readStream(arn)), ['1']);
});

test('transactions and batches leave a record per item', async () => {
  const { TableName, arn } = await newStream();
  const items = Array.from({ length: 20 }, (_, i) => ({ pk: S(`k${i}`), n: N(i) }));
  await send('TransactWriteItems', {
    TransactItems: items.slice(0, 10).map((Item) => ({ Put: { TableName, Item } })),
  });
  await send('BatchWriteItem', {
    RequestItems: { [TableName]: items.slice(10).map((Item) => ({ PutRequest: { Item } })) },
  });
  const records = await readStream(arn);
  assert.equal(records.length, 20);
  assert.equal(new Set(records.map(numberOf)).size, 20);
  assert.deepEqual(new Set(numbers(records)), new Set(items.map(({ n }) => n.N)));
});

// Everything that happened to an item is in one shard, in order.
test('iterators begin where they are told to', async () => {
  const { TableName, arn } = await newStream();
  for (let n = 1; n <= 5; n += 1) await put(TableName, 'a', n);
  for (const { ShardId } of await shardsOf(arn)) {
    const { records, next } = await readFrom(await iteratorOf(arn, ShardId), { Limit: 2 });
    assert.ok(next, 'an open shard goes on');
    if (records.length === 0) continue;
    assert.deepEqual(numbers(records), ['1', '2', '3', '4', '5']);
    const { SequenceNumber } = records[2].dynamodb;
    const read = async (ShardIteratorType, more) =>
      numbers(
        (await readFrom(await iteratorOf(arn, ShardId, { ShardIteratorType, ...more }))).records,
      );
    assert.deepEqual(await read('AT_SEQUENCE_NUMBER', { SequenceNumber }), ['3', '4', '5']);
    assert.deepEqual(await read('AFTER_SEQUENCE_NUMBER', { SequenceNumber }), ['4', '5']);
    const latest = await iteratorOf(arn, ShardId, { ShardIteratorType: 'LATEST' });
    assert.deepEqual(await read('LATEST'), []);
    await put(TableName, 'a', 6);
    assert.deepEqual(numbers((await readFrom(latest)).records), ['6']);
    assert.deepEqual(numbers((await readFrom(next)).records), ['6']);
  }
});

// A change can be read as soon as its write has been answered.
test('changes are visible at once', async () => {
  const { TableName, arn } = await newStream();
  const iterators = new Map();
  for (const { ShardId } of await shardsOf(arn)) {
    iterators.set(ShardId, await iteratorOf(arn, ShardId));
  }
  for (let n = 0; n < 20; n += 1) {
    await put(TableName, `k${n}`, n);
    const seen = [];
    for (const [shard, ShardIterator] of iterators) {
      const page = await stream('GetRecords', { ShardIterator });
      seen.push(...numbers(page.Records));
      iterators.set(shard, page.NextShardIterator);
    }
    assert.deepEqual(seen, [String(n)]);
  }
});

test('an answer has at most a megabyte', async () => {
  const { TableName, arn } = await newStream('pk', 'NEW_IMAGE');
  for (let n = 0; n < 5; n += 1) {
    const data = S('x'.repeat(400_000));
    await send('PutItem', { TableName, Item: { pk: S('a'), n: N(n), data } });
  }
  for (const { ShardId } of await shardsOf(arn)) {
    const page = await stream('GetRecords', { ShardIterator: await iteratorOf(arn, ShardId) });
    assert.ok(page.Records.length === 0 || page.Records.length === 2);
  }
  assert.deepEqual(numbers(await readStream(arn)), ['0', '1', '2', '3', '4']);
});

test('a disabled stream is read to its end beside the next one', async () => {
  const { TableName, arn: first } = await newStream();
  await put(TableName, 'a', 1);
  await send('UpdateTable', { TableName, StreamSpecification: { StreamEnabled: false } });
  await put(TableName, 'a', 2);
  await send('UpdateTable', { TableName, ...withStream('NEW_IMAGE') });
  await put(TableName, 'a', 3);
  const second = await latestArn(TableName);
  assert.notEqual(second, first);
  const { Streams } = await stream('ListStreams', { TableName });
  assert.deepEqual(
    Streams.map(({ StreamArn }) => StreamArn),
    [first, second],
  );
  const { StreamDescription } = await stream('DescribeStream', { StreamArn: first });
  assert.equal(StreamDescription.StreamStatus, 'DISABLED');
  for (const { ShardId, SequenceNumberRange } of StreamDescription.Shards) {
    assert.ok(SequenceNumberRange.EndingSequenceNumber);
    const { next, records } = await readFrom(await iteratorOf(first, ShardId));
    assert.equal(next, undefined, 'a closed shard ends');
    for (const record of records) {
      assert.ok(BigInt(SequenceNumberRange.StartingSequenceNumber) <= numberOf(record));
      assert.ok(numberOf(record) <= BigInt(SequenceNumberRange.EndingSequenceNumber));
    }
  }
  assert.deepEqual(numbers(await readStream(first)), ['1']);
  assert.deepEqual(numbers(await readStream(second)), ['3']);
});

test('the stream of a deleted table can be read', async () => {
  const { TableName, arn } = await newStream();
  await put(TableName, 'a', 1);
  await send('DeleteTable', { TableName });
  assert.deepEqual(numbers(await readStream(arn)), ['1']);
  const { StreamDescription } = await stream('DescribeStream', { StreamArn: arn });
  assert.equal(StreamDescription.StreamStatus, 'DISABLED');
  const { Streams } = await stream('ListStreams', { TableName });
  assert.equal(Streams.length, 1);
});

test('what is not there is named', async () => {
  const { TableName, arn } = await newStream();
  const missing = arn.replace(TableName, unique('missing'));
  const notFound = (promise, message) => rejects(promise, 'ResourceNotFoundException', message);
  await notFound(
    stream('DescribeStream', { StreamArn: missing }),
    `Requested resource not found: Stream: ${missing} not found`,
  );
  const [{ ShardId }] = await shardsOf(arn);
  await notFound(
    iteratorOf(missing, ShardId),
    `Requested resource not found: Stream: ${missing} not found`,
  );
  await notFound(
    iteratorOf(arn, `shardId-00000000000000000000-${ShardId.slice(-8)}`),
    'Requested resource not found: Shard does not exist',
  );
  assert.deepEqual((await stream('ListStreams', { TableName: unique('missing') })).Streams, []);
});

test('requests are checked', async () => {
  const { arn } = await newStream();
  const [{ ShardId, SequenceNumberRange }] = await shardsOf(arn);
  const SequenceNumber = SequenceNumberRange.StartingSequenceNumber;
  const type = (ShardIteratorType, more = {}) =>
    iteratorOf(arn, ShardId, { ShardIteratorType, ...more });
  await invalid(type('AT_SEQUENCE_NUMBER'), /SequenceNumber must be specified/);
  await invalid(type('LATEST', { SequenceNumber }), /SequenceNumber can only be specified/);
  await invalid(type('NEWEST'), /at 'shardIteratorType' failed to satisfy constraint/);
  await invalid(
    type('AT_SEQUENCE_NUMBER', { SequenceNumber: '1'.repeat(35) }),
    /Invalid SequenceNumber/,
  );
  await invalid(
    type('AT_SEQUENCE_NUMBER', { SequenceNumber: '1' }),
    /at 'sequenceNumber' failed to satisfy constraint/,
  );
  const ShardIterator = await iteratorOf(arn, ShardId);
  await invalid(
    stream('GetRecords', { ShardIterator, Limit: 1001 }),
    "1 validation error detected: Value '1001' at 'limit' failed to satisfy constraint: Member " +
      'must have value less than or equal to 1000',
  );
  await invalid(stream('GetRecords', { ShardIterator: 'made up' }), 'Invalid ShardIterator');
  await invalid(
    stream('GetRecords', { ShardIterator: ShardIterator.replace('stream', 'strEam') }),
    'Invalid ShardIterator',
  );
});
