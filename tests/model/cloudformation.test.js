// `monotable model export cloudformation`: templates that CloudFormation would take, and for the
// trading design the one that its document describes.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { runBinary } from '../support/server.js';
import { designs, modelPath } from './designs.js';

async function template(design, ...args) {
  const command = ['model', 'export', 'cloudformation', modelPath(design), ...args];
  const { code, output, errors } = await runBinary(command);
  assert.equal(code, 0, errors);
  return JSON.parse(output);
}

// Every Ref, condition and map that is used must be declared.
function checkReferences(made) {
  const names = new Set([
    ...Object.keys(made.Parameters ?? {}),
    ...Object.keys(made.Resources),
    'AWS::NoValue',
  ]);
  const walk = (node) => {
    if (node === null || typeof node !== 'object') return;
    if (node.Ref) assert.ok(names.has(node.Ref), `Ref ${node.Ref}`);
    if (node['Fn::GetAtt']) assert.ok(names.has(node['Fn::GetAtt'][0]));
    if (node['Fn::If']) assert.ok(made.Conditions[node['Fn::If'][0]], node['Fn::If'][0]);
    if (node['Fn::FindInMap']) assert.ok(made.Mappings[node['Fn::FindInMap'][0]]);
    if (node['Fn::Sub']) {
      for (const [, name] of node['Fn::Sub'].matchAll(/\$\{(\w+)\}/g))
        assert.ok(names.has(name), name);
    }
    Object.values(node).forEach(walk);
  };
  walk(made);
}

function tables(made) {
  return Object.values(made.Resources).filter((each) => each.Type === 'AWS::DynamoDB::Table');
}

for (const design of designs) {
  test(`the template of ${design} holds together`, async () => {
    const made = await template(design);
    assert.equal(made.AWSTemplateFormatVersion, '2010-09-09');
    checkReferences(made);
    for (const name of Object.keys(made.Resources)) assert.match(name, /^[A-Za-z0-9]+$/);
    assert.ok(tables(made).length > 0);
    for (const { Properties: table } of tables(made)) {
      // CloudFormation refuses attributes that no key uses, and keys without an attribute.
      const used = [
        table,
        ...(table.GlobalSecondaryIndexes ?? []),
        ...(table.LocalSecondaryIndexes ?? []),
      ]
        .flatMap((each) => each.KeySchema)
        .map((each) => each.AttributeName);
      const defined = table.AttributeDefinitions.map((each) => each.AttributeName);
      assert.deepEqual([...new Set(used)].sort(), [...defined].sort());
    }
  });
}

// The document's deploy commands name these parameters and its create-stack must work with them.
test('the template of trading has the parameters of its document', async () => {
  const made = await template('trading');
  assert.deepEqual(Object.keys(made.Parameters).slice(0, 3), [
    'Environment',
    'TableName',
    'EnablePITR',
  ]);
  const { Environment, TableName, EnablePITR } = made.Parameters;
  assert.equal(Environment.Default, 'dev');
  assert.deepEqual(Environment.AllowedValues, ['dev', 'staging', 'prod']);
  assert.equal(TableName.Default, 'oms_trading_data');
  assert.equal(EnablePITR.Default, 'false');
  for (const each of Object.values(made.Parameters)) assert.equal(each.Type, 'String');

  const table = made.Resources.TradingTable.Properties;
  assert.deepEqual(table.TableName, { 'Fn::Sub': '${TableName}_${Environment}' });
  assert.equal(table.BillingMode, 'PAY_PER_REQUEST');
  assert.deepEqual(table.TimeToLiveSpecification, { AttributeName: 'ttl', Enabled: true });
  assert.equal(table.SSESpecification.SSEEnabled, true);
  const projections = Object.fromEntries(
    table.GlobalSecondaryIndexes.map((each) => [each.IndexName, each.Projection.ProjectionType]),
  );
  assert.equal(projections.GSI1, 'ALL');
  assert.equal(projections.GSI2, 'KEYS_ONLY');
  assert.equal(projections.GSI3, 'ALL');
  assert.equal(table.PointInTimeRecoverySpecification['Fn::If'][0], 'PitrEnabled');
  assert.match(JSON.stringify(made.Conditions.PitrEnabled), /"EnablePITR"},"true"/);
});

// The document's alarms, and the form of them that gets data: these metrics have an Operation.
test('the template of trading has the alarms of its document', async () => {
  const alarms = Object.values((await template('trading')).Resources)
    .filter((each) => each.Type === 'AWS::CloudWatch::Alarm')
    .map((each) => each.Properties);
  const throttled = alarms.find((each) => each.AlarmName === 'oms-trading-throttled');
  assert.equal(throttled.MetricName, 'ThrottledRequests');
  assert.equal(throttled.Period, 300);
  assert.equal(throttled.EvaluationPeriods, 2);
  assert.equal(throttled.Threshold, 10);
  assert.equal(throttled.ComparisonOperator, 'GreaterThanThreshold');
  const errors = alarms.find((each) => each.AlarmName === 'oms-trading-system-errors');
  assert.equal(errors.Threshold, 5);
  assert.equal(errors.EvaluationPeriods, 1);
  const summed = alarms.find((each) => each.AlarmName === 'oms-trading-throttled-by-operation');
  assert.equal(summed.Metrics.length, 11);
});

// Deletion protection and recovery differ between the environments of sales.
test('a template for one environment asks for nothing that is known', async () => {
  const production = (await template('sales', '--environment', 'production')).Resources.SalesTable;
  assert.equal(production.Properties.TableName, 'SalesTable-production');
  assert.equal(production.Properties.DeletionProtectionEnabled, true);
  assert.equal(
    production.Properties.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled,
    true,
  );
  const dev = (await template('sales', '--environment', 'dev')).Resources.SalesTable;
  assert.equal(dev.Properties.DeletionProtectionEnabled, false);
  assert.deepEqual(dev.Properties.PointInTimeRecoverySpecification, {
    PointInTimeRecoveryEnabled: false,
  });
});

// Two of chat's tables exist already; a template that created them would fail.
test('adopted tables are not in the template of chat', async () => {
  const made = await template('chat');
  assert.deepEqual(
    tables(made).map((each) => each.Properties.TableName),
    ['RuralCreditAI'],
  );
  assert.equal(made.Metadata.Monotable.NotIncluded.length, 2);
});
