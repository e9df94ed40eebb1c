'use strict';

// Starts Monotable servers for tests: each in memory, on a port of its own, and gone with the
// process that started it.

const { spawn } = require('node:child_process');
const { existsSync } = require('node:fs');
const http = require('node:http');
const path = require('node:path');

const { milliseconds } = require('./duration.cjs');

const READY = /is ready on (http:\/\/\S+)/;
const START_LIMIT_MS = 20_000;
const STOP_LIMIT_MS = 2_000;
const KEPT_OUTPUT = 16_384;

// The presets for test runners leave the server of a test file here.
const CURRENT = Symbol.for('monotable.server');

// The path of the server's program, for this platform.
function binary() {
  if (process.env.MONOTABLE_BINARY) return process.env.MONOTABLE_BINARY;
  const file = path.join(__dirname, 'server/bin/monotable');
  const report = process.platform === 'linux' ? process.report?.getReport() : undefined;
  const isMusl = report !== undefined && !report.header.glibcVersionRuntime;
  if (process.platform !== 'linux' || process.arch !== 'x64' || isMusl || !existsSync(file)) {
    const here = `${process.platform}-${process.arch}${isMusl ? ' with musl' : ''}`;
    throw new Error(
      `The monotable package has a server for linux-x64 with glibc, and this is ${here}. ` +
        'Build monotable from its sources and set MONOTABLE_BINARY to the path of the program, ' +
        'or use the container image.',
    );
  }
  return file;
}

// The settings of servers are also variables; those around a test are not meant for it.
function environmentOfServer() {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('MONOTABLE_'));
  return Object.fromEntries(kept);
}

function argumentsOf(options) {
  const known = ['args', 'clock', 'log', 'models', 'port', 'samples'];
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) {
      throw new TypeError(`start has no option '${name}'. It has ${known.join(', ')}.`);
    }
  }
  const list = ['serve', '--in-memory', '--test-controls', '--stop-with-input'];
  list.push('--port', String(options.port ?? 0), '--log-level', options.log ? 'info' : 'warning');
  if (options.clock !== undefined) {
    list.push(
      '--test-clock',
      options.clock instanceof Date ? options.clock.toISOString() : options.clock,
    );
  }
  const models = typeof options.models === 'string' ? [options.models] : (options.models ?? []);
  for (const model of models) list.push('--model', path.resolve(model));
  if (models.length > 0) list.push('--create-adopted');
  if (options.samples) list.push('--samples');
  list.push(...(options.args ?? []));
  return list;
}

class Server {
  #child;
  #agent = new http.Agent({ keepAlive: true });
  #exited;
  #output = '';

  constructor(child) {
    this.#child = child;
    this.#exited = new Promise((resolve) => child.once('exit', resolve));
  }

  static async start(options) {
    const child = spawn(binary(), argumentsOf(options), {
      env: environmentOfServer(),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const server = new Server(child);
    server.url = await server.#ready(Boolean(options.log));
    server.port = Number(new URL(server.url).port);
    // Neither the server nor its pipes keep a process alive that has nothing else to do.
    child.unref();
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.unref();
    return server;
  }

  #ready(log) {
    const child = this.#child;
    // A server that has gone cannot be written to; its end is reported otherwise.
    child.stdin.on('error', () => {});
    child.stderr.on('data', (bytes) => {
      if (log) process.stderr.write(bytes);
      this.#output = (this.#output + bytes).slice(-KEPT_OUTPUT);
    });
    return new Promise((resolve, reject) => {
      let line = '';
      const fail = (reason) => {
        clearTimeout(limit);
        child.kill('SIGKILL');
        reject(new Error(`The Monotable server did not start: ${reason}`));
      };
      const limit = setTimeout(
        () => fail(`it was not ready within ${START_LIMIT_MS / 1000} s. ${this.#output}`),
        START_LIMIT_MS,
      );
      child.once('error', (error) => fail(error.message));
      child.once('close', (code, signal) =>
        fail(this.#output.trim() || `it ended with ${code ?? signal}.`),
      );
      child.stdout.on('data', (bytes) => {
        line += bytes;
        const match = READY.exec(line);
        if (!match) return;
        clearTimeout(limit);
        child.removeAllListeners('close');
        child.stdout.removeAllListeners('data').resume();
        resolve(match[1]);
      });
    });
  }

  get region() {
    return 'us-east-1';
  }

  get clientConfig() {
    return {
      endpoint: this.url,
      region: this.region,
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    };
  }

  get environment() {
    return {
      AWS_ENDPOINT_URL_DYNAMODB: this.url,
      AWS_ENDPOINT_URL_DYNAMODB_STREAMS: this.url,
      AWS_REGION: this.region,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    };
  }

  async reset() {
    await this.#control('reset', {});
  }

  async snapshot() {
    const { snapshot } = await this.#control('snapshot', {});
    return Object.freeze({ id: snapshot });
  }

  async restore(snapshot) {
    await this.#control('restore', { snapshot: String(snapshot?.id) });
  }

  async forget(snapshot) {
    await this.#control('forget', { snapshot: String(snapshot?.id) });
  }

  async advance(duration) {
    const { now } = await this.#control('advance', { milliseconds: milliseconds(duration) });
    return new Date(now);
  }

  async stop() {
    const child = this.#child;
    this.#agent.destroy();
    if (child.exitCode === null && child.signalCode === null) {
      child.ref();
      child.kill('SIGTERM');
      const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
      await this.#exited;
      clearTimeout(limit);
    }
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  }

  #control(name, body) {
    const text = JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const request = http.request(`${this.url}/test-controls/${name}`, {
        agent: this.#agent,
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) },
      });
      request.once('error', (error) => {
        const gone = this.#child.exitCode ?? this.#child.signalCode;
        const why =
          gone === null ? error.message : `the server has ended (${gone}). ${this.#output}`;
        reject(new Error(`${name} failed: ${why}`, { cause: error }));
      });
      request.once('response', (response) => {
        let answer = '';
        response.setEncoding('utf8');
        response.on('data', (part) => (answer += part));
        response.once('end', () => {
          const parsed = JSON.parse(answer);
          if (response.statusCode === 200) resolve(parsed);
          else reject(new Error(`${name} failed: ${parsed.message}`));
        });
      });
      request.end(text);
    });
  }
}

if (Symbol.asyncDispose) {
  Object.defineProperty(Server.prototype, Symbol.asyncDispose, {
    value() {
      return this.stop();
    },
  });
}

async function start(options = {}) {
  return Server.start(options);
}

// The server that a preset has started for this test file.
function current() {
  const server = globalThis[CURRENT];
  if (!server) {
    throw new Error(
      'There is no server yet. Use the preset of monotable for Vitest or Jest, or start.',
    );
  }
  return server;
}

module.exports = { binary, current, start };
