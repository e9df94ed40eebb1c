"""Single requests to a server; what is measured is sent by the load generator."""

import http.client
import json

HEADERS = {
    "Content-Type": "application/x-amz-json-1.0",
    "X-Amz-Date": "20260115T100000Z",
    # Well formed, and made up: servers without access keys accept it.
    "Authorization": "AWS4-HMAC-SHA256 Credential=benchmark/20260115/us-east-1/dynamodb/"
                     "aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-target, "
                     "Signature=" + "0" * 64,
}


class ServerError(Exception):
    """An answer that is not a success."""


def call(port, operation, body, timeout=60, service="DynamoDB_20120810"):
    """Calls an operation of the server at a port of this machine and returns its answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request("POST", "/", json.dumps(body),
                           HEADERS | {"X-Amz-Target": f"{service}.{operation}"})
        answer = connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise ServerError(f"{operation}: {answer.status} {text[:500].decode(errors='replace')}")
        return json.loads(text)
    finally:
        connection.close()


def call_own(port, operation, body, timeout=600):
    """The same for an operation that only Monotable has."""
    return call(port, operation, body, timeout, "Monotable_20261101")
