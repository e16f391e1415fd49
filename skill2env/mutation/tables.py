"""Mutants of CSV and TSV files."""

from __future__ import annotations

import csv
import io
import random
from typing import Any, Literal

from skill2env.mutation.mutant import Change, Changes, Operator
from skill2env.mutation.values import changed_values

_FEW_COLUMNS = 2
_NO_NUMBERS: tuple[tuple[Operator, str], ...] = (("nan", "NaN"), ("retype", "n/a"), ("null", ""))
_CELL = ("swap", "perturb", "zero", "drop", "duplicate", "truncate", "empty", "reorder", "negate")


def mutate_table(data: bytes, rng: random.Random, ordered: bool) -> Changes:
    """Yield changed tables, and one that means the same.

    Raises:
        ValueError: it is no table with a header and rows.
    """
    plain = data.decode("utf-8-sig")
    delimiter = "\t" if plain.split("\n")[0].count("\t") else ";" if plain.split("\n")[0].count(";") else ","
    rows = [row for row in csv.reader(io.StringIO(plain, newline=""), delimiter=delimiter) if row]
    if len(rows) < _FEW_COLUMNS or len({len(row) for row in rows}) != 1:
        raise ValueError("no table")
    header, body = rows[0], rows[1:]
    records: list[Any] = [dict(zip(header, row, strict=True)) for row in body]

    def written(table: list[list[str]], quoting: Literal[0, 1] = csv.QUOTE_MINIMAL) -> bytes:
        buffer = io.StringIO(newline="")
        end = "\r\n" if "\r\n" in plain else "\n"
        csv.writer(buffer, delimiter=delimiter, lineterminator=end, quoting=quoting).writerows(table)
        return buffer.getvalue().encode()

    for made in changed_values(records, rng, ordered):
        new = made.new
        if made.operator in _CELL and isinstance(new, list) and all(_is_row(row, header) for row in new):
            table = [header, *([row[name] for name in header] for row in new)]
            yield Change(made.operator, made.what, written(table), made.field)
    column = rng.randrange(len(header))
    numbers = [index for index, name in enumerate(header) if all(_is_number(row[index]) for row in body)]
    yield Change(
        "drop",
        f"the column {header[column]} is gone",
        written([row[:column] + row[column + 1 :] for row in rows]),
    )
    for index in rng.sample(numbers, min(len(numbers), 2)):
        row = rng.randrange(len(body))
        for operator, word in _NO_NUMBERS:
            what = f"{header[index]} of row {row} becomes {word or 'empty'}"
            table = [list(cells) for cells in rows]
            table[row + 1][index] = word
            yield Change(operator, what, written(table), header[index])
    if len(header) > 1:
        yield Change(
            "swap",
            "two names of the header change places",
            written([[header[1], header[0], *header[2:]], *body]),
        )
    end = data.rstrip(b"\r\n")
    yield Change("same", "no newline at the end", end if end != data else data + b"\n")
    yield Change("same", "every field in quotes", written(rows, csv.QUOTE_ALL))


def _is_row(row: Any, header: list[str]) -> bool:
    return (
        isinstance(row, dict)
        and set(row) == set(header)
        and all(isinstance(cell, str) for cell in row.values())
    )


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
