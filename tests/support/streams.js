// DynamoDB Streams as an application sees them: the SDK's client with a few short names.

import { after } from 'node:test';

import * as sdk from '@aws-sdk/client-dynamodb-streams';

import { credentials, endpoint, isAws, region } from './endpoint.js';

export function newStreamsClient(overrides = {}) {
  return new sdk.DynamoDBStreamsClient({
    endpoint: isAws ? undefined : endpoint,
    region,
    credentials,
    maxAttempts: isAws ? 5 : 1,
    ...overrides,
  });
}

const client = newStreamsClient();
after(() => client.destroy());

// Sends an operation by its name: stream('GetRecords', { ShardIterator }).
export function stream(operation, input = {}, sender = client) {
  return sender.send(new sdk[`${operation}Command`](input));
}

export async function shardsOf(StreamArn, sender = client) {
  const shards = [];
  let ExclusiveStartShardId;
  do {
    const { StreamDescription } = await stream(
      'DescribeStream',
      { StreamArn, ExclusiveStartShardId },
      sender,
    );
    shards.push(...StreamDescription.Shards);
    ExclusiveStartShardId = StreamDescription.LastEvaluatedShardId;
  } while (ExclusiveStartShardId);
  return shards;
}

export async function iteratorOf(StreamArn, ShardId, more = {}, sender = client) {
  const { ShardIterator } = await stream(
    'GetShardIterator',
    { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON', ...more },
    sender,
  );
  return ShardIterator;
}

// What is there now from an iterator on, and the iterator with which reading would go on.
export async function readFrom(ShardIterator, { Limit, sender = client } = {}) {
  const records = [];
  let pages = 0;
  for (;;) {
    const page = await stream('GetRecords', { ShardIterator, Limit }, sender);
    records.push(...page.Records);
    pages += 1;
    ShardIterator = page.NextShardIterator;
    if (!ShardIterator || page.Records.length === 0) return { records, pages, next: ShardIterator };
  }
}

export const numberOf = (record) => BigInt(record.dynamodb.SequenceNumber);

// All records of a stream that can be read now, in the order of their sequence numbers.
export async function readStream(StreamArn, sender = client) {
  const all = [];
  for (const { ShardId } of await shardsOf(StreamArn, sender)) {
    const from = await iteratorOf(StreamArn, ShardId, {}, sender);
    all.push(...(await readFrom(from, { sender })).records);
  }
  return all.sort((a, b) => (numberOf(a) < numberOf(b) ? -1 : 1));
}
