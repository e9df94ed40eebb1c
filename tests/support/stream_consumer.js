// A consumer of a stream that reads every change exactly once, whatever is killed meanwhile: itself
// or the server. It is run as a process of its own:
//   node stream_consumer.js ENDPOINT STREAM_ARN JOURNAL
// and ends by itself when the stream has ended and all of it has been read.
//
// The journal is its output and its memory. Each page is one line, written in one piece: the
// records, and with them how far the shard has been read. A line that was being written when the
// process was killed has no line break; it is cut off and read again.

import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import * as sdk from '@aws-sdk/client-dynamodb-streams';

const PAUSE_MS = 10;
const PAGE = 25;

// The lines that are complete, as objects.
export function readJournal(file) {
  if (!existsSync(file)) return [];
  const text = readFileSync(file, 'utf8');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

function repairJournal(file) {
  if (!existsSync(file)) return;
  const bytes = readFileSync(file);
  truncateSync(file, bytes.lastIndexOf('\n') + 1);
}

class Consumer {
  constructor(client, StreamArn, journal) {
    this.client = client;
    this.StreamArn = StreamArn;
    this.journal = journal;
    this.checkpoints = new Map(); // shard id -> the last sequence number that was read
    this.finished = new Set(); // shard ids
    this.iterators = new Map(); // shard id -> iterator; only in memory
    repairJournal(journal);
    for (const line of readJournal(journal)) this.#remember(line);
  }

  #remember({ shard, checkpoint, finished }) {
    if (checkpoint) this.checkpoints.set(shard, checkpoint);
    if (finished) this.finished.add(shard);
  }

  #write(line) {
    appendFileSync(this.journal, `${JSON.stringify(line)}\n`);
    this.#remember(line);
  }

  async #describe() {
    const shards = [];
    let ExclusiveStartShardId;
    let StreamStatus;
    do {
      const { StreamDescription: page } = await this.client.send(
        new sdk.DescribeStreamCommand({ StreamArn: this.StreamArn, ExclusiveStartShardId }),
      );
      shards.push(...page.Shards);
      ({ StreamStatus, LastEvaluatedShardId: ExclusiveStartShardId } = page);
    } while (ExclusiveStartShardId);
    return { shards, ended: StreamStatus === 'DISABLED' };
  }

  async #iteratorOf(shard) {
    if (!this.iterators.has(shard)) {
      const SequenceNumber = this.checkpoints.get(shard);
      const { ShardIterator } = await this.client.send(
        new sdk.GetShardIteratorCommand({
          StreamArn: this.StreamArn,
          ShardId: shard,
          ShardIteratorType: SequenceNumber ? 'AFTER_SEQUENCE_NUMBER' : 'TRIM_HORIZON',
          SequenceNumber,
        }),
      );
      this.iterators.set(shard, ShardIterator);
    }
    return this.iterators.get(shard);
  }

  // One page. Whether there was anything new.
  async #readShard(shard) {
    let page;
    try {
      const ShardIterator = await this.#iteratorOf(shard);
      page = await this.client.send(new sdk.GetRecordsCommand({ ShardIterator, Limit: PAGE }));
    } catch (error) {
      this.iterators.delete(shard);
      if (error.name === 'ExpiredIteratorException') return true;
      throw error;
    }
    const { Records, NextShardIterator } = page;
    this.iterators.set(shard, NextShardIterator);
    if (Records.length > 0 || !NextShardIterator) {
      this.#write({
        shard,
        records: Records.map(({ eventID, eventName, dynamodb }) => ({
          id: eventID,
          event: eventName,
          number: dynamodb.SequenceNumber,
          keys: dynamodb.Keys,
          image: dynamodb.NewImage,
        })),
        checkpoint: Records.at(-1)?.dynamodb.SequenceNumber,
        finished: !NextShardIterator,
      });
    }
    return Records.length > 0;
  }

  // One page of every shard whose parent has been read to its end, or is gone.
  async #round() {
    const { shards, ended } = await this.#describe();
    const listed = new Set(shards.map(({ ShardId }) => ShardId));
    const open = shards.filter(({ ShardId }) => !this.finished.has(ShardId));
    let progress = false;
    for (const { ShardId, ParentShardId } of open) {
      if (ParentShardId && listed.has(ParentShardId) && !this.finished.has(ParentShardId)) continue;
      if (await this.#readShard(ShardId)) progress = true;
    }
    return { done: ended && open.length === 0, progress };
  }

  async run() {
    for (;;) {
      try {
        const { done, progress } = await this.#round();
        if (done) return;
        if (!progress) await sleep(PAUSE_MS);
      } catch (error) {
        // A server that is away, or going, comes back; a refusal is a failure.
        if (error.$metadata?.httpStatusCode < 500) throw error;
        this.iterators.clear();
        await sleep(PAUSE_MS);
      }
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [endpoint, arn, journal] = process.argv.slice(2);
  const client = new sdk.DynamoDBStreamsClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });
  await new Consumer(client, arn, journal).run();
  client.destroy();
}
