"""The files say the same in the new schema, and what the schema does not concern stands as it stood."""

import json

import pytest


@pytest.fixture
def config(output):
    return output("/etc/tidegate")


def plain(value):
    """Comparable text of parsed YAML: `true` is not 1, text is not a number, 30.0 is 30."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def same(actual, expected):
    return json.dumps(plain(actual), sort_keys=True) == json.dumps(plain(expected), sort_keys=True)


def section(data, keys):
    return {key: value for key, value in data.items() if key in (*keys, "schema")}


def without_keepalive(data):
    """Where `keepalive` stands is judged by its effect."""
    data = {key: value for key, value in data.items() if key != "keepalive"}
    if "profiles" in data:
        data["profiles"] = {name: without_keepalive(profile) for name, profile in data["profiles"].items()}
    return data


@pytest.mark.check(group="main")
def test_listener(config, read_yaml, truth):
    assert same(section(read_yaml(config / "tidegate.yaml"), ["listen"]), section(truth["main"]["data"], ["listen"]))


@pytest.mark.check(group="main")
def test_times_log_and_cache(config, read_yaml, truth):
    keys = ["timeouts", "log", "cache"]
    assert same(section(read_yaml(config / "tidegate.yaml"), keys), section(truth["main"]["data"], keys))


@pytest.mark.check(group="main")
def test_verification_and_headers(config, read_yaml, truth):
    keys = ["tls", "headers"]
    assert same(section(read_yaml(config / "tidegate.yaml"), keys), section(truth["main"]["data"], keys))


@pytest.mark.check(group="main")
def test_main_file_as_a_whole(config, read_yaml, truth):
    assert same(without_keepalive(read_yaml(config / "tidegate.yaml")), without_keepalive(truth["main"]["data"]))


@pytest.mark.check(weight=2, group="sites")
def test_site_files_as_a_whole(config, read_yaml, truth):
    for path, site in truth["sites"].items():
        assert same(without_keepalive(read_yaml(config / path)), site["data"]), path


@pytest.mark.check(weight=2, group="sites")
def test_each_site_keeps_its_connections_as_before(config, read_yaml, truth):
    main = read_yaml(config / "tidegate.yaml")
    for path, expected in truth["keepalive"].items():
        site = read_yaml(config / path)
        assert site["schema"] == truth["main"]["data"]["schema"]
        profile = main["profiles"][site["profile"]] if "profile" in site else {}
        assert site.get("keepalive", profile.get("keepalive", False)) is expected, path


def files(truth):
    return {"tidegate.yaml": truth["main"], **truth["sites"]}


@pytest.mark.guard
def test_lines_without_concern_stay_in_their_order(config, read_text, truth):
    for path, file in files(truth).items():
        lines = iter(read_text(config / path).splitlines())
        missing = [kept for kept in file["kept"] if kept not in lines]  # consumes the iterator: a subsequence
        assert not missing, f"{path}: {missing[0]!r}"


@pytest.mark.guard
def test_every_comment_survives_once(config, read_text, truth):
    for path, file in files(truth).items():
        text = read_text(config / path)
        for comment in file["comments"] + [line[line.index("#"):] for line in file["kept"] if "#" in line]:
            assert text.count(comment) == 1, f"{path}: {comment}"


@pytest.mark.guard
def test_files_that_need_nothing_are_untouched(config, digest, truth):
    assert {path: digest(config / path) for path in truth["untouched"]} == truth["untouched"]


@pytest.mark.guard
def test_no_other_site_files(config, truth):
    assert {f"sites.d/{path.name}" for path in (config / "sites.d").iterdir() if path.suffix == ".yaml"} == set(truth["keepalive"])
