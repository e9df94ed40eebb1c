// The operations of Monotable that DynamoDB does not have: moving a test clock, backups of the
// whole server, the report of what expires.

import { post } from './http.js';

// Answers what the operation answers; throws an error with the name that a client would see.
export async function own(server, operation, input = {}) {
  const answer = await post(`Monotable_20261101.${operation}`, input, {}, { url: server.endpoint });
  if (answer.status === 200) return answer.json;
  const error = new Error(answer.message ?? answer.text);
  error.name = answer.type ?? 'Error';
  throw error;
}
