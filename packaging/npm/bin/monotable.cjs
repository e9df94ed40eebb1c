#!/usr/bin/env node
'use strict';

// npx monotable --port 9000          is  monotable serve --port 9000
// npx monotable model check FILE     is  monotable model check FILE

const { spawn } = require('node:child_process');
const { constants } = require('node:os');

const { binary } = require('../index.cjs');

let file;
try {
  file = binary();
} catch (error) {
  console.error(`monotable: ${error.message}`);
  process.exit(1);
}

const words = process.argv.slice(2);
const isCommand = words.length > 0 && !words[0].startsWith('-');
const isServer = !isCommand || words[0] === 'serve';
const list = isCommand ? words : ['serve', ...words];
const isHelp = words.includes('--help');
if (isServer && !isHelp) list.push('--stop-with-input');

// The pipe to a server is never written to. It ends with this process, however that ends, and the
// server with it. The server has a process group of its own, so that a Ctrl-C reaches it once: a
// second signal ends it without waiting for requests.
const ownGroup = isServer && !isHelp;
let child;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    if (ownGroup) child?.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal);
  });
}
child = spawn(file, list, {
  detached: ownGroup,
  stdio: [ownGroup ? 'pipe' : 'inherit', 'inherit', 'inherit'],
});
child.on('error', (error) => {
  console.error(`monotable: ${error.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
