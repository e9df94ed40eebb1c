"""Runs the load generator."""

import json
import subprocess

from process import BUILD


class LoadError(Exception):
    """The generator could not do its run, or a run that must not fail had errors."""


def run_load(server, operation, table, connections, **options):
    """One run of build/bench/load against a running Server; returns what it measured. Options are
    those of the generator: seconds, requests, warmup, items, first, seed."""
    words = [str(BUILD / "load"), "--port", str(server.port), "--server-pid", str(server.pid),
             "--operation", operation, "--table", table, "--connections", str(connections)]
    for name, value in options.items():
        words += [f"--{name}", str(value)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise LoadError(done.stderr.strip())
    return json.loads(done.stdout) | {"first_error": done.stderr.strip()}


def load_items(server, table, items, first=0, connections=8, operation="batch-write"):
    """Writes items of the data set with BatchWriteItem and returns the seconds it took."""
    figures = run_load(server, operation, table, connections, items=items, first=first)
    if figures["errors"]:
        raise LoadError(f"{server.name}: loading {table}: {figures['first_error']}")
    return figures["seconds"]
