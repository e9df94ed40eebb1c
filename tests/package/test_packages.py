"""Installs each package in a clean place and runs it there. Standard library only."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PACKAGES = ROOT / "build/packages"
PACKAGING = ROOT / "packaging"
# A clean Debian takes a minute to install, so it is kept; remove the folder for a new one.
DEBIAN = ROOT / "build/debian-root"

READY = re.compile(r"is ready on (http://[\d.]+:\d+) \((.*)\)")


def project_version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"^project\(monotable VERSION ([\d.]+)", text, re.M)[1]


VERSION = project_version()


def run(*command, **options):
    """The output of a command that must succeed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


@contextlib.contextmanager
def serving(*command, **options):
    """Runs a server, and yields its URL and what it says about its data."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options) as server:
        try:
            line = server.stdout.readline()
            match = READY.search(line)
            if not match:
                raise AssertionError(f"{command} is not ready: {line}")
            yield match[1], match[2]
        finally:
            server.terminate()
    if server.returncode != 0:
        raise AssertionError(f"{command} ended with {server.returncode}")


def answer_of(url):
    with urllib.request.urlopen(url, timeout=10) as response:
        return response.read().decode()


def make_clean_debian():
    if (DEBIAN / "complete").exists():
        return
    shutil.rmtree(DEBIAN, ignore_errors=True)
    DEBIAN.mkdir(parents=True)
    run("debootstrap", "--variant=minbase", "bookworm", str(DEBIAN / "root"))
    run("chroot", str(DEBIAN / "root"), "apt-get", "update", "-qq")
    shutil.rmtree(DEBIAN / "root/usr/share/locale")
    (DEBIAN / "complete").touch()


class Tarball(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="monotable-tarball-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.name = f"monotable-{VERSION}-linux-x64"
        run("tar", "-xzf", str(PACKAGES / f"{self.name}.tar.gz"), "-C", str(self.folder))
        self.unpacked = self.folder / self.name

    def test_runs_from_any_folder(self):
        moved = self.folder / "somewhere else"
        self.unpacked.rename(moved)
        with serving(str(moved / "bin/monotable"), "serve", "--port", "0", "--data",
                     str(self.folder / "data"), "--model", str(moved / "models/sales.model.yaml"),
                     "--samples", env={}) as (url, data):
            self.assertIn("healthy", answer_of(url))
            self.assertIn("SALE001", answer_of(f"{url}/api/v1/sales/sales/SALE001"))
            self.assertEqual(data, f"data: {self.folder}/data, durable")

    def test_takes_its_own_libraries(self):
        binary = self.unpacked / "bin/monotable"
        env = {"LD_LIBRARY_PATH": "/nowhere", "LD_TRACE_LOADED_OBJECTS": "1"}
        loaded = dict(re.findall(r"(\S+) => (\S+)", run(str(binary), env=env)))
        own = {path.name for path in (self.unpacked / "lib").glob("*.so*")}
        self.assertIn("librocksdb.so.7.8", own)
        for name in own:
            self.assertEqual(pathlib.Path(loaded[name]).resolve(), self.unpacked / "lib" / name)

    # With the C library and what the kernel has: no shell, no /etc, no other library.
    @unittest.skipIf(os.geteuid() != 0, "chroot needs root")
    def test_runs_where_there_is_only_the_c_library(self):
        bare = self.folder / "bare"
        for name in ("libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1",
                     "libresolv.so.2"):
            place = bare / "lib/x86_64-linux-gnu" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(f"/lib/x86_64-linux-gnu/{name}", place)
        (bare / "lib64").mkdir()
        shutil.copy("/lib64/ld-linux-x86-64.so.2", bare / "lib64")
        shutil.copytree(self.unpacked, bare / "opt/monotable")
        for name in ("proc", "dev"):
            (bare / name).mkdir()
        # The mounts end with the process.
        script = ('mount --bind /proc "$0/proc" && mount --bind /dev "$0/dev" && '
                  'exec chroot "$0" /opt/monotable/bin/monotable serve --port 0 --data /data')
        with serving("unshare", "--mount", "sh", "-c", script, str(bare)) as (url, _):
            self.assertIn("healthy", answer_of(url))

    def test_has_the_documents(self):
        for name in ("README.md", "LICENSE", "docs/compatibility.md", "models/sales.model.yaml",
                     "lib/licenses/librocksdb7.8", "share/man/man1/monotable.1"):
            self.assertTrue((self.unpacked / name).is_file(), name)
        self.assertIn(VERSION, (self.unpacked / "README.md").read_text())
        self.assertIn(VERSION, run(str(self.unpacked / "bin/monotable"), "version"))


@unittest.skipIf(os.geteuid() != 0, "a clean root needs root")
class Deb(unittest.TestCase):
    """In a Debian of its own, without systemd."""

    package = PACKAGES / f"monotable_{VERSION}_amd64.deb"

    @classmethod
    def setUpClass(cls):
        make_clean_debian()
        work = tempfile.TemporaryDirectory(prefix="monotable-deb-")
        cls.addClassCleanup(work.cleanup)
        cls.root = pathlib.Path(work.name) / "root"
        run("cp", "-a", str(DEBIAN / "root"), str(cls.root))
        shutil.copy(cls.package, cls.root / "tmp/monotable.deb")
        # The libraries are downloaded once.
        archives = DEBIAN / "root/var/cache/apt/archives"
        cls.install("--download-only")
        for file in (cls.root / "var/cache/apt/archives").glob("*.deb"):
            if not (archives / file.name).exists():
                shutil.copy(file, archives)
        cls.install()

    @classmethod
    def install(cls, *options):
        cls.inside("apt-get", "install", "-y", "-qq", "--no-install-recommends", *options,
                   "/tmp/monotable.deb")

    @classmethod
    def inside(cls, *command):
        env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive"}
        return run("chroot", str(cls.root), *command, env=env)

    def test_1_serves_as_its_own_user(self):
        user = self.inside("getent", "passwd", "monotable").strip().split(":")
        self.assertEqual(user[5:], ["/var/lib/monotable", "/usr/sbin/nologin"])
        with serving("chroot", "--userspec=monotable:monotable", str(self.root),
                     "/usr/bin/monotable", "serve", "--config", "/etc/monotable/monotable.conf",
                     "--port", "0") as (url, data):
            self.assertIn("healthy", answer_of(url))
            self.assertEqual(data, "data: /var/lib/monotable/data, durable")
        owner = (self.root / "var/lib/monotable/data").stat().st_uid
        self.assertEqual(owner, int(user[2]))
        for folder in ("var/lib/monotable", "var/lib/monotable/data"):
            self.assertEqual((self.root / folder).stat().st_mode & 0o777, 0o700, folder)

    def test_2_keeps_the_settings_from_others(self):
        settings = self.root / "etc/monotable/monotable.conf"
        self.assertEqual(settings.stat().st_mode & 0o777, 0o640)
        self.assertIn("monotable", self.inside("stat", "-c", "%G", "/etc/monotable/monotable.conf"))

    def test_3_every_setting_can_be_set_in_the_file(self):
        lines = (self.root / "etc/monotable/monotable.conf").read_text().split("\n")
        names = {match[1] for line in lines if (match := re.match(r"#?([a-z0-9-]+) = ", line))}
        offered = re.findall(r"^  --([a-z0-9-]+)", self.inside("monotable", "serve", "--help"), re.M)
        for_tests = {"test-clock", "test-controls", "stop-with-input"}
        self.assertEqual(names, set(offered) - for_tests - {"config"})
        # The defaults in comments are accepted as they are.
        defaults = [line.lstrip("#") for line in lines
                    if re.match(r"#[a-z0-9-]+ = [a-z0-9.]+$", line)]
        self.assertGreater(len(defaults), 15)
        (self.root / "tmp/defaults.conf").write_text("\n".join(defaults) + "\nport = 0\n")
        with serving("chroot", str(self.root), "monotable", "serve", "--config",
                     "/tmp/defaults.conf", "--data", "/tmp/data") as (url, _):
            self.assertIn("healthy", answer_of(url))

    def test_4_enables_the_service(self):
        link = self.root / "etc/systemd/system/multi-user.target.wants/monotable.service"
        self.assertEqual(os.readlink(link), "/lib/systemd/system/monotable.service")

    def test_5_names_the_packages_that_it_needs(self):
        depends = run("dpkg-deb", "-f", str(self.package), "Depends")
        for package in ("libc6", "librocksdb7.8", "libsimdjson14", "libstdc++6", "passwd"):
            self.assertRegex(depends, rf"(^|, ){re.escape(package)}( |,|$)")
        loaded = self.inside("ldd", "/usr/bin/monotable")
        self.assertNotIn("not found", loaded)

    def test_6_keeps_changed_settings_through_an_upgrade(self):
        settings = self.root / "etc/monotable/monotable.conf"
        settings.write_text(settings.read_text() + "\nport = 9000\n")
        self.inside("dpkg", "-i", "--force-confold", "/tmp/monotable.deb")
        self.assertIn("port = 9000", settings.read_text())

    def test_7_leaves_the_data_until_it_is_purged(self):
        self.inside("dpkg", "--remove", "monotable")
        self.assertFalse((self.root / "usr/bin/monotable").exists())
        self.assertTrue((self.root / "var/lib/monotable/data").is_dir())
        self.assertTrue((self.root / "etc/monotable/monotable.conf").is_file())
        self.inside("dpkg", "--purge", "monotable")
        self.assertFalse((self.root / "var/lib/monotable").exists())
        self.assertFalse((self.root / "etc/monotable").exists())
        self.assertNotIn("monotable", (self.root / "etc/passwd").read_text())
        self.install()
        self.inside("getent", "passwd", "monotable")


class Manual(unittest.TestCase):
    shared = PACKAGES / "work/shared"

    @unittest.skipUnless(shutil.which("groff"), "groff is missing")
    def test_manual_page_has_no_mistakes(self):
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", self.shared / "monotable.1"],
                              capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")

    def test_manual_page_has_every_option(self):
        page = (self.shared / "monotable.1").read_text().replace("\\-", "-")
        listed = run(str(self.shared / "monotable"), "serve", "--help")
        for option in re.findall(r"^  (--[a-z0-9-]+)", listed, re.M):
            self.assertIn(f"\\fB{option}\\fR", page)

    def test_bash_completes(self):
        def completed(line):
            script = (f'source "{self.shared}/completion.bash"; COMP_WORDS=({line}); '
                      "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _monotable; "
                      'printf "%s\\n" "${COMPREPLY[@]}"')
            env = {"PATH": f"{self.shared}:/usr/bin:/bin"}
            return run("bash", "-c", script, env=env).split()

        self.assertIn("serve", completed("monotable ''"))
        self.assertEqual(completed("monotable ser"), ["serve"])
        self.assertEqual(completed("monotable serve --in-m"), ["--in-memory"])
        self.assertIn("deploy", completed("monotable model ''"))
        self.assertEqual(completed("monotable backup ver"), ["verify"])
        self.assertEqual(completed("monotable model deploy --dry"), ["--dry-run"])


class Service(unittest.TestCase):
    unit = PACKAGING / "monotable.service"

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd is missing")
    def test_unit_has_no_mistakes(self):
        with tempfile.TemporaryDirectory() as folder:
            text = self.unit.read_text().replace("/usr/bin/monotable",
                                                 str(PACKAGES / "work/shared/monotable"))
            text = re.sub(r"^Documentation=.*\n", "", text, flags=re.M)
            unit = pathlib.Path(folder) / "monotable.service"
            unit.write_text(text)
            done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True,
                                  text=True, check=False)
            about_it = [line for line in done.stderr.split("\n") if "monotable" in line]
            self.assertEqual(about_it, [])

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd is missing")
    def test_service_is_confined(self):
        report = run("systemd-analyze", "security", "--offline=true", "--threshold=20",
                     str(self.unit))
        self.assertRegex(report, r"Overall exposure level .*: [01]\.\d OK")


class Image(unittest.TestCase):
    containerfile = PACKAGING / "Containerfile"

    def instructions(self):
        text = self.containerfile.read_text().replace("\\\n", " ")
        lines = (line.strip() for line in text.split("\n"))
        return [tuple(line.split(None, 1)) for line in lines if line and not line.startswith("#")]

    def test_is_written_with_care(self):
        found = {}
        for name, value in self.instructions():
            found.setdefault(name, []).append(value)
        arguments = dict(value.split("=", 1) for value in found["ARG"] if "=" in value)
        for image in found["FROM"]:
            image = re.sub(r"\$\{(\w+)\}", lambda match: arguments[match[1]], image)
            self.assertRegex(image, r":[\w.-]+$", "an image without a tag changes by itself")
            self.assertFalse(image.endswith(":latest"), image)
        known = {"VERSION": VERSION, "PLATFORM": "linux-x64"}
        for copy in found["COPY"]:
            for source in copy.split()[:-1]:
                source = re.sub(r"\$\{(\w+)\}", lambda match: known[match[1]], source)
                self.assertTrue((PACKAGES / "work" / source).exists(), source)
        self.assertNotIn(found["USER"][-1].split(":")[0], ("0", "root"))
        self.assertEqual(found["EXPOSE"], ["8000"])
        self.assertEqual(found["VOLUME"], ["/var/lib/monotable"])
        for name in ("HEALTHCHECK", "ENTRYPOINT", "STOPSIGNAL"):
            self.assertEqual(len(found[name]), 1, name)
        self.assertNotIn("ADD", found)
        order = [name for name, _ in self.instructions()]
        self.assertLess(order.index("RUN"), order.index("USER"), "users are made by root")

    def test_variables_are_settings(self):
        listed = run(str(PACKAGES / "work/shared/monotable"), "serve", "--help")
        options = set(re.findall(r"^  --([a-z0-9-]+)", listed, re.M))
        for name in re.findall(r"MONOTABLE_([A-Z_]+)=", self.containerfile.read_text()):
            self.assertIn(name.lower().replace("_", "-"), options)

    def test_health_check_asks_the_server(self):
        value = next(value for name, value in self.instructions() if name == "HEALTHCHECK")
        command = json.loads(value[value.index("CMD ") + 4:])
        binary = str(PACKAGES / "work/shared/monotable")
        with serving(binary, "serve", "--in-memory", "--port", "0") as (url, _):
            port = url.rsplit(":", 1)[1]
            run(*command, env={"MONOTABLE_PORT": port, "PATH": "/usr/bin:/bin"})
        stopped = subprocess.run(command, env={"MONOTABLE_PORT": port, "PATH": "/usr/bin:/bin"},
                                 capture_output=True, check=False)
        self.assertNotEqual(stopped.returncode, 0)


@unittest.skipUnless(shutil.which("buildah") and os.geteuid() == 0, "buildah is missing")
class BuiltImage(unittest.TestCase):
    """Built on a clean Debian of our own, so that no registry is needed."""

    base = "localhost/monotable-base:bookworm"

    @classmethod
    def setUpClass(cls):
        make_clean_debian()
        store = DEBIAN / "images"
        store.mkdir(exist_ok=True)
        (store / "storage.conf").write_text(
            f'[storage]\ndriver = "vfs"\ngraphroot = "{store}/graph"\nrunroot = "{store}/run"\n')
        cls.env = {**os.environ, "BUILDAH_ISOLATION": "chroot",
                   "CONTAINERS_STORAGE_CONF": str(store / "storage.conf"),
                   "MONOTABLE_BASE": cls.base}
        if cls.base.split(":", maxsplit=1)[0] not in cls.buildah("images"):
            container = cls.buildah("from", "scratch").strip()
            cls.buildah("add", "--quiet", container, str(DEBIAN / "root"), "/")
            cls.buildah("commit", "--quiet", "--rm", container, cls.base)
        run(str(ROOT / "script/package"), "image", env=cls.env)
        cls.addClassCleanup(cls.buildah, "rmi", f"localhost/monotable:{VERSION}")
        cls.container = cls.buildah("from", f"localhost/monotable:{VERSION}").strip()
        cls.addClassCleanup(cls.buildah, "rm", cls.container)

    @classmethod
    def buildah(cls, *words):
        return run("buildah", *words, env=cls.env)

    def test_says_how_it_is_run(self):
        image = json.loads(self.buildah("inspect", "--type", "image",
                                        f"localhost/monotable:{VERSION}"))["Docker"]["config"]
        self.assertEqual(image["User"], "990:990")
        self.assertEqual(image["Entrypoint"] + image["Cmd"], ["monotable", "serve"])
        self.assertEqual(list(image["Volumes"]), ["/var/lib/monotable"])
        self.assertIn("Healthcheck", image)
        self.assertEqual(image["Labels"]["org.opencontainers.image.version"], VERSION)

    def test_needs_an_access_key(self):
        done = subprocess.run(["buildah", "run", self.container, "monotable", "serve"],
                              env=self.env, capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("access keys are needed", done.stderr)

    def test_serves(self):
        key = ["--env", "MONOTABLE_ACCESS_KEY_ID=AKIDEXAMPLE",
               "--env", "MONOTABLE_SECRET_ACCESS_KEY=secret"]
        with subprocess.Popen(["buildah", "run", *key, self.container, "monotable", "serve",
                               "--port", "0"], env=self.env, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as server:
            try:
                match = READY.search(server.stdout.readline())
                self.assertEqual(match[2], "data: /var/lib/monotable/data, durable")
                port = match[1].rsplit(":", 1)[1]
                self.assertIn("healthy", answer_of(f"http://127.0.0.1:{port}"))
            finally:
                server.terminate()


class Npm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Inside this folder, so that the project finds the test runners and the SDK here.
        cls.project = HERE / "build/project"
        shutil.rmtree(cls.project, ignore_errors=True)
        shutil.copytree(HERE / "project", cls.project)
        run("npm", "install", "--offline", "--no-fund", "--no-audit", "--silent",
            str(PACKAGES / f"monotable-{VERSION}.tgz"), cwd=cls.project)

    def run_inside(self, *command):
        env = {name: value for name, value in os.environ.items()
               if not name.startswith(("AWS_", "MONOTABLE_"))}
        env["MODELS_FOLDER"] = str(ROOT / "models")
        return run(*command, cwd=self.project, env=env)

    def test_start_and_npx(self):
        output = self.run_inside("node", "--test", "--test-reporter=spec", "server.test.mjs")
        print(*re.findall(r"start took .*", output), sep="\n")

    def test_vitest(self):
        vitest = str(HERE / "node_modules/.bin/vitest")
        for more in ([], ["--no-isolate", "--no-file-parallelism"], ["--pool=threads"]):
            with self.subTest(more):
                output = self.run_inside(vitest, "run", "--root", "vitest", *more)
                self.assertRegex(output, r"Test Files\s.*3 passed")

    def test_jest(self):
        output = self.run_inside(str(HERE / "node_modules/.bin/jest"), "--config",
                                 "jest/jest.config.cjs")
        self.assertIn("Test Suites: 2 passed, 2 total", output)

    def test_types(self):
        self.run_inside(str(HERE / "node_modules/.bin/tsc"), "--project", "types")

    def test_has_the_version_of_the_project(self):
        package = (self.project / "node_modules/monotable/package.json").read_text()
        self.assertIn(f'"version": "{VERSION}"', package)


class Version(unittest.TestCase):
    def test_is_written_in_one_place(self):
        number = re.compile(rf"(?<![\d.]){re.escape(VERSION)}(?![\d.])")
        for file in (ROOT / "script/package", *PACKAGING.rglob("*")):
            if file.is_file():
                self.assertIsNone(number.search(file.read_text()), file)


if __name__ == "__main__":
    unittest.main()
