// What the programs of this folder share. Each makes the same calls twice: with openapi-fetch on the
// types of openapi-typescript, and with the client that @hey-api/openapi-ts makes.

export const endpoint = process.argv[2];

// The data of an answer, which both clients give in the same form.
export function data<T>(answer: {
  data?: T;
  error?: unknown;
  response?: Response;
}): NonNullable<T> {
  if (answer.data === undefined || answer.data === null) {
    throw new Error(`${answer.response?.status}: ${JSON.stringify(answer.error)}`);
  }
  return answer.data;
}

// The attributes of the first item that an operation has written.
export function written(answer: { results: { item?: unknown }[] }): Record<string, unknown> {
  return (answer.results[0]?.item ?? {}) as Record<string, unknown>;
}

export function same(actual: unknown, expected: unknown): void {
  const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== should) throw new Error(`expected ${should}, got ${is}`);
}
