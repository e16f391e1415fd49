"""The delivered tests are run on hidden implementations: right ones must pass, each faulty one must be turned down."""

import pytest

FOLDER = "/workspace/tests"


@pytest.fixture(scope="module")
def suite(output, read_bytes):
    folder = output(FOLDER)
    assert folder.is_dir(), f"{FOLDER} is missing"
    found = {f"tests/{path.relative_to(folder).as_posix()}": read_bytes(path) for path in sorted(folder.rglob("*"))
             if path.is_file() and path.suffix != ".pyc"}
    assert found, "there are no tests"
    return found


@pytest.fixture(scope="module")
def implementations(hidden, read_json):
    return read_json(hidden("implementations.json"))


@pytest.fixture(scope="module")
def verdict(suite, run):
    """A function: the exit code of the delivered tests on an implementation."""

    def judge(files):
        command = ["python3", "-B", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "tests"]
        result = run(command, files={**files, **suite}, env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}, timeout=10)
        assert not result.timed_out
        return result.code, result.out[-400:]

    return judge


def check_all_turned_down(group, truth, implementations, verdict):
    names = [name for name, its in truth["groups"].items() if its == group]
    assert names
    for name in names:
        code, out = verdict(implementations["faulty"][name])
        assert code in (1, 2), f"not turned down: {name}: {out}"


@pytest.mark.check(weight=2, group="time")
def test_wrong_fees_are_turned_down(truth, implementations, verdict):
    check_all_turned_down("time", truth, implementations, verdict)


@pytest.mark.check(group="money")
def test_wrong_parts_are_turned_down(truth, implementations, verdict):
    check_all_turned_down("money", truth, implementations, verdict)


@pytest.mark.check(weight=2, group="calls")
def test_wrong_bills_are_turned_down(truth, implementations, verdict):
    check_all_turned_down("calls", truth, implementations, verdict)


@pytest.mark.check(group="days")
def test_wrong_periods_are_turned_down(truth, implementations, verdict):
    check_all_turned_down("days", truth, implementations, verdict)


@pytest.mark.guard
@pytest.mark.parametrize("name", ["modules", "rewrite"])
def test_right_implementations_pass(implementations, verdict, name):
    code, out = verdict(implementations["good"][name])
    assert code == 0, out


@pytest.mark.guard
def test_package_is_unchanged(output, digest, truth):
    assert {path: digest(output(path)) for path in truth["package"]} == truth["package"]
