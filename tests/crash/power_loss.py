"""What a power cut leaves of a data folder: rewinds its files to what was synced.

The library power_loss.c, preloaded into the server, notes what was synced. After the server was
killed, cut() makes the folder what the disk might hold: bytes that were not synced are there or
not, page by page, or are garbage; new, renamed and removed files that were not synced happened or
did not.
"""

import os
import pathlib
import shutil
import subprocess

SOURCE = pathlib.Path(__file__).with_name("power_loss.c")
PAGE = 4096
# Nothing is written to these after they were made.
NEVER_CHANGED = (".sst",)


class PowerLoss:
    def __init__(self, folder, random):
        self._folder = pathlib.Path(folder).resolve()
        self._shadow = self._folder.with_name(self._folder.name + "-shadow")
        self._library = self._folder.with_name(self._folder.name + "-power-loss.so")
        self._random = random
        subprocess.run(
            ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror",
             "-o", str(self._library), str(SOURCE), "-ldl"],
            check=True,
        )

    def environment(self):
        """What the server needs. What it syncs is noted in the shadow folder."""
        return {
            "LD_PRELOAD": str(self._library),
            "POWER_LOSS_FOLDER": str(self._folder),
            "POWER_LOSS_SHADOW": str(self._shadow),
        }

    def begin(self):
        """Before the server starts: what is in the folder is on the disk."""
        self._folder.mkdir(exist_ok=True)
        shutil.rmtree(self._shadow, ignore_errors=True)
        for part in ("bytes", "held"):
            (self._shadow / part).mkdir(parents=True)
        names = []
        for path in self._files():
            inode = path.stat().st_ino
            names.append(f"{inode} {path.name}\n")
            copy = self._shadow / "bytes" / str(inode)
            if path.name.endswith(NEVER_CHANGED):
                os.link(path, copy)
            else:
                shutil.copyfile(path, copy)
        (self._shadow / "names").write_text("".join(names))

    def cut(self):
        """After the server was killed: leaves what the disk might hold."""
        current = {path.stat().st_ino: path.name for path in self._files()}
        names = {}
        for line in (self._shadow / "names").read_text().splitlines():
            inode, name = line.split(" ", 1)
            names[int(inode)] = name
        if self._random.random() < 0.5:
            names = current
        left = self._folder.with_name(self._folder.name + "-left")
        left.mkdir()
        for inode, name in names.items():
            (left / name).write_bytes(self._remains(inode, current))
        shutil.rmtree(self._folder)
        left.rename(self._folder)

    def remove(self):
        shutil.rmtree(self._shadow, ignore_errors=True)
        self._library.unlink(missing_ok=True)

    def _files(self):
        return [path for path in self._folder.iterdir() if path.is_file()]

    def _remains(self, inode, current):
        """What is left of a file."""
        copy = self._shadow / "bytes" / str(inode)
        synced = copy.read_bytes() if copy.exists() else b""
        path = self._folder / current[inode] if inode in current else None
        if path is None:
            path = self._shadow / "held" / str(inode)
        written = path.read_bytes() if path.exists() else synced
        if written == synced:
            return synced
        same = min(len(synced), len(written))
        size = same + self._random.randrange(max(len(synced), len(written)) - same + 1)
        remains = bytearray(synced[:size].ljust(size, b"\0"))
        for begin in range(0, size, PAGE):
            end = min(begin + PAGE, size)
            if end <= same and written[begin:end] == synced[begin:end]:
                continue
            luck = self._random.randrange(4)
            if luck < 2 and end <= len(written):
                remains[begin:end] = written[begin:end]
            elif luck == 2 and end > same:
                first = max(begin, same)
                remains[first:end] = self._random.randbytes(end - first)
        return bytes(remains)
