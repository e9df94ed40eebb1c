import { afterAll, afterEach, beforeEach, inject } from 'vitest';

import { start } from 'monotable';

const { isolation = 'test', ...options } = inject('monotable') ?? {};
const server = await start(options);
globalThis[Symbol.for('monotable.server')] = server;
Object.assign(process.env, server.environment);
// Both would win over the credentials above.
delete process.env.AWS_PROFILE;
delete process.env.AWS_SESSION_TOKEN;

if (isolation === 'test') {
  // The hooks of a test file run inside these two: what beforeAll made stays, what a test and its
  // own hooks made goes.
  let before;
  beforeEach(async () => {
    before = await server.snapshot();
  });
  afterEach(async () => {
    await server.restore(before);
    await server.forget(before);
  });
}
afterAll(() => server.stop());
