"""Reading past the fixtures: delivered files opened or parsed directly, absolute paths, files read while loading."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from skill2env.stages.validate.linting.found import Fault, Source
from skill2env.stages.validate.testcode.kinds import (
    CONTENT,
    DELIVERED,
    HIDDEN,
    OWN,
    TOLD,
    TRUTH,
    UNKNOWN,
    WHOLE,
)
from skill2env.stages.validate.testcode.words import words

_ARCHIVE = "read_archive"
_BOUNDED = "zlib.decompressobj(31).decompress(data, limit)"
_OPENERS = {
    **dict.fromkeys(
        ("open", "io.open", "codecs.open", "os.open", "os.read", "io.FileIO"), "read_text or read_bytes"
    ),
    **dict.fromkeys(("linecache.getline", "linecache.getlines", "fileinput.input"), "read_text"),
    **dict.fromkeys(
        ("hashlib.file_digest", "mmap.mmap", "numpy.load", "numpy.fromfile"), "digest or read_bytes"
    ),
    **dict.fromkeys(
        words(
            "shutil.copy shutil.copy2 shutil.copyfile shutil.copyfileobj shutil.copytree shutil.move os.link os.symlink "
            "os.rename os.replace"
        ),
        "read_bytes",
    ),
    **dict.fromkeys(("json.load",), "read_json"),
    **dict.fromkeys(("sqlite3.connect", "sqlite3.dbapi2.connect"), "query"),
    **dict.fromkeys(("yaml.safe_load", "yaml.safe_load_all", "yaml.load", "yaml.load_all"), "read_yaml"),
    **dict.fromkeys(("tomllib.load",), "read_toml"),
    **dict.fromkeys(
        ("pandas.read_csv", "pandas.read_json", "pandas.read_parquet", "numpy.loadtxt", "numpy.genfromtxt"),
        "read_csv",
    ),
    **dict.fromkeys(
        words(
            "tarfile.open tarfile.TarFile tarfile.TarFile.open zipfile.ZipFile zipfile.PyZipFile shutil.unpack_archive "
            "gzip.open gzip.GzipFile bz2.open bz2.BZ2File lzma.open lzma.LZMAFile"
        ),
        _ARCHIVE,
    ),
    **dict.fromkeys(words("gzip.decompress bz2.decompress lzma.decompress zlib.decompress"), _BOUNDED),
    **dict.fromkeys(
        [
            f"{module}.{name}"
            for module in (
                "xml.etree.ElementTree",
                "xml.etree.cElementTree",
                "lxml.etree",
                "xml.dom.minidom",
                "xml.sax",
            )
            for name in ("parse", "iterparse", "fromstring", "fromstringlist", "XML", "parseString")
        ],
        "read_xml",
    ),
}
"""Functions that read, and the fixture to use in their place."""
_METHODS = {
    "read_text": "read_text",
    "read_bytes": "read_bytes",
    "open": "read_text or read_bytes",
    "write_text": "run(files=...)",
    "write_bytes": "run(files=...)",
}
_FIXTURE_PATHS = words(
    "read_bytes read_text read_json read_jsonl read_csv read_yaml read_toml read_ini read_xml read_archive query digest repo"
)
_LOOKS = words(
    "glob rglob iterdir exists is_file is_dir is_symlink stat lstat read_text read_bytes open readlink walk"
)
_OS = ("os", "os.path", "shutil", "glob", "pathlib.Path", "pathlib.PosixPath", "pathlib")
_QUIET = words(
    "os.path.join os.path.basename os.path.dirname os.path.splitext os.path.relpath os.path.normpath os.fspath"
)
_TEXTUAL = ("json.loads",)


def faults(source: Source) -> Iterator[Fault]:
    """Yield what reads past the fixtures."""
    for call in source.calls():
        yield from _read(source, call)
        yield from _placed(source, call)
        yield from _git(source, call)
    for node in ast.walk(source.code.tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            yield from _joined(source, node)
    for loaded in source.loads():
        if isinstance(loaded, ast.Call) and _touches(source, loaded, set()):
            message = "files are read while the module is loaded; read them in a fixture or a test"
            yield Fault(loaded.lineno, message)


def _read(source: Source, node: ast.Call) -> Iterator[Fault]:
    """Yield a call that opens or parses what is not the blueprint's own."""
    name = source.origins.name(node.func)
    arguments = [
        *node.args[:1],
        *(k.value for k in node.keywords if k.arg in ("file", "name", "fileobj", "path")),
    ]
    kinds = frozenset[str]().union(*(source.flow.kinds(argument) for argument in arguments))
    if name in _OPENERS and not _own(kinds):
        where = "" if kinds - {UNKNOWN} else ", and hidden(...) for files of the blueprint"
        instead = _OPENERS[name] if _OPENERS[name] is _BOUNDED else f"the fixture {_OPENERS[name]}"
        yield Fault(node.lineno, f"{name} reads past the fixtures; use {instead}{where}")
    elif name in _TEXTUAL and WHOLE in kinds:
        message = "json.loads takes NaN and keys that stand twice from a delivered file; use the fixture read_json or read_jsonl"
        yield Fault(node.lineno, message)
    elif isinstance(node.func, ast.Attribute) and not name:
        yield from _method(source, node, node.func)


def _method(source: Source, node: ast.Call, called: ast.Attribute) -> Iterator[Fault]:
    if called.attr in ("extractall", "extract", "unpack_archive"):
        yield Fault(node.lineno, f".{called.attr} unpacks an archive to disk; use the fixture {_ARCHIVE}")
    if called.attr in _METHODS and not source.origins.functions(called):
        kinds = source.flow.kinds(called.value)
        if not _own(kinds) and not (kinds and kinds <= {TOLD, CONTENT, WHOLE}):
            instead = _METHODS[called.attr]
            yield Fault(
                node.lineno, f".{called.attr}() reads or writes past the fixtures; use the fixture {instead}"
            )


def _own(kinds: frozenset[str]) -> bool:
    """Return whether something comes from the blueprint's own files alone."""
    return bool(kinds & {HIDDEN, OWN}) and kinds <= {HIDDEN, OWN, TRUTH}


def _placed(source: Source, node: ast.Call) -> Iterator[Fault]:
    """Yield a call that takes an absolute path for a place in the file system."""
    name = source.origins.name(node.func)
    fixture = source.origins.fixture(node.func)
    module = name.rpartition(".")[0]
    opens = (
        name in _OPENERS
        or (module in _OS and name not in _QUIET)
        or name in ("pathlib.Path", "pathlib.PurePath")
    )
    if not opens and fixture not in _FIXTURE_PATHS:
        return
    for leaf in source.flow.leaves(node.args[0]) if node.args else ():
        direct = not source.flow.kinds(node.args[0]) & {DELIVERED, HIDDEN}
        if leaf.value.startswith("/") and direct and not leaf.number:
            message = f"the absolute path {leaf.value!r} is used as a file; use workspace / ..., output({leaf.value!r}) or hidden"
            yield Fault(node.lineno, message)


def _joined(source: Source, node: ast.BinOp) -> Iterator[Fault]:
    """Yield a path that leaves the folder which a fixture gave."""
    if not source.flow.kinds(node.left) & {DELIVERED, HIDDEN}:
        return
    for leaf in source.flow.leaves(node.right):
        climbs = ".." in leaf.value.split("/")
        if not leaf.fragment and (climbs or leaf.value.startswith("/")):
            message = f"{leaf.value!r} leaves the folder that the fixture gave; name declared outputs with output(...)"
            yield Fault(node.lineno, message)


def _git(source: Source, node: ast.Call) -> Iterator[Fault]:
    """Yield a run of git over something delivered."""
    if source.origins.fixture(node.func) != "run" or not node.args:
        return
    argv = node.args[0].elts if isinstance(node.args[0], (ast.List, ast.Tuple)) else [node.args[0]]
    first = {leaf.value for leaf in source.flow.leaves(argv[0])} if argv else set()
    given = [*argv, *(keyword.value for keyword in node.keywords if keyword.arg == "cwd")]
    if "git" in first and any(DELIVERED in source.flow.kinds(item) for item in given):
        yield Fault(
            node.lineno,
            "git is run in a delivered folder, whose configuration may run anything; use the fixture repo",
        )


def _touches(source: Source, node: ast.Call, seen: set[ast.AST]) -> bool:
    """Return whether a call looks at files, itself or through helpers of the module."""
    name = source.origins.name(node.func)
    if name in _OPENERS or (name.rpartition(".")[0] in _OS[:-1] and name not in _QUIET):
        return True
    functions = source.origins.functions(node.func)
    if isinstance(node.func, ast.Attribute) and not name and not functions and node.func.attr in _LOOKS:
        return True
    for function in functions:
        if function not in seen:
            seen.add(function)
            calls = [inner for inner in ast.walk(function) if isinstance(inner, ast.Call)]
            if any(_touches(source, inner, seen) for inner in calls):
                return True
    return False
