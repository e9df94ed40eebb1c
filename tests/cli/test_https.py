#!/usr/bin/python3
"""The commands that ask a server, over https; and what the commands print for shells and manuals.

The server speaks http, so a small TLS proxy with a certificate made for these tests is in front of
it. Standard library and openssl only.
"""

import os
import pathlib
import re
import socket
import ssl
import subprocess
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("MONOTABLE_BINARY", str(ROOT / "build/release/monotable"))
MODEL = str(ROOT / "models/blog.model.yaml")
CLEAN = {name: value for name, value in os.environ.items()
         if not name.startswith(("MONOTABLE_", "AWS_", "CURL_", "SSL_"))}


def run(*arguments, **environment):
    """A command with its exit code, output and errors."""
    return subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=60,
                          env={**CLEAN, **environment}, check=False)


class TlsProxy:
    """Accepts TLS on a free port and passes the bytes on to a server that speaks http."""

    def __init__(self, certificate, key, port):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, key)
        self.target = ("127.0.0.1", port)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            with self.context.wrap_socket(connection, server_side=True) as client, \
                    socket.create_connection(self.target) as server:
                while data := client.recv(65536):
                    server.sendall(data)
                    client.sendall(self.answer(server))
        except OSError:
            pass  # a client that does not trust the certificate

    @staticmethod
    def answer(server):
        """One answer with a known length, which is all that the server sends."""
        data = b""
        while b"\r\n\r\n" not in data:
            data += server.recv(65536)
        head, _, body = data.partition(b"\r\n\r\n")
        length = int(re.search(rb"(?i)content-length: *(\d+)", head)[1])
        while len(body) < length:
            piece = server.recv(65536)
            body += piece
            data += piece
        return data

    def close(self):
        self.listener.close()


class HttpsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="monotable-https-")
        cls.certificate = f"{cls.folder.name}/certificate.pem"
        key = f"{cls.folder.name}/key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-days", "2", "-subj", "/CN=monotable test", "-addext",
             "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cls.certificate],
            check=True, capture_output=True)
        cls.server = subprocess.Popen([BINARY, "serve", "--port", "0", "--in-memory"],
                                      stdout=subprocess.PIPE, text=True, env=CLEAN)
        ready = cls.server.stdout.readline()
        cls.http_port = int(re.search(r"is ready on http://\S+?:(\d+)", ready)[1])
        cls.proxy = TlsProxy(cls.certificate, key, cls.http_port)
        cls.endpoint = f"https://127.0.0.1:{cls.proxy.port}"

    @classmethod
    def tearDownClass(cls):
        cls.proxy.close()
        cls.server.terminate()
        cls.server.communicate()
        cls.folder.cleanup()

    def assert_one_line(self, outcome, code, pattern):
        self.assertEqual(outcome.returncode, code, outcome.stderr)
        self.assertEqual(outcome.stdout, "")
        self.assertRegex(outcome.stderr, pattern)
        self.assertEqual(outcome.stderr.count("\n"), 1, outcome.stderr)

    def test_deploys_a_model(self):
        trusted = ("--endpoint", self.endpoint, "--ca-file", self.certificate)
        deployed = run("model", "deploy", MODEL, "--create-adopted", "--samples", *trusted)
        self.assertEqual(deployed.returncode, 0, deployed.stderr)
        self.assertRegex(deployed.stdout, r"samples: \d+ written")
        again = run("model", "deploy", MODEL, *trusted)
        self.assertEqual((again.returncode, again.stderr), (0, ""))
        self.assertRegex(again.stdout, "nothing to do")
        plain = run("model", "diff", MODEL, "--endpoint", f"http://127.0.0.1:{self.http_port}")
        self.assertEqual(plain.returncode, 0, plain.stdout)

    def test_trusts_certificates_of_the_environment(self):
        for variable in ("CURL_CA_BUNDLE", "SSL_CERT_FILE"):
            outcome = run("ttl", "--endpoint", self.endpoint, **{variable: self.certificate})
            self.assertEqual(outcome.returncode, 0, outcome.stderr)
        # A file on the command line is stronger.
        outcome = run("ttl", "--endpoint", self.endpoint, "--ca-file", self.certificate,
                      CURL_CA_BUNDLE="/etc/ssl/certs/ca-certificates.crt")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)

    def test_refuses_certificates_that_are_not_trusted(self):
        self.assert_one_line(run("model", "deploy", MODEL, "--endpoint", self.endpoint), 2,
                             r"certificate is not trusted \(.*\)\..*--ca-file FILE")

    def test_refuses_certificates_of_other_hosts(self):
        endpoint = f"https://localhost:{self.proxy.port}"
        self.assert_one_line(run("ttl", "--endpoint", endpoint, "--ca-file", self.certificate), 1,
                             "certificate is not trusted .*localhost")

    def test_says_that_a_file_has_no_certificates(self):
        self.assert_one_line(run("ttl", "--endpoint", self.endpoint, "--ca-file", "/nowhere.pem"), 1,
                             "The certificates in /nowhere.pem cannot be read")

    def test_says_that_a_server_speaks_no_tls(self):
        endpoint = f"https://127.0.0.1:{self.http_port}"
        self.assert_one_line(run("backup", "create", "--endpoint", endpoint), 1,
                             r"no TLS connection can be made .*http://")


class ShellTest(unittest.TestCase):
    def complete(self, line):
        """What bash offers at the end of a line."""
        words = line.split(" ")
        quoted = " ".join(f"'{word}'" for word in words)
        script = (f"source <('{BINARY}' completion bash)\nCOMP_WORDS=({quoted})\n"
                  f"COMP_CWORD={len(words) - 1}\n_monotable\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"")
        outcome = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True,
                                 cwd=ROOT)
        self.assertEqual(outcome.stderr, "")
        return outcome.stdout.split()

    def test_completes_commands_options_and_values(self):
        self.assertIn("serve", self.complete("monotable "))
        self.assertEqual(self.complete("monotable mo"), ["model"])
        self.assertEqual(self.complete("monotable model de"), ["deploy"])
        self.assertEqual(self.complete("monotable model deploy --dr"), ["--dry-run"])
        self.assertEqual(self.complete("monotable model check --format "), ["text", "json"])
        self.assertEqual(self.complete("monotable serve --max-b"), ["--max-body-mb"])
        self.assertEqual(self.complete("monotable model check models/blog.m"),
                         ["models/blog.model.yaml"])
        self.assertEqual(self.complete("monotable serve --data mod"), ["models"])

    def test_prints_a_manual_page(self):
        page = run("man").stdout
        self.assertTrue(page.startswith(".TH MONOTABLE 1 "), page[:80])
        for name in ("SYNOPSIS", "SERVE", "MODEL", "BACKUP", "EXIT STATUS"):
            self.assertRegex(page, rf'(?m)^\.SH "?{name}"?$')


if __name__ == "__main__":
    unittest.main()
