"""A server process and what the kernel tells about it."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from client import call

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("MONOTABLE_BUILD", ROOT / "build/bench"))


def end_with_interrupt():
    """Makes SIGTERM end a command as Ctrl-C does, so that servers and folders go with it."""

    def interrupt(_number, _frame):
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """A server on this machine, with a folder of its own. To be used in a with statement, at whose
    end the process is stopped and the folder is removed."""

    def __init__(self, name, command):
        """command gets a port and a folder and returns the words that start the server."""
        self.name = name
        self.port = None
        self.folder = tempfile.mkdtemp(prefix="monotable-bench-")
        self._command = command
        self._process = None
        self._log = open(os.path.join(self.folder, "log"), "wb")  # closed in __exit__

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.stop()
        finally:
            self._log.close()
            shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def pid(self):
        return self._process.pid

    @property
    def data(self):
        """Where the server keeps its data."""
        return os.path.join(self.folder, "data")

    def start(self):
        """Starts the process and returns the seconds until it answered a request."""
        os.makedirs(self.data, exist_ok=True)
        self.port = free_port()
        began = time.monotonic()
        # A session of its own, so that Ctrl-C is for the command alone, which then stops it.
        self._process = subprocess.Popen(
            self._command(self.port, self.data), cwd=self.folder, stdin=subprocess.DEVNULL,
            stdout=self._log, stderr=self._log, start_new_session=True)
        while True:
            try:
                call(self.port, "ListTables", {}, timeout=30)
                return time.monotonic() - began
            except OSError:
                self._check_started(began)
                time.sleep(0.001)

    def stop(self):
        """Ends the process in its own way, and by force when that takes too long."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def kill(self):
        """Ends the process at once, as a crash does."""
        self._process.kill()
        self._process.wait()
        self._process = None

    def memory(self):
        """Bytes of memory that the process has in RAM."""
        for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        raise RuntimeError(f"{self.name} has no memory")

    def cpu_seconds(self):
        """CPU time of the process so far, all threads together."""
        return time.clock_gettime(~self.pid << 3 | 2)  # the clock of clock_getcpuclockid(3)

    def bytes_read(self):
        """What the process has read from files so far, whether the kernel had it cached or not."""
        for line in pathlib.Path(f"/proc/{self.pid}/io").read_text().splitlines():
            if line.startswith("rchar:"):
                return int(line.split()[1])
        raise RuntimeError(f"{self.name} has no count of what it read")

    def disk_bytes(self, folder=None, pattern="*"):
        """What the files of a folder take, the data folder by default; a file that compaction
        removes meanwhile takes nothing."""
        total = 0
        for path in pathlib.Path(folder or self.data).rglob(pattern):
            try:
                total += path.stat().st_blocks * 512
            except FileNotFoundError:
                pass
        return total

    def wait_until_idle(self, quiet=3):
        """Waits until the process has been idle for some seconds, which means that compaction is
        done, and returns the seconds until then."""
        began = last_busy = time.monotonic()
        before = self.cpu_seconds()
        while time.monotonic() - last_busy < quiet:
            time.sleep(0.5)
            now = self.cpu_seconds()
            if now - before > 0.05:
                last_busy = time.monotonic()
            before = now
        return last_busy - began

    def settle(self):
        """Starts the process again, which brings the data out of the log of RocksDB, and waits for
        the compaction that follows."""
        self.stop()
        self.start()
        self.wait_until_idle()

    def _check_started(self, began):
        if self._process.poll() is None and time.monotonic() - began < 60:
            return
        log = pathlib.Path(self.folder, "log").read_text(errors="replace")
        raise RuntimeError(f"{self.name} does not start: {log[-2000:]}")
