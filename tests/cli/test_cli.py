#!/usr/bin/python3
"""The commands of the design documents with Debian's AWS CLI, and boto3 as an older client.

Run with Debian's interpreter, which has boto3: /usr/bin/python3 tests/cli/test_cli.py. The server
is the one at MONOTABLE_ENDPOINT or, if that is not set, one started for these tests.
"""

import decimal
import functools
import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import time
import unittest

import boto3
from boto3.dynamodb.conditions import Attr, Key
from botocore.config import Config
from botocore.exceptions import ClientError

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("MONOTABLE_BINARY", str(ROOT / "build/release/monotable"))
AWS = "/usr/bin/aws"
REGION = "us-east-1"
ACCESS = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}

endpoint = os.environ.get("MONOTABLE_ENDPOINT", "")
server = None
folder = None


def setUpModule():
    """Starts a server unless one is given."""
    global endpoint, server, folder
    if endpoint:
        return
    folder = tempfile.TemporaryDirectory(prefix="monotable-cli-")
    clean = {k: v for k, v in os.environ.items() if not k.startswith("MONOTABLE_")}
    server = subprocess.Popen(
        [BINARY, "serve", "--port", "0", "--data", folder.name, "--durability", "relaxed",
         "--ttl-delay", "1d"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=clean)
    for line in server.stdout:
        match = re.search(r"is ready on http://\S+?:(\d+)", line)
        if match:
            endpoint = f"http://127.0.0.1:{match[1]}"
            return
    raise RuntimeError("the server did not start")


def tearDownModule():
    client().close()
    if server:
        server.terminate()
        server.communicate()
        folder.cleanup()


def connection(kind):
    """boto3's client or resource for the endpoint; a failure is shown at once, not retried."""
    return kind("dynamodb", endpoint_url=endpoint, region_name=REGION,
                aws_access_key_id="local", aws_secret_access_key="local",
                config=Config(retries={"max_attempts": 1}))


@functools.cache
def client():
    return connection(boto3.client)


def aws(command):
    """Runs a command as the documents print it, with the endpoint added."""
    arguments = shlex.split(command.replace("\\\n", " "))
    assert arguments[0] == "aws"
    environment = {"PATH": "/usr/bin:/bin", "AWS_DEFAULT_REGION": REGION, "AWS_PAGER": "",
                   "LC_ALL": "C.UTF-8", "HOME": "/nonexistent", **ACCESS}
    done = subprocess.run(
        [AWS, *arguments[1:], "--endpoint-url", endpoint, "--output", "json"],
        capture_output=True, text=True, env=environment, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{command}\nexit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout) if done.stdout.strip() else None


CREATE = """aws dynamodb create-table \\
  --table-name oms_trading_data_dev \\
  --billing-mode PAY_PER_REQUEST \\
  --attribute-definitions \\
    AttributeName=PK,AttributeType=S AttributeName=SK,AttributeType=S \\
    AttributeName=GSI1_PK,AttributeType=S AttributeName=GSI1_SK,AttributeType=S \\
    AttributeName=GSI2_PK,AttributeType=S AttributeName=GSI2_SK,AttributeType=S \\
    AttributeName=GSI3_PK,AttributeType=S AttributeName=GSI3_SK,AttributeType=S \\
  --key-schema AttributeName=PK,KeyType=HASH AttributeName=SK,KeyType=RANGE \\
  --sse-specification Enabled=true,SSEType=KMS \\
  --global-secondary-indexes '[
    {"IndexName": "GSI1", "Projection": {"ProjectionType": "ALL"}, "KeySchema": [
      {"AttributeName": "GSI1_PK", "KeyType": "HASH"},
      {"AttributeName": "GSI1_SK", "KeyType": "RANGE"}]},
    {"IndexName": "GSI2", "Projection": {"ProjectionType": "KEYS_ONLY"}, "KeySchema": [
      {"AttributeName": "GSI2_PK", "KeyType": "HASH"},
      {"AttributeName": "GSI2_SK", "KeyType": "RANGE"}]},
    {"IndexName": "GSI3", "Projection": {"ProjectionType": "ALL"}, "KeySchema": [
      {"AttributeName": "GSI3_PK", "KeyType": "HASH"},
      {"AttributeName": "GSI3_SK", "KeyType": "RANGE"}]}]'
"""

ORDER = {
    "PK": {"S": "CLIENT#client_123"}, "SK": {"S": "ORDER#2025-11-14T10:30:00Z#order_456"},
    "GSI1_PK": {"S": "PRODUCT#prod_001"}, "GSI1_SK": {"S": "2025-11-14T10:30:00Z"},
    "GSI2_PK": {"S": "MASTER_ORDER#master_789"}, "GSI2_SK": {"S": "2025-11-14T10:30:00Z"},
    "GSI3_PK": {"S": "ORDER#order_456"}, "GSI3_SK": {"S": "2025-11-14T10:30:00Z"},
    "entity_type": {"S": "ORDER"}, "quantity": {"N": "1.5"}, "status": {"S": "NEW"},
}
EXECUTION = {
    **ORDER, "SK": {"S": "EXECUTION#2025-11-14T10:31:00Z#exec_111"},
    "GSI1_SK": {"S": "2025-11-14T10:31:00Z"}, "GSI2_SK": {"S": "2025-11-14T10:31:00Z"},
    "GSI3_SK": {"S": "2025-11-14T10:31:00Z"}, "entity_type": {"S": "EXECUTION"},
}
POSITION = {
    "PK": {"S": "CLIENT#client_123"}, "SK": {"S": "POSITION#BTCUSDT#LONG"},
    "GSI1_PK": {"S": "PRODUCT#prod_001"}, "GSI1_SK": {"S": "POSITION#BTCUSDT"},
    "entity_type": {"S": "POSITION"},
}


class TradingRunbook(unittest.TestCase):
    """The commands of the trading document, word for word."""

    @classmethod
    def setUpClass(cls):
        try:
            client().delete_table(TableName="oms_trading_data_dev")
        except ClientError:
            pass
        created = aws(CREATE)["TableDescription"]
        assert created["TableName"] == "oms_trading_data_dev"
        aws("aws dynamodb wait table-exists --table-name oms_trading_data_dev")
        aws("aws dynamodb put-item --table-name oms_trading_data_dev --item "
            + shlex.quote(json.dumps(ORDER)))
        # A command takes about a second to start, so the rest goes in directly.
        for item in (EXECUTION, POSITION):
            client().put_item(TableName="oms_trading_data_dev", Item=item)

    @classmethod
    def tearDownClass(cls):
        aws("aws dynamodb delete-table --table-name oms_trading_data_dev")
        aws("aws dynamodb wait table-not-exists --table-name oms_trading_data_dev")

    def test_1_orders_of_a_client(self):
        answer = aws("""aws dynamodb query \\
  --table-name oms_trading_data_dev \\
  --key-condition-expression "PK = :pk AND begins_with(SK, :sk)" \\
  --expression-attribute-values '{
    ":pk": {"S": "CLIENT#client_123"},
    ":sk": {"S": "ORDER#"}
  }'""")
        self.assertEqual(answer["Count"], 1)
        self.assertEqual(answer["Items"][0]["SK"], ORDER["SK"])

    def test_2_orders_of_a_product(self):
        answer = aws("""aws dynamodb query \\
  --table-name oms_trading_data_dev \\
  --index-name GSI1 \\
  --key-condition-expression "GSI1_PK = :pk" \\
  --expression-attribute-values '{
    ":pk": {"S": "PRODUCT#prod_001"}
  }'""")
        self.assertEqual([item["entity_type"]["S"] for item in answer["Items"]],
                         ["ORDER", "EXECUTION", "POSITION"])

    def test_4_children_of_a_master_order(self):
        answer = aws("""aws dynamodb query \\
  --table-name oms_trading_data_dev \\
  --index-name GSI2 \\
  --key-condition-expression "GSI2_PK = :pk" \\
  --expression-attribute-values '{
    ":pk": {"S": "MASTER_ORDER#master_789"}
  }'""")
        self.assertEqual([sorted(item) for item in answer["Items"]],
                         [["GSI2_PK", "GSI2_SK", "PK", "SK"]] * 2)

    def test_5_order_by_id(self):
        answer = aws("""aws dynamodb query \\
  --table-name oms_trading_data_dev \\
  --index-name GSI3 \\
  --key-condition-expression "GSI3_PK = :pk" \\
  --expression-attribute-values '{
    ":pk": {"S": "ORDER#order_456"}
  }'""")
        self.assertEqual(answer["Count"], 2)

    def test_6_positions_of_a_client(self):
        answer = aws("""aws dynamodb query \\
  --table-name oms_trading_data_dev \\
  --key-condition-expression "PK = :pk AND begins_with(SK, :sk)" \\
  --expression-attribute-values '{
    ":pk": {"S": "CLIENT#client_123"},
    ":sk": {"S": "POSITION#"}
  }'""")
        self.assertEqual(answer["Items"], [POSITION])

    def test_9_update_and_get(self):
        aws("""aws dynamodb update-item \\
  --table-name oms_trading_data_dev \\
  --key '{
    "PK": {"S": "CLIENT#client_123"},
    "SK": {"S": "ORDER#2025-11-14T10:30:00Z#order_456"}
  }' \\
  --update-expression "SET #status = :status, updated_at = :updated" \\
  --expression-attribute-names '{"#status": "status"}' \\
  --expression-attribute-values '{
    ":status": {"S": "FILLED"},
    ":updated": {"S": "14/11/2025 10:31:00"}
  }'""")
        answer = aws("""aws dynamodb get-item --consistent-read --return-consumed-capacity TOTAL \\
  --table-name oms_trading_data_dev \\
  --key '{
    "PK": {"S": "CLIENT#client_123"},
    "SK": {"S": "ORDER#2025-11-14T10:30:00Z#order_456"}
  }'""")
        self.assertEqual(answer["Item"]["status"], {"S": "FILLED"})
        self.assertEqual(answer["Item"]["updated_at"], {"S": "14/11/2025 10:31:00"})
        self.assertEqual(answer["ConsumedCapacity"]["CapacityUnits"], 1.0)

    def test_time_to_live(self):
        before = aws("""aws dynamodb describe-time-to-live \\
  --table-name oms_trading_data_dev""")
        self.assertEqual(before, {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}})
        changed = aws("""aws dynamodb update-time-to-live \\
  --table-name oms_trading_data_dev \\
  --time-to-live-specification "Enabled=true, AttributeName=ttl\"""")
        self.assertEqual(changed["TimeToLiveSpecification"],
                         {"Enabled": True, "AttributeName": "ttl"})
        after = aws("aws dynamodb describe-time-to-live --table-name oms_trading_data_dev")
        self.assertEqual(after["TimeToLiveDescription"]["AttributeName"], "ttl")

    def test_errors_reach_the_user(self):
        message = "ResourceNotFoundException.*Requested resource not found"
        with self.assertRaisesRegex(AssertionError, message):
            aws("aws dynamodb get-item --table-name no_such_table --key '{\"PK\": {\"S\": \"x\"}}'")

    def test_scan_in_pages(self):
        answer = aws("aws dynamodb scan --table-name oms_trading_data_dev --page-size 1")
        self.assertEqual(answer["Count"], 3)


class Streams(unittest.TestCase):
    """The commands of `aws dynamodbstreams`, one after the other as an operator uses them."""

    def test_from_the_list_to_the_records(self):
        name = f"stream-test-{os.getpid()}-{time.time_ns()}"
        described = aws(f"""aws dynamodb create-table --table-name {name} \\
  --billing-mode PAY_PER_REQUEST \\
  --attribute-definitions AttributeName=PK,AttributeType=S \\
  --key-schema AttributeName=PK,KeyType=HASH \\
  --stream-specification StreamEnabled=true,StreamViewType=NEW_IMAGE""")["TableDescription"]
        self.addCleanup(client().delete_table, TableName=name)
        arn = described["LatestStreamArn"]
        client().put_item(TableName=name, Item={"PK": {"S": "a"}, "B": {"B": b"\x00\xff"}})

        listed = aws(f"aws dynamodbstreams list-streams --table-name {name}")
        self.assertEqual(listed, {"Streams": [{
            "StreamArn": arn, "TableName": name,
            "StreamLabel": described["LatestStreamLabel"]}]})
        stream = aws(f"aws dynamodbstreams describe-stream --stream-arn {arn}")["StreamDescription"]
        self.assertEqual((stream["StreamStatus"], stream["StreamViewType"]),
                         ("ENABLED", "NEW_IMAGE"))

        # A command takes about a second to start; the shard with the record is found directly.
        reader = boto3.client("dynamodbstreams", endpoint_url=endpoint, region_name=REGION,
                              aws_access_key_id="local", aws_secret_access_key="local")
        self.addCleanup(reader.close)
        for shard in stream["Shards"]:
            iterator = reader.get_shard_iterator(
                StreamArn=arn, ShardId=shard["ShardId"],
                ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
            if reader.get_records(ShardIterator=iterator)["Records"]:
                break
        iterator = aws(f"""aws dynamodbstreams get-shard-iterator --stream-arn {arn} \\
  --shard-id {shard["ShardId"]} --shard-iterator-type AT_SEQUENCE_NUMBER \\
  --sequence-number {shard["SequenceNumberRange"]["StartingSequenceNumber"]}""")["ShardIterator"]
        answer = aws(f"aws dynamodbstreams get-records --shard-iterator '{iterator}' --limit 10")
        self.assertEqual([record["eventName"] for record in answer["Records"]], ["INSERT"])
        image = answer["Records"][0]["dynamodb"]["NewImage"]
        self.assertEqual(image, {"PK": {"S": "a"}, "B": {"B": "AP8="}})
        self.assertIn("NextShardIterator", answer)

    def test_errors_reach_the_user(self):
        arn = f"arn:aws:dynamodb:{REGION}:000000000000:table/none/stream/2025-11-14T10:30:00.000"
        message = f"ResourceNotFoundException.*Stream: {arn} not found"
        with self.assertRaisesRegex(AssertionError, message):
            aws(f"aws dynamodbstreams describe-stream --stream-arn {arn}")


class ExportAndImport(unittest.TestCase):
    """A table to a bucket and back."""

    NAME = "cli_export_source"
    COPY = "cli_import_copy"

    def setUp(self):
        self.drop()
        aws(f"aws dynamodb create-table --table-name {self.NAME} --billing-mode PAY_PER_REQUEST "
            "--attribute-definitions AttributeName=PK,AttributeType=S "
            "--key-schema AttributeName=PK,KeyType=HASH")
        self.addCleanup(self.drop)

    def drop(self):
        for name in (self.NAME, self.COPY):
            try:
                client().delete_table(TableName=name)
            except ClientError:
                pass

    def ended(self, describe, member, state):
        for _ in range(2000):
            described = aws(describe)[member]
            if described[state] != "IN_PROGRESS":
                return described
            time.sleep(0.05)
        raise AssertionError("it does not end")

    def test_there_and_back(self):
        arn = client().describe_table(TableName=self.NAME)["Table"]["TableArn"]
        export = f"aws dynamodb export-table-to-point-in-time --table-arn {arn} --s3-bucket cli-data"
        with self.assertRaisesRegex(AssertionError, "PointInTimeRecoveryUnavailableException"):
            aws(export)
        aws(f"aws dynamodb update-continuous-backups --table-name {self.NAME} "
            "--point-in-time-recovery-specification PointInTimeRecoveryEnabled=true")
        item = {"PK": {"S": "ação"}, "n": {"N": "1.5"}, "b": {"B": "AAE="}}
        aws(f"aws dynamodb put-item --table-name {self.NAME} --item '{json.dumps(item)}'")

        begun = aws(f"{export} --s3-prefix daily --export-format DYNAMODB_JSON")["ExportDescription"]
        self.assertEqual(begun["S3Prefix"], "daily")
        exported = self.ended(f"aws dynamodb describe-export --export-arn {begun['ExportArn']}",
                              "ExportDescription", "ExportStatus")
        self.assertEqual(exported["ExportStatus"], "COMPLETED")
        self.assertEqual(exported["ItemCount"], 1)
        listed = aws(f"aws dynamodb list-exports --table-arn {arn}")["ExportSummaries"]
        self.assertEqual(listed[0]["ExportArn"], begun["ExportArn"])

        folder_of_export = exported["ExportManifest"].rpartition("/")[0]
        begun = aws(
            f"aws dynamodb import-table --input-format DYNAMODB_JSON --input-compression-type GZIP "
            f"--s3-bucket-source S3Bucket=cli-data,S3KeyPrefix={folder_of_export}/data/ "
            f"--table-creation-parameters '{self.parameters()}'")["ImportTableDescription"]
        imported = self.ended(f"aws dynamodb describe-import --import-arn {begun['ImportArn']}",
                              "ImportTableDescription", "ImportStatus")
        self.assertEqual(imported["ImportStatus"], "COMPLETED")
        self.assertEqual(imported["ImportedItemCount"], 1)
        found = aws(f"aws dynamodb scan --table-name {self.COPY}")
        self.assertEqual(found["Items"], [item])
        listed = aws(f"aws dynamodb list-imports --table-arn {imported['TableArn']}")
        self.assertEqual(listed["ImportSummaryList"][0]["ImportArn"], imported["ImportArn"])

    def parameters(self):
        return json.dumps({
            "TableName": self.COPY, "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}]})


class SalesWithBoto3(unittest.TestCase):
    """The sales document's examples through boto3's resource, with pages, waiters and batches."""

    @classmethod
    def setUpClass(cls):
        cls.name = f"SalesTable-test-{os.getpid()}-{time.time_ns()}"
        letters = ("GSI1PK", "GSI1SK", "GSI2PK", "GSI2SK", "GSI3PK", "GSI3SK")
        cls.table = connection(boto3.resource).create_table(
            TableName=cls.name, BillingMode="PAY_PER_REQUEST",
            KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"},
                       {"AttributeName": "SK", "KeyType": "RANGE"}],
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"}
                                  for name in ("PK", "SK", *letters)],
            GlobalSecondaryIndexes=[
                {"IndexName": f"GSI{i}", "Projection": {"ProjectionType": "ALL"},
                 "KeySchema": [{"AttributeName": f"GSI{i}PK", "KeyType": "HASH"},
                               {"AttributeName": f"GSI{i}SK", "KeyType": "RANGE"}]}
                for i in (1, 2, 3)])
        cls.table.wait_until_exists()
        with cls.table.batch_writer() as batch:
            for i in range(60):
                date = f"2026-01-{i % 28 + 1:02}T14:30:{i:02}Z"
                batch.put_item(Item={
                    "PK": f"SALE#SALE{i:03}", "SK": "#METADATA#sale", "EntityType": "Sale",
                    "BuyerName": "João & Irmãos", "Status": "CONFIRMED",
                    "Total": decimal.Decimal("27550.00") + i,
                    "GSI1PK": "BUYER#BUYER001", "GSI1SK": f"SALE#{date}",
                    "GSI3PK": "STATUS#CONFIRMED", "GSI3SK": f"SALE#{date}"})
            batch.put_item(Item={"PK": "BUYER#BUYER001", "SK": "#METADATA#buyer",
                                 "GSI1PK": "BUYERS", "GSI1SK": "BUYER#ACME Corporation"})

    @classmethod
    def tearDownClass(cls):
        cls.table.delete()
        cls.table.wait_until_not_exists()
        cls.table.meta.client.close()

    def test_get_sale_by_id(self):
        item = self.table.get_item(Key={"PK": "SALE#SALE001", "SK": "#METADATA#sale"})["Item"]
        self.assertEqual(item["Total"], decimal.Decimal("27551"))
        self.assertEqual(item["BuyerName"], "João & Irmãos")

    def test_list_buyers(self):
        answer = self.table.query(
            IndexName="GSI1", KeyConditionExpression=Key("GSI1PK").eq("BUYERS"))
        self.assertEqual(answer["Count"], 1)

    def test_sales_of_a_buyer_newest_first(self):
        answer = self.table.query(
            IndexName="GSI1", ScanIndexForward=False, Limit=5,
            KeyConditionExpression=Key("GSI1PK").eq("BUYER#BUYER001")
            & Key("GSI1SK").begins_with("SALE#"))
        dates = [item["GSI1SK"] for item in answer["Items"]]
        self.assertEqual(dates, sorted(dates, reverse=True))
        self.assertEqual(len(dates), 5)

    def test_sales_in_a_date_range(self):
        answer = self.table.query(
            IndexName="GSI3",
            KeyConditionExpression=Key("GSI3PK").eq("STATUS#CONFIRMED")
            & Key("GSI3SK").between("SALE#2026-01-01T00:00:00Z", "SALE#2026-01-02T23:59:59Z"),
            FilterExpression=Attr("Total").gte(27550))
        self.assertEqual(answer["Count"], 6)

    def test_paginators(self):
        pages = client().get_paginator("query").paginate(
            TableName=self.name, IndexName="GSI1", KeyConditionExpression="GSI1PK = :pk",
            ExpressionAttributeValues={":pk": {"S": "BUYER#BUYER001"}},
            PaginationConfig={"PageSize": 7})
        self.assertEqual(sum(page["Count"] for page in pages), 60)
        scan = client().get_paginator("scan").paginate(
            TableName=self.name, PaginationConfig={"PageSize": 11})
        self.assertEqual(sum(page["Count"] for page in scan), 61)
        names = client().get_paginator("list_tables").paginate(PaginationConfig={"PageSize": 2})
        self.assertIn(self.name, [name for page in names for name in page["TableNames"]])

    def test_conditional_update(self):
        key = {"PK": "SALE#SALE002", "SK": "#METADATA#sale"}
        arguments = dict(
            Key=key, UpdateExpression="SET #s = :new, GSI3PK = :pk",
            ConditionExpression=Attr("Status").eq("CONFIRMED"),
            ExpressionAttributeNames={"#s": "Status"}, ReturnValues="ALL_NEW",
            ExpressionAttributeValues={":new": "INVOICED", ":pk": "STATUS#INVOICED"})
        self.assertEqual(self.table.update_item(**arguments)["Attributes"]["Status"], "INVOICED")
        with self.assertRaises(ClientError) as caught:
            self.table.update_item(**arguments)
        code = caught.exception.response["Error"]["Code"]
        self.assertEqual(code, "ConditionalCheckFailedException")
        self.table.update_item(
            Key=key, UpdateExpression="SET #s = :new, GSI3PK = :pk",
            ExpressionAttributeNames={"#s": "Status"},
            ExpressionAttributeValues={":new": "CONFIRMED", ":pk": "STATUS#CONFIRMED"})

    def test_transaction_reasons(self):
        with self.assertRaises(ClientError) as caught:
            client().transact_write_items(TransactItems=[
                {"Put": {"TableName": self.name, "Item": {"PK": {"S": "a"}, "SK": {"S": "b"}}}},
                {"ConditionCheck": {"TableName": self.name,
                                    "Key": {"PK": {"S": "none"}, "SK": {"S": "x"}},
                                    "ConditionExpression": "attribute_exists(PK)"}}])
        self.assertEqual(caught.exception.response["Error"]["Code"], "TransactionCanceledException")
        reasons = caught.exception.response["CancellationReasons"]
        self.assertEqual([reason["Code"] for reason in reasons],
                         ["None", "ConditionalCheckFailed"])

    def test_binary_and_sets(self):
        item = {"PK": "types", "SK": "x", "bytes": b"\x00\xff", "set": {"a", "b"},
                "numbers": {decimal.Decimal(1), decimal.Decimal("2.5")},
                "list": [None, True, {"a": "á"}]}
        self.table.put_item(Item=item)
        found = self.table.get_item(Key={"PK": "types", "SK": "x"})["Item"]
        self.assertEqual(found.pop("bytes").value, item.pop("bytes"))
        self.assertEqual(found, item)
        self.table.delete_item(Key={"PK": "types", "SK": "x"})


if __name__ == "__main__":
    unittest.main(verbosity=2)
