"""docs/security.md names tests, modules and attacks; all of them are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs/security.md").read_text("utf-8")


def test_every_test_that_is_named_exists() -> None:
    texts = "\n".join(file.read_text("utf-8") for file in (ROOT / "tests").rglob("*.py"))
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    assert len(named) > 15
    assert {name for name in named if f"def {name}(" not in texts} == set()


def test_every_file_that_is_named_exists() -> None:
    places = {"judged/": ROOT / "tests/integration", "unit/": ROOT / "tests", "integration/": ROOT / "tests"}
    for name in re.findall(r"`((?:judged|unit|integration)/[\w/]+\.py)`", PAGE):
        assert (places[name.split("/")[0] + "/"] / name).is_file(), name
    for name in re.findall(r"`((?:trial|verifier|sandbox)/\w+\.py)`", PAGE):
        assert (ROOT / "skill2env" / name).is_file(), name


def test_every_attack_is_of_a_kind_that_is_named() -> None:
    attacks = ROOT / "skill2env/attacks"
    kinds = {file.parent.name for file in attacks.glob("*/*.sh")} - {"controls"}
    assert {kind for kind in kinds if f"`attacks/{kind}/" not in PAGE} == set()
    for pattern in re.findall(r"`attacks/([\w*/-]+[\w*])`", PAGE):
        assert list(attacks.glob(f"{pattern}.sh")), pattern
