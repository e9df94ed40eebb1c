// The service that the tests of tests/dynamodb, tests/wire and tests/designs talk to:
//   MONOTABLE_ENDPOINT=http://host:port   that server, for example the one tests/run has started
//   MONOTABLE_ENDPOINT=aws                Amazon DynamoDB, with the region and credentials at hand
//   not set                               a server started for this test file alone

import { after } from 'node:test';

import { startServer } from './server.js';

const wanted = process.env.MONOTABLE_ENDPOINT;

export const isAws = wanted === 'aws';
export const region = process.env.AWS_REGION ?? 'us-east-1';

async function startOwn() {
  const server = await startServer({
    inMemory: process.env.MONOTABLE_STORE === 'memory',
    durability: 'relaxed',
  });
  server.detach();
  after(() => server.stop());
  return server.endpoint;
}

function chosenEndpoint() {
  if (isAws) return `https://dynamodb.${region}.amazonaws.com`;
  return wanted || startOwn();
}

export const endpoint = await chosenEndpoint();

export const credentials = isAws
  ? {
      accessKeyId: process.env.AWS_ACCESS_KEY_ID,
      secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY,
      sessionToken: process.env.AWS_SESSION_TOKEN,
    }
  : { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
