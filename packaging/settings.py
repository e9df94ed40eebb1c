#!/usr/bin/env python3
"""Writes what describes the settings of a server, from `monotable serve --help`, which is the only
list of them: packaging/settings.py config|man BINARY."""

import re
import subprocess
import sys
import textwrap

# What the service sets; every other setting is there as a comment with its default.
SERVICE = {"data": "/var/lib/monotable/data", "backup-folder": "/var/lib/monotable/backups"}

COMMANDS = ("model", "backup", "ttl")


def help_of(binary, *words):
    command = [binary, *words, "--help"]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def parse(text):
    """The groups of the help, each with its settings: (name, value, help)."""
    groups = []
    for line in text.split("\n"):
        if re.match(r"[A-Z]", line):
            groups.append((line.strip(), []))
        elif match := re.match(r"  --([a-z0-9-]+)(?: (\S+))?$", line):
            groups[-1][1].append([match[1], match[2] or "", ""])
        elif match := re.match(r" {6}(\S.*)$", line):
            if groups[-1][1]:
                setting = groups[-1][1][-1]
                setting[2] = f"{setting[2]} {match[1]}".strip()
    found = [(title, settings) for title, settings in groups if settings]
    if sum(len(settings) for _, settings in found) < 20:
        sys.exit("packaging/settings.py: the help of `monotable serve` has another form than expected")
    return found


def config(binary):
    print("# The settings of monotable.service: lines `name = value`; # begins a comment.")
    print("# After a change: systemctl restart monotable")
    print("#")
    print("# A variable in /etc/default/monotable, such as MONOTABLE_PORT=9000, wins over this file.")
    for title, settings in parse(help_of(binary, "serve")):
        settings = [setting for setting in settings
                    if setting[0] != "config" and not setting[2].startswith("For tests:")]
        if not settings:
            continue
        print(f"\n# ---- {title}")
        for name, value, text in settings:
            default = re.search(r" Default: (\S+)\.$", text)
            if name in SERVICE and default:
                text = text[:default.start()]
            print()
            for line in textwrap.wrap(text, 97):
                print(f"# {line}")
            if name in SERVICE:
                print(f"{name} = {SERVICE[name]}")
            else:
                print(f"#{name} = {default[1] if default else value or 'false'}")


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def man(binary):
    version = subprocess.run([binary, "version"], capture_output=True, check=True, text=True).stdout
    print(f'.TH MONOTABLE 1 "" "{version.strip()}" "User Commands"')
    print(".SH NAME\nmonotable \\- database server that speaks the DynamoDB protocol")
    print(".SH SYNOPSIS\n.B monotable serve\n[\\fIoptions\\fR]\n.br\n.B monotable\n"
          "\\fIcommand\\fR [\\fIoptions\\fR]")
    print(".SH DESCRIPTION\nMonotable is a database server for single\\-table applications. AWS SDKs "
          "and the AWS CLI\ntalk to it as they talk to DynamoDB. Model files describe designs, which "
          "it serves as REST.")
    print(".SH OPTIONS OF SERVE")
    for title, settings in parse(help_of(binary, "serve")):
        print(f".SS {roff(title)}")
        for name, value, text in settings:
            argument = f" \\fI{roff(value)}\\fR" if value else ""
            print(f".TP\n.B {roff('--' + name)}{argument}\n{roff(text)}")
    print(".SH ENVIRONMENT\nEvery option is also a variable: \\fB\\-\\-max\\-body\\-mb\\fR is "
          "\\fBMONOTABLE_MAX_BODY_MB\\fR.")
    print(".SH FILES\n.TP\n.I /etc/monotable/monotable.conf\nThe settings of the service."
          "\n.TP\n.I /var/lib/monotable\nThe data of the service.")
    print(".SH OTHER COMMANDS")
    for command in COMMANDS:
        print(f".SS monotable {command}\n.nf\n{roff(help_of(binary, command).rstrip())}\n.fi")


if __name__ == "__main__":
    {"config": config, "man": man}[sys.argv[1]](sys.argv[2])
