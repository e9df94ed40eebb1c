// `monotable model export openapi`: documents that a validator of OpenAPI 3.1 accepts, and whose
// schemas accept what the designs hold.

import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { Validator } from '@seriousme/openapi-schema-validator';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

import { runBinary, temporaryFolder } from '../support/server.js';
import { designs, modelPath } from './designs.js';

async function document(design) {
  const { code, output, errors } = await runBinary([
    'model',
    'export',
    'openapi',
    modelPath(design),
  ]);
  assert.equal(code, 0, errors);
  return JSON.parse(output);
}

function operations(made) {
  return Object.entries(made.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
}

// A validator of one schema of the document, with those that it refers to.
function schemaOf(made, name) {
  const ajv = new Ajv2020({ strict: false, formats: { decimal: true, ulid: true } });
  addFormats(ajv);
  ajv.addSchema({ $id: 'document', components: made.components });
  const validate = ajv.compile({ $ref: `document#/components/schemas/${name}` });
  return (value) => (validate(value) ? true : ajv.errorsText(validate.errors));
}

for (const design of designs) {
  test(`the document of ${design} is OpenAPI 3.1`, async () => {
    const made = await document(design);
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(made));
    assert.ok(valid, JSON.stringify(errors, null, 2));
    assert.equal(validator.version, '3.1');
  });

  // What a viewer of the document needs of every operation, and generators of clients choke on.
  test(`the operations of ${design} are whole`, async () => {
    const made = await document(design);
    const ids = new Set();
    const tags = new Set(made.tags.map((tag) => tag.name));
    for (const { path, method, operation } of operations(made)) {
      const where = `${method} ${path}`;
      assert.ok(!ids.has(operation.operationId), operation.operationId);
      ids.add(operation.operationId);
      assert.match(operation.operationId, /^[A-Za-z][A-Za-z0-9_]*$/);
      assert.ok(operation.summary, where);
      assert.ok(
        operation.tags.every((tag) => tags.has(tag)),
        where,
      );
      const named = new Set(
        operation.parameters.filter((each) => each.in === 'path').map((each) => each.name),
      );
      const used = new Set([...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1]));
      assert.deepEqual(named, used, where);
      assert.ok(operation.responses['400'], where);
    }
  });

  // Every schema must be one that a validator can compile, its patterns included.
  test(`the schemas of ${design} are JSON Schema`, async () => {
    const made = await document(design);
    for (const name of Object.keys(made.components.schemas)) schemaOf(made, name);
  });

  // Patterns tell what they ask of DynamoDB.
  test(`the patterns of ${design} have their requests`, async () => {
    const made = await document(design);
    const patterns = operations(made).filter(({ path }) => path.startsWith('/patterns/'));
    assert.ok(patterns.length > 0);
    for (const { path, operation } of patterns) {
      assert.ok(operation['x-stm-request'].TableName, path);
      assert.ok(operation['x-stm-index'], path);
      assert.match(operation['x-stm-cost'].verdict, /^(served|needs a filter|fan-out)$/);
      assert.equal(operation['x-stm-pattern'].name, path.split('/')[2]);
    }
  });
}

// Bodies as a client would send them.
test('the schemas of sales accept good bodies and refuse bad ones', async () => {
  const made = await document('sales');
  const create = schemaOf(made, 'Sale_Create');
  const sale = { BuyerId: 'BUYER001', ProducerId: 'PRODUCER001', SaleDate: '2026-01-30T14:30:00Z' };
  assert.equal(create(sale), true);
  assert.equal(create({ ...sale, PaymentTerms: '30_DAYS', Currency: 'USD' }), true);
  assert.notEqual(create({ ...sale, PaymentTerms: '31_DAYS' }), true);
  assert.notEqual(create({ ...sale, SaleDate: '30/01/2026' }), true);
  assert.notEqual(create({ BuyerId: 'BUYER001' }), true);
  const line = schemaOf(made, 'SaleLine_Create');
  const good = {
    LineNumber: 1,
    ProductCode: 'P1',
    ProductName: 'Soja',
    Quantity: 0.1,
    Unit: 'KG',
    UnitPrice: 27550.07,
  };
  assert.equal(line(good), true);
  assert.notEqual(line({ ...good, LineNumber: 1000 }), true);
  const patch = schemaOf(made, 'Buyer_Patch');
  assert.equal(
    patch({ Notes: null, Address: { Complement: null }, $add: { CreditLimit: -5 } }),
    true,
  );
  assert.notEqual(patch({ Name: null }), true);
  const buyer = schemaOf(made, 'Buyer_Create');
  assert.equal(buyer({ Name: 'ACME', Document: '12.345.678/0001-99' }), true);
  assert.notEqual(buyer({ Name: 'ACME', Document: 'x 12.345.678/0001-99' }), true);
});

test('--out writes a file, and --environment makes no sense', async (t) => {
  const folder = temporaryFolder();
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'openapi.json');
  const command = ['model', 'export', 'openapi', modelPath('blog')];
  const { code, output } = await runBinary([...command, '--out', path]);
  assert.equal(code, 0);
  assert.equal(output, '');
  assert.equal(JSON.parse(readFileSync(path, 'utf8')).info.title, 'Blog and portfolio');
  const refused = await runBinary([...command, '--environment', 'dev']);
  assert.equal(refused.code, 2);
  assert.match(refused.errors, /leave out --environment/);
});
