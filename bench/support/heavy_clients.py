"""Clients that put a server under a heavy load, each in a process of its own. They run only when
nothing else wants to, as if they were on another machine."""

import json
import multiprocessing
import os
import socket
import time

from client import HEADERS

LONGEST_WAIT = 120  # seconds for one answer
_DISCARDED = bytearray(1 << 20)


def request(operation, body, service="DynamoDB_20120810"):
    """The bytes of a request. The body is an object, or bytes that are sent as they are."""
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    return head(operation, len(text), service) + text


def head(operation, length, service="DynamoDB_20120810"):
    lines = HEADERS | {"Host": "127.0.0.1", "X-Amz-Target": f"{service}.{operation}",
                       "Content-Length": str(length)}
    return ("POST / HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n"
                                            for name, value in lines.items()) + "\r\n").encode()


class Connection:
    """A socket that sends requests and throws the answers away."""

    def __init__(self, port):
        self._port = port
        self._socket = None
        self._rest = b""

    def close(self):
        if self._socket:
            self._socket.close()
        self._socket = None
        self._rest = b""

    def send(self, data):
        """Connects first if that is needed."""
        if self._socket is None:
            self._socket = socket.create_connection(("127.0.0.1", self._port),
                                                    timeout=LONGEST_WAIT)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.sendall(data)

    def receive(self):
        """The status of the next answer; None if the connection ended instead."""
        while b"\r\n\r\n" not in self._rest:
            more = self._socket.recv(65536)
            if not more:
                return None
            self._rest += more
        start, self._rest = self._rest.split(b"\r\n\r\n", 1)
        length = 0
        for line in start.split(b"\r\n")[1:]:
            name, value = line.split(b":", 1)
            if name.lower() == b"content-length":
                length = int(value)
        while length > len(self._rest):
            length -= len(self._rest)
            self._rest = b""
            count = self._socket.recv_into(_DISCARDED, min(length, len(_DISCARDED)))
            if count == 0:
                return None
            length -= count
        self._rest = self._rest[length:]
        return int(start.split(b" ", 2)[1])

    def exchange(self, data):
        """Sends one request; returns the status, or None if the connection broke."""
        try:
            self.send(data)
            status = self.receive()
        except OSError:
            status = None
        if status is None:
            self.close()
        return status


class HeavyClients:
    """The clients of a load, from the beginning to the end of a with statement. work(port, number)
    is called in each process again and again, as a generator that yields a status after each
    request, until it returns or the clients are stopped."""

    def __init__(self, port, count, work):
        context = multiprocessing.get_context("fork")
        self._stopped = context.Event()
        self._answers = context.Queue()
        self._processes = [
            context.Process(target=self._run, args=(port, number, work), daemon=True)
            for number in range(count)]
        self.statuses = {}

    def __enter__(self):
        for process in self._processes:
            process.start()
        return self

    def __exit__(self, *_):
        self._stopped.set()
        end = time.monotonic() + 2
        for process in self._processes:
            process.join(max(0, end - time.monotonic()))
        # A client that still waits for an answer is gone for the server from now on.
        for process in self._processes:
            process.kill()
            process.join()
        while not self._answers.empty():
            for status, count in self._answers.get().items():
                self.statuses[status] = self.statuses.get(status, 0) + count

    def _run(self, port, number, work):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        statuses = {}
        try:
            while not self._stopped.is_set():
                for status in work(port, number):
                    statuses[status] = statuses.get(status, 0) + 1
                    if self._stopped.is_set():
                        break
        finally:
            self._answers.put(statuses)
