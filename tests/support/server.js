// Starts and stops Monotable processes for tests. Each server gets a port of its own and, unless a
// test passes one, a data folder of its own that goes away with it.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

export const binary = process.env.MONOTABLE_BINARY ?? join(root, 'build/release/monotable');

const READY = /is ready on (https?:\/\/\S+?):(\d+)/;
const START_LIMIT_MS = 20_000;
const running = new Set();

// A test process that dies must leave neither servers nor folders behind.
process.on('exit', () => {
  for (const server of running) {
    server.process.kill('SIGKILL');
    if (server.ownFolder) rmSync(server.ownFolder, { recursive: true, force: true });
  }
});

// The server reads MONOTABLE_ variables as settings; those of the tests are not for it.
function environment(more = {}) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('MONOTABLE_'));
  return { ...Object.fromEntries(inherited), ...more };
}

export function temporaryFolder() {
  return mkdtempSync(join(tmpdir(), 'monotable-test-'));
}

class Server {
  constructor(child, ownFolder) {
    this.process = child;
    this.ownFolder = ownFolder;
    this.output = '';
    this.errors = '';
    this.exited = new Promise((done) => {
      child.on('close', (code, signal) => {
        running.delete(this);
        if (ownFolder) rmSync(ownFolder, { recursive: true, force: true });
        done({ code, signal });
      });
    });
    child.stdout.on('data', (bytes) => (this.output += bytes));
    child.stderr.on('data', (bytes) => (this.errors += bytes));
    running.add(this);
  }

  // Asks the server to finish, and waits until it has.
  async stop(signal = 'SIGTERM') {
    this.process.kill(signal);
    return this.exited;
  }

  // Lets the test process end without waiting for this server, which then ends with it.
  detach() {
    this.process.unref();
    this.process.stdout.unref();
    this.process.stderr.unref();
  }

  async #ready() {
    const limit = Date.now() + START_LIMIT_MS;
    let ended = false;
    this.exited.then(() => (ended = true));
    for (;;) {
      const match = READY.exec(this.output) ?? READY.exec(this.errors);
      if (match) {
        this.port = Number(match[2]);
        this.endpoint = `http://127.0.0.1:${this.port}`;
        return this;
      }
      if (ended || Date.now() > limit) {
        this.process.kill('SIGKILL');
        const { code } = await this.exited;
        const error = new Error(`the server did not start (exit ${code}): ${this.errors}`);
        error.code = code;
        error.errors = this.errors;
        throw error;
      }
      await new Promise((next) => setTimeout(next, 5));
    }
  }

  static async start(child, ownFolder) {
    return new Server(child, ownFolder).#ready();
  }
}

// Options: inMemory, data (folder), port, durability, args (more flags), env (more variables),
// limits (of prlimit, such as --nofile=256).
export async function startServer(options = {}) {
  const ownFolder = options.inMemory || options.data ? null : temporaryFolder();
  const args = ['serve', '--port', String(options.port ?? 0)];
  if (options.inMemory) args.push('--in-memory');
  else args.push('--data', options.data ?? ownFolder);
  if (options.durability) args.push('--durability', options.durability);
  const command = [binary, ...args, ...(options.args ?? [])];
  if (options.limits) command.unshift('prlimit', ...options.limits);
  const child = spawn(command[0], command.slice(1), {
    env: environment(options.env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return Server.start(child, ownFolder);
}

// Runs the binary to its end, for commands that answer and for starts that fail.
export function runBinary(args, { env, limitMs = START_LIMIT_MS } = {}) {
  return new Promise((done, failed) => {
    const child = spawn(binary, args, {
      env: environment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errors = '';
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
    child.stdout.on('data', (bytes) => (output += bytes));
    child.stderr.on('data', (bytes) => (errors += bytes));
    child.on('error', failed);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      done({ code, signal, output, errors });
    });
  });
}
