import monotable from 'monotable/vitest';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [monotable()],
  test: { include: ['*.test.mjs'], maxWorkers: 2, minWorkers: 1 },
});
