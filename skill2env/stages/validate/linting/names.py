"""Names of the standard library and of others that tests must not use, by import, by alias or by attribute."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from skill2env.stages.validate.linting.found import Fault, Source

_CODE = "the tests must never load or execute delivered code; run it with the fixture run, serve or repo"
_PICKLE = (
    "unpickling executes delivered code; have data delivered as JSON, CSV or text, and use the strict readers"
)
_PROCESS = "the tests must start no process of their own, not even git; use the fixture run, serve or repo"
_CLOCK = "the verdict must not depend on the clock; plant the time in the truth"
_CHANCE = "the verdict must not depend on chance; use random.Random(seed) with a seed that the tests have"
_NETWORK = "the tests must not open connections; use the fixture serve and what it gives"
_SKIP = "a test that is skipped or expected to fail earns nothing and tells nobody; assert what must hold"
_REACH = "it reaches around names, so that nobody can tell what the tests do; name what is meant"
_YAML = "it makes objects of delivered YAML; use the fixture read_yaml"

_REFUSED = {
    _CODE: "exec eval compile __import__ importlib imp runpy zipimport code codeop pkgutil.find_loader pkgutil.get_loader "
    "pkgutil.resolve_name sys.path sys.modules sys.meta_path sys.path_hooks sys.path_importer_cache site.addsitedir "
    "execfile breakpoint types.FunctionType types.CodeType pytest.main doctest",
    _PICKLE: "pickle _pickle cPickle marshal shelve dill cloudpickle joblib jsonpickle pandas.read_pickle torch.load "
    "copyreg numpy.lib.format.read_array",
    _PROCESS: "subprocess _posixsubprocess posix multiprocessing pty pexpect sh ctypes _ctypes cffi git pygit2 dulwich "
    "os.system os.popen os.fork os.forkpty os.kill os.killpg os.startfile os.posix_spawn os.posix_spawnp os.execl os.execle "
    "os.execlp os.execlpe os.execv os.execve os.execvp os.execvpe os.spawnl os.spawnle os.spawnlp os.spawnlpe os.spawnv "
    "os.spawnve os.spawnvp os.spawnvpe concurrent.futures.ProcessPoolExecutor concurrent.futures.process "
    "asyncio.create_subprocess_exec asyncio.create_subprocess_shell asyncio.subprocess",
    _CLOCK: "time datetime.datetime.now datetime.datetime.utcnow datetime.datetime.today datetime.date.today os.times "
    "asyncio.sleep threading.Timer sched timeit os.utime email.utils.localtime uuid.uuid1",
    _CHANCE: "secrets os.urandom os.getrandom uuid.uuid4 numpy.random",
    _NETWORK: "socket socketserver ssl select http.client http.server urllib.request urllib.robotparser urllib3 requests "
    "httpx aiohttp ftplib smtplib poplib imaplib nntplib telnetlib xmlrpc webbrowser websockets paramiko "
    "asyncio.open_connection asyncio.start_server",
    _SKIP: "pytest.skip pytest.xfail pytest.importorskip pytest.exit pytest.mark.skip pytest.mark.skipif pytest.mark.xfail "
    "unittest.skip unittest.skipIf unittest.skipUnless unittest.SkipTest unittest.expectedFailure",
    _REACH: "globals __builtins__ builtins gc inspect sys._getframe",
    _YAML: "yaml.unsafe_load yaml.unsafe_load_all yaml.full_load yaml.full_load_all yaml.UnsafeLoader yaml.FullLoader "
    "yaml.Loader yaml.CLoader",
}
_WHY = {name: why for why, names in _REFUSED.items() for name in names.split()}
_ATTRIBUTES = (
    "__globals__",
    "__subclasses__",
    "__builtins__",
    "__code__",
    "__dict__",
    "__loader__",
    "__spec__",
)
_SAFE_LOADERS = ("yaml.SafeLoader", "yaml.CSafeLoader", "yaml.BaseLoader")


def faults(source: Source) -> Iterator[Fault]:
    """Yield what is imported, named or called although it must not be."""
    reported: set[str] = set()
    for node in ast.walk(source.code.tree):
        match node:
            case ast.Import(names=names):
                yield from _imported(node.lineno, [alias.name for alias in names], reported)
            case ast.ImportFrom(module=module, names=names):
                yield from _imported(
                    node.lineno, [f"{module or ''}.{alias.name}" for alias in names], reported
                )
    for node in ast.walk(source.code.tree):
        if isinstance(node, (ast.Name, ast.Attribute, ast.Call)):
            yield from _named(source, node, reported)
        if isinstance(node, ast.Call):
            yield from _called(source, node)


def _imported(line: int, names: list[str], reported: set[str]) -> Iterator[Fault]:
    for name in names:
        if name.endswith(".*"):
            yield Fault(line, f"{name[:-2]} is imported as a whole; import what is used by its name")
        if why := _why(name):
            reported.add(name)
            yield Fault(line, f"{name} is imported: {why}")


def _named(source: Source, node: ast.Name | ast.Attribute | ast.Call, reported: set[str]) -> Iterator[Fault]:
    if isinstance(node, ast.Attribute) and node.attr in _ATTRIBUTES:
        yield Fault(node.lineno, f".{node.attr} is used: {_REACH}")
        return
    name = source.origins.name(node)
    if not name or any(name == known or name.startswith(f"{known}.") for known in reported):
        return
    if isinstance(node, ast.Name) and not _direct(source, node):
        return
    if (why := _why(name)) and not (
        isinstance(node, ast.Attribute) and _why(source.origins.name(node.value))
    ):
        yield Fault(node.lineno, f"{name} is used: {why}")


def _direct(source: Source, node: ast.Name) -> bool:
    """Return whether a name is read, and is a built-in or imported: what it is assigned is told where it is assigned."""
    scope = source.code.scopes[node].holding(node.id)
    return isinstance(node.ctx, ast.Load) and (scope is None or node.id in scope.imports)


def _why(name: str) -> str:
    """Return why a dotted name, or what it belongs to, is refused; empty where it is not."""
    parts = name.split(".")
    return next((_WHY[known] for n in range(len(parts), 0, -1) if (known := ".".join(parts[:n])) in _WHY), "")


def _called(source: Source, node: ast.Call) -> Iterator[Fault]:
    """Yield calls whose arguments decide."""
    name = source.origins.name(node.func)
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    if name == "random.Random":
        if not node.args and not given:
            yield Fault(node.lineno, f"random.Random has no seed: {_CHANCE}")
    elif name.startswith("random.") and name != "random.Random.seed":
        yield Fault(node.lineno, f"{name} is called: {_CHANCE}")
    elif name in ("yaml.load", "yaml.load_all"):
        loader = given.get("Loader", node.args[1] if len(node.args) > 1 else None)
        if loader is None or source.origins.name(loader) not in _SAFE_LOADERS:
            yield Fault(node.lineno, f"{name} is called without yaml.SafeLoader: {_YAML}")
    elif name in ("getattr", "setattr", "delattr") and len(node.args) > 1:
        if source.origins.name(node.args[0]) and not isinstance(node.args[1], ast.Constant):
            yield Fault(node.lineno, f"{name} is called with a name that is computed: {_REACH}")
    elif name == "vars" and (not node.args or source.origins.name(node.args[0])):
        yield Fault(node.lineno, f"vars is called: {_REACH}")
    elif "allow_pickle" in given and _true(given["allow_pickle"]):
        yield Fault(node.lineno, f"allow_pickle is on: {_PICKLE}")


def _true(node: ast.expr) -> bool:
    return not (isinstance(node, ast.Constant) and not node.value)
