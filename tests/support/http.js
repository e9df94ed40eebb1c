// Raw HTTP, for what an SDK would refuse to send or hides of the answer.

import http from 'node:http';
import https from 'node:https';
import net from 'node:net';

import { credentials, endpoint, region } from './endpoint.js';
import { sign } from './signature.js';

export const TARGET = 'DynamoDB_20120810';

const agents = {
  'http:': new http.Agent({ keepAlive: true }),
  'https:': new https.Agent({ keepAlive: true }),
};

function receive(response, done) {
  const chunks = [];
  response.on('data', (chunk) => chunks.push(chunk));
  response.on('end', () => {
    const body = Buffer.concat(chunks);
    const answer = { status: response.statusCode, headers: response.headers, body };
    answer.text = body.toString('utf8');
    try {
      answer.json = JSON.parse(answer.text);
    } catch {
      answer.json = undefined;
    }
    if (answer.json?.__type) answer.type = answer.json.__type.replace(/^.*#/, '');
    answer.message = answer.json?.message ?? answer.json?.Message;
    done(answer);
  });
}

// Sends one request exactly as given and answers status, headers, body, text, json, and for an
// error its type (without the prefix) and message.
export function exchange({ url = endpoint, method = 'POST', path = '/', headers = {}, body }) {
  const base = new URL(url);
  const module = base.protocol === 'https:' ? https : http;
  return new Promise((done, failed) => {
    const request = module.request(
      { host: base.hostname, port: base.port, method, path, headers, agent: agents[base.protocol] },
      (response) => receive(response, done),
    );
    request.on('error', failed);
    request.end(body);
  });
}

// Calls an operation with a signed request. The body is an object, or text or bytes to be sent as
// they are. A target without a dot gets DynamoDB's prefix; null leaves the header out. Extra
// headers replace the usual ones; a null value leaves a header out.
export function post(target, body, headers = {}, options = {}) {
  const url = options.url ?? endpoint;
  const bytes =
    typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body ?? {});
  const usual = { 'content-type': 'application/x-amz-json-1.0' };
  if (target !== null) {
    usual['x-amz-target'] = target.includes('.') ? target : `${TARGET}.${target}`;
  }
  const signed = sign({
    host: new URL(url).host,
    headers: usual,
    body: bytes,
    credentials: options.credentials ?? credentials,
    region,
    date: options.date,
    unsigned: options.unsigned,
  });
  const all = { ...signed, 'content-length': Buffer.byteLength(bytes), ...headers };
  for (const name of Object.keys(all)) if (all[name] === null) delete all[name];
  return exchange({ url, headers: all, body: options.sendBody ?? bytes });
}

// A connection on which a test writes bytes of its own and reads whole responses one by one.
export class Connection {
  #socket;
  #buffer = Buffer.alloc(0);
  #waiting = () => {};
  closed = false;

  static open(url = endpoint) {
    const connection = new Connection();
    const { hostname, port } = new URL(url);
    return new Promise((done, failed) => {
      connection.#socket = net.connect({ host: hostname, port: Number(port) }, () =>
        done(connection),
      );
      connection.#socket.on('data', (bytes) => {
        connection.#buffer = Buffer.concat([connection.#buffer, bytes]);
        connection.#waiting();
      });
      connection.#socket.on('close', () => {
        connection.closed = true;
        connection.#waiting();
      });
      connection.#socket.on('error', (error) => {
        connection.closed = true;
        connection.#waiting();
        failed(error);
      });
    });
  }

  write(bytes) {
    this.#socket.write(bytes);
  }

  // Says that nothing more will be sent, and goes on reading.
  finish() {
    this.#socket.end();
  }

  close() {
    this.#socket.destroy();
  }

  // Stops and goes on reading, as a client does that cannot keep up.
  pause() {
    this.#socket.pause();
  }

  resume() {
    this.#socket.resume();
  }

  async #until(condition) {
    for (;;) {
      const value = condition();
      if (value !== undefined) return value;
      if (this.closed) return undefined;
      await new Promise((next) => (this.#waiting = next));
    }
  }

  // Waits until the server closes the connection.
  async untilClosed() {
    while (!this.closed) await new Promise((next) => (this.#waiting = next));
  }

  // The next response as { status, headers, text }, or undefined when the server closed instead.
  async response() {
    const head = await this.#until(() => {
      const end = this.#buffer.indexOf('\r\n\r\n');
      return end < 0 ? undefined : this.#buffer.subarray(0, end).toString('latin1');
    });
    if (head === undefined) return undefined;
    const [statusLine, ...lines] = head.split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const status = Number(statusLine.split(' ')[1]);
    const length = status < 200 ? 0 : Number(headers['content-length'] ?? 0);
    const start = Buffer.byteLength(head, 'latin1') + 4;
    const whole = await this.#until(() =>
      this.#buffer.length >= start + length ? true : undefined,
    );
    if (!whole) return undefined;
    const text = this.#buffer.subarray(start, start + length).toString('utf8');
    this.#buffer = this.#buffer.subarray(start + length);
    return { status, statusLine, headers, text };
  }
}

// The bytes of a signed request, for use on a Connection.
export function requestBytes(target, body, { url = endpoint, headers = {}, version = '1.1' } = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const signed = sign({
    host: new URL(url).host,
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `${TARGET}.${target}`,
    },
    body: text,
    credentials,
    region,
  });
  const all = { ...signed, 'content-length': Buffer.byteLength(text), ...headers };
  const lines = Object.entries(all)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST / HTTP/${version}\r\n${lines.join('')}\r\n${text}`;
}
