"""Exports of several branches, each in a dialect of its own, and hidden ones of the same branches for the program."""

import base64
import csv
import io
import json
from datetime import date, timedelta

TARGET = ["doc_no", "customer_no", "customer", "booked_on", "amount"]
FORMAT = """# The ledger

One CSV file: UTF-8 without BOM, comma, lines end in a plain line feed, quotes only where CSV needs them. The first line is
exactly `doc_no,customer_no,customer,booked_on,amount`. One row for each document, sorted by `doc_no` (as text, by code point).

| column | in the ledger | called in the exports |
|---|---|---|
| doc_no | upper case, no blanks around it | Belegnr, Doc No |
| customer_no | six digits; some programs drop the zeros in front | Kundennr, Customer No |
| customer | no blanks around it, blanks and line breaks within it become one blank | Kunde, Customer |
| booked_on | like 2026-03-31 | Datum, Date |
| amount | like -1234.50: always two digits after the point, no thousands separator, minus in front | Betrag, Amount |

A document can be exported again after a correction, by the same or by another branch, and letter case and blanks around a
`doc_no` have no meaning. The one read last counts.

# The exports

The columns come in any order. Encodings, separators and ways to write numbers and dates differ between exports; within
one export they are always the same. Cells are quoted as usual in CSV. A number may have thousands separators, and if it has
a decimal sign, exactly two digits follow. Dates with points are day.month.year.
{more}"""
DECORATED = """There can be title lines above the column names, and the names can come again in the middle (page breaks). A row that is not
a document (totals, such repeated names, blank lines) has no digits as its customer number. A minus can also stand behind
the number, or the number in parentheses.
"""
US = "Dates with slashes are month/day/year.\n"
EITHER = """Dates with slashes are day/month/year or month/day/year, depending on where the export was made; an export with slashes has at
least one day after the 12th. Leeds exports without column names, in the order of the ledger. Customers' names can be written
in any encoding that Excel can save.
"""
NAMES = ["Müller; Söhne KG", "Smith, Jones & Co", '"Zur Post" GmbH', "NULL", "Bäckerei Voß", "Café Crème", "Ørsted A/S", "O'Neil Ltd",
         "Peña y Hijos", "Größe 50 – Mode", "Tom's \"Diner\"; Bar", "Åkesson AB", "nan", "Zürcher, Käse", "12 Monkeys Ltd", "Straße 7 e.V."]
DIALECTS = {
    "berlin": {"enc": "cp1252", "sep": ";", "point": ",", "group": ".", "date": "%d.%m.%Y", "order": [0, 1, 2, 3, 4], "minus": "behind",
               "names": ["Belegnr", "Kundennr", "Kunde", "Datum", "Betrag"]},
    "boston": {"enc": "utf-8", "sep": ",", "point": ".", "group": ",", "date": "%m/%d/%Y", "order": [3, 0, 1, 2, 4], "minus": "parentheses",
               "names": ["Date", "Doc No", "Customer No", "Customer", "Amount"], "strips": True},
    "leeds": {"enc": "utf-16", "sep": "\t", "point": ".", "group": ",", "date": "%d/%m/%Y", "order": [0, 1, 2, 3, 4], "minus": "front", "names": None,
              "strips": True},
    "zurich": {"enc": "utf-8", "sep": ";", "point": ".", "group": "'", "date": "%d.%m.%Y", "order": [1, 2, 0, 4, 3], "minus": "front",
               "names": ["Kundennr", "Kunde", "Belegnr", "Betrag", "Datum"]},
}


def build(world):
    rng = world.rng
    branches = world.knob("dialects")
    maker = _Maker(rng, world.knob("decorated"), world.knob("slashes"))
    more = (DECORATED if world.knob("decorated") else "") + (US if world.knob("slashes") and world.knob("us_first") else "")
    more += EITHER if not world.knob("us_first") else ""
    files, rows = maker.month(branches, 34)
    world.write("/srv/branches/FORMAT.md", FORMAT.format(more=more))
    for name, data in files.items():
        world.write(f"/srv/branches/{name}", data)
    trials = {}
    for title, some in {"next month": branches, "next month, backwards": branches[::-1]}.items():
        inputs, expected = maker.month(some, 12)
        trials[title] = {"inputs": {n: base64.b64encode(d).decode() for n, d in inputs.items()}, "expected": expected}
    world.hide("trials.json", json.dumps(trials))
    world.hide("ledger.json", json.dumps(rows))
    cents = sum(int(row[4].replace(".", "")) for row in rows)
    return {"documents": len(rows), "sum_cents": cents,
            "digests": {f"/srv/branches/{name}": world.digest(f"/srv/branches/{name}") for name in [*files, "FORMAT.md"]}}


class _Maker:
    def __init__(self, rng, decorated, slashes):
        self.rng, self.decorated, self.slashes = rng, decorated, slashes

    def month(self, branches, size):
        """Files by name in the order to read them, and the ledger's rows."""
        rng = self.rng
        first = date(2026, rng.randint(1, 6), 1)
        numbers = rng.sample(range(1000, 9000), size * len(branches) + 10)
        documents = [[f"{'RE' if n % 2 else 'INV'}-26-{n}", f"{rng.choice([rng.randint(1, 99), rng.randint(100, 99999), rng.randint(100000, 999999)]):06d}",
                      rng.choice(NAMES), first + timedelta(days=rng.randrange(28)), self.cents()] for n in numbers]
        ledger, files, at = {}, {}, 0
        for position, branch in enumerate(branches):
            mine = documents[at:at + size]
            at += size
            mine[2][4] = rng.choice([123400, 100000, 987600])  # no decimals: 1.234 or 1,234
            mine[3][3] = first + timedelta(days=rng.randint(12, 26))  # a day after the 12th, and one that could be either
            mine[4][3] = first.replace(day=(first.month + 3) % 11 + 1)
            mine[5][4] = -abs(mine[5][4])
            mine[0][2], mine[1][2] = "NULL", "Müller; Söhne KG"
            mine[6][1] = f"{rng.randint(1, 999):06d}"
            again = [list(d) for d in rng.sample(mine[1:], 3)]
            if position:  # corrected by another branch; the first document of an export never is
                again.append(list(documents[rng.randrange(position) * size + rng.randrange(1, size)]))
            for document in again:
                document[4] += rng.choice([1, 100, -250, 99])
                document[3] += timedelta(days=1)
            rows = mine + again
            for document in rows:
                ledger[document[0]] = document
            files[f"{branch}.csv"] = self.render(DIALECTS[branch], rows, len(mine))
        expected = [[n, c, name, f"{day:%Y-%m-%d}", f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02d}"]
                    for n, c, name, day, cents in sorted(ledger.values())]
        return files, expected

    def cents(self):
        rng = self.rng
        value = rng.choice([rng.randint(101, 99999), rng.randint(100001, 9999999), rng.randint(1, 99), rng.randint(1, 9999) * 100])
        return -value if rng.random() < 0.2 else value

    def render(self, dialect, rows, fresh):
        rng = self.rng
        pattern = dialect["date"] if self.slashes or "/" not in dialect["date"] else "%Y-%m-%d"
        table = []
        if self.decorated and dialect["names"]:
            table += [["Journal / Buchungen"], ["Stand 01.07.2026, Seite 1"], []]
        if dialect["names"]:
            table.append(dialect["names"])
        for n, (doc, customer, name, day, cents) in enumerate(rows):
            if n >= fresh:
                doc = rng.choice([doc.lower(), f" {doc} ", doc.capitalize()])
            if dialect.get("strips"):
                customer = customer.lstrip("0")
            if n % 7 == 2:
                name = f" {name} "
            if self.decorated and n % 9 == 4 and " " in name.strip():
                name = name.strip().replace(" ", "\n", 1)
            cells = [doc, customer, name, day.strftime(pattern), self.number(dialect, cents)]
            table.append([cells[i] for i in dialect["order"]])
            if self.decorated and dialect["names"] and n == fresh // 2:
                table.append(dialect["names"])
        if self.decorated:
            total = ["", "", "Total", "", self.number(dialect, sum(r[4] for r in rows))]
            table += [[], [total[i] for i in dialect["order"]]]
        text = io.StringIO()
        csv.writer(text, delimiter=dialect["sep"], lineterminator="\r\n").writerows(table)
        data = text.getvalue()
        if dialect["enc"] == "utf-16":
            return b"\xff\xfe" + data.encode("utf-16-le")
        bom = b"\xef\xbb\xbf" if self.decorated and dialect["sep"] == "," else b""
        return bom + data.encode(dialect["enc"])

    def number(self, dialect, cents):
        whole, rest = divmod(abs(cents), 100)
        text = f"{whole:,}".replace(",", dialect["group"])
        if rest or whole < 1000:
            text += f"{dialect['point']}{rest:02d}"
        if cents >= 0:
            return text
        if not self.decorated or dialect["minus"] == "front":
            return "-" + text
        return text + "-" if dialect["minus"] == "behind" else f"({text})"
