"""An article file with a manner of its own, and a supplier's price list that has been through a spreadsheet."""

import csv
import io
from datetime import date, timedelta

HEADER = ["Nr", "EAN", "Bezeichnung", "EK", "VK", "Stand", "Lager", "Bemerkung"]
THINGS = ["Schraube", "Dübel", "Kabel 3×1,5", "Lüfter", "Öse", "Muffe", "Bürste", "Klemme", "Griff", "Kette", "Haken", "Band"]
KINDS = ["M8; verzinkt", "groß", "weiß", '3/4"', "10 m", "„Profi“", "für außen", "à 12 St.", "kurz"]
NOTE = """Our articles and this supplier's list, for the price change of {key}
- "Nr" in our file is the article number; it is text, all of it counts.{zeros}
- Articles with "Preis fest" in Bemerkung have a contract: do not touch them, however the list may look.
- Prices in the list are net, in euros, with a decimal point.{packs}
- No price, zero, or words like "on request": not usable.{validity}{barcodes}
Karin
"""
ZEROS = """ The supplier has had our numbers through a spreadsheet
  again: zeros in front are gone and he does not care for capitals. Our numbers have six characters."""
PACKS = """ They are for as many pieces as "per" says; EK
  is for one piece, rounded to the cent, half a cent upwards."""
VALIDITY = """
- An article can be in the list several times. Of the rows in force on the day of the change the one that is valid from the
  latest day counts. If that row has no usable price, the article keeps what it has; rows that are older do not come back."""
BARCODES = """
- He has also given some numbers of ours to other articles. The barcode (EAN) sticks to the article: where a row has a whole
  one, that decides, and only where it has none, or a damaged one, the number. A whole EAN that we do not have is an article
  that we do not have."""


def build(world):
    rng = world.rng
    eaten, validity, packs, renumbered = (world.knob(k) for k in ("eaten_zeros", "validity", "packs", "renumbered"))
    key = date(2026, rng.randint(2, 6), rng.choice([1, 15]))
    articles = _articles(rng)
    by_number = {a["Nr"]: a for a in articles}
    listed = rng.sample([a for a in articles if not a["fixed"]], 40)
    fixed = rng.sample([a for a in articles if a["fixed"]], 4)

    rows = []  # what the list says, and what is meant: article or None, valid from, cents or None

    def offer(article, valid, cents=None, per=1, price=None, number=None, ean=None, order=None):
        rows.append({"article": article, "valid": valid, "cents": cents, "per": per, "price": price, "order": rng.random() if order is None else order,
                     "number": number or article["Nr"], "ean": article["EAN"] if ean is None else ean})

    def some():
        return f"{rng.randint(100, 90000) / 100:.2f}"

    def money():
        per = rng.choice([1, 1, 10, 100]) if packs else 1
        total = rng.randint(120, 400000)
        if per > 1 and rng.random() < 0.5:
            total = total // per * per + per // 2  # exactly half a cent
        return total, per

    for n, article in enumerate(listed):
        total, per = money()
        cents = (2 * total + per) // (2 * per)
        valid = key - timedelta(days=rng.randint(0, 25))
        if validity and n % 4 == 0:  # older, newer but not yet in force, and the one that counts
            offer(article, valid - timedelta(days=rng.randint(10, 60)), 1, price=some())
            offer(article, key + timedelta(days=rng.randint(1, 40)), 1, price=some())
        if validity and n in (1, 2):
            offer(article, valid - timedelta(days=30), 1, price=some())
            offer(article, valid, None, price=["on request", ""][n - 1])
            continue
        if n in (5, 6, 7):
            offer(article, valid, None, price=["on request", "", "0.00"][n - 5])
            continue
        offer(article, key if n == 9 else valid, cents, per, f"{total / 100:.2f}")
    for article in fixed:
        offer(article, key - timedelta(days=3), 1, price=some())
    for n in range(5):
        offer(None, key - timedelta(days=5), 1, price="on request" if n == 0 else some(), number=_free_number(rng, by_number), ean=_ean(rng))
    if renumbered:
        spare = [a for a in articles if not a["fixed"] and a not in listed]
        for n, article in enumerate(rng.sample(spare, 10)):
            total, per = money()
            cents = (2 * total + per) // (2 * per)
            other = rng.choice([a for a in articles if a is not article])
            if n < 6:  # the number is another article's, the barcode is right
                offer(article, key - timedelta(days=n), cents, per, f"{total / 100:.2f}", number=other["Nr"])
            elif n < 8:  # the number is ours, the barcode belongs to no article of ours
                offer(None, key - timedelta(days=n), cents, per, f"{total / 100:.2f}", number=article["Nr"], ean=_ean(rng))
            else:  # the barcode is damaged: the number decides
                offer(article, key - timedelta(days=n), cents, per, f"{total / 100:.2f}", ean=f"{article['EAN'][0]},{article['EAN'][1:6]}E+12")
        for row in rows:
            if row["article"] in listed and rng.random() < 0.2:
                row["ean"] = rng.choice(["", f"{row['ean'][0]},{row['ean'][1:6]}E+12"])
    rows.sort(key=lambda r: r["order"])

    changes, open_rows, newest = {}, [], {}
    for line, row in enumerate(rows, 2):
        row["line"], row["said"] = line, _spreadsheet(rng, row["number"]) if eaten else row["number"]
        if row["article"] is not None and row["valid"] <= key:
            kept = newest.setdefault(row["article"]["Nr"], row)
            newest[row["article"]["Nr"]] = max(kept, row, key=lambda r: r["valid"])
    for row in rows:
        if row["article"] is None:
            open_rows.append([str(row["line"]), row["said"], "unknown"])
        elif row["cents"] is None:
            open_rows.append([str(row["line"]), row["said"], "no_price"])
        elif row["article"]["fixed"]:
            open_rows.append([str(row["line"]), row["said"], "fixed"])
        elif newest.get(row["article"]["Nr"]) is row:
            changes[row["article"]["Nr"]] = (f"{row['cents'] // 100},{row['cents'] % 100:02d}", f"{row['valid']:%d.%m.%Y}")

    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(["article_no"] + (["ean"] if renumbered else []) + ["description", "price"] + (["per"] if packs else []) + ["valid_from"])
    for n, row in enumerate(rows):
        valid = f"{row['valid']:%d.%m.%Y}" if validity and n % 3 else f"{row['valid']:%Y-%m-%d}"
        what = (row["article"] or rng.choice(articles))["plain"]
        out.writerow([row["said"]] + ([row["ean"]] if renumbered else []) + [what, row["price"]] + ([row["per"]] if packs else []) + [valid])
    world.write("/workspace/inbox/pricelist.csv", text.getvalue())
    world.write("/workspace/inbox/note.txt", NOTE.format(
        key=f"{key:%Y-%m-%d}", zeros=ZEROS if eaten else "", packs=PACKS if packs else "", validity=VALIDITY if validity else "", barcodes=BARCODES if renumbered else ""))
    world.write("/workspace/articles.csv", _file(articles, {}))
    world.hide("articles.csv", _file(articles, changes))
    world.publish("supplier", rng.choice(["Brandt", "Lindqvist", "Moreau"]))
    world.publish("key_date", f"{key:%Y-%m-%d}")
    kept = [_record(a, {}).decode("latin-1") for a in articles if a["Nr"] not in changes]
    return {"changes": {number: list(cells) for number, cells in sorted(changes.items())}, "open": open_rows,
            "kept": len(kept), "records": len(articles),
            "inbox": {name: world.digest(f"/workspace/inbox/{name}") for name in ("pricelist.csv", "note.txt")}}


def _articles(rng):
    """Records with each cell's quoting decided, as an old system leaves them."""
    numbers, articles = set(), []
    while len(numbers) < 120:
        kind = rng.random()
        numbers.add(f"{rng.randint(1, 99):06d}" if kind < 0.2 else f"{rng.randint(100, 9999):06d}" if kind < 0.6 else
                    f"{rng.randint(100000, 999999)}" if kind < 0.75 else f"{rng.choice('ABK')}{rng.choice('XLC')}{rng.randint(10, 9999):04d}")
    for n, number in enumerate(rng.sample(sorted(numbers), len(numbers))):
        name = f"{rng.choice(THINGS)} {rng.choice(KINDS)}"
        plain = name.replace("×", "x").replace("„", "").replace("“", "")
        if n % 13 == 5:
            name = name.replace(" ", "\n", 1)
        cents = rng.randint(50, 250000)
        cost = f"{cents // 100},{cents % 100:02d}"
        if cents > 100000 and n % 2:
            cost = f"{cents // 100000}.{cents // 100 % 1000:03d},{cents % 100:02d}"
        sale = cents * 17 // 10
        fixed = n % 12 == 7
        remark = "Preis fest bis 31.12." if fixed else rng.choice(["", "", "", "Auslauf", " ", "siehe; Karte", "0,5 € Pfand", "Preis?"])
        cells = [number, _ean(rng), name, cost, f"{sale // 100},{sale % 100:02d}", f"{rng.randint(1, 28):02d}.{rng.randint(1, 12):02d}.202{rng.randint(3, 5)}",
                 str(rng.randint(0, 400)), remark]
        quoted = [n % 5 == 0, False, True, n % 3 == 0, n % 3 == 0, n % 7 == 0, False, n % 2 == 0 and bool(remark)]
        quoted = [q or any(c in cell for c in ';"\n') for q, cell in zip(quoted, cells)]
        articles.append({"Nr": number, "EAN": cells[1], "plain": plain, "fixed": fixed, "cells": cells, "quoted": quoted})
    return articles


def _file(articles, changes):
    """cp1252, CRLF, no line end after the last record, an empty line after the header."""
    head = ";".join(HEADER).encode() + b"\r\n\r\n"
    return head + b"\r\n".join(_record(a, changes) for a in articles)


def _record(article, changes):
    cells = list(article["cells"])
    if article["Nr"] in changes:
        cells[3], cells[5] = changes[article["Nr"]]
    return ";".join('"' + c.replace('"', '""') + '"' if q else c for c, q in zip(cells, article["quoted"])).encode("cp1252")


def _ean(rng):
    body = "40" + f"{rng.randrange(10**10):010d}"
    return body + str(-sum(int(d) * (3 if i % 2 else 1) for i, d in enumerate(body)) % 10)


def _free_number(rng, taken):
    while True:
        number = rng.choice([f"{rng.randint(20, 9999):06d}", f"Z{rng.choice('XLC')}{rng.randint(10, 9999):04d}"])
        if number not in taken:
            return number


def _spreadsheet(rng, number):
    if number.isdigit():
        return number.lstrip("0")
    return rng.choice([number, number.lower(), number.capitalize()])
