"""Which literals the gate stated demands, with their lines, and what explains them."""

from __future__ import annotations

import gzip
from typing import Any

import pytest

from skill2env.models.tree import Node, Tree
from skill2env.stages.validate.gates.stated import judged
from skill2env.stages.validate.literals import Known, read_demands

REPORT = "import pytest\n\n\n@pytest.fixture\ndef report(workspace, read_json):\n    return read_json(workspace / 'r.json')\n"

# Text, and what of it is demanded: (line, value), the report's path left out.
DEMANDED: list[tuple[str, list[tuple[int, str]]]] = [
    # Keys.
    ("def test_a(report, truth):\n    assert report['total'] == truth['sum']\n", [(2, "total")]),
    ("def test_a(report, truth):\n    assert report.get('total') == truth['sum']\n", [(2, "total")]),
    (
        "def test_a(report, truth):\n    assert report['a']['b'][0]['c'] == truth['x']['y']\n",
        [(2, "a"), (2, "b"), (2, "c")],
    ),
    ("def test_a(report):\n    assert 'total' in report\n", [(2, "total")]),
    (
        "def test_a(report, truth):\n    assert [[r['x'], r['y']] for r in report] == truth['z']\n",
        [(2, "x"), (2, "y")],
    ),
    ("KEY = 'total'\ndef test_a(report, truth):\n    assert report[KEY] == truth\n", [(1, "total")]),
    (
        "@pytest.mark.parametrize('k', ['one', 'two'])\ndef test_a(report, truth, k):\n    assert report[k] == truth[k]\n",
        [(1, "one"), (1, "two")],
    ),
    (
        "@pytest.mark.parametrize('k, w', [('one', 'own'), pytest.param('two', 'x', id='i')])\n"
        "def test_a(report, truth, k, w):\n    assert report[k] == truth[w]\n",
        [(1, "one"), (1, "two")],
    ),
    (
        "@pytest.fixture(params=['one'])\ndef k(request):\n    return request.param\ndef test_a(report, k):\n    assert report[k]\n",
        [(1, "one")],
    ),
    (
        "NAMES = {'a1': 'own', 'b1': 'own'}\n@pytest.mark.parametrize('k', sorted(NAMES))\ndef test_a(report, k):\n    assert report[k]\n",
        [(1, "a1"), (1, "b1")],
    ),
    (
        "def column(rows, name):\n    return [row[name] for row in rows]\n"
        "def test_a(report, truth):\n    assert column(report, 'cost') == truth\n",
        [(4, "cost")],
    ),
    (
        "def pick(name):\n    return lambda row: row[name]\ndef test_a(report):\n    assert sorted(report, key=pick('rank')) == report\n",
        [(4, "rank")],
    ),
    (
        "from operator import itemgetter\ndef test_a(report):\n    assert sorted(report, key=itemgetter('rank')) == report\n",
        [(3, "rank")],
    ),
    (
        "def load(read, path):\n    return read(path)\n"
        "def test_a(read_json, workspace):\n    assert load(read_json, workspace / 'x')['cost']\n",
        [(4, "cost"), (4, "x")],
    ),
    ("def test_a(report):\n    assert all(k in report for k in ('one', 'two'))\n", [(2, "one"), (2, "two")]),
    (
        "def test_a(report):\n    for k in ['one', 'two']:\n        assert report[k]\n",
        [(2, "one"), (2, "two")],
    ),
    ("def test_a(report):\n    assert set(report) == {'one', 'two'}\n", [(2, "one"), (2, "two")]),
    (
        "def test_a(report):\n    assert {'one'} <= set(report) and not set(report) - {'two'}\n",
        [(2, "one"), (2, "two")],
    ),
    (
        "def test_a(report):\n    assert report == {'one': 'word', 'two': 17}\n",
        [(2, "17"), (2, "one"), (2, "two"), (2, "word")],
    ),
    (
        "def test_a(report):\n    match report['kind']:\n        case 'odd':\n            assert False\n",
        [(2, "kind"), (3, "odd")],
    ),
    # Values.
    ("def test_a(report, truth):\n    assert report[truth['key']] == 'late'\n", [(2, "late")]),
    ("def test_a(report):\n    assert report[0] in ('late', 'early')\n", [(2, "early"), (2, "late")]),
    (
        "def test_a(report):\n    assert len([r for r in report if r[0] == 'late']) == 17\n",
        [(2, "17"), (2, "late")],
    ),
    ("def test_a(report, near):\n    assert near(report[0], 42.5, 0.05)\n", [(2, "42.5")]),
    ("def test_a(report):\n    assert abs(report[0] - 42.5) <= 0.07\n", []),
    ("def test_a(report):\n    assert report[0] == pytest.approx(42.5)\n", [(2, "42.5")]),
    (
        "def test_a(report):\n    assert report[0].startswith('sha-') and report[0].endswith('-end')\n",
        [(2, "-end"), (2, "sha-")],
    ),
    ("def test_a(report):\n    assert report[0] == ['integer'] * 4\n", [(2, "integer")]),
    ("def test_a(report, truth):\n    assert report[0] == f'done: {truth}'\n", [(2, "done: ")]),
    ("def test_a(report, truth):\n    assert report[0] == 'done: %s' % truth\n", [(2, "done: ")]),
    ("def test_a(report, truth):\n    assert report[0] == 'done: {}'.format(truth)\n", [(2, "done: ")]),
    (
        "def test_a(report):\n    assert set(report) <= set('daily_or_weekly'.split('_or_'))\n",
        [(2, "daily"), (2, "weekly")],
    ),
    ("def test_a(report):\n    assert report == dict(late=17)\n", [(2, "17"), (2, "late")]),
    ("def test_a(report):\n    assert report.get('kind', 'none') == 'late'\n", [(2, "kind"), (2, "late")]),
    (
        "def test_a(run, workspace):\n    assert run([workspace / 'tool', '--top=17']).out\n",
        [(2, "--top"), (2, "tool")],
    ),
    # Patterns.
    (
        "import re\ndef test_a(report):\n    assert re.fullmatch(r'ID-\\d+(?:x)?(?!no)', report[0])\n",
        [(3, "ID-")],
    ),
    (
        "import re\nP = re.compile(r'^order (\\w+)$')\ndef test_a(report):\n    assert P.findall(report[0])\n",
        [(2, "order ")],
    ),
    # Paths.
    (
        "def test_a(workspace, read_bytes):\n    assert read_bytes(workspace / 'out' / 'x.bin')\n",
        [(2, "out"), (2, "x.bin")],
    ),
    (
        "ROOT = '/srv/app'\ndef test_a(output, digest, truth):\n    assert digest(output(ROOT)) == truth\n",
        [(1, "/srv/app")],
    ),
    (
        "def test_a(workspace, truth):\n    assert sorted((workspace / 'out').glob('*.pem')) == truth\n",
        [(2, "*.pem"), (2, "out")],
    ),
    (
        "def test_a(workspace, read_bytes, truth):\n    assert read_bytes(workspace / f'{truth}.pem')\n",
        [(2, ".pem")],
    ),
    (
        "def test_a(workspace):\n    assert {p.name for p in (workspace / 'out').iterdir()} == {'x.pem', 'y.pem'}\n",
        [(2, "out"), (2, "x.pem"), (2, "y.pem")],
    ),
    (
        "def test_a(workspace):\n    assert all(p.suffix == '.pem' for p in (workspace / 'out').iterdir())\n",
        [(2, ".pem"), (2, "out")],
    ),
    (
        "from datetime import datetime\ndef test_a(report):\n    assert datetime.strptime(report, '%Y at %H')\n",
        [(3, " at ")],
    ),
    # Delivered programs, services, repositories, databases.
    (
        "def test_a(run, workspace):\n    assert run([workspace / 'tool', '--json', 'list', 'in.csv'], files={'in.csv': b''}).code == 3\n",
        [(2, "--json"), (2, "3"), (2, "list"), (2, "tool")],
    ),
    (
        "def test_a(run, workspace):\n    assert run(['python3', '-B', workspace / 'tool']).out\n",
        [(2, "tool")],
    ),
    (
        "def test_a(run, workspace):\n    assert run([workspace / 'tool', 'o.csv']).files['o.csv']\n",
        [(2, "o.csv"), (2, "tool")],
    ),
    (
        "def test_a(serve, workspace):\n    with serve([workspace / 'app'], 80) as app:\n        assert app.get('/health').status == 503\n",
        [(2, "app"), (3, "/health"), (3, "503")],
    ),
    (
        "def test_a(serve, workspace):\n    with serve([workspace / 'app'], 80) as app:\n        assert app.request('POST', '/items')\n",
        [(2, "app"), (3, "/items")],
    ),
    (
        "def test_a(repo, output):\n    assert repo(output('/srv/r')).git('log', '--format=%H', 'release')\n",
        [(2, "/srv/r"), (2, "release")],
    ),
    (
        "def test_a(query, workspace):\n    assert query(workspace / 'x.db', 'SELECT t.cost AS c FROM orders t WHERE t.kind = \\'late\\'')\n",
        [(2, "cost"), (2, "kind"), (2, "late"), (2, "orders"), (2, "x.db")],
    ),
    (
        "@pytest.fixture\ndef ask(query, workspace):\n    return lambda sql: query(workspace / 'x.db', sql)\n"
        "def test_a(ask):\n    assert ask('SELECT cost FROM orders')\n",
        [(3, "x.db"), (5, "cost"), (5, "orders")],
    ),
    (
        "def test_a(read_csv, workspace, truth):\n    assert [r['article'] for r in read_csv(workspace / 'x')] == truth\n",
        [(2, "article"), (2, "x")],
    ),
    (
        "def test_a(read_xml, workspace):\n    assert read_xml(workspace / 'x').find('entry').attrib['kind']\n",
        [(2, "entry"), (2, "kind"), (2, "x")],
    ),
    (
        "def test_a(run, read_bytes, workspace):\n    db = read_bytes(workspace / 'x.db')\n"
        "    assert run(['sqlite3', 'o.db', \"INSERT INTO orders (cost) VALUES ('dear')\"], files={'o.db': db}).code == 0\n",
        [(2, "x.db"), (3, "cost"), (3, "orders")],
    ),
    # What is not demanded.
    ("def test_a(report, truth):\n    assert report == truth['sum'] and truth['x']['y'] == 'mine'\n", []),
    (
        "import json\ndef test_a(report, hidden):\n    assert report == json.loads(hidden('h.json').read_text())['mine']\n",
        [],
    ),
    ("def test_a(report, truth):\n    '''Says something.'''\n    assert report == truth, 'a message'\n", []),
    (
        "UNITS = {'kilo': 1024}\ndef test_a(report, truth):\n    assert report == UNITS[truth['unit']] * 3\n",
        [],
    ),
    (
        "def test_a(report, truth):\n    assert {k: v for k, v in report.items() if k != 'made_at'} == truth\n",
        [],
    ),
    (
        "def test_a(report, truth):\n    skip = {'made_at'}\n    assert [k for k in report if k not in skip] == truth\n",
        [],
    ),
    (
        "def test_a(report):\n    bad = [r for r in report if r[0] != 'kilo']\n    assert not bad\n",
        [(2, "kilo")],
    ),
    ("def test_a(report):\n    assert [r for r in report if r[0] != 'kilo'] == []\n", [(2, "kilo")]),
    (
        "def test_a(report, truth):\n    found = {}\n    for row in report:\n        found[row[0]] = row[1]\n    assert found == truth\n",
        [],
    ),
    (
        "@pytest.mark.parametrize('trial', ['next month'])\ndef test_a(run, hidden, workspace, trial):\n"
        "    case = __builtins__ and hidden('t.json')\n    assert run([workspace / 'tool'], stdin=case).out\n",
        [(4, "tool")],
    ),
    (
        "@pytest.mark.check(weight=3, group='totals')\ndef test_a(report, truth):\n    assert report.encode('utf-8') == truth\n",
        [],
    ),
    (
        "def test_a(run, truth):\n    assert run(['bash', '-c', 'echo made > links.list']).files['links.list']\n",
        [(2, "links.list")],
    ),
]


@pytest.mark.parametrize(("text", "expected"), DEMANDED)
def test_what_is_demanded(text: str, expected: list[tuple[int, str]]) -> None:
    found = read_demands(text + REPORT).demands
    trivial = ("r.json", "0", "")
    assert sorted({(demand.line, demand.value) for demand in found if demand.value not in trivial}) == sorted(
        expected
    )


def world(files: dict[str, str | bytes]) -> Tree:
    """A world of these files."""
    return {
        path: Node("file", data.encode() if isinstance(data, str) else data) for path, data in files.items()
    }


def told(
    tests: str, instruction: str = "", files: dict[str, str | bytes] | None = None, truth: Any = None
) -> list[str]:
    """What the gate finds unexplained."""
    known = Known(f"Write r.json. {instruction}", world(files or {}), (truth,))
    result = judged(tests + REPORT, known)
    assert result.passed == (not result.evidence)
    assert result.figures["unexplained"] == len(result.evidence.splitlines())
    return result.evidence.splitlines()


KEY = "def test_a(report, truth):\n    assert report['worst_hour'] == truth['worst_hour']\n"


def value(literal: str) -> str:
    """A test that demands a value."""
    return f"def test_a(report):\n    assert report == {literal}\n"


def test_an_unexplained_key_is_named_with_its_line() -> None:
    assert told(KEY, truth={"worst_hour": "worst_hour"}) == [
        "tests/test_outputs.py:2: the tests demand the key 'worst_hour', which neither the instruction nor the world names; "
        "say it in instruction.md"
    ]


@pytest.mark.parametrize(
    ("tests", "where"),
    [
        (KEY, {"instruction": "Give the `worst_hour`."}),
        (KEY, {"files": {"srv/schema.json": '{"worst_hour": "text"}'}}),
        (KEY, {"files": {"srv/worst_hour": ""}}),
        (KEY, {"files": {"srv/notes.gz": gzip.compress(b"worst_hour", mtime=0)}}),
        (value("'late fee'"), {"instruction": "Each fee that is late counts."}),
        (value("'late fee'"), {"truth": {"word": "late fee"}}),
        (value("1000"), {"instruction": "at most 1,000 of them"}),
        (value("1000"), {"instruction": "at most 1 000 of them"}),
        (value("1000"), {"instruction": "at most 1e3 of them"}),
        (value("1000.0"), {"files": {"x": "limit: 1000\n"}}),
        (value("7"), {"instruction": "seven of them"}),
        (value("0.25"), {"instruction": "25 % of them"}),
        (value("37"), {"truth": {"n": [37]}}),
        (value("-1"), {}),
        (value("'1250'"), {"instruction": "1,250"}),
        (value("[0, 1, 2, '', 'x', True, None]"), {}),
        (value("'Müller'"), {"files": {"x": "Müller;1".encode("cp1252")}}),
        (value("'/srv/app/x.json'"), {"instruction": "Put x.json into /srv/app."}),
        ("def test_a(report):\n    assert report[0].lower() == 'sunday'\n", {"instruction": "Sunday"}),
        ("def test_a(report):\n    assert report[0] in ('late', 'delayed')\n", {"instruction": "late"}),
        (
            "def test_a(run, workspace):\n    assert run([workspace / 'r.json'], stdin='kilo').out == 'kilo'\n",
            {},
        ),
        (
            "import re\ndef test_a(report):\n    assert re.search(r'\\[(?:EMAIL|CARD)\\]', report[0])\n",
            {"instruction": "[EMAIL]"},
        ),
    ],
)
def test_it_is_explained(tests: str, where: dict[str, Any]) -> None:
    assert told(tests, **where) == []


@pytest.mark.parametrize(
    ("tests", "where", "literal"),
    [
        (KEY, {"instruction": "Give the worst hour."}, "'worst_hour'"),
        (KEY, {"instruction": "Give the worst_hours."}, "'worst_hour'"),
        (KEY, {"instruction": "Give the Worst_hour."}, "'worst_hour'"),
        (value("'late fee'"), {"instruction": "Each fee that is too latent counts."}, "'late fee'"),
        (value("'ID'"), {"files": {"x": "VOID IDS"}}, "'ID'"),
        (value("1000"), {"instruction": "at most 100 of them, in 10000 rows"}, "1000"),
        (value("0.25"), {"instruction": "2.5 of them"}, "0.25"),
        (value("137"), {"files": {"x.csv": "\n".join(map(str, range(900)))}}, "137"),
        (
            "def test_a(report):\n    assert len([r for r in report if r[0] in ('late', 'delayed')]) == 1\n",
            {"instruction": "late"},
            "'delayed'",
        ),
        (
            "def test_a(run, workspace):\n    assert run([workspace / 'r.json', '--json']).out\n",
            {},
            "'--json'",
        ),
        (
            "def test_a(workspace, read_text):\n    assert read_text(workspace / 'r.json' / 'sub')\n",
            {},
            "'sub'",
        ),
        (
            "def test_a(run, workspace):\n    assert run(['bash', workspace / 'tool.sh']).out\n",
            {},
            "'tool.sh'",
        ),
        (value("{'worst_hour'}"), {"truth": {"worst_hour": 3}}, "'worst_hour'"),
    ],
)
def test_it_is_not_explained(tests: str, where: dict[str, Any], literal: str) -> None:
    assert [
        f"demand the {noun} {literal}," in line
        for line in told(tests, **where)
        for noun in [line.split("demand the ")[1].split(" ")[0]]
    ] == [True]


def test_all_unexplained_literals_are_told_at_once() -> None:
    text = "def test_a(report):\n    assert report['alpha'] == 'beta'\n    assert report['gamma'] == 1234\n"
    result = judged(text + REPORT, Known("Write r.json with alpha.", {}))
    assert [line.split(": ")[0] for line in result.evidence.splitlines()] == [
        "tests/test_outputs.py:2",
        "tests/test_outputs.py:3",
        "tests/test_outputs.py:3",
    ]
    assert result.figures == {"literals": 5, "unexplained": 3}
    assert result.message.endswith("(and 2 more)")


def test_what_is_no_python_is_refused_and_breaks_nothing() -> None:
    assert not judged("def (", Known("", {})).passed
