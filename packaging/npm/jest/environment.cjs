'use strict';

const path = require('node:path');

const { start } = require('../index.cjs');

// Jest brings its environment along, but not always to where this package finds it.
function nodeEnvironment() {
  const places = [__dirname, process.cwd(), require.main?.path].filter(Boolean);
  const found = require(require.resolve('jest-environment-node', { paths: places }));
  return found.TestEnvironment ?? found.default ?? found;
}

// Every test file gets a server of its own before it is loaded, and what a test writes is undone
// after it. Options are in testEnvironmentOptions.monotable.
module.exports = class MonotableEnvironment extends nodeEnvironment() {
  #options;
  #root;
  #server;
  #before;

  constructor(config, context) {
    super(config, context);
    const project = config.projectConfig ?? config;
    this.#options = { ...project.testEnvironmentOptions?.monotable };
    this.#root = project.rootDir;
  }

  async setup() {
    await super.setup();
    const { isolation, models = [], ...options } = this.#options;
    const files = [models].flat().map((file) => path.resolve(this.#root, file));
    this.#server = await start({ ...options, models: files });
    this.global[Symbol.for('monotable.server')] = this.#server;
    const { env } = this.global.process;
    Object.assign(env, this.#server.environment);
    // Both would win over the credentials above.
    delete env.AWS_PROFILE;
    delete env.AWS_SESSION_TOKEN;
  }

  // Around a test and its own hooks; what beforeAll made stays.
  async handleTestEvent(event, state) {
    await super.handleTestEvent?.(event, state);
    if (this.#options.isolation === 'file') return;
    if (event.name === 'test_start') {
      this.#before = await this.#server.snapshot();
    } else if (event.name === 'test_done' || event.name === 'test_skip') {
      if (event.name === 'test_done') await this.#server.restore(this.#before);
      await this.#server.forget(this.#before);
    }
  }

  async teardown() {
    await this.#server?.stop();
    await super.teardown();
  }
};
