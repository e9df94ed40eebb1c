#!/usr/bin/env python3
"""Compiles every source file by itself, without its neighbours in a unity build, and reports errors.

  separate.py [--all] [FILE...]

Without files it compiles the product, and with --all its tests too, which takes twice as long.
Only syntax and types are checked, so nothing is generated. What compiled once is remembered by the
text of the file and of all headers of ours that it includes, and is not compiled again.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
REMEMBERED = ROOT / "build" / "separate.json"
FLAGS = ["-std=c++20", f"-I{ROOT / 'src'}", f"-I{ROOT / 'tests'}", "-DFMT_SHARED",
         '-DMONOTABLE_VERSION="0"', "-Werror", "-Wall", "-Wextra", "-fsyntax-only"]
INCLUDE = re.compile(rb'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


class Texts:
    """The files that belong to a source file: itself and all headers of ours, directly or not."""

    def __init__(self):
        self._read = {}

    def _file(self, path):
        if path not in self._read:
            data = path.read_bytes()
            headers = [header for header in map(self._header, INCLUDE.findall(data)) if header]
            self._read[path] = (hashlib.sha256(data).digest(), headers)
        return self._read[path]

    @staticmethod
    def _header(name):
        for start in (ROOT / "src", ROOT / "tests"):
            path = start / name.decode()
            if path.is_file():
                return path
        return None

    def digest(self, path):
        seen, left = {}, [path]
        while left:
            at = left.pop()
            if at in seen:
                continue
            seen[at], headers = self._file(at)
            left += headers
        whole = hashlib.sha256(" ".join(FLAGS[4:]).encode())
        for at in sorted(seen):
            whole.update(str(at.relative_to(ROOT)).encode() + b"\0" + seen[at])
        return whole.hexdigest()


def compile_alone(path):
    done = subprocess.run(["clang++", *FLAGS, str(path)], capture_output=True, text=True, check=False)
    return path, done.returncode == 0, done.stderr


def main():
    named = [pathlib.Path(name).resolve() for name in sys.argv[1:] if name != "--all"]
    files = named or sorted((ROOT / "src").rglob("*.cc"))
    if not named and "--all" in sys.argv:
        files += sorted((ROOT / "tests/simulation").glob("*.cc"))
    elif not named:
        files = [path for path in files if not path.stem.endswith("_test")]
    texts = Texts()
    remembered = set(json.loads(REMEMBERED.read_text())) if REMEMBERED.exists() else set()
    digests = {path: texts.digest(path) for path in files}
    new = [path for path in files if digests[path] not in remembered]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, compiles, errors in pool.map(compile_alone, new):
            if compiles:
                remembered.add(digests[path])
            else:
                failed += 1
                print(f"{path.relative_to(ROOT)} does not compile by itself:\n{errors}")
    REMEMBERED.parent.mkdir(exist_ok=True)
    REMEMBERED.write_text(json.dumps(sorted(remembered & set(digests.values()))))
    print(f"separate: {len(files)} files, {len(new)} compiled now, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
