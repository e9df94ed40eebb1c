'use strict';

const { current } = require('monotable');

const { Tables } = require('../tables.cjs');

const users = new Tables();

beforeAll(async () => {
  await users.create('Music');
  await users.put('Music', 'from beforeAll');
});
beforeEach(() => users.put('Music', 'from beforeEach'));
afterAll(async () => {
  expect(await users.ids('Music')).toEqual(['from beforeAll', 'from the inner beforeAll']);
  users.close();
});

test('a test sees what its hooks have made', async () => {
  expect(await users.ids('Music')).toEqual(['from beforeAll', 'from beforeEach']);
  await users.put('Music', 'from the first test');
  await users.create('Another');
});

test.skip('a test that is skipped changes nothing', () => {});

test('what another test wrote is gone', async () => {
  expect(await users.ids('Music')).toEqual(['from beforeAll', 'from beforeEach']);
  expect(await users.names()).toEqual(['Music']);
});

describe('an inner suite', () => {
  beforeAll(() => users.put('Music', 'from the inner beforeAll'));

  test.each([1, 2])('keeps what its own beforeAll made (%i)', async (round) => {
    await users.put('Music', `from round ${round}`);
    expect(await users.ids('Music')).toEqual([
      'from beforeAll',
      'from beforeEach',
      `from round ${round}`,
      'from the inner beforeAll',
    ]);
  });
});

test('the clock is the server’s own', async () => {
  const now = await current().advance('365d');
  expect(now.getTime()).toBeGreaterThan(Date.now() + 364 * 86_400_000);
});

test('the clock is back', async () => {
  const now = await current().advance(0);
  expect(now.getTime()).toBeLessThan(Date.now() + 60_000);
});
