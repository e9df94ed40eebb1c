// Exports to buckets and imports from them, with the folders that stand for the buckets in sight.
// The time of the server stands still, so that a table has a past as soon as a test moves it.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';

import {
  attributes,
  B,
  invalid,
  keySchema,
  L,
  M,
  N,
  newClient,
  projectAll,
  rejects,
  S,
  send as sendWith,
} from '../support/dynamodb.js';
import { own } from '../support/own_operations.js';
import { startServer, temporaryFolder } from '../support/server.js';

const MINUTE = 60;

let client;
let folder;
let server;
let buckets;
let names = 0;

const send = (operation, input) => sendWith(operation, input, client);
const advance = (Seconds) => own(server, 'AdvanceClock', { Seconds });
const newName = (prefix) => `${prefix}-${(names += 1)}`;

async function start() {
  server = await startServer({
    data: folder,
    durability: 'relaxed',
    args: ['--test-clock', '2026-03-01T12:00:00Z'],
  });
  client = newClient({ endpoint: server.endpoint });
}

before(async () => {
  folder = temporaryFolder();
  buckets = join(folder, 's3');
  await start();
});

after(async () => {
  client.destroy();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const creation = (TableName, more = {}) => ({
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: attributes('PK', 'SK'),
  KeySchema: keySchema('PK', 'SK'),
  ...more,
});

// A table with point-in-time recovery; answers its name and ARN.
async function newTable(recovery = true) {
  const TableName = newName('tabela');
  const { TableDescription } = await send('CreateTable', creation(TableName));
  if (recovery) {
    await send('UpdateContinuousBackups', {
      TableName,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
  }
  return { TableName, TableArn: TableDescription.TableArn };
}

const put = (TableName, PK, SK, more = {}) =>
  send('PutItem', { TableName, Item: { PK: S(PK), SK: S(SK), ...more } });

async function scan(TableName) {
  const { Items } = await send('Scan', { TableName });
  return Items.sort((a, b) => (a.PK.S + a.SK.S < b.PK.S + b.SK.S ? -1 : 1));
}

async function ended(describe) {
  for (;;) {
    const description = await describe();
    if ((description.ExportStatus ?? description.ImportStatus) !== 'IN_PROGRESS') return description;
    await sleep(5);
  }
}

async function exported(input) {
  const { ExportDescription } = await send('ExportTableToPointInTime', input);
  const { ExportArn } = ExportDescription;
  const done = await ended(
    async () => (await send('DescribeExport', { ExportArn })).ExportDescription,
  );
  assert.equal(done.ExportStatus, 'COMPLETED', done.FailureMessage);
  return done;
}

async function imported(TableName, S3BucketSource, more = {}) {
  const { ImportTableDescription } = await send('ImportTable', {
    S3BucketSource,
    InputFormat: 'DYNAMODB_JSON',
    TableCreationParameters: creation(TableName),
    ...more,
  });
  const { ImportArn } = ImportTableDescription;
  return ended(async () => (await send('DescribeImport', { ImportArn })).ImportTableDescription);
}

function putFile(path, bytes) {
  const file = join(buckets, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
}

const readFile = (...path) => readFileSync(join(buckets, ...path), 'utf8');

// What the manifests of an export lead to: the lines of its data, each checked on the way.
function dataOf(description) {
  const { S3Bucket, ExportManifest } = description;
  const base64Md5 = (bytes) => createHash('md5').update(bytes).digest('base64');
  const manifest = (key) => {
    const text = readFile(S3Bucket, key);
    assert.equal(readFile(S3Bucket, key.replace('.json', '.checksum')), base64Md5(text));
    return text;
  };
  const summary = JSON.parse(manifest(ExportManifest));
  const files = manifest(summary.manifestFilesS3Key).trim().split('\n').map(JSON.parse);
  const lines = files.flatMap(({ dataFileS3Key, md5Checksum, itemCount }) => {
    const bytes = readFileSync(join(buckets, S3Bucket, dataFileS3Key));
    assert.equal(md5Checksum, base64Md5(bytes));
    const text = gunzipSync(bytes).toString();
    const found = text === '' ? [] : text.trim().split('\n').map(JSON.parse);
    assert.equal(found.length, itemCount);
    return found;
  });
  assert.equal(lines.length, summary.itemCount);
  assert.equal(lines.length, description.ItemCount);
  return { summary, lines };
}

const everyType = {
  texto: S('ação, coração e "aspas"\n日本 🎉'),
  vazio: S(''),
  numero: N('-12345678901234567890.123456789'),
  bytes: B(Buffer.from([0, 1, 254, 255])),
  sim: { BOOL: true },
  nada: { NULL: true },
  textos: { SS: ['maçã', 'pêra'] },
  numeros: { NS: ['1', '2.5'] },
  binarios: { BS: [Buffer.from('x'), Buffer.from('y')] },
  mapa: M({ lista: L(S('a'), M({}), L()), 'ção': N(1) }),
};

test('a table goes out and comes back with every type', async () => {
  const { TableName, TableArn } = await newTable();
  await put(TableName, 'cliente#1', 'pedido#1', everyType);
  await put(TableName, 'cliente#2', 'pedido#1', { nome: S('João') });
  const before = await scan(TableName);
  const done = await exported({ TableArn, S3Bucket: 'saida', S3Prefix: 'diário/manhã' });
  assert.match(done.ExportArn, new RegExp(`^${TableArn}/export/\\d{14}-[0-9a-f]{8}$`));
  const id = done.ExportArn.split('/').at(-1);
  assert.equal(done.ExportManifest, `diário/manhã/AWSDynamoDB/${id}/manifest-summary.json`);
  assert.equal(done.ExportType, 'FULL_EXPORT');
  assert.equal(done.ExportFormat, 'DYNAMODB_JSON');
  assert.ok(done.BilledSizeBytes > 0);
  assert.ok(done.EndTime >= done.StartTime);
  const { summary, lines } = dataOf(done);
  assert.equal(summary.exportArn, done.ExportArn);
  assert.equal(summary.exportTime, '2026-03-01T12:00:00.000Z');
  assert.equal(lines.length, 2);
  const there = join(buckets, 'saida/diário/manhã/AWSDynamoDB', id);
  assert.deepEqual(readdirSync(there).sort(), [
    '_started',
    'data',
    'manifest-files.checksum',
    'manifest-files.json',
    'manifest-summary.checksum',
    'manifest-summary.json',
  ]);

  const copy = newName('cópia').normalize('NFD').replace(/[^\w-]/g, '');
  const description = await imported(
    copy,
    { S3Bucket: 'saida', S3KeyPrefix: `diário/manhã/AWSDynamoDB/${id}` },
    { InputCompressionType: 'GZIP' },
  );
  assert.equal(description.ImportStatus, 'COMPLETED', description.FailureMessage);
  assert.equal(description.ProcessedItemCount, 2);
  assert.equal(description.ImportedItemCount, 2);
  assert.equal(description.ErrorCount, 0);
  assert.ok(description.ProcessedSizeBytes > 0);
  assert.equal(description.TableCreationParameters.TableName, copy);
  assert.deepEqual(await scan(copy), before);
  assert.equal((await send('DescribeTable', { TableName: copy })).Table.TableStatus, 'ACTIVE');
});

test('an export is of the time that was asked for', async () => {
  const { TableName, TableArn } = await newTable();
  await put(TableName, 'a', '1', { v: N(1) });
  await put(TableName, 'b', '1', { v: N(1) });
  const now = (await exported({ TableArn, S3Bucket: 'saida' })).ExportTime;
  await advance(10);
  await put(TableName, 'a', '1', { v: N(2) });
  await send('DeleteItem', { TableName, Key: { PK: S('b'), SK: S('1') } });
  await put(TableName, 'c', '1');
  const done = await exported({ TableArn, S3Bucket: 'saida', ExportTime: now });
  assert.deepEqual(done.ExportTime, now);
  const items = dataOf(done).lines.map(({ Item }) => Item.PK.S + Item.v.N);
  assert.deepEqual(items.sort(), ['a1', 'b1']);
  const current = await exported({ TableArn, S3Bucket: 'saida' });
  assert.deepEqual(dataOf(current).lines.map(({ Item }) => Item.PK.S).sort(), ['a', 'c']);
});

test('an incremental export has what changed', async () => {
  const { TableName, TableArn } = await newTable();
  await put(TableName, 'antigo', '1', { v: N(1) });
  await put(TableName, 'apagado', '1', { v: N(1) });
  await put(TableName, 'igual', '1', { v: N(1) });
  await advance(MINUTE);
  const ExportFromTime = (await exported({ TableArn, S3Bucket: 'saida' })).ExportTime;
  await put(TableName, 'antigo', '1', { v: N(2) });
  await send('DeleteItem', { TableName, Key: { PK: S('apagado'), SK: S('1') } });
  await put(TableName, 'novo', '1');
  await put(TableName, 'passageiro', '1');
  await advance(1);
  await send('DeleteItem', { TableName, Key: { PK: S('passageiro'), SK: S('1') } });
  await advance(15 * MINUTE);
  const specification = {
    ExportFromTime,
    ExportToTime: new Date(ExportFromTime.getTime() + 15 * MINUTE * 1000),
  };
  const input = { TableArn, S3Bucket: 'saida', S3Prefix: 'inc', ExportType: 'INCREMENTAL_EXPORT' };
  const both = await exported({ ...input, IncrementalExportSpecification: specification });
  assert.deepEqual(both.IncrementalExportSpecification, {
    ...specification,
    ExportViewType: 'NEW_AND_OLD_IMAGES',
  });
  const { summary, lines } = dataOf(both);
  assert.equal(summary.exportType, 'INCREMENTAL_EXPORT');
  assert.equal(summary.outputView, 'NEW_AND_OLD_IMAGES');
  const WriteTimestampMicros = N(ExportFromTime.getTime() * 1000);
  const keys = (pk) => ({ PK: S(pk), SK: S('1') });
  assert.deepEqual(
    lines.sort((a, b) => (a.Keys.PK.S < b.Keys.PK.S ? -1 : 1)),
    [
      {
        Metadata: { WriteTimestampMicros },
        Keys: keys('antigo'),
        NewImage: { ...keys('antigo'), v: N(2) },
        OldImage: { ...keys('antigo'), v: N(1) },
      },
      {
        Metadata: { WriteTimestampMicros },
        Keys: keys('apagado'),
        OldImage: { ...keys('apagado'), v: N(1) },
      },
      { Metadata: { WriteTimestampMicros }, Keys: keys('novo'), NewImage: keys('novo') },
    ],
  );
  assert.ok(existsSync(join(buckets, 'saida/inc/AWSDynamoDB/data')));

  const newOnly = await exported({
    ...input,
    IncrementalExportSpecification: { ...specification, ExportViewType: 'NEW_IMAGE' },
  });
  const shapes = dataOf(newOnly).lines.map((line) => Object.keys(line).slice(2).join());
  assert.deepEqual(shapes.sort(), ['', 'NewImage', 'NewImage']);
  await invalid(
    send('ExportTableToPointInTime', {
      ...input,
      IncrementalExportSpecification: {
        ExportFromTime,
        ExportToTime: new Date(ExportFromTime.getTime() + 14 * MINUTE * 1000),
      },
    }),
    /at least 15 minutes and at most 24 hours/,
  );
});

test('an export needs a table with a past that reaches back', async () => {
  const plain = await newTable(false);
  await rejects(
    send('ExportTableToPointInTime', { TableArn: plain.TableArn, S3Bucket: 'saida' }),
    'PointInTimeRecoveryUnavailableException',
    `Point in time recovery is not enabled for table '${plain.TableName}'`,
  );
  await rejects(
    send('ExportTableToPointInTime', { TableArn: `${plain.TableArn}x`, S3Bucket: 'saida' }),
    'TableNotFoundException',
  );
  const { TableArn } = await newTable();
  for (const ExportTime of [new Date('2026-02-01'), new Date('2030-01-01')]) {
    await rejects(
      send('ExportTableToPointInTime', { TableArn, S3Bucket: 'saida', ExportTime }),
      'InvalidExportTimeException',
    );
  }
  await invalid(
    send('ExportTableToPointInTime', { TableArn, S3Bucket: 'saida', ExportFormat: 'ION' }),
    /ION is not supported/,
  );
});

test('a client token names one export and one import', async () => {
  const { TableName, TableArn } = await newTable();
  await put(TableName, 'a', '1');
  const input = { TableArn, S3Bucket: 'saida', ClientToken: newName('token') };
  const first = await exported(input);
  const again = await exported(input);
  assert.equal(again.ExportArn, first.ExportArn);
  await rejects(
    send('ExportTableToPointInTime', { ...input, S3Prefix: 'outro' }),
    'ExportConflictException',
  );
  const ClientToken = newName('token');
  const id = first.ExportArn.split('/').at(-1);
  const source = { S3Bucket: 'saida', S3KeyPrefix: `AWSDynamoDB/${id}/` };
  const copy = newName('copia');
  const more = { ClientToken, InputCompressionType: 'GZIP' };
  const one = await imported(copy, source, more);
  const two = await imported(copy, source, more);
  assert.equal(two.ImportArn, one.ImportArn);
  await rejects(imported(newName('copia'), source, more), 'ImportConflictException');
  await rejects(
    imported(copy, source, { InputCompressionType: 'GZIP' }),
    'ResourceInUseException',
    `Table already exists: ${copy}`,
  );
});

test('exports and imports are listed in pages', async () => {
  const { TableArn } = await newTable();
  const arns = [];
  for (let i = 0; i < 5; i += 1) {
    arns.unshift((await exported({ TableArn, S3Bucket: 'saida' })).ExportArn);
    await advance(1);
  }
  const listed = [];
  let NextToken;
  do {
    const page = await send('ListExports', { TableArn, MaxResults: 2, NextToken });
    assert.ok(page.ExportSummaries.length <= 2);
    listed.push(...page.ExportSummaries.map(({ ExportArn }) => ExportArn));
    ({ NextToken } = page);
  } while (NextToken);
  assert.deepEqual(listed, arns);
  await rejects(
    send('DescribeExport', { ExportArn: `${arns[0]}x` }),
    'ExportNotFoundException',
  );
  await rejects(
    send('DescribeImport', { ImportArn: `${TableArn}/import/01234567890123-00000000` }),
    'ImportNotFoundException',
  );
  const { ImportSummaryList } = await send('ListImports', { PageSize: 1 });
  assert.equal(ImportSummaryList.length, 1);
  assert.ok(ImportSummaryList[0].ImportArn);
});

test('CSV is imported with quotes, another delimiter and the types of keys', async () => {
  putFile(
    'csv/pessoas/1.csv',
    'PK;SK;idade;nome\r\n' +
      'a;1;42;"Silva; João ""Jota"""\r\n' +
      'b;2;;"duas\nlinhas"\r\n' +
      'c;3;quarenta;nome\r\n',
  );
  const TableName = newName('pessoas');
  const description = await imported(
    TableName,
    { S3Bucket: 'csv', S3KeyPrefix: 'pessoas/' },
    {
      InputFormat: 'CSV',
      InputFormatOptions: { Csv: { Delimiter: ';' } },
      TableCreationParameters: creation(TableName, {
        AttributeDefinitions: attributes('PK', 'SK:N', 'idade:N'),
        GlobalSecondaryIndexes: [
          { IndexName: 'idades', KeySchema: keySchema('idade'), Projection: projectAll },
        ],
      }),
    },
  );
  assert.equal(description.ErrorCount, 1);
  assert.equal(description.ImportedItemCount, 2);
  assert.equal(description.InputFormatOptions.Csv.Delimiter, ';');
  const { Items } = await send('Scan', { TableName });
  assert.deepEqual(
    Items.sort((a, b) => (a.PK.S < b.PK.S ? -1 : 1)),
    [
      { PK: S('a'), SK: N(1), idade: N(42), nome: S('Silva; João "Jota"') },
      { PK: S('b'), SK: N(2), nome: S('duas\nlinhas') },
    ],
  );
  const index = await send('Query', {
    TableName,
    IndexName: 'idades',
    KeyConditionExpression: 'idade = :i',
    ExpressionAttributeValues: { ':i': N(42) },
  });
  assert.equal(index.Count, 1);

  putFile('csv/sem/1.csv', 'a,1\nb,2\n');
  const headed = newName('linhas');
  const done = await imported(
    headed,
    { S3Bucket: 'csv', S3KeyPrefix: 'sem/' },
    { InputFormat: 'CSV', InputFormatOptions: { Csv: { HeaderList: ['PK', 'SK'] } } },
  );
  assert.equal(done.ImportStatus, 'COMPLETED');
  assert.equal((await scan(headed)).length, 2);
});

const line = (PK, more = {}) => `${JSON.stringify({ Item: { PK: S(PK), SK: S('1'), ...more } })}\n`;

test('files may be compressed with gzip, in several members, or Zstandard', async () => {
  putFile('zip/g/1.json.gz', Buffer.concat([gzipSync(line('a')), gzipSync(line('b'))]));
  // {"Item":{"PK":{"S":"z"},"SK":{"S":"1"},"v":{"S":"maçã"}}}
  const zstd =
    'KLUv/QBolQEAdAJ7Ikl0ZW0iOnsiUEsiOnsiUyI6InoifSwiUzF2bWHDp8OjIn19fQoDADFJQLhKMcc=';
  putFile('zip/z/1.json.zst', Buffer.from(zstd, 'base64'));
  const gzip = newName('gzip');
  await imported(
    gzip,
    { S3Bucket: 'zip', S3KeyPrefix: 'g/' },
    { InputCompressionType: 'GZIP' },
  );
  assert.deepEqual((await scan(gzip)).map(({ PK }) => PK.S), ['a', 'b']);
  const zstandard = newName('zstd');
  await imported(
    zstandard,
    { S3Bucket: 'zip', S3KeyPrefix: 'z/' },
    { InputCompressionType: 'ZSTD' },
  );
  assert.deepEqual(await scan(zstandard), [{ PK: S('z'), SK: S('1'), v: S('maçã') }]);
});

test('what is no item is reported, and the rest imported', async () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => line(`item ${i * 7919}`)).join('');
  const whole = gzipSync(lines);
  putFile('ruim/1.json.gz', whole.subarray(0, whole.length / 2));
  putFile('ruim/2.json.gz', gzipSync(`${line('bom')}nada\n{"Item":{"PK":{"S":"x"}}}\n`));
  const TableName = newName('ruim');
  const description = await imported(
    TableName,
    { S3Bucket: 'ruim' },
    { InputCompressionType: 'GZIP' },
  );
  assert.equal(description.ImportStatus, 'FAILED');
  assert.equal(description.FailureCode, 'ItemValidationError');
  assert.ok(description.ImportedItemCount > 1000);
  const id = description.ImportArn.split('/').at(-1);
  assert.match(description.FailureMessage, new RegExp(`import-errors-${id}.jsonl`));
  const report = readFile('ruim', `import-errors-${id}.jsonl`).trim().split('\n').map(JSON.parse);
  assert.equal(report.length, description.ErrorCount);
  const messages = report.map(({ errorMessages }) => errorMessages[0]).join();
  assert.match(messages, /gzip data is cut short/);
  assert.match(messages, /not a JSON object/);
  assert.match(messages, /Missing the key SK/);
  const { Table } = await send('DescribeTable', { TableName });
  assert.equal(Table.TableStatus, 'ACTIVE');
});

test('an import without its source leaves no table', async () => {
  const TableName = newName('nada');
  const description = await imported(TableName, { S3Bucket: 'nenhum' });
  assert.equal(description.ImportStatus, 'FAILED');
  assert.equal(description.FailureCode, 'S3NoSuchBucket');
  await rejects(send('DescribeTable', { TableName }), 'ResourceNotFoundException');
});

test('nothing leads out of the folder of the buckets', async () => {
  const { TableArn } = await newTable();
  for (const S3Bucket of ['..', '../x', 'a/b', '/etc']) {
    await invalid(send('ExportTableToPointInTime', { TableArn, S3Bucket }), /s3Bucket/);
  }
  for (const S3Prefix of ['..', 'a/../../x', '/etc', 'a//b']) {
    const input = { TableArn, S3Bucket: 'saida', S3Prefix };
    await invalid(send('ExportTableToPointInTime', input), /S3Prefix/);
    const source = { S3Bucket: 'saida', S3KeyPrefix: S3Prefix };
    await invalid(imported(newName('fora'), source), /S3KeyPrefix/);
  }
  mkdirSync(join(folder, 'fora'));
  symlinkSync(join(folder, 'fora'), join(buckets, 'elo'));
  const { ExportDescription } = await send('ExportTableToPointInTime', {
    TableArn,
    S3Bucket: 'elo',
  });
  const { ExportArn } = ExportDescription;
  const done = await ended(
    async () => (await send('DescribeExport', { ExportArn })).ExportDescription,
  );
  assert.equal(done.ExportStatus, 'FAILED');
  assert.deepEqual(readdirSync(join(folder, 'fora')), []);
});

test('a server that was killed does its imports again', async () => {
  const lines = Array.from({ length: 30_000 }, (_, i) => line(`item ${i}`)).join('');
  putFile('grande/1.json', lines);
  const TableName = newName('grande');
  const { ImportTableDescription } = await send('ImportTable', {
    S3BucketSource: { S3Bucket: 'grande' },
    InputFormat: 'DYNAMODB_JSON',
    TableCreationParameters: creation(TableName),
  });
  await server.stop('SIGKILL');
  client.destroy();
  await start();
  const { ImportArn } = ImportTableDescription;
  const description = await ended(
    async () => (await send('DescribeImport', { ImportArn })).ImportTableDescription,
  );
  assert.equal(description.ImportStatus, 'COMPLETED', description.FailureMessage);
  assert.equal(description.ImportedItemCount, 30_000);
  const { Table } = await send('DescribeTable', { TableName });
  assert.equal(Table.ItemCount, 30_000);
});
