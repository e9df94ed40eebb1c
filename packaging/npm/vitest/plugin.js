import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const setup = join(dirname(fileURLToPath(import.meta.url)), 'setup.js');

// A plugin for the configuration of Vitest. Every test file gets a server of its own before it is
// loaded, and what a test writes is undone after it.
export default function monotable(options = {}) {
  return {
    name: 'monotable',
    config(config) {
      const root = resolve(config.root ?? process.cwd());
      const models = [options.models ?? []].flat().map((file) => resolve(root, file));
      return {
        test: {
          setupFiles: [setup],
          provide: { monotable: { ...options, models } },
          // The setup runs again for every file, also where files share a worker.
          server: { deps: { inline: [setup] } },
        },
      };
    },
  };
}
