"""Tables on standard output, progress on standard error."""

import json
import os
import platform
import sys
import time


def progress(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def warn_when_busy():
    """Whatever else runs takes CPU time from server and generator, and not equally."""
    load = os.getloadavg()[0]
    if load > 0.5:
        progress(f"the machine is busy (load average {load:.1f}): do not trust the figures")


def print_table(title, columns, rows):
    """A Markdown table; the first column is text, and columns whose name begins with a blank are
    numbers, to the right."""
    print(f"\n### {title}\n")
    widths = [max(len(str(line[i]).strip()) for line in (columns, *rows))
              for i in range(len(columns))]
    right = [name.startswith(" ") for name in columns]

    def line(cells):
        padded = (str(cell).strip().rjust(width) if to_right else str(cell).strip().ljust(width)
                  for cell, width, to_right in zip(cells, widths, right))
        return f"| {' | '.join(padded)} |"

    print(line(columns))
    print(line(["-" * (width - 1) + ":" if to_right else "-" * width
                for width, to_right in zip(widths, right)]))
    for row in rows:
        print(line(row))
    sys.stdout.flush()


def machine():
    """What the figures depend on."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [row.split(":")[1].strip() for row in file if row.startswith("model name")]
    return {"processor": names[0] if names else platform.machine(), "cores": os.cpu_count(),
            "kernel": platform.release(), "date": time.strftime("%Y-%m-%d")}


def print_machine(more=""):
    """The line above the tables."""
    about = machine()
    print(f"{about['cores']} cores of {about['processor']}, Linux {about['kernel']}, the load "
          f"generator on the same cores, {about['date']}{more}.")


def save(path, **figures):
    """Keeps the figures of a run, with what they depend on, as JSON."""
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"machine": machine()} | figures, file, indent=1)


def rate(value):
    return f"{value:,.0f}"


def micros(value):
    """Microseconds, with the unit that suits."""
    if value >= 1000:
        return f"{value / 1000:,.2f} ms"
    return f"{value:.0f} µs" if value >= 100 else f"{value:.1f} µs"


def megabytes(value):
    return f"{value / 1e6:,.0f} MB"


def ratio(value):
    return f"{value:.1f} ×" if value < 10 else f"{value:.0f} ×"
