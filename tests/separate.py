#!/usr/bin/env python3
"""Compiles every source file by itself, without its neighbours in a unity build, and reports errors.
A file of the product that changed is compiled by clang-tidy, with the checks of .clang-tidy.

  separate.py [--all] [FILE...]

Without files it compiles the product, and with --all its tests too, which takes twice as long.
Only syntax and types are checked, so nothing is generated. What passed once is remembered by the
text of the file and of all headers of ours that it includes, and is not compiled again.

  MONOTABLE_LINT_BASE  the commit that changes are counted from: origin/main if it is another commit
                       than HEAD, else the commit before HEAD
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
# Every file would spend half of its time in the standard library, so what most of them use of it is
# compiled once, in front of all. Standard headers that a file lacks are found by tests/tidy_includes.py.
STANDARD = ROOT / "build" / "standard.h"
STANDARD_HEADERS = """
    algorithm array charconv chrono condition_variable cstdint functional future map memory
    memory_resource mutex optional set span string string_view thread unordered_map utility variant
    vector fmt/format.h fmt/chrono.h fmt/ranges.h""".split()
# The static analyzer takes half a minute for a large file. A change of more files than this, which is
# a move more often than not, gets the other checks.
ANALYZED = 6
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

    def digest(self, path, purpose):
        seen, left = {}, [path]
        while left:
            at = left.pop()
            if at in seen:
                continue
            seen[at], headers = self._file(at)
            left += headers
        whole = hashlib.sha256((" ".join(FLAGS[4:]) + purpose).encode())
        for at in sorted(seen):
            whole.update(str(at.relative_to(ROOT)).encode() + b"\0" + seen[at])
        return whole.hexdigest()


def git(*words):
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True,
                          check=False)
    return done.stdout.split() if done.returncode == 0 else []


def changed_files():
    """The files of the product that differ from the base, committed or not."""
    head = git("rev-parse", "HEAD")
    base = [os.environ["MONOTABLE_LINT_BASE"]] if "MONOTABLE_LINT_BASE" in os.environ else \
        git("rev-parse", "-q", "--verify", "origin/main")
    if not base or base == head:
        base = git("rev-parse", "-q", "--verify", "HEAD~1")
    names = git("ls-files", "--others", "--exclude-standard")
    if base:
        names += git("diff", "--name-only", base[0])
    return {ROOT / name for name in names if name.startswith("src/") and name.endswith(".cc")
            and not name.endswith("_test.cc")}


def compile_standard_headers():
    STANDARD.parent.mkdir(exist_ok=True)
    STANDARD.write_text("".join(f"#include <{name}>\n" for name in STANDARD_HEADERS))
    subprocess.run(["clang++", *FLAGS[:-1], "-x", "c++-header", str(STANDARD), "-o",
                    f"{STANDARD}.pch"], check=True)


class Compiler:
    def __init__(self, changed):
        self._changed = changed
        checks = [] if len(changed) <= ANALYZED else ["--checks=-clang-analyzer-*"]
        self._tidy = ["clang-tidy", "--quiet", *checks]
        self._tidy_purpose = " ".join(self._tidy) + (ROOT / ".clang-tidy").read_text()

    def purpose(self, path):
        return self._tidy_purpose if path in self._changed else ""

    def __call__(self, path):
        command = ["clang++", *FLAGS, str(path)]
        if path in self._changed:
            command = [*self._tidy, str(path), "--", *FLAGS[:-1]]
        command += ["-include-pch", f"{STANDARD}.pch"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return path, done.returncode == 0, done.stdout + done.stderr


def main():
    named = [pathlib.Path(name).resolve() for name in sys.argv[1:] if name != "--all"]
    files = named or sorted((ROOT / "src").rglob("*.cc"))
    if not named and "--all" in sys.argv:
        for folder in ("simulation", "random_models"):
            files += sorted((ROOT / "tests" / folder).glob("*.cc"))
    elif not named:
        files = [path for path in files if not path.stem.endswith("_test")]
    compiler = Compiler(changed_files() & set(files))
    texts = Texts()
    remembered = set(json.loads(REMEMBERED.read_text())) if REMEMBERED.exists() else set()
    digests = {path: texts.digest(path, compiler.purpose(path)) for path in files}
    new = [path for path in files if digests[path] not in remembered]
    if new:
        compile_standard_headers()
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, compiles, errors in pool.map(compiler, new):
            if compiles:
                remembered.add(digests[path])
            else:
                failed += 1
                print(f"{path.relative_to(ROOT)} does not pass by itself:\n{errors}")
    REMEMBERED.parent.mkdir(exist_ok=True)
    REMEMBERED.write_text(json.dumps(sorted(remembered & set(digests.values()))))
    print(f"separate: {len(files)} files, {len(new)} compiled now, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
