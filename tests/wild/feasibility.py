"""The verdict on skills that were labelled by hand, side by side with the labels: `python -m tests.wild.feasibility`.

Rules and weights are made on the development part, so its figures are flattering; the held part is for the figure.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple, get_args

from skill2env.feasibility import judge
from skill2env.models.feasibility import Verdict
from tests.wild.samples import SKILLS, labels, skills

VERDICTS: tuple[str, ...] = get_args(Verdict)


class Measured(NamedTuple):
    """How the verdicts agree with the labels of one part."""

    confusion: Counter[tuple[str, str]]
    """(label, verdict) pairs."""

    @property
    def recall(self) -> float:
        """Share of the practicable skills that are found practicable."""
        return self._share(lambda label: label == "practicable")

    @property
    def specificity(self) -> float:
        """Share of the others that are not."""
        return self._share(lambda label: label != "practicable")

    @property
    def balanced(self) -> float:
        """Balanced accuracy of practicable against not."""
        return (self.recall + self.specificity) / 2

    def _share(self, wanted: Callable[[str], bool]) -> float:
        some = {pair: count for pair, count in self.confusion.items() if wanted(pair[0])}
        right = sum(
            n for (label, found), n in some.items() if (label == "practicable") == (found == "practicable")
        )
        return right / max(sum(some.values()), 1)


def measure(split: str) -> Measured:
    """Return the confusion matrix of a split; a skill that parse refuses counts as a stub."""
    wanted = {(row["repository"], row["path"]): row["verdict"] for row in labels("labels", split)}
    found = {key: judge(skill).verdict for key, skill in skills(set(wanted))}
    return Measured(Counter((label, found.get(key, "stub")) for key, label in wanted.items()))


def show(split: str, measured: Measured) -> None:
    """Print a confusion matrix with its figures."""
    print(f"\n{split}: {sum(measured.confusion.values())} skills; rows are labels, columns are verdicts")
    print(f"{'':18}" + "".join(f"{name[:11]:>12}" for name in VERDICTS))
    for label in VERDICTS:
        print(f"{label:18}" + "".join(f"{measured.confusion[label, found]:12}" for found in VERDICTS))
    exact = sum(count for (label, found), count in measured.confusion.items() if label == found)
    print(
        f"practicable against not: balanced accuracy {measured.balanced:.3f} (found {measured.recall:.3f}, "
        f"refused {measured.specificity:.3f}); same verdict {exact / sum(measured.confusion.values()):.3f}"
    )


def main() -> int:
    """Print all parts, or say that there are no wild skills here."""
    if not SKILLS.exists():
        print(
            "skipped: there are no wild skills here; name the folder that holds `wild/` in SKILL2ENV_SHARED"
        )
        return 0
    for split in sys.argv[1:] or ("development", "held"):
        show(split, measure(split))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
