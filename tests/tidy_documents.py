"""What the documents name exists: paths of the checkout, scripts, commands and flags of monotable."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]
FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
# A path has a folder and ends like a file of ours, or is a script without an ending.
PATH = re.compile(
    r"(?<![\w./:<{$*-])((?:[A-Za-z0-9_.-]+/)+[A-Za-z0-9_.-]*\.(?:cc|h|py|js|md|yaml|json|cmake|supp)"
    r"|(?:script|bench|tests)/[a-z_]+(?:/[a-z_]+)*)(?![\w/*<{-])")
COMMAND = re.compile(r"(?:^|(?<!import)[\s;|&(`])(?:build/release/)?monotable((?: [a-z][a-z-]*)+)")
FLAG = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]+)")
# What tests, builds and runs make is named in documents too.
MADE = ("build/", "data/", "node_modules/", "checkpoint/")


def where(path):
    """Places that a path in a document may start from."""
    return (ROOT, ROOT / "src", ROOT / "tests", ROOT / "docs", path.parent)


def sources(*patterns):
    return "\n".join(
        file.read_text(encoding="utf-8")
        for pattern in patterns for file in sorted(ROOT.glob(pattern)) if file.is_file())


class Commands:
    """The words and flags that the program knows, read from its sources."""

    def __init__(self):
        text = sources("src/cli/**/*.cc", "src/cli/**/*.h", "src/server/*.cc")
        # `model check` and the like, and the first words of them alone.
        table = (ROOT / "src/cli/command_table.cc").read_text(encoding="utf-8")
        self.names = set(re.findall(r'\{"([a-z]+(?: [a-z]+)?)",', table))
        self.groups = {name.split()[0] for name in self.names if " " in name}
        self.flags = set(re.findall(r'"(?:--)?([a-z][a-z0-9-]+)"', text))
        self.flags |= set(re.findall(r"--([a-z][a-z0-9-]+)", text))


def check_paths(path, name, text, problems):
    for match in PATH.finditer(text):
        target = match[1]
        if target.startswith(MADE) or "/".join(target.split("/")[:2]).startswith(MADE):
            continue
        top = target.split("/")[0]
        known = (ROOT / top).is_dir() or (ROOT / "src" / top).is_dir()
        if known and not any((start / target).exists() for start in where(path)):
            problems.append(f"{name}: names {target}, which does not exist")


def check_commands(name, text, commands, problems):
    for match in COMMAND.finditer(text):
        words = match[1].split()
        wanted = " ".join(words[:2]) if words[0] in commands.groups else words[0]
        if wanted not in commands.names:
            problems.append(f"{name}: names 'monotable {wanted}', which is not a command")
    for line in text.replace("\\\n", " ").split("\n"):
        after = re.search(r"(?:monotable (?:serve|model|backup|ttl)|script/server)\b(.*)", line)
        if not after:
            continue
        for flag in FLAG.findall(re.split(r"[|;&]", after[1])[0]):
            if flag not in commands.flags and flag != "no-models":
                problems.append(f"{name}: names --{flag}, which monotable does not take")


def check(files, problems):
    commands = Commands()
    for path in files:
        # The log of changes names what was true then.
        if path.suffix != ".md" or path.name == "CHANGELOG.md":
            continue
        name = str(path.relative_to(ROOT))
        text = path.read_text(encoding="utf-8")
        code = FENCE.findall(text)
        inline = INLINE.findall(FENCE.sub("", text))
        for part in (*code, *inline):
            check_paths(path, name, part, problems)
            check_commands(name, part, commands, problems)
