import type { StartOptions } from '../index.js';

export interface PresetOptions extends Omit<StartOptions, 'port'> {
  /** What is undone after each test: `'test'`, the default, what it wrote; `'file'`: nothing. */
  isolation?: 'test' | 'file';
}

/** A plugin for Vitest that starts a server for each test file; `current()` is that server. */
export default function monotable(options?: PresetOptions): { name: string };
