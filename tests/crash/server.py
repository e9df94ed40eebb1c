"""The server under test: started, killed and started again on the same data folder."""

import http.client
import json
import os
import re
import select
import signal
import subprocess
import time

# What a server of these tests may take at most. Its requests are small: most of it is the write
# buffers and the cache of the store.
MOST_MEMORY_MB = 600
READY = re.compile(rb"is ready on http://127\.0\.0\.1:(\d+)")
START_SECONDS = 30

HEADERS = {
    "Content-Type": "application/x-amz-json-1.0",
    "X-Amz-Date": "20260101T000000Z",
    "Authorization": "AWS4-HMAC-SHA256 "
    "Credential=AKID/20260101/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host;x-amz-date;x-amz-target, Signature=" + "0" * 64,
}


class Gone(Exception):
    """The connection broke: whether the request was carried out is not known."""


class Refused(Exception):
    """The server answered with an error."""

    def __init__(self, status, answer):
        self.type = answer.get("__type", "").split("#")[-1]
        super().__init__(f"{status} {self.type}: {answer.get('message', answer.get('Message'))}")


class Client:
    """One connection. Not thread-safe."""

    def __init__(self, port):
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def call(self, operation, **parameters):
        """An operation of DynamoDB, or another with the prefix of its target."""
        target = operation if "." in operation else "DynamoDB_20120810." + operation
        headers = dict(HEADERS, **{"X-Amz-Target": target})
        try:
            self._connection.request("POST", "/", json.dumps(parameters), headers)
            response = self._connection.getresponse()
            status, body = response.status, response.read()
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            raise Gone(str(error)) from error
        answer = json.loads(body)
        if status != 200:
            raise Refused(status, answer)
        return answer

    def pages(self, operation, **parameters):
        """All items of a Query or Scan, page by page."""
        items = []
        while True:
            answer = self.call(operation, **parameters)
            items += answer["Items"]
            if "LastEvaluatedKey" not in answer:
                return items
            parameters["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


class Server:
    """With a power_loss.PowerLoss, each kill is a power cut."""

    def __init__(self, binary, folder, power_loss=None):
        self._command = [binary, "serve", "--port", "0", "--data", folder, "--durability", "sync"]
        # The server reads MONOTABLE_ variables as settings.
        self._environment = {k: v for k, v in os.environ.items() if not k.startswith("MONOTABLE_")}
        self._power_loss = power_loss
        if power_loss:
            self._environment.update(power_loss.environment())
        self._process = None
        self.port = None
        self.most_memory_mb = 0  # that any of the processes has taken

    def set_variable(self, name, value):
        self._environment[name] = value

    def spawn(self, *options):
        """Starts the process and does not wait."""
        if self._power_loss:
            self._power_loss.begin()
        self._process = subprocess.Popen(
            [*self._command, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=self._environment,
        )

    def wait_until_ready(self):
        output = b""
        limit = time.monotonic() + START_SECONDS
        descriptor = self._process.stdout.fileno()
        while time.monotonic() < limit:
            if not select.select([descriptor], [], [], 0.1)[0]:
                continue
            more = os.read(descriptor, 65536)
            output += more
            found = READY.search(output)
            if found:
                self.port = int(found.group(1))
                return
            if not more:
                break
        raise AssertionError(f"the server does not start: {output.decode(errors='replace')}")

    def start(self, *options):
        self.spawn(*options)
        self.wait_until_ready()

    def kill(self):
        self._look_at_memory()
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._process.stdout.close()
        if self._power_loss:
            self._power_loss.cut()
        if self.most_memory_mb > MOST_MEMORY_MB:
            raise AssertionError(f"the server has taken {self.most_memory_mb} MB of memory")

    def _look_at_memory(self):
        with open(f"/proc/{self._process.pid}/status", encoding="utf-8") as file:
            found = re.search(r"VmHWM:\s+(\d+) kB", file.read())
        if found:  # a process that has ended has none
            self.most_memory_mb = max(self.most_memory_mb, int(found.group(1)) // 1024)

    def stop(self):
        if self._process is not None and self._process.poll() is None:
            self.kill()
