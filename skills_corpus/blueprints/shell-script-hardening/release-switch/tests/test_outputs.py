"""The script deploys hidden archives into hidden roots; what lies there afterwards is compared with the runbook."""

import shlex
from dataclasses import dataclass

import pytest

SCRIPT = "/workspace/bin/deploy.sh"
START = """
cd "$top/%(place)s"
export PROBE=$PWD TMPDIR=$PWD
set -- %(args)s
%(setup)s
"""
RUN = """
timeout -k 1 5 bash "$script" "$@" 7>&- > out.txt
code=$?
"""
RUN_AND_END = """
bash "$script" "$@" 7>&- > out.txt &
pid=$!
n=0
while [ ! -e started ] && [ $n -lt 100 ] && kill -0 $pid; do n=$((n + 1)); sleep 0.02; done
kill -TERM $pid
: > go
wait $pid
code=$?
"""
LOOK = """
exec 7>&-
echo $code > code.txt
find . -type l -printf '%P\\0%l\\0' > links.list
find . -type d -printf '%P\\0%m\\0' > dirs.list
"""
OURS = {"out.txt", "code.txt", "links.list", "dirs.list", "seen", "release", "started", "go"}


@dataclass
class Done:
    """What one case left in its folder."""

    files: dict
    code: int


@pytest.fixture(scope="module")
def runs(truth, output, run, hidden):
    """All cases are run in one go, each in a folder of its own: (case, what it left)."""
    assert output(SCRIPT).is_file(), f"{SCRIPT} is missing"
    text, files = "script=$0\ntop=$PWD\n", {}
    for number, case in enumerate(truth["cases"]):
        place = f"case-{number:02d}"
        args = " ".join(shlex.quote(arg) for arg in case["args"])
        text += START % {"place": place, "setup": case["setup"], "args": args} + (RUN_AND_END if case["signal"] else RUN) + LOOK
        for path, content in {**case["files"], case["archive"]: hidden(case["blob"])}.items():
            files[f"{place}/{path}"] = content
    result = run(["bash", "-c", text + 'chmod -R a+rX "$top"\n', output(SCRIPT)], files=files, timeout=25)
    done = []
    for number, case in enumerate(truth["cases"]):
        place = f"case-{number:02d}/"
        left = {path.removeprefix(place): data for path, data in result.files.items() if path.startswith(place)}
        done.append((case, Done(left, int(left.get("code.txt", b"-1")))))
    return done


def pairs(result, name):
    parts = result.files[name].decode("utf-8", "replace").split("\0")[:-1]
    return dict(zip(parts[::2], parts[1::2]))


def check_root(case, result, truth):
    """Files, links and folders of the scratch folder are as they should be, and the exit code is."""
    name = case["name"]
    assert result.code == case["code"], name
    found = {path: data.decode("utf-8", "replace") for path, data in result.files.items()
             if path not in OURS and path != case["archive"] and path != "web root/.lock"}
    assert found == case["after"], name
    assert pairs(result, "links.list") == case["links"], name
    parents = {"", "in box", "web root", f"web root/{truth['release_dir']}"}
    for path in case["after"]:
        while "/" in path:
            path = path.rsplit("/", 1)[0]
            parents.add(path)
    assert not set(pairs(result, "dirs.list")) - parents, name


def of(runs, *kinds):
    picked = [(case, result) for case, result in runs if case["kind"] in kinds]
    assert picked
    return picked


@pytest.mark.check(weight=2, group="switch")
def test_a_good_release_goes_live(runs, truth):
    for case, result in of(runs, "switch"):
        check_root(case, result, truth)
        assert pairs(result, "dirs.list")[f"web root/{truth['release_dir']}/{case['id']}"] == "755", case["name"]


@pytest.mark.check(group="switch")
def test_it_is_checked_before_it_is_live_and_announced_after(runs, truth):
    for case, result in of(runs, "switch"):
        assert result.files["seen"].decode() == case["seen"], case["name"]
        assert result.files["release"].decode() == case["id"], case["name"]
        assert result.files["out.txt"].decode().splitlines()[-1:] == [f"deployed {case['id']}"], case["name"]
        assert pairs(result, "links.list") == case["links"], case["name"]


@pytest.mark.check(weight=2, group="failures")
def test_a_release_that_fails_its_check_leaves_no_trace(runs, truth):
    for case, result in of(runs, "check"):
        check_root(case, result, truth)


@pytest.mark.check(weight=2, group="failures")
def test_a_damaged_archive_leaves_no_trace(runs, truth):
    for case, result in of(runs, "damage"):
        check_root(case, result, truth)


@pytest.mark.check(group="failures")
def test_what_can_not_be_deployed_touches_nothing(runs, truth):
    for case, result in of(runs, "refusal"):
        check_root(case, result, truth)


@pytest.mark.check(weight=2, group="retention")
def test_the_history_decides_what_is_removed(runs, truth):
    for case, result in of(runs, "retention"):
        check_root(case, result, truth)


@pytest.mark.check(group="lock")
def test_one_run_at_a_time(runs, truth):
    for case, result in of(runs, "lock"):
        check_root(case, result, truth)


@pytest.mark.guard
def test_runbook_is_unchanged(output, digest, truth):
    assert digest(output("/workspace/RUNBOOK.md")) == truth["runbook"]
