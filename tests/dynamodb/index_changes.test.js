// Global secondary indexes that come and go while the table is in use.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  allPages,
  attributes,
  invalid,
  keySchema,
  N,
  newTable,
  projectAll,
  putAll,
  S,
  send,
  untilActive,
} from '../support/dynamodb.js';
import { isAws } from '../support/endpoint.js';

const index = (IndexName, hash, range) => ({
  IndexName,
  KeySchema: keySchema(hash, range),
  Projection: projectAll,
});

// The index is built from what is there while writes go on; nothing may be missed or left over.
test('an index added while writing holds exactly the items', { skip: isAws }, async () => {
  const name = await newTable('pk');
  const item = (i, g) => ({ pk: S(`p${i}`), g: S(g), i: N(i) });
  await putAll(
    name,
    Array.from({ length: 500 }, (_, i) => item(i, 'old')),
  );
  let writing = true;
  const writer = (async () => {
    for (let i = 0; writing || i < 60; i += 1) {
      const n = (i * 37) % 600;
      if (i % 3 === 0) await send('PutItem', { TableName: name, Item: item(n, 'new') });
      else if (i % 3 === 1) await send('DeleteItem', { TableName: name, Key: { pk: S(`p${n}`) } });
      else
        await send('UpdateItem', {
          TableName: name,
          Key: { pk: S(`p${n}`) },
          UpdateExpression: 'REMOVE g',
        });
    }
  })();
  const { TableDescription } = await send('UpdateTable', {
    TableName: name,
    AttributeDefinitions: attributes('pk', 'g'),
    GlobalSecondaryIndexUpdates: [{ Create: index('added', 'g', 'pk') }],
  });
  assert.equal(TableDescription.GlobalSecondaryIndexes[0].IndexStatus, 'CREATING');
  const table = await untilActive(name);
  writing = false;
  await writer;
  assert.equal(table.GlobalSecondaryIndexes[0].Backfilling, undefined);
  const inTable = (await allPages('Scan', { TableName: name })).items.filter((each) => each.g);
  const inIndex = (await allPages('Scan', { TableName: name, IndexName: 'added' })).items;
  const byKey = (x, y) => (x.pk.S < y.pk.S ? -1 : 1);
  assert.deepEqual(inIndex.sort(byKey), inTable.sort(byKey));
  assert.ok(inTable.length > 0);
});

// Entries whose key is of another type are left out of a new index, not an error.
test('a new index skips items that do not fit', { skip: isAws }, async () => {
  const name = await newTable('pk');
  await putAll(name, [
    { pk: S('fits'), g: N(1) },
    { pk: S('text'), g: S('one') },
    { pk: S('none') },
  ]);
  await send('UpdateTable', {
    TableName: name,
    AttributeDefinitions: attributes('g:N'),
    GlobalSecondaryIndexUpdates: [{ Create: index('added', 'g') }],
  });
  await untilActive(name);
  const { items } = await allPages('Scan', { TableName: name, IndexName: 'added' });
  assert.deepEqual(
    items.map((item) => item.pk.S),
    ['fits'],
  );
});

test('an index can be removed and made again', { skip: isAws }, async () => {
  const name = await newTable('pk', {
    AttributeDefinitions: attributes('g'),
    GlobalSecondaryIndexes: [index('temporary', 'g')],
  });
  await putAll(name, [{ pk: S('a'), g: S('x') }]);
  await send('UpdateTable', {
    TableName: name,
    GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'temporary' } }],
  });
  for (;;) {
    const { Table } = await send('DescribeTable', { TableName: name });
    if (!Table.GlobalSecondaryIndexes) {
      // The definition of its key went with it.
      assert.deepEqual(Table.AttributeDefinitions, attributes('pk'));
      break;
    }
  }
  await invalid(
    send('Scan', { TableName: name, IndexName: 'temporary' }),
    'The table does not have the specified index: temporary',
  );
  // Its key is an ordinary attribute now, of any type.
  await putAll(name, [{ pk: S('b'), g: N(1) }]);
  await send('UpdateTable', {
    TableName: name,
    AttributeDefinitions: attributes('g'),
    GlobalSecondaryIndexUpdates: [{ Create: index('temporary', 'g') }],
  });
  await untilActive(name);
  const { items } = await allPages('Scan', { TableName: name, IndexName: 'temporary' });
  assert.deepEqual(
    items.map((item) => item.pk.S),
    ['a'],
  );
});
