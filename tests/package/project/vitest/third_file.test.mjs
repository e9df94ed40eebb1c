import { afterAll, expect, test } from 'vitest';

import tables from '../tables.cjs';

const users = new tables.Tables();
afterAll(() => users.close());

test('a third file has a server of its own', async () => {
  expect(await users.names()).toEqual([]);
  await users.create('Music');
  expect(await users.names()).toEqual(['Music']);
});
