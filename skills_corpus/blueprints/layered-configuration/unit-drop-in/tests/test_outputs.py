"""Reads the delivered files as systemd merges them, and judges what they add up to."""

import shlex

import pytest

UNIT = "/usr/lib/systemd/system/ledger-sync.service"
FOLDERS = [f"/{top}/systemd/system/ledger-sync.service.d" for top in ("etc", "usr/local/lib", "usr/lib")]  # highest first
ENV_FILE = "/etc/default/ledger-sync"
LISTS = ("Service.ExecStartPre", "Service.ExecStart", "Service.Environment", "Service.EnvironmentFile")


def assignments(text):
    section, logical = "", ""
    for line in text.splitlines():
        line = line.strip()
        if line.startswith(("#", ";")):
            continue
        if line.endswith("\\"):
            logical += line[:-1] + " "
            continue
        line, logical = (logical + line).strip(), ""
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1]
        elif section and "=" in line:
            key, value = line.split("=", 1)
            yield f"{section}.{key.strip()}", value.strip()


@pytest.fixture
def layers(output, read_text):
    """The texts of the unit and its drop-ins in the order in which systemd reads them."""
    chosen = {}
    for folder in FOLDERS:
        for path in output(folder).iterdir() if output(folder).is_dir() else []:
            if path.name.endswith(".conf") and path.is_file():
                chosen.setdefault(path.name, path)
    return [read_text(output(UNIT))] + [read_text(chosen[name]) for name in sorted(chosen)]


@pytest.fixture
def effective(layers):
    merged = {}
    for text in layers:
        for key, value in assignments(text):
            if key not in LISTS:
                merged[key] = value
            elif value:
                merged.setdefault(key, []).append(value)
            else:
                merged[key] = []
    return merged


@pytest.fixture
def environment(effective, output, read_text):
    env = {}
    for line in effective.get("Service.Environment", []):
        env.update(item.split("=", 1) for item in shlex.split(line))
    for name in effective.get("Service.EnvironmentFile", []):
        path = name.removeprefix("-")
        delivered = path == ENV_FILE or path.startswith(FOLDERS[0] + "/")
        if not (delivered and output(path).is_file()):
            assert name.startswith("-"), f"{path} is required and not there"
            continue
        for line in read_text(output(path)).splitlines():
            key, sep, value = line.strip().partition("=")
            if sep and not key.startswith(("#", ";")):
                env[key.strip()] = shlex.split(value)[0] if value[:1] in ("'", '"') else value.strip()
    return env


def size_bytes(text):
    units = {"K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}
    text = str(text).strip()
    return float(text[:-1]) * units[text[-1]] if text[-1:] in units else float(text)


def command(line):
    """Positional words, and flags with their values, of a command line; `--flag=x` is `--flag x`."""
    words = [part for word in shlex.split(line) for part in (word.split("=", 1) if word.startswith("--") else [word])]
    plain, flags = [], {}
    while words:
        word = words.pop(0)
        if word.startswith("--"):
            assert word not in flags, f"{word} is given twice"
            flags[word] = words.pop(0)
        else:
            plain.append(word)
    return plain, flags


@pytest.mark.check(weight=2, group="command")
def test_one_command_with_the_approved_workers_and_all_other_arguments(effective, truth):
    assert len(effective["Service.ExecStart"]) == 1
    assert command(effective["Service.ExecStart"][0]) == (truth["command"], truth["flags"])


@pytest.mark.check(group="command")
def test_steps_before_the_start_without_the_dropped_one(effective, truth):
    assert [shlex.split(line) for line in effective["Service.ExecStartPre"]] == truth["pre"]


@pytest.mark.check(weight=2, group="limits")
def test_memory_limit_is_in_force(effective, truth, near):
    assert near(size_bytes(effective["Service.MemoryMax"]), truth["memory_bytes"], 0.5)


@pytest.mark.check(weight=2, group="environment")
def test_batch_size_is_in_force(environment, truth):
    assert environment["LEDGER_BATCH"] == truth["batch"]


@pytest.mark.check(group="before")
@pytest.mark.parametrize("setting", ["MemoryMax", "TasksMax", "LEDGER_BATCH"])
def test_state_before_and_its_file(workspace, read_json, truth, setting):
    entry = read_json(workspace / "before.json")[setting]
    assert [str(entry["value"]), entry["file"]] == truth["before"][setting]


@pytest.mark.guard
def test_everything_else_stays_in_force(effective, environment, truth):
    changed = ("Service.MemoryMax", *LISTS)
    assert {key: value for key, value in effective.items() if key not in changed} == truth["rest"]
    assert {key: value for key, value in environment.items() if key != "LEDGER_BATCH"} == truth["env"]


@pytest.mark.guard
def test_files_of_others_are_untouched(output, digest, truth):
    assert {path: digest(output(path)) for path in truth["owned"]} == truth["owned"]
    for folder in FOLDERS[1:]:
        assert {f"{folder}/{path.name}" for path in output(folder).iterdir()} <= set(truth["owned"])


@pytest.mark.guard
def test_no_dead_edit_and_no_lost_note_in_the_environment_file(output, digest, read_text, truth):
    if not truth["env_loaded"]:
        assert digest(output(ENV_FILE)) == truth["env_file"]
    else:
        notes = [line for line in read_text(output(ENV_FILE)).splitlines() if line.startswith("#")]
        assert "# ledger-sync, local settings of this host" in notes
        assert "# trace: 1 writes every statement to the journal, agreed with audit" in notes
