"""Reads the streams of tables from their beginning and plays them back."""

from past import COUNTER_NAMES
from workload import name_of

STREAMS = "DynamoDBStreams_20120810."


def shards_of(client, arn):
    """The shards of a stream, every one after its parent."""
    shards = []
    parameters = {"StreamArn": arn}
    while True:
        description = client.call(STREAMS + "DescribeStream", **parameters)["StreamDescription"]
        shards += description["Shards"]
        if "LastEvaluatedShardId" not in description:
            break
        parameters["ExclusiveStartShardId"] = description["LastEvaluatedShardId"]
    ids = {shard["ShardId"] for shard in shards}
    assert len(ids) == len(shards), "a shard is listed twice"
    ordered, placed = [], set()
    while shards:
        ready = [s for s in shards if s.get("ParentShardId") not in ids - placed]
        assert ready, f"shards are their own parents: {shards}"
        ordered += ready
        placed |= {shard["ShardId"] for shard in ready}
        shards = [shard for shard in shards if shard["ShardId"] not in placed]
    return ordered


def records_of(client, arn, shard):
    """All records of a shard. One that is open has an end as long as nobody writes."""
    iterator = client.call(
        STREAMS + "GetShardIterator",
        StreamArn=arn,
        ShardId=shard["ShardId"],
        ShardIteratorType="TRIM_HORIZON",
    )["ShardIterator"]
    is_open = "EndingSequenceNumber" not in shard["SequenceNumberRange"]
    records = []
    while iterator:
        answer = client.call(STREAMS + "GetRecords", ShardIterator=iterator)
        records += answer["Records"]
        iterator = answer.get("NextShardIterator")
        if is_open and not answer["Records"]:
            break
    places = [int(record["dynamodb"]["SequenceNumber"]) for record in records]
    assert places == sorted(set(places)), f"the records of {shard['ShardId']} are not in order"
    return records


def replay(client, table):
    """The states that the stream says each item of a table went through, and how many shards it
    has."""
    arn = client.call("DescribeTable", TableName=table)["Table"]["LatestStreamArn"]
    states, ids = {}, set()
    shards = shards_of(client, arn)
    for shard in shards:
        for record in records_of(client, arn, shard):
            assert record["eventID"] not in ids, f"{record} comes twice"
            ids.add(record["eventID"])
            change = record["dynamodb"]
            name = name_of(table, change["Keys"])
            before, after = change.get("OldImage"), change.get("NewImage")
            of_item = states.setdefault(name, [])
            known = of_item[-1] if of_item else None
            assert before == known, f"{name} changes from {before}, and was {known}"
            event = "REMOVE" if after is None else "INSERT" if before is None else "MODIFY"
            assert record["eventName"] == event, f"{record['eventName']} instead of {event}"
            of_item.append(after)
    return states, len(shards)


def check_stream(client, table, ledgers, items):
    """That the stream of a table has every change of its items once and in order, and leads to
    what the table holds. Returns the numbers of records and shards."""
    states, shards = replay(client, table)
    records = sum(len(known) for known in states.values())
    final = {name: known[-1] for name, known in states.items() if known[-1] is not None}
    expected = {name: item for name, item in items.items() if name[0] == table}
    assert final == expected, f"the stream of {table} does not lead to its items"
    for ledger in ledgers:
        for name, known in ledger.states.items():
            if name[0] == table:
                found = states.pop(name, [])
                assert found == known, f"{name} went through\n  {known}\nand not\n  {found}"
    strangers = {name for name in states if name[0] != "bulk"} - COUNTER_NAMES
    assert not strangers, f"the stream of {table} has changes of {sorted(strangers)}"
    return records, shards
