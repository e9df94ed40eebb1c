// `monotable model docs`: the page of a design, in Markdown that viewers can show.

import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { runBinary, temporaryFolder } from '../support/server.js';
import { designs, modelPath } from './designs.js';

async function page(design) {
  const { code, output, errors } = await runBinary(['model', 'docs', modelPath(design)]);
  assert.equal(code, 0, errors);
  return output;
}

for (const design of designs) {
  // Broken tables and fences are what generators of Markdown get wrong.
  test(`the page of ${design} is well-formed`, async () => {
    const text = await page(design);
    assert.equal(text.match(/^```/gm).length % 2, 0);
    const prose = text.replace(/```[^]*?```/g, '');
    let columns = 0;
    for (const line of prose.split('\n')) {
      if (!line.startsWith('|')) {
        columns = 0;
        continue;
      }
      const cells = line.replace(/\\\|/g, '').split('|').length;
      columns ||= cells;
      assert.equal(cells, columns, line);
    }
    for (const [, json] of text.matchAll(/```json\n([^]*?)```/g)) JSON.parse(json);
    assert.match(text, /```mermaid\nerDiagram\n/);
    assert.match(text, /```mermaid\ngraph LR\n/);
  });
}

// The document prints these keys; the page must print the same.
test('the entity chart of sales has the keys of its document', async () => {
  const text = await page('sales');
  assert.match(
    text,
    /\| Sale [^|]*\| `SALE#\{SaleId\}` \| `#METADATA#sale` \| `BUYER#\{BuyerId\}` \/ `SALE#\{SaleDate\}`/,
  );
  assert.match(text, /\| SaleLine [^|]*\| `SALE#\{SaleId\}` \| `LINE#\{LineNumber:03\}` \|/);
  assert.match(text, /DRAFT --> CONFIRMED/);
  assert.match(text, /6 Queries/);
});

// The trading document has a diagram of which access goes to which index.
test('the access diagram of trading leads to its indexes', async () => {
  const text = await page('trading');
  for (const index of ['GSI1', 'GSI2', 'GSI3']) {
    assert.match(text, new RegExp(`API -->\\|"[^"]+"\\| \\w+_${index}\\n`));
  }
});

test('--out writes a file and nothing else', async (t) => {
  const folder = temporaryFolder();
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'blog.md');
  const { code, output } = await runBinary(['model', 'docs', modelPath('blog'), '--out', path]);
  assert.equal(code, 0);
  assert.equal(output, '');
  assert.equal(readFileSync(path, 'utf8'), await page('blog'));
});
