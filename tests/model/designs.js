// The five designs of models/.

import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

export const designs = ['orders', 'sales', 'blog', 'trading', 'chat'];

export function modelPath(design) {
  return resolve(root, 'models', `${design}.model.yaml`);
}
