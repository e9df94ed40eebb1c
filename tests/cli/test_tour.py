#!/usr/bin/python3 -B
"""Runs the commands of docs/tour.md, in order, and compares what they print with what the tour shows."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("MONOTABLE_BINARY", str(ROOT / "build/release/monotable"))
BLOCK = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)
# What differs in every run.
CHANGING = re.compile(r'(Date: |x-request-id: |"requestId":")[^"\r\n]*')


def blocks():
    """Pairs of commands and what they print; None where the tour shows no output."""
    found = BLOCK.findall((ROOT / "docs/tour.md").read_text(encoding="utf-8"))
    for i, (language, text) in enumerate(found):
        if language == "sh" and "script/server" not in text:
            after = found[i + 1] if i + 1 < len(found) else ("sh", "")
            yield text, after[1] if after[0] in ("json", "") else None


def plain(text):
    """Without line breaks, which curl does not print after a body, and without what changes."""
    return CHANGING.sub(r"\1…", text.replace("\r", "")).replace("\n", "")


class TourTest(unittest.TestCase):
    def setUp(self):
        models = sorted((ROOT / "models").glob("*.model.yaml"))
        flags = [word for model in models for word in ("--model", str(model))]
        self._log = tempfile.TemporaryFile()
        self._server = subprocess.Popen(
            [BINARY, "serve", "--in-memory", "--port", "0", "--samples", "--create-adopted", *flags],
            stdout=subprocess.PIPE, stderr=self._log, text=True)
        ready = self._server.stdout.readline()
        self._port = re.search(r"http://127\.0\.0\.1:(\d+)", ready)[1]

    def tearDown(self):
        self._server.terminate()
        self.assertEqual(self._server.wait(20), 0)
        self._server.stdout.close()
        self._log.close()

    def test_tour(self):
        # Variables and functions of one block are used by the next, so all of them are one script.
        script = "curl() { command curl -s \"$@\"; }\n"
        expected = []
        for commands, output in blocks():
            script += commands + "\necho; echo '=== end of block'\n"
            expected.append(output)
        self.assertGreater(len(expected), 5)
        done = subprocess.run(
            ["bash", "-c", script.replace("127.0.0.1:8000", f"127.0.0.1:{self._port}")],
            capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.stderr, "")
        printed = done.stdout.split("=== end of block\n")[:-1]
        self.assertEqual(len(printed), len(expected))
        for got, wanted in zip(printed, expected):
            if wanted is not None:
                self.assertEqual(plain(got), plain(wanted))
            else:
                self.assertIn('"status":412', got)


if __name__ == "__main__":
    sys.exit(unittest.main())
