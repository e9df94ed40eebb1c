#!/usr/bin/env python3
"""Style as a test: what a reviewer should not have to look for. Standard library only."""

import pathlib
import re
import subprocess
import sys

import tidy_documents
import tidy_includes

ROOT = pathlib.Path(__file__).resolve().parents[1]
MAX_LINES = 600
MAX_COLUMNS = 100
BANNED_NAMES = ("util", "utils", "common", "helper", "helpers", "manager", "misc")

# Files that may be longer, each with its reason.
LONGER = {}

# What each folder of src/ may include directly; it may also include what those may.
INCLUDES = {
    "text": [],
    "error": ["text"],
    "work": ["telemetry"],
    "time": ["text"],
    "json": ["error"],
    "item": ["error"],
    "table": ["item"],
    "expression": ["table", "work"],
    "encoding": ["table", "storage"],
    "storage": ["error", "work"],
    "telemetry": ["error", "time"],
    "engine": ["expression", "encoding", "telemetry"],
    "operations": ["engine"],
    "model": ["expression", "json", "time"],
    "document": ["model", "wire"],
    "entities": ["engine", "model"],
    "deploy": ["model", "wire"],
    "http": ["error", "time", "work"],
    "auth": ["json", "time"],
    "wire": ["encoding", "json", "work"],
    "api/dynamodb": ["operations", "wire", "auth", "http"],
    "api/rest": ["entities", "document", "wire", "auth", "http"],
    "transfer": ["operations", "wire", "http"],
    "backup": ["api/dynamodb"],
    "controls": ["http", "json", "storage"],
    "server": ["controls", "api/dynamodb", "api/rest", "transfer", "backup", "deploy"],
    "cli": ["server"],
}

INCLUDE = re.compile(r'^\s*#include\s+"([^"]+)/[^"/]+"')
LINK = re.compile(r"(?<!\!)\[[^\]\n]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)|!\[[^\]\n]*\]\(([^)\s]+)\)")
# Assembled, so that this file does not find itself.
UNFINISHED = re.compile(r"\b(?:" + "|".join(("TO" + "DO", "FIX" + "ME", "X" * 3)) + r")\b")


def tracked_files():
    """Files of the checkout that are not ignored, whether committed yet or not."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, check=True).stdout.decode()
    paths = (ROOT / name for name in listed.split("\0") if name)
    return sorted(path for path in paths if path.is_file())


def allowed_includes():
    """The table of direct includes, closed over what follows from them."""
    closed = {}

    def close(folder):
        if folder not in closed:
            closed[folder] = {folder}
            for below in INCLUDES[folder]:
                closed[folder] |= close(below)
        return closed[folder]

    for name in INCLUDES:
        close(name)
    return closed


def folder_of(path):
    """The folder of the table that a path below src/ is in; None if it is in none."""
    parts = path.split("/")
    for length in range(len(parts), 0, -1):
        if "/".join(parts[:length]) in INCLUDES:
            return "/".join(parts[:length])
    return None


def check_cpp(path, name, lines, problems):
    """Length of file and lines, and the direction of includes."""
    if len(lines) > LONGER.get(name, MAX_LINES):
        problems.append(f"{name}: {len(lines)} lines, more than {MAX_LINES}")
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_COLUMNS:
            problems.append(f"{name}:{number}: {len(line)} columns, more than {MAX_COLUMNS}")
    parts = path.relative_to(ROOT).parts
    if parts[0] != "src" or len(parts) < 3:
        return
    folder = folder_of("/".join(parts[1:-1]))
    if folder is None:
        problems.append(f"{name}: folder src/{parts[1]} has no place in tests/tidy.py's table")
        return
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        included = folder_of(match[1]) if match else None
        if included and included not in ALLOWED[folder]:
            problems.append(f"{name}:{number}: {folder} may not include {included}")


def check_name(path, name, problems):
    """Names that say nothing about what is inside."""
    words = re.split(r"[_.\-]", path.name.lower())
    for part in (*path.relative_to(ROOT).parts[:-1], *words[:-1]):
        if part.lower() in BANNED_NAMES:
            problems.append(f"{name}: '{part}' does not say what is inside")


def check_links(path, name, text, problems):
    """Relative links of Markdown files lead somewhere."""
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    for match in LINK.finditer(prose):
        target = match[1] or match[2]
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            continue
        if not (path.parent / target.split("#")[0]).exists():
            problems.append(f"{name}: the link {target} is dead")


def check(path, problems):
    name = str(path.relative_to(ROOT))
    check_name(path, name, problems)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    lines = text.split("\n")[:-1] if text.endswith("\n") else text.split("\n")
    if path.suffix in (".cc", ".h"):
        check_cpp(path, name, lines, problems)
    if path.suffix == ".md":
        check_links(path, name, text, problems)
    for number, line in enumerate(lines, 1):
        if UNFINISHED.search(line):
            problems.append(f"{name}:{number}: unfinished: {line.strip()[:80]}")


ALLOWED = allowed_includes()


def main():
    problems = []
    files = tracked_files()
    for path in files:
        check(path, problems)
    tidy_documents.check(files, problems)
    tidy_includes.check(files, problems)
    for problem in problems:
        print(problem)
    print(f"tidy: {len(files)} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
