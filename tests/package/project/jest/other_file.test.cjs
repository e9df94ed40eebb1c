'use strict';

const { Tables } = require('../tables.cjs');

const users = new Tables();
afterAll(() => users.close());

test('another file has a server of its own', async () => {
  expect(await users.names()).toEqual([]);
  await users.create('Music');
  expect(await users.names()).toEqual(['Music']);
});
