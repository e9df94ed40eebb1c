"""Measures what looks after the data of a server on disk: what streams and point-in-time recovery
cost a put, in time and on the disk; how fast expired items go, and that no scan finds them; how
long backups and restores take, how much room they need, what they cost the writes that go on
meanwhile, and that they hold one moment. The data goes to $TMPDIR, or /tmp; 8 GB must be free there
for a million items."""

import argparse
import shutil
import sys
import tempfile

import recovery_backups
import recovery_expiry
import recovery_writes
import report
from load import LoadError
from process import end_with_interrupt

# Each measures with the arguments and returns figures, which it prints as tables.
PARTS = {
    "writes": (recovery_writes.measure_speed, recovery_writes.print_speed),
    "disk": (recovery_writes.measure_disk, recovery_writes.print_disk),
    "expiry": (recovery_expiry.measure, recovery_expiry.print_tables),
    "backups": (recovery_backups.measure, recovery_backups.print_tables),
}
BLOCK = 10000  # items; the data set is whole in blocks of so many
# What must be free for each item of 500 bytes: a table, its copies, and room for compaction.
DISK_BYTES = 8000

FULL = {"items": 1_000_000, "seconds": 3.0, "rounds": 5, "puts": 150_000, "idle": 30.0}
QUICK = {"items": 20_000, "seconds": 0.5, "rounds": 1, "puts": 20_000, "idle": 3.0}


def parse_arguments():
    parser = argparse.ArgumentParser(prog="bench/recovery", description=__doc__)

    def items(text):
        number = int(text)
        if number <= 0 or number % BLOCK:
            raise argparse.ArgumentTypeError(f"{text} is not a multiple of {BLOCK}")
        return number

    def parts(text):
        names = text.split(",")
        if not set(names) <= set(PARTS):
            raise argparse.ArgumentTypeError(f"not all of {text} are of {', '.join(PARTS)}")
        return names

    parser.add_argument("--items", type=items,
                        help="in the tables of expiry and backups, 1000000 by default")
    parser.add_argument("--seconds", type=float, help="for each run of writes, 3 by default")
    parser.add_argument("--rounds", type=int,
                        help="how often each run of writes is repeated, 5 by default")
    parser.add_argument("--puts", type=int,
                        help="by which the disk is measured, 150000 by default")
    parser.add_argument("--idle", type=float,
                        help="seconds to watch the server while nothing expires, 30 by default")
    parser.add_argument("--connections", type=int, default=32, help="32 by default")
    parser.add_argument("--parts", type=parts, default=list(PARTS),
                        help=f"with commas, {','.join(PARTS)} by default")
    parser.add_argument("--quick", action="store_true",
                        help="a small run that shows that it works; its figures say little")
    parser.add_argument("--json", metavar="FILE", help="keep the figures in a file")
    arguments = parser.parse_args()
    for name, value in (QUICK if arguments.quick else FULL).items():
        if getattr(arguments, name) is None:
            setattr(arguments, name, value)
    return arguments


def check_disk(arguments):
    free = shutil.disk_usage(tempfile.gettempdir()).free
    needed = arguments.items * DISK_BYTES
    if free < needed:
        raise LoadError(f"{arguments.items:,} items need {needed:,} bytes in "
                        f"{tempfile.gettempdir()}, which has {free:,}; set TMPDIR")


def main():
    arguments = parse_arguments()
    end_with_interrupt()
    report.warn_when_busy()
    check_disk(arguments)
    figures = {}
    for name in arguments.parts:
        figures[name] = PARTS[name][0](arguments)
        if arguments.json:
            report.save(arguments.json, arguments=vars(arguments), **figures)
    report.print_machine()
    targets = []
    for name in arguments.parts:
        targets += PARTS[name][1](figures[name])
    if targets and not arguments.quick:
        report.print_table("Targets", ["what", " target", " measured", "reached"],
                           [[*row[:3], "yes" if row[3] else "no"] for row in targets])


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
