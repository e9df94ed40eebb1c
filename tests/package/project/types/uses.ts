import { current, start, type Duration, type Server, type Snapshot } from 'monotable';
import monotable from 'monotable/vitest';

async function use(): Promise<void> {
  await using server: Server = await start({
    models: ['a.model.yaml'],
    clock: new Date(),
    log: true,
  });
  const snapshot: Snapshot = await server.snapshot();
  const durations: Duration[] = [1, '30d', { hours: 1, seconds: 30 }];
  for (const duration of durations) (await server.advance(duration)).toISOString();
  await server.restore(snapshot);
  await current().reset();
  const { endpoint, credentials } = server.clientConfig;
  console.log(endpoint, credentials.accessKeyId, server.environment['AWS_REGION']);
  // @ts-expect-error: a duration has no weeks
  await server.advance({ weeks: 1 });
}

monotable({ isolation: 'file', samples: true });
// @ts-expect-error: servers of tests take a free port
monotable({ port: 8000 });
void use();
