"""Learns the weights of the feasibility verdict, in an environment with scikit-learn; `tests/wild/weights.py` starts it.

A line on stdin is one labelled skill: `label`, `points` of signals, `sizes`, and `words` by place. On stdout come the
weights as JSON, on stderr the balanced accuracy that five-fold cross-validation gives.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

PRACTICABLE = "practicable"
RARE = {"harmful": "external_account"}
"""Labels too few to learn, and what is learned in their place; a rule tells them apart."""
PLACES = {"title": 4, "headings": 5, "text": 8}
"""How many skills must have a word in that place."""
MAX_SHARE = 0.5
"""Words of more skills say nothing."""
KEPT = 2_500
"""Words that are kept, by their largest weight."""
WORD_SCALE = {"title": 1.5, "headings": 1.5, "text": 3.0}
"""How large the words of a place stand beside signals and sizes of variance 1; more means less shrinking."""
STRENGTH = 1.0
FOLDS = 5
Column = tuple[str, str]


def vocabulary(skills: list[dict[str, Any]]) -> list[Column]:
    columns: list[Column] = []
    for place, least in PLACES.items():
        counts = Counter(word for skill in skills for word in skill["words"][place])
        columns += [
            (place, word) for word, n in sorted(counts.items()) if least <= n <= MAX_SHARE * len(skills)
        ]
    return columns


def matrix(skills: list[dict[str, Any]], columns: list[Column], scale: dict[Column, float]) -> csr_matrix:
    places = {column: number for number, column in enumerate(columns)}
    data, rows, cols = [], [], []
    for row, skill in enumerate(skills):
        values = {("signals", name): value for name, value in skill["points"].items()}
        values |= {("sizes", name): value for name, value in skill["sizes"].items()}
        for place in PLACES:
            known = [word for word in skill["words"][place] if (place, word) in places]
            values |= {(place, word): len(known) ** -0.5 for word in known}
        for column, value in values.items():
            if column in places:
                data.append(value * scale[column])
                rows.append(row)
                cols.append(places[column])
    return csr_matrix((data, (rows, cols)), shape=(len(skills), len(columns)))


def learn(skills: list[dict[str, Any]]) -> tuple[list[str], np.ndarray, list[Column], np.ndarray]:
    """Return verdicts, base, columns and weights, both against `practicable`."""
    labels = np.array([RARE.get(skill["label"], skill["label"]) for skill in skills])
    numbers = sorted(
        {
            (kind, name)
            for skill in skills
            for kind, key in (("signals", "points"), ("sizes", "sizes"))
            for name in skill[key]
        }
    )
    spread = {}
    for kind, name in numbers:
        values = [skill["points" if kind == "signals" else kind].get(name, 0.0) for skill in skills]
        spread[kind, name] = 1 / (np.std(values) or 1.0)
    columns = numbers + vocabulary(skills)
    scale = {column: spread.get(column) or WORD_SCALE[column[0]] for column in columns}
    practicable = float((labels == PRACTICABLE).mean())
    even = np.where(labels == PRACTICABLE, 0.5 / practicable, 0.5 / (1 - practicable))
    model = _fitted(matrix(skills, columns, scale), labels, even)
    reach = np.abs(model.coef_ - model.coef_[list(model.classes_).index(PRACTICABLE)]).max(axis=0)
    words = sorted(range(len(numbers), len(columns)), key=lambda index: -reach[index])[:KEPT]
    columns = numbers + [columns[index] for index in sorted(words)]
    model = _fitted(matrix(skills, columns, scale), labels, even)
    zero = list(model.classes_).index(PRACTICABLE)
    others = [index for index in range(len(model.classes_)) if index != zero]
    weights = (model.coef_[others] - model.coef_[zero]) * np.array([scale[column] for column in columns])
    base = model.intercept_[others] - model.intercept_[zero]
    return [str(model.classes_[index]) for index in others], base, columns, weights


def _fitted(values: csr_matrix, labels: np.ndarray, even: np.ndarray) -> LogisticRegression:
    return LogisticRegression(C=STRENGTH, max_iter=2_000).fit(values, labels, sample_weight=even)


def validated(skills: list[dict[str, Any]]) -> str:
    truth = np.array([skill["label"] == PRACTICABLE for skill in skills])
    found = np.zeros(len(skills), dtype=bool)
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=1).split(truth, truth):
        _, base, columns, weights = learn([skills[index] for index in train])
        values = matrix([skills[index] for index in test], columns, dict.fromkeys(columns, 1.0))
        powers = np.exp(values @ weights.T + base)
        found[test] = 1 / (1 + powers.sum(axis=1)) >= 0.5
    recall, refused = found[truth].mean(), (~found[~truth]).mean()
    return f"cross-validated: balanced accuracy {(recall + refused) / 2:.3f} (found {recall:.3f}, refused {refused:.3f})"


def main() -> None:
    skills = [json.loads(line) for line in sys.stdin]
    print(validated(skills), file=sys.stderr)
    verdicts, base, columns, weights = learn(skills)
    tables: dict[str, dict[str, list[float]]] = {
        "signals": {},
        "sizes": {},
        **{place: {} for place in PLACES},
    }
    for index, (kind, name) in enumerate(columns):
        tables[kind][name] = [round(float(weight), 2) for weight in weights[:, index]]
    answer = {
        "skills": len(skills),
        "verdicts": verdicts,
        "base": [round(float(b), 2) for b in base],
        "weights": tables,
    }
    json.dump(answer, sys.stdout, ensure_ascii=False)


if __name__ == "__main__":
    main()
