"""The delivered tests are run on hidden implementations: right ones must pass, each faulty one must be turned down."""

import json
import random

import pytest

FOLDER = "/workspace/tests"


@pytest.fixture(scope="module")
def suite(output, read_text):
    folder = output(FOLDER)
    assert folder.is_dir(), f"{FOLDER} is missing"
    found = {f"tests/{path.relative_to(folder).as_posix()}": read_text(path) for path in sorted(folder.rglob("*"))
             if path.is_file() and path.suffix != ".pyc"}
    assert found, "there are no tests"
    return found


DRIVER = """
import ctypes, json, os, shutil, signal, sys

ctypes.CDLL(None).prctl(4, 0)  # not dumpable: what the tests start can look neither at us nor at what we read
import pytest


def read(count):
    parts = []
    while count:
        parts.append(os.read(0, count))
        count -= len(parts[-1])
    return b"".join(parts)


codes = []
for number in range(int(sys.argv[1])):
    text = read(int(read(8)))
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for handle in (0, 1, 2):
            os.dup2(null, handle)
        for path, content in json.loads(text).items():
            os.makedirs(os.path.dirname(os.path.join("run", path)), exist_ok=True)
            with open(os.path.join("run", path), "w", encoding="utf-8", newline="") as file:
                file.write(content)
        os.chdir("run")
        sys.path.insert(0, os.getcwd())
        code = pytest.main(["-q", "-x", "--assert=plain", "--tb=no", "-p", "no:cacheprovider", "--rootdir=.", "tests"])
        os._exit(int(code))
    del text
    codes.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    try:
        os.kill(-1, signal.SIGKILL)  # whatever the tests left running
    except ProcessLookupError:
        pass
    shutil.rmtree("run", ignore_errors=True)
print(json.dumps(codes))
"""


@pytest.fixture(scope="module")
def codes(suite, run, hidden, read_json):
    """Exit code of the delivered tests on every implementation; each sees its own implementation and no other."""
    given = read_json(hidden("implementations.json"))
    names = list(given["good"]) + list(given["faulty"])
    secret = json.dumps([given, suite], sort_keys=True)  # the tests can't go by the number of times that they were run
    random.Random(secret).shuffle(names)
    texts = [json.dumps({**{**given["good"], **given["faulty"]}[name], **suite}).encode() for name in names]
    fed = b"".join(b"%08d%s" % (len(text), text) for text in texts)
    result = run(["python3", "-B", "-c", DRIVER, str(len(names))], stdin=fed, env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}, timeout=25)
    assert not result.timed_out, "the tests take too long"
    return dict(zip(names, json.loads(result.out), strict=True))


def check_all_turned_down(group, truth, codes):
    names = [name for name, its in truth["groups"].items() if its == group]
    assert names
    assert not [name for name in names if codes[name] not in (1, 2)]


@pytest.mark.check(weight=2, group="time")
def test_wrong_fees_are_turned_down(truth, codes):
    check_all_turned_down("time", truth, codes)


@pytest.mark.check(group="money")
def test_wrong_parts_are_turned_down(truth, codes):
    check_all_turned_down("money", truth, codes)


@pytest.mark.check(weight=2, group="calls")
def test_wrong_bills_are_turned_down(truth, codes):
    check_all_turned_down("calls", truth, codes)


@pytest.mark.check(group="days")
def test_wrong_periods_are_turned_down(truth, codes):
    check_all_turned_down("days", truth, codes)


@pytest.mark.guard
@pytest.mark.parametrize("name", ["modules", "rewrite"])
def test_right_implementations_pass(codes, name):
    assert codes[name] == 0


@pytest.mark.guard
def test_package_is_unchanged(output, digest, truth):
    assert {path: digest(output(path)) for path in truth["package"]} == truth["package"]
