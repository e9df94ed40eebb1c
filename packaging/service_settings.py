#!/usr/bin/env python3
"""Prints the configuration file of the service, with every setting that `monotable serve --help`
lists: packaging/service_settings.py BINARY."""

import re
import subprocess
import sys
import textwrap

# What the service sets; every other setting is there as a comment with its default.
SERVICE = {"data": "/var/lib/monotable/data", "backup-folder": "/var/lib/monotable/backups"}


def serve_help(binary):
    command = [binary, "serve", "--help"]
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
        sys.exit("packaging/service_settings.py: the help of `monotable serve` has another form than expected")
    return found


def config(binary):
    print("# The settings of monotable.service: lines `name = value`; # begins a comment.")
    print("# After a change: systemctl restart monotable")
    print("#")
    print("# A variable in /etc/default/monotable, such as MONOTABLE_PORT=9000, wins over this file.")
    for title, settings in parse(serve_help(binary)):
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


if __name__ == "__main__":
    config(sys.argv[1])
