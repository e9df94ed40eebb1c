/** A length of time: milliseconds, a text such as `'30d'` or `'1h30m'`, or the sum of its parts. */
export type Duration =
  | number
  | string
  | { days?: number; hours?: number; minutes?: number; seconds?: number; milliseconds?: number };

/** The data of a server at one moment. It belongs to the server that made it. */
export interface Snapshot {
  readonly id: string;
}

export interface StartOptions {
  /** The port to listen on; a free one by default. */
  port?: number;
  /** Model files to serve: their tables are created, and their REST API is served. */
  models?: string | string[];
  /** Put the sample items of the models in. */
  samples?: boolean;
  /** A moment at which the time of the server stands still, except for `advance`. */
  clock?: string | Date;
  /** Show the log of the server. */
  log?: boolean;
  /** More arguments of `monotable serve`. */
  args?: string[];
}

export interface Server {
  /** Where clients find the server: `http://127.0.0.1:49152`. */
  readonly url: string;
  readonly port: number;
  readonly region: string;
  /** For `new DynamoDBClient(server.clientConfig)`. */
  readonly clientConfig: {
    endpoint: string;
    region: string;
    credentials: { accessKeyId: string; secretAccessKey: string };
  };
  /** Variables that lead AWS clients to the server. */
  readonly environment: Record<string, string>;
  /** Makes the server what it was at its start: tables, items and clock. */
  reset(): Promise<void>;
  /** Remembers tables, items, streams and the clock. */
  snapshot(): Promise<Snapshot>;
  /** Makes the server what it was at the time of a snapshot, any number of times. */
  restore(snapshot: Snapshot): Promise<void>;
  /** Frees the memory of a snapshot. */
  forget(snapshot: Snapshot): Promise<void>;
  /** Moves the clock of the server and does what is due by then. Returns the new time. */
  advance(duration: Duration): Promise<Date>;
  /** Ends the server; a server also ends with the process that started it. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a server that keeps its data in memory. */
export function start(options?: StartOptions): Promise<Server>;

/** The server that the preset for Vitest or Jest has started for this test file. */
export function current(): Server;

/** The path of the server's program. */
export function binary(): string;
