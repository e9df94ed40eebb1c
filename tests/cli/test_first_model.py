#!/usr/bin/python3 -B
"""Follows docs/models/first-model.md, command by command, and compares what it prints with what the page shows."""

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
# What differs in every run: moments of this year's clock, and ids that are made of them.
CHANGING = re.compile(r'"receivedAt":"[^"]*"|"jobId":"[^"]*"')


def blocks():
    """Pairs of commands and what they print; None where the page shows no output."""
    found = BLOCK.findall((ROOT / "docs/models/first-model.md").read_text(encoding="utf-8"))
    for i, (language, text) in enumerate(found):
        if language == "sh":
            after = found[i + 1] if i + 1 < len(found) else ("sh", "")
            yield text, after[1] if after[0] in ("json", "") else None


def expression(shown):
    """A regular expression for what the page shows; … stands for what it leaves out."""
    parts = CHANGING.sub("⌚", shown.strip()).split("…")
    return ".*".join(re.escape(part) for part in parts)


class FirstModelTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        place = pathlib.Path(self._folder.name, "build/release")
        place.mkdir(parents=True)
        (place / "monotable").symlink_to(BINARY)
        self._server = None
        self._port = "8001"

    def tearDown(self):
        if self._server is not None:
            self._server.terminate()
            self.assertEqual(self._server.wait(20), 0)
            self._server.stdout.close()
        self._folder.cleanup()

    def serve(self, command):
        words = command.replace("--port 8001", "--port 0").split()
        self._server = subprocess.Popen(words, cwd=self._folder.name, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        ready = self._server.stdout.readline()
        self._port = re.search(r"http://127\.0\.0\.1:(\d+)", ready)[1]

    def test_first_model(self):
        variables = ""
        compared = 0
        for commands, shown in blocks():
            if " serve " in commands:
                self.serve(commands)
                continue
            commands = commands.replace("127.0.0.1:8001", f"127.0.0.1:{self._port}")
            variables += "".join(re.findall(r"^[WJ]=.*\n", commands, re.MULTILINE))
            script = 'curl() { command curl -s "$@"; echo; }\n' + variables + commands
            done = subprocess.run(["bash", "-c", script], cwd=self._folder.name, timeout=20,
                                  capture_output=True, text=True, check=False)
            if shown is not None:
                compared += 1
                got = CHANGING.sub("⌚", done.stdout.strip())
                self.assertRegex(got, re.compile("^" + expression(shown) + "$"), commands)
        self.assertGreater(compared, 9)


if __name__ == "__main__":
    sys.exit(unittest.main())
