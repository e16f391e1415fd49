"""Lines of JSON Lines end where the verifier's reader ends them."""

from __future__ import annotations

import json
import random
from pathlib import Path

from skill2env.mutation.formats import mutations
from skill2env.verifier.readers import read_jsonl

ROWS = [{"id": "a-17", "note": "one\u2028two"}, {"id": "b-18", "note": "three\u0085four"}]


def test_a_line_separator_in_a_text_ends_no_row(tmp_path: Path) -> None:
    data = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS).encode()
    file = tmp_path / "a.jsonl"
    file.write_bytes(data)
    assert read_jsonl(file) == ROWS
    found = mutations("a.jsonl", data, random.Random(7), False)
    (turned,) = (change.data for change in found if change.what == "keys in reverse order")
    file.write_bytes(turned or b"")
    assert read_jsonl(file) == ROWS
    assert turned != data
