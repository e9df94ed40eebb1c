'use strict';

// What the suites of all runners do with a table, through the environment only: AWS clients find
// the server by the variables that a preset or start has given.

const {
  CreateTableCommand,
  DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
  ScanCommand,
  UpdateTimeToLiveCommand,
} = require('@aws-sdk/client-dynamodb');

exports.Tables = class Tables {
  constructor(config = {}) {
    this.client = new DynamoDBClient(config);
  }

  async create(name) {
    await this.client.send(
      new CreateTableCommand({
        TableName: name,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'Id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'Id', KeyType: 'HASH' }],
      }),
    );
  }

  async expire(name) {
    await this.client.send(
      new UpdateTimeToLiveCommand({
        TableName: name,
        TimeToLiveSpecification: { AttributeName: 'Expires', Enabled: true },
      }),
    );
  }

  async put(name, id, expires = 0) {
    const Item = { Id: { S: id }, Expires: { N: String(expires) } };
    await this.client.send(new PutItemCommand({ TableName: name, Item }));
  }

  async get(name, id) {
    const answer = await this.client.send(
      new GetItemCommand({ TableName: name, Key: { Id: { S: id } }, ConsistentRead: true }),
    );
    return answer.Item;
  }

  async ids(name) {
    const { Items } = await this.client.send(new ScanCommand({ TableName: name }));
    return Items.map((item) => item.Id.S).sort();
  }

  async names() {
    return (await this.client.send(new ListTablesCommand({}))).TableNames;
  }

  close() {
    this.client.destroy();
  }
};
