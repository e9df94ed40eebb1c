#!/usr/bin/python3 -B
"""Damages data folders in many ways and checks the verdict of the server about each.

A server that was killed leaves a folder with acknowledged writes. Copies of it are damaged: logs
are cut, changed, removed or get a torn end; table files are changed or removed; other files are
removed. The server must refuse a folder that has lost acknowledged writes, and name the file and
the position; it must start with all of them after a write that was only interrupted; and it must
serve all other items when a part of a table file cannot be read. `monotable repair` must see the
damage, and after `--apply` the server must start.

  damage.py [--folders N] [--seed S]

MONOTABLE_BINARY names the binary, build/release/monotable by default. Whatever is wrong is printed
with the seed and the kind of damage, and the folders are kept.
"""

import argparse
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

from power_loss import PowerLoss
from server import Client, Refused, Server

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("MONOTABLE_BINARY", str(ROOT / "build/release/monotable"))
ITEMS = 400
TABLE = "things"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folders", type=int, default=0, help="default: one of each kind")
    parser.add_argument("--seed", type=int, default=random.randrange(1, 1000000))
    return parser.parse_args()


def key_of(number):
    return {"id": {"S": f"thing-{number}"}}


def fill(server, sizes, random_):
    client = Client(server.port)
    client.call(
        "CreateTable",
        TableName=TABLE,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
    )
    for number in range(ITEMS):
        body = random_.randbytes(random_.choice(sizes)).hex()
        client.call("PutItem", TableName=TABLE, Item=dict(key_of(number), body={"S": body}))


def make_log_folder(folder, random_):
    """Everything is in a write-ahead log."""
    server = Server(BINARY, str(folder))
    server.start()
    fill(server, [20, 300, 3000], random_)
    server.kill()


def make_two_logs_folder(folder, random_):
    """Everything is in two logs: the table file of the first one never gets to the disk."""
    power_loss = PowerLoss(folder, random_)
    power_loss.begin()
    server = Server(BINARY, str(folder))
    for name, value in power_loss.environment().items():
        server.set_variable(name, value)
    server.set_variable("POWER_LOSS_HOLD", ".sst")
    server.start("--write-buffer-mb", "1")
    fill(server, [2200], random_)
    server.kill()
    power_loss.remove()
    expect(len(logs(folder)) == 2, f"there are {len(logs(folder))} logs")


def make_table_folder(folder, log_folder):
    """Everything is in table files: a start moves it there."""
    shutil.copytree(log_folder, folder)
    server = Server(BINARY, str(folder))
    server.start()
    server.kill()


def logs(folder):
    return sorted(path for path in folder.glob("*.log") if path.stat().st_size > 0)


def tables(folder):
    return sorted(folder.glob("*.sst"), key=lambda path: path.stat().st_size)


def flip(path, position, random_):
    content = bytearray(path.read_bytes())
    content[position] ^= 1 << random_.randrange(8)
    path.write_bytes(bytes(content))


def append(path, tail):
    with path.open("ab") as file:
        file.write(tail)


# Each kind of damage changes a folder and returns the file that the verdict must name.


def cut_log(folder, random_):
    path = random_.choice(logs(folder))
    os.truncate(path, random_.randrange(path.stat().st_size))
    return path


def cut_log_between_records(folder, random_):
    path = random_.choice(logs(folder))
    content = path.read_bytes()
    ends, position = [], 0
    while position + 7 <= len(content):
        if 32768 - position % 32768 < 7:
            position += 32768 - position % 32768
            continue
        length = int.from_bytes(content[position + 4 : position + 6], "little")
        kind = content[position + 6]
        position += 7 + length
        if kind in (1, 4) and position < len(content):
            ends.append(position)
    os.truncate(path, random_.choice(ends))
    return path


def change_log(folder, random_):
    path = random_.choice(logs(folder))
    flip(path, random_.randrange(path.stat().st_size), random_)
    return path


def zero_page_of_log(folder, random_):
    path = random_.choice(logs(folder))
    content = bytearray(path.read_bytes())
    begin = random_.randrange(len(content) // 4096) * 4096
    content[begin : begin + 4096] = bytes(4096)
    path.write_bytes(bytes(content))
    return path


def remove_log(folder, random_):
    path = random_.choice(logs(folder))
    path.unlink()
    return path


def cut_old_log(folder, random_):
    path = logs(folder)[0]
    os.truncate(path, random_.randrange(path.stat().st_size))
    return path


def remove_old_log(folder, _):
    path = logs(folder)[0]
    path.unlink()
    return path


def remove_all_logs(folder, _):
    paths = logs(folder)
    for path in folder.glob("*.log"):
        path.unlink()
    return paths[0]


def torn_zeros(folder, random_):
    path = logs(folder)[-1]
    append(path, bytes(random_.randrange(1, 100000)))
    return path


def torn_garbage(folder, random_):
    path = logs(folder)[-1]
    append(path, random_.randbytes(random_.randrange(1, 100000)))
    return path


def torn_record(folder, random_):
    path = logs(folder)[-1]
    # The beginning of a record that was never completed: a good header, and too few bytes.
    room = 32768 - path.stat().st_size % 32768
    if room < 40:
        append(path, bytes(room))
        room = 32768
    header = random_.randbytes(4) + (room - 7).to_bytes(2, "little") + b"\x01"
    append(path, header + random_.randbytes(random_.randrange(room - 10)))
    return path


def remove_marks(folder, _):
    (folder / "MARKS").unlink()
    return folder / "MARKS"


def change_table(folder, random_):
    path = tables(folder)[-1]
    # The first half holds items, not the parts that say where everything is.
    flip(path, random_.randrange(path.stat().st_size // 2), random_)
    return path


def remove_table(folder, _):
    path = tables(folder)[-1]
    path.unlink()
    return path


def remove_current(folder, _):
    (folder / "CURRENT").unlink()
    return folder / "CURRENT"


def remove_manifest(folder, _):
    named = folder / (folder / "CURRENT").read_text().strip()
    for path in folder.glob("MANIFEST-*"):
        path.unlink()
    return named


# The kind, the folder it damages, the verdict, and whether a repair helps.
KINDS = [
    (cut_log, "log", "refused", True),
    (cut_log_between_records, "log", "refused", True),
    (change_log, "log", "refused", True),
    (zero_page_of_log, "log", "refused", True),
    (remove_log, "log", "refused", True),
    (cut_old_log, "two-logs", "refused", True),
    (remove_old_log, "two-logs", "refused", True),
    (remove_all_logs, "two-logs", "refused", True),
    (torn_zeros, "log", "complete", True),
    (torn_garbage, "two-logs", "complete", True),
    (torn_record, "log", "complete", True),
    (remove_marks, "log", "complete", True),
    (change_table, "table", "others", True),
    (remove_table, "table", "refused", True),
    (remove_current, "table", "refused", True),
    (remove_manifest, "table", "refused", False),
]
IN_A_LOG = {cut_log, cut_log_between_records, change_log, zero_page_of_log, cut_old_log}


def expect(truth, message):
    if not truth:
        raise AssertionError(message)


def readable_items(client):
    """How many items can be read; the others must fail with an error, not be absent."""
    found = 0
    for number in range(ITEMS):
        try:
            answer = client.call("GetItem", TableName=TABLE, Key=key_of(number))
        except Refused as error:
            expect(error.type == "InternalServerError", f"item {number}: {error}")
            continue
        expect("Item" in answer, f"item {number} is absent")
        found += 1
    return found


def check_start(folder, verdict, file):
    server = Server(BINARY, str(folder))
    server.start()
    try:
        client = Client(server.port)
        found = readable_items(client)
        if verdict == "complete":
            expect(found == ITEMS, f"{found} of {ITEMS} items are left")
        else:
            expect(ITEMS / 2 < found < ITEMS, f"{found} of {ITEMS} items can be read")
            answer = client.call("Monotable_20261101.ScrubServer")
            text = " ".join(answer["Damage"])
            expect(file.name in text and f"the table {TABLE}" in text, f"the scrub says: {text}")
        client.call("PutItem", TableName=TABLE, Item=dict(key_of("new"), body={"S": "x"}))
    finally:
        server.kill()


def check_refusal(folder, kind, file):
    server = Server(BINARY, str(folder))
    try:
        server.start()
    except AssertionError as error:
        message = str(error)
    else:
        raise AssertionError("the server started")
    finally:
        server.stop()
    expect("is damaged" in message, message)
    expect(file.name in message, f"{file.name} is not named: {message}")
    if kind in IN_A_LOG:
        expect(re.search(r"position \d+", message), message)


def repair(folder, *options):
    return subprocess.run(
        [BINARY, "repair", str(folder), *options], capture_output=True, text=True, check=False
    )


def check_repair(folder, helps):
    before = {path.name: path.stat().st_size for path in folder.iterdir()}
    shown = repair(folder)
    expect(shown.returncode == 1, f"repair ended with {shown.returncode}: {shown.stderr}")
    after = {path.name: path.stat().st_size for path in folder.iterdir()}
    expect(before == after, "showing the damage has changed the folder")
    repaired = repair(folder, "--apply")
    if not helps:
        expect("backup" in repaired.stderr, repaired.stderr)
        return
    expect(repaired.returncode == 0, f"{repaired.stdout} {repaired.stderr}")
    server = Server(BINARY, str(folder))
    server.start()
    server.kill()


def check(kind, base, verdict, helps, folder, bases, random_):
    shutil.copytree(bases[base], folder)
    file = kind(folder, random_)
    if verdict == "refused":
        check_refusal(folder, kind, file)
    else:
        check_start(folder, verdict, file)
    if verdict != "complete":
        check_repair(folder, helps)


def main():
    arguments = parse_arguments()
    random_ = random.Random(arguments.seed)
    work = pathlib.Path(tempfile.mkdtemp(prefix="monotable-damage-"))
    bases = {name: work / name for name in ("log", "two-logs", "table")}
    count = arguments.folders or len(KINDS)
    name = "undamaged"
    try:
        make_log_folder(bases["log"], random_)
        make_two_logs_folder(bases["two-logs"], random_)
        make_table_folder(bases["table"], bases["log"])
        for number in range(count):
            kind, base, verdict, helps = KINDS[number % len(KINDS)]
            name = kind.__name__
            folder = work / f"{number}-{name}"
            check(kind, base, verdict, helps, folder, bases, random_)
            shutil.rmtree(folder)
    except Exception as error:  # anything at all is a finding
        print(f"seed {arguments.seed}, {name}: {type(error).__name__}: {error}")
        print(f"the folders are in {work}")
        return 1
    shutil.rmtree(work)
    print(f"damage: {count} folders of {len(KINDS)} kinds, seed {arguments.seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
