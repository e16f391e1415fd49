"""What the gate tests_lint refuses, with its line, and what it lets pass."""

from __future__ import annotations

import pytest

from skill2env.stages.validate.gates import stated
from skill2env.stages.validate.gates.tests_lint import judged
from skill2env.stages.validate.linting import lint
from skill2env.stages.validate.literals import Known

TEST = "\nimport pytest\n\ndef test_it(truth, report):\n    assert report == truth\n"

REFUSED = [
    # Delivered code that is loaded or executed.
    ("import importlib\n", 1, "importlib is imported"),
    ("from importlib import import_module\n", 1, "importlib.import_module"),
    ("import importlib.util as u\nspec = u.spec_from_file_location('x', 'y')\n", 1, "importlib.util"),
    ("from importlib.machinery import SourceFileLoader\n", 1, "SourceFileLoader"),
    ("import runpy\n", 1, "runpy is imported"),
    ("import sys\nsys.path.insert(0, '/workspace')\n", 2, "sys.path is used"),
    ("from sys import path as where\n", 1, "sys.path"),
    ("def helper(text):\n    exec(text)\n", 2, "exec is used"),
    ("def helper(text):\n    return eval(text)\n", 2, "eval is used"),
    ("def helper(text):\n    do = eval\n    return do(text)\n", 2, "eval is used"),
    ("code = compile('1', 'x', 'eval')\n", 1, "compile is used"),
    ("def helper(text):\n    return list(map(eval, text))\n", 2, "eval is used"),
    ("def helper():\n    return __import__('tool')\n", 2, "__import__ is used"),
    ("def helper(name):\n    return globals()[name]\n", 2, "globals is used"),
    ("import re\ndef helper():\n    return re.__dict__['compile']\n", 3, ".__dict__ is used"),
    (
        "import os\ndef helper(name):\n    return getattr(os, name)\n",
        3,
        "getattr is called with a name that is computed",
    ),
    ("import os\ndef helper():\n    return vars(os)['system']\n", 3, "vars is called"),
    ("def helper():\n    return __builtins__['eval']\n", 2, "__builtins__ is used"),
    (
        "import shutil\ndef test_b(output, tmp_path):\n    assert shutil.copytree(output('/srv/x'), tmp_path / 'x')\n",
        3,
        "shutil.copytree reads past",
    ),
    (
        "import os\ndef test_b():\n    assert os.stat(os.path.join('/workspace', 'x'))\n",
        3,
        "the absolute path '/workspace'",
    ),
    (
        "def test_b(report, truth):\n    worst = max(abs(report[k] - truth[k]) for k in truth)\n    assert not worst > 1\n",
        3,
        "NaN",
    ),
    ("from os import *\n", 1, "os is imported as a whole"),
    # Unpickling.
    ("import pickle\n", 1, "unpickling"),
    ("import marshal as m\n", 1, "unpickling"),
    ("import shelve, json\n", 1, "shelve is imported"),
    ("from dill import loads\n", 1, "dill.loads"),
    ("import joblib\n", 1, "joblib"),
    (
        "import numpy as np\ndef helper(path):\n    return np.load(path, allow_pickle=True)\n",
        3,
        "allow_pickle",
    ),
    (
        "import yaml\ndef helper(text):\n    return yaml.load(text, yaml.Loader)\n",
        3,
        "yaml.load is called without",
    ),
    ("import yaml\ndef helper(text):\n    return yaml.unsafe_load(text)\n", 3, "yaml.unsafe_load"),
    ("from yaml import unsafe_load\n", 1, "yaml.unsafe_load"),
    # Processes.
    ("import subprocess\n", 1, "start no process"),
    ("import subprocess as sp\ndef helper():\n    sp.run(['ls'])\n", 1, "subprocess is imported"),
    ("from os import system\n", 1, "os.system"),
    ("import os\ndef helper():\n    os.popen('ls')\n", 3, "os.popen is used"),
    ("import os as o\ndef helper():\n    return o.execv('/bin/sh', [])\n", 3, "os.execv is used"),
    ("import os\ndef helper():\n    getattr(os, 'system')('ls')\n", 3, "os.system is used"),
    ("import os\ndef helper():\n    start = os.spawnlp\n    start(0, 'ls')\n", 3, "os.spawnlp is used"),
    ("import pty\n", 1, "pty is imported"),
    ("import multiprocessing.pool\n", 1, "multiprocessing"),
    ("import ctypes\n", 1, "ctypes"),
    (
        "def test_log(run, workspace):\n    assert run(['git', '-C', workspace / 'repo', 'log']).out\n",
        2,
        "use the fixture repo",
    ),
    (
        "def test_log(run, output):\n    assert run(['git', 'log'], cwd=output('/srv/r')).out\n",
        2,
        "use the fixture repo",
    ),
    # The clock, chance, the network.
    ("import time\n", 1, "depend on the clock"),
    ("from time import sleep\n", 1, "time.sleep"),
    (
        "import datetime\ndef helper():\n    return datetime.datetime.now()\n",
        3,
        "datetime.datetime.now is used",
    ),
    (
        "from datetime import datetime as dt\ndef helper():\n    return dt.utcnow()\n",
        3,
        "datetime.datetime.utcnow",
    ),
    ("from datetime import date\ndef helper():\n    return date.today()\n", 3, "datetime.date.today"),
    ("import os\ndef helper():\n    return os.times()\n", 3, "os.times"),
    ("import random\ndef helper():\n    return random.random()\n", 3, "depend on chance"),
    ("import random\ndef helper():\n    return random.Random()\n", 3, "has no seed"),
    ("import random\ndef helper(a):\n    random.SystemRandom().shuffle(a)\n", 3, "random.SystemRandom"),
    ("from random import shuffle\ndef helper(a):\n    shuffle(a)\n", 3, "random.shuffle"),
    ("import secrets\n", 1, "secrets"),
    ("import uuid\ndef helper():\n    return uuid.uuid4()\n", 3, "uuid.uuid4"),
    ("import os\ndef helper():\n    return os.urandom(4)\n", 3, "os.urandom"),
    ("import numpy as np\ndef helper():\n    return np.random.rand()\n", 3, "numpy.random"),
    ("import socket\n", 1, "open connections"),
    ("import urllib.request\n", 1, "urllib.request"),
    ("from urllib.request import urlopen\n", 1, "urllib.request.urlopen"),
    ("from urllib import request\n", 1, "urllib.request"),
    ("import http.client\n", 1, "http.client"),
    ("import requests\n", 1, "requests"),
    # Files past the fixtures.
    ("def helper(workspace):\n    return open(workspace / 'x').read()\n", 2, "open reads past the fixtures"),
    (
        "@pytest.fixture\ndef report(workspace):\n    return (workspace / 'r.txt').read_text()\n",
        3,
        "use the fixture read_text",
    ),
    ("def test_b(output):\n    assert output('/srv/x').read_bytes()\n", 2, "use the fixture read_bytes"),
    (
        "def test_b(output):\n    at = output('/srv/x')\n    with at.open() as file:\n        assert file.read()\n",
        3,
        ".open()",
    ),
    ("import json\ndef load(path):\n    return json.load(path)\n", 3, "json.load reads past"),
    (
        "import json\ndef test_b(workspace, read_text):\n    assert json.loads(read_text(workspace / 'x'))\n",
        3,
        "use the fixture read_json",
    ),
    (
        "import json\ndef load(text):\n    return json.loads(text)\n"
        "def test_b(workspace, read_text):\n    assert [load(line) for line in read_text(workspace / 'x').split()]\n",
        3,
        "read_jsonl",
    ),
    (
        "import sqlite3\ndef test_b(workspace):\n    assert sqlite3.connect(workspace / 'x.db')\n",
        3,
        "use the fixture query",
    ),
    (
        "import tarfile\ndef test_b(workspace):\n    assert tarfile.open(workspace / 'x.tar')\n",
        3,
        "use the fixture read_archive",
    ),
    (
        "import zipfile as z\ndef test_b(workspace):\n    assert z.ZipFile(workspace / 'x').namelist()\n",
        3,
        "read_archive",
    ),
    (
        "import io, zipfile\ndef test_b(workspace, read_bytes):\n    assert zipfile.ZipFile(io.BytesIO(read_bytes(workspace / 'x')))\n",
        3,
        "read_archive",
    ),
    (
        "def test_b(archive, tmp_path):\n    archive.extractall(tmp_path)\n    assert archive\n",
        2,
        "unpacks an archive to disk",
    ),
    (
        "import xml.etree.ElementTree as ET\ndef test_b(workspace):\n    assert ET.parse(workspace / 'x')\n",
        3,
        "read_xml",
    ),
    (
        "from xml.etree import ElementTree\ndef test_b(run):\n    assert ElementTree.fromstring(run(['x']).out)\n",
        3,
        "read_xml",
    ),
    (
        "import yaml\ndef test_b(workspace, read_text):\n    assert yaml.safe_load(read_text(workspace / 'x'))\n",
        3,
        "read_yaml",
    ),
    (
        "import gzip\ndef test_b(workspace, read_bytes):\n    assert gzip.decompress(read_bytes(workspace / 'x'))\n",
        3,
        "use zlib.decompressobj(31)",
    ),
    (
        "from pathlib import Path\ndef test_b(read_text):\n    assert read_text(Path('/workspace/x.txt'))\n",
        3,
        "the absolute path '/workspace/x.txt'",
    ),
    (
        "import os\nROOT = '/srv/x'\ndef test_b():\n    assert os.listdir(ROOT)\n",
        4,
        "the absolute path '/srv/x'",
    ),
    ("def test_b(read_json):\n    assert read_json('/workspace/x.json')\n", 2, "use workspace / ..."),
    (
        "def test_b(workspace, read_text):\n    assert read_text(workspace / '/etc/passwd')\n",
        2,
        "leaves the folder",
    ),
    (
        "def test_b(workspace, read_text):\n    assert read_text(workspace / '../tests/truth.json')\n",
        2,
        "leaves the folder",
    ),
    # While the module is loaded.
    ("from pathlib import Path\nNAMES = list(Path('x').glob('*'))\n", 2, "while the module is loaded"),
    (
        "import os\ndef names():\n    return os.listdir('x')\n@pytest.mark.parametrize('n', names())\ndef test_n(n):\n    assert n\n",
        4,
        "while the module is loaded",
    ),
    # Comparisons that NaN passes.
    (
        "def test_b(report, truth):\n    if abs(report['x'] - truth['x']) > 0.1:\n        pytest.fail('far')\n",
        2,
        "NaN",
    ),
    (
        "def test_b(report, truth):\n    if abs(report['x'] - truth['x']) > 0.1:\n        assert False\n",
        2,
        "NaN",
    ),
    ("def test_b(report, truth):\n    assert not abs(report['x'] - truth['x']) > 0.1\n", 2, "NaN"),
    ("def test_b(report, truth):\n    assert not 0.1 < abs(report['x'] - truth['x'])\n", 2, "NaN"),
    (
        "def test_b(report, truth):\n    off = abs(report['x'] - truth['x'])\n    assert not off >= 0.1\n",
        3,
        "NaN",
    ),
    (
        "def test_b(report, truth):\n    bad = [k for k in truth if abs(report[k] - truth[k]) > 1]\n    assert not bad\n",
        2,
        "NaN",
    ),
    (
        "def test_b(report, truth):\n    assert not any(abs(report[k] - truth[k]) > 1 for k in truth)\n",
        2,
        "NaN",
    ),
    (
        "def close(a, b):\n    return not abs(a - b) > 1\ndef test_b(report):\n    assert close(report, 1)\n",
        2,
        "NaN",
    ),
    (
        "def test_b(workspace, read_json):\n    assert not read_json(workspace / 'x')['ratio'] > 0.5\n",
        2,
        "NaN",
    ),
    (
        "def test_b(workspace, read_json):\n    if read_json(workspace / 'x')['ratio'] > 0.5:\n        raise AssertionError\n",
        2,
        "NaN",
    ),
    # Tests that can't fail.
    ("def test_b(report):\n    pass\n", 1, "test_b asserts nothing"),
    ("def test_b(report, truth, near):\n    near(report['x'], truth['x'], 0)\n", 1, "asserts nothing"),
    ("def test_b(report):\n    assert True\n", 1, "asserts nothing"),
    ("def test_b(report):\n    assert (report == 1, 'message')\n", 1, "asserts nothing"),
    ("def test_b(report):\n    assert (row for row in report)\n", 1, "asserts nothing"),
    ("def test_b(report):\n    assert report == 1 or True\n", 1, "asserts nothing"),
    ("def test_b(report, truth):\n    assert [report == truth]\n", 1, "asserts nothing"),
    ("def show(x):\n    print(x)\ndef test_b(report):\n    show(report)\n", 3, "asserts nothing"),
    (
        "@pytest.mark.check(weight=0)\ndef test_b(report):\n    assert report\n",
        1,
        "the weight 0 adds nothing",
    ),
    (
        "@pytest.mark.check(weight=-1, group='x')\ndef test_b(report):\n    assert report\n",
        1,
        "the weight -1",
    ),
    (
        "NONE = 0\n@pytest.mark.check(weight=NONE)\ndef test_b(report):\n    assert report\n",
        2,
        "the weight 0",
    ),
    (
        "@pytest.mark.parametrize('x', [])\ndef test_b(report, x):\n    assert report\n",
        1,
        "parametrised over nothing",
    ),
    (
        "CASES = ()\n@pytest.mark.parametrize('x', CASES)\ndef test_b(report, x):\n    assert report\n",
        2,
        "parametrised over nothing",
    ),
    (
        "@pytest.mark.parametrize('x', range(0))\ndef test_b(report, x):\n    assert report\n",
        1,
        "parametrised over nothing",
    ),
    (
        "@pytest.mark.parametrize('x', sorted({}))\ndef test_b(report, x):\n    assert report\n",
        1,
        "parametrised over nothing",
    ),
    # Failures that are lost.
    ("def test_b(report):\n    pytest.skip('not today')\n    assert report\n", 2, "pytest.skip is used"),
    ("@pytest.mark.xfail\ndef test_b(report):\n    assert report\n", 1, "pytest.mark.xfail"),
    (
        "@pytest.mark.skipif(True, reason='x')\ndef test_b(report):\n    assert report\n",
        1,
        "pytest.mark.skipif",
    ),
    ("yaml = pytest.importorskip('yaml')\n", 1, "pytest.importorskip"),
    (
        "def test_b(report):\n    try:\n        assert report\n    except AssertionError:\n        pass\n",
        4,
        "except AssertionError",
    ),
    ("def test_b(report):\n    try:\n        assert report\n    except:\n        pass\n", 4, "a bare except"),
    (
        "def test_b(report):\n    try:\n        assert report\n    except (KeyError, Exception):\n        report = 1\n",
        4,
        "except Exception",
    ),
    (
        "from contextlib import suppress\ndef test_b(report):\n    with suppress(Exception):\n        assert report\n",
        3,
        "suppress Exception",
    ),
    (
        "def test_b(report):\n    try:\n        assert report\n    finally:\n        return\n",
        5,
        "leaving from finally",
    ),
]

ALLOWED = [
    "import re, json, csv, io, hashlib, shlex, itertools, html, base64, math\n",
    "import json\ndef test_b(hidden):\n    assert json.loads(hidden('x.json').read_text(encoding='utf-8'))\n",
    "import json\ndef test_b(hidden):\n    with hidden('x.json').open() as file:\n        assert json.load(file)\n",
    "import json\ndef test_b(hidden, read_text):\n    assert json.loads(read_text(hidden('x.json')))\n",
    "import json\ndef load(path):\n    return json.loads(path.read_text())\ndef test_b(hidden):\n    assert load(hidden('x.json'))\n",
    "import json\ndef test_b(read_archive, workspace):\n    assert json.loads(read_archive(workspace / 'x.zip')['x.json'])\n",
    "import zlib\ndef test_b(read_bytes, workspace):\n    assert zlib.decompressobj(31).decompress(read_bytes(workspace / 'x'), 9)\n",
    "def test_b(report):\n    assert [*report]\n",
    "import json\ndef test_b(run, workspace):\n    assert json.loads(run([workspace / 'tool']).out)\n",
    "import json\ndef test_b(serve, workspace):\n    with serve([workspace / 'app'], 8080) as app:\n        assert json.loads(app.get('/x').body)\n",
    "import csv, io\ndef test_b(read_text, workspace):\n    assert list(csv.reader(io.StringIO(read_text(workspace / 'x.csv'))))\n",
    "import sqlite3\ndef test_b(hidden):\n    assert sqlite3.connect(hidden('x.db'))\n",
    "import zipfile\ndef test_b(hidden):\n    assert zipfile.ZipFile(hidden('x.zip')).namelist()\n",
    "def test_b(tmp_path):\n    (tmp_path / 'x').write_text('a')\n    assert (tmp_path / 'x').read_text()\n",
    "def test_b(workspace):\n    assert sorted(p.name for p in (workspace / 'docs').glob('*.md')) and (workspace / 'x').is_file()\n",
    "def test_b(output, digest):\n    assert digest(output('/etc/x.conf')) == '0'\n",
    "def test_b(report):\n    assert report['path'] == '/etc/passwd' and report['p'].startswith('/srv/')\n",
    "import os.path\ndef test_b(report):\n    assert os.path.basename(report['path']) == 'x' and os.path.join('/a', 'b')\n",
    "from datetime import datetime, date, timezone\ndef test_b(report):\n    assert datetime.strptime(report, '%Y') and date(2026, 1, 1)\n",
    "import random\ndef test_b(truth, report):\n    assert random.Random(truth['seed']).sample(report, 2)\n",
    "import random\ndef test_b(report):\n    assert random.Random(7).random() < report\n",
    "import re\nPATTERN = re.compile('x')\ndef test_b(report):\n    assert PATTERN.match(report)\n",
    "import yaml\ndef test_b(hidden):\n    assert yaml.safe_load(hidden('x.yaml').read_text()) and yaml.load(hidden('y'), yaml.SafeLoader)\n",
    "def test_b(report, truth):\n    assert abs(report['x'] - truth['x']) <= 0.1\n",
    "def test_b(report, truth, near):\n    assert near(report['x'], truth['x'], 0.1)\n",
    "def test_b(report, truth):\n    assert abs(report['x'] - truth['x']) > 0.1\n",
    "def test_b(report, truth):\n    assert all(abs(a - b) < 1 for a, b in zip(report, truth))\n",
    "def test_b(report, truth):\n    if len(report['x']) > 3:\n        pytest.fail('too many')\n    assert not len(report) < 2\n",
    "def key(v):\n    return tuple(v)\ndef test_b(report, truth):\n    assert not any(key(a) <= key(report) for a in truth)\n",
    "def test_b(report, truth):\n    assert not set(report) - set(truth)\n",
    "def test_b(report, truth):\n    rows = [r for r in truth['rows'] if r['n'] > 3]\n    assert rows == report\n",
    "def test_b(report):\n    with pytest.raises(KeyError):\n        report['x']\n",
    "def test_b(report):\n    if report != 1:\n        pytest.fail('no')\n",
    "def must(x):\n    assert x\ndef also(x):\n    must(x)\ndef test_b(report):\n    also(report)\n",
    "def test_b(read_json, workspace):\n    read_json(workspace / 'x.json')\n",
    "def test_b(report):\n    try:\n        int(report)\n    except ValueError:\n        pytest.fail('no number')\n",
    "def test_b(report):\n    try:\n        value = int(report)\n    except Exception as error:\n        raise AssertionError('no') from error\n",
    "def test_b(report):\n    try:\n        value = int(report)\n    except ValueError:\n        value = None\n    assert value\n",
    "CASES = {'a': 1}\n@pytest.mark.parametrize('x', sorted(CASES))\n@pytest.mark.check(weight=0.5)\ndef test_b(report, x):\n    assert report\n",
    "def compile(x):\n    return x\ndef test_b(report):\n    assert compile(report)\n",
    "def test_b(run, workspace):\n    assert run(['git', '--version']).code == 0 and run(['bash', workspace / 'x.sh']).code == 0\n",
    "DRIVER = '''\nimport subprocess\nexec(input())\n'''\ndef test_b(run):\n    assert run(['python3', '-c', DRIVER]).code == 0\n",
]


@pytest.mark.parametrize(("text", "line", "says"), REFUSED)
def test_it_is_refused_with_its_line(text: str, line: int, says: str) -> None:
    faults = lint(text + TEST)
    assert (line, True) in [(fault.line, says in fault.message) for fault in faults], list(map(str, faults))


@pytest.mark.parametrize(("text", "line", "says"), REFUSED)
def test_each_fault_is_told_in_one_line_at_one_place(text: str, line: int, says: str) -> None:
    faults = lint(text + TEST)
    assert {fault.line for fault in faults} == {line}, list(map(str, faults))


@pytest.mark.parametrize("text", ALLOWED)
def test_it_is_allowed(text: str) -> None:
    assert [str(fault) for fault in lint(text + TEST)] == []


def test_all_faults_are_told_at_once_in_their_order() -> None:
    result = judged("import time\nimport pickle\n\n\ndef test_b():\n    pass\n")
    assert not result.passed and result.figures == {"lint_findings": 3}
    assert [line.split(": ")[0] for line in result.evidence.splitlines()] == [
        "tests/test_outputs.py:1",
        "tests/test_outputs.py:2",
        "tests/test_outputs.py:5",
    ]
    assert result.message.startswith("tests/test_outputs.py:1: time is imported")
    assert result.message.endswith("(and 2 more)")


def test_good_tests_pass() -> None:
    result = judged(TEST)
    assert result.passed and result.figures == {"lint_findings": 0}


@pytest.mark.parametrize("text", ["def test_(:\n", "x = " + "(" * 300 + ")" * 300 + "\n", "a = 1\0\n"])
def test_what_is_no_python_is_refused_and_breaks_nothing(text: str) -> None:
    assert not judged(text).passed


@pytest.mark.parametrize(
    "text",
    [
        "def test_b(report):\n    x = 'a'\n"
        + "    x = x.replace('a', 'aaaaaaaa')\n" * 60
        + "    assert report == x\n",
        "def f0(x):\n    return x\n"
        + "".join(f"def f{n}(x):\n    return f{n - 1}(x) + f{n - 1}(x)\n" for n in range(1, 60))
        + "def test_b(report):\n    assert f59(report)\n",
        "def test_b(report):\n    f = report\n" + "    g = f\n    f = g\n" * 60 + "    assert f(g(f))\n",
        "def test_b(report):\n    rows = [r for r in report if r != 1]\n    rows = sorted(rows)\n    assert rows\n",
    ],
)
def test_what_grows_or_branches_without_end_ends(text: str) -> None:
    assert judged(text).passed
    assert stated.judged(text, Known("", {})).passed


def test_what_refers_to_itself_without_end_ends() -> None:
    names = "\n".join(
        f"    a{n} = [a{(n * 7) % 40}, a{(n * 3) % 40}, report, a{n}[0], a{n}.strip()]" for n in range(40)
    )
    assert judged(f"def test_b(report):\n{names}\n    assert a1 == a2\n").passed
