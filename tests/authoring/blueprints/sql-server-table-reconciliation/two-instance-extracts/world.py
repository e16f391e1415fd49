"""Table extracts of two SQL Server instances that write the same values differently, with planted real differences."""

import csv
import io
import json
from datetime import datetime, timedelta

HOME = "/srv/extracts"
SIDES = ("prod", "staging")
README = """\
# Extracts of two SQL Server instances

`job.ini` says which instance is the source, which the target, and which tables are to be reconciled (`schema.table`, or `schema.*` for
all tables of a schema). The nightly export takes more tables than that.

One folder per instance:

- `data/schema.table.csv`: the rows, in no particular order, columns in the order of that instance. NULL is written `\\N`; an empty field is
  an empty string. `char` and `nchar` come padded to their length. The exporters are of different versions: one writes decimals with all their
  digits, the other without trailing zeros, and they differ in the fraction of seconds too.
- `data` values of type `datetime2` are the wall clock of the instance that wrote them (no instance has daylight saving); `datetimeoffset` values
  carry their own offset; `date` is a calendar day and has no zone.
- `catalog/columns.csv`: the columns with their declared types, from the instance's own `sys.columns`.
- `catalog/indexes.csv`: the columns of each index, from `sys.indexes` and `sys.index_columns`; `key_ordinal` is the place of the column in
  the index. `has_filter` is 1 where an index covers only part of the rows.
- `session.json`: what the instance itself answered to `SELECT SYSDATETIME(), SYSUTCDATETIME()` when the export began.

`inventory.csv` is the list of servers that the infrastructure team keeps by hand.
"""
ZONES = [-210, -180, 120, 180, 240, 330, 345, 480, 570]
WORDS = "amber birch cedar delta ember fjord grove heron indigo juniper kestrel larch maple nectar opal pine quartz raven sable tundra".split()


def zone(minutes):
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


def scale_of(kind):
    return int(kind.rstrip(")").split(",")[1])


# name, columns (name, source type, target type, nullable), key, indexes (name, primary, unique, filter, columns, sides), levels
EVERY, MORE = ("easy", "medium", "hard"), ("medium", "hard")
TABLES = [
    ("dbo.Customers",
     [("full_name", "nvarchar(60)", "nvarchar(60)", 0), ("customer_id", "int", "int", 0), ("segment", "char(12)", "char(12)", 1), ("remark", "nvarchar(80)", "nvarchar(80)", 1),
      ("credit_limit", "decimal(12,2)", "decimal(12,2)", 1), ("created_at", "datetime2", "datetime2", 0)],
     ["customer_id"], [("PK_Customers", 1, 1, 0, ["customer_id"], SIDES), ("IX_Customers_name", 0, 0, 0, ["full_name"], SIDES)], EVERY),
    ("dbo.Currencies",
     [("currency", "char(5)", "char(5)", 0), ("title", "nvarchar(40)", "nvarchar(40)", 1), ("rate", "decimal(18,6)", "decimal(18,6)", 0), ("updated_at", "datetime2", "datetime2", 0)],
     ["currency"], [("PK_Currencies", 1, 1, 0, ["currency"], SIDES)], EVERY),
    ("sales.OrderLines",
     [("line_no", "int", "int", 0), ("order_no", "char(10)", "varchar(10)", 0), ("quantity", "int", "int", 0), ("unit_price", "decimal(12,4)", "decimal(10,2)", 1),
      ("shipped_at", "datetime2", "datetime2", 1), ("note", "nvarchar(80)", "nvarchar(80)", 1)],
     ["order_no", "line_no"], [("IX_OrderLines_shipped", 0, 0, 0, ["shipped_at"], SIDES), ("PK_OrderLines", 1, 1, 0, ["order_no", "line_no"], SIDES)], EVERY),
    ("sales.OrderLines_2025",
     [("line_no", "int", "int", 0), ("order_no", "char(10)", "char(10)", 0), ("note", "nvarchar(80)", "nvarchar(80)", 1)],
     ["order_no", "line_no"], [("PK_OrderLines_2025", 1, 1, 0, ["order_no", "line_no"], SIDES)], ()),
    ("warehouse.StockLevels",
     [("import_ref", "int", "int", 0), ("sku", "varchar(12)", "varchar(12)", 0), ("depot", "char(6)", "char(6)", 0), ("on_hand", "int", "int", 0), ("counted_at", "datetimeoffset", "datetimeoffset", 1),
      ("checked_at", "datetime2", "datetimeoffset", 1), ("remark", "nvarchar(80)", "nvarchar(80)", 1), ("bin", "varchar(8)", None, 1), ("batch", None, "varchar(8)", 1)],
     ["depot", "sku"], [("UX_StockLevels_ref", 0, 1, 0, ["import_ref"], ("prod",)), ("IX_StockLevels_ref", 0, 0, 0, ["import_ref"], ("staging",)),
                        ("UX_StockLevels_place", 0, 1, 0, ["depot", "sku"], SIDES)], MORE),
    ("audit.LoginEvents",
     [("login", "varchar(20)", "varchar(20)", 0), ("at", "datetime2", "datetime2", 0), ("outcome", "varchar(10)", "varchar(12)", 1)],
     None, [("IX_LoginEvents", 0, 0, 0, ["login", "at"], SIDES)], MORE),
    ("hr.Badges",
     [("badge_no", "varchar(10)", "varchar(10)", 0), ("card_serial", "varchar(16)", "varchar(16)", 1), ("holder", "nvarchar(40)", "nvarchar(40)", 0), ("issued_on", "date", "date", 0)],
     None, [("UX_Badges_active", 0, 1, 1, ["badge_no"], SIDES), ("UX_Badges_serial", 0, 1, 0, ["card_serial"], SIDES)], ("hard",)),
]


def phrase(rng):
    return rng.choice([" ", ", "]).join(rng.sample(WORDS, rng.randint(2, 4)))


def draw(rng, kind, nullable, number):
    """One logical value: text, int, decimal as an integer of its last place, or a UTC time."""
    if nullable and rng.random() < 0.2:
        return None
    if kind == "int":
        return rng.randint(1, 900)
    if kind.startswith("decimal"):
        value = rng.randint(10000, 99999999)
        if value % 100 == 50:
            value += 7
        return value if number % 4 else value // 100 * 100
    if kind.startswith("datetime"):
        return datetime(2026, 1, 4) + timedelta(minutes=rng.randint(0, 100000))
    if kind == "date":
        return (datetime(2025, 1, 1) + timedelta(days=rng.randint(0, 400))).date()
    if kind.startswith("nvarchar"):
        return phrase(rng)
    return rng.choice(WORDS)[: int(kind.split("(")[1].rstrip(")"))]


def show(rng, value, kind, side, offset):
    if value is None:
        return "\\N"
    if kind.startswith("decimal"):
        scale = scale_of(kind)
        digits = f"{value:0{scale + 1}d}"
        text = f"{digits[:-scale]}.{digits[-scale:]}"
        return text.rstrip("0").rstrip(".") if side == "staging" else text
    fraction = ".0000000" if side == "prod" else ""
    if kind == "datetime2":
        return f"{value + timedelta(minutes=offset):%Y-%m-%d %H:%M:%S}{fraction}"
    if kind == "datetimeoffset":
        own = rng.choice(ZONES + [0])
        return f"{value + timedelta(minutes=own):%Y-%m-%d %H:%M:%S}{fraction} {zone(own)}"
    if kind.startswith("char("):
        return str(value).ljust(int(kind[5:-1]))
    return str(value)


def as_csv(header, rows):
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue()


def build(world):
    rng = world.rng
    offsets = dict(zip(SIDES, rng.sample(ZONES, 2)))
    claimed = dict(offsets)
    if world.knob("stale_inventory"):
        claimed["staging"] = rng.choice([z for z in ZONES if z not in offsets.values()])
    truth, columns, indexes = {}, {s: [] for s in SIDES}, {s: [] for s in SIDES}
    for name, spec, key, index_list, levels in TABLES:
        if name.split(".")[0] not in ("dbo", "sales") and world.level not in levels:
            continue
        count = rng.randint(50, 110)
        kinds = {c[0]: (c[1], c[2]) for c in spec}
        source = []
        for number in range(count):
            source.append({c: draw(rng, s or t, nullable, number) for c, s, t, nullable in spec})
        if name == "dbo.Customers":
            for row, value in zip(source, rng.sample(range(1000, 9000), count)):
                row["customer_id"] = value
        elif name == "dbo.Currencies":
            for number, row in enumerate(source):
                row["currency"] = f"{chr(65 + number % 26)}{chr(65 + number // 26)}{rng.choice('XYZ')}"
        elif name.startswith("sales."):
            order, line = rng.randint(2000, 4000), 0
            for row in source:
                if line == 0 or rng.random() < 0.4:
                    order, line = order + rng.randint(1, 4), 0
                line += 1
                row["order_no"], row["line_no"] = f"SO-{order}", line
        elif name == "warehouse.StockLevels":
            pairs = rng.sample([(d, f"{w}-{n}") for d in ("EAST", "WEST", "DOCK") for w in WORDS for n in range(1, 5)], count)
            for row, (depot, sku), ref in zip(source, pairs, rng.sample(range(10000, 99999), count)):
                row["depot"], row["sku"], row["import_ref"] = depot, sku, ref
        elif name == "hr.Badges":
            for number, (row, serial) in enumerate(zip(source, rng.sample(range(10 ** 6, 10 ** 7), count))):
                row["card_serial"] = None if number == 0 else f"C{serial}"  # SQL Server lets one NULL into a unique index
                row["badge_no"] = f"B{rng.randint(100, 140)}"
        target = []
        for row in source:  # the same facts, in the precision of the other side
            copy = dict(row)
            for c, (s, t) in kinds.items():
                if s and t and s.startswith("decimal") and copy[c] is not None and scale_of(s) != scale_of(t):
                    step = 10 ** (scale_of(s) - scale_of(t))
                    copy[c] = (copy[c] + step // 2) // step
            target.append(copy)
        missing, extra, wrong = [], [], []
        identify = lambda row: [str(row[c]) for c in key]
        if name in ("dbo.Customers", "sales.OrderLines", "warehouse.StockLevels"):
            order = rng.sample(range(count), count)
            lost, fresh, rest = order[: rng.randint(2, 5)], order[5: 5 + rng.randint(1, 4)], order[10:]
            missing = [identify(source[i]) for i in lost]
            extra = [identify(target[i]) for i in fresh]
            shared = [c for c, s, t, _ in spec if s and t and c not in key]
            texts = [c for c in shared if c in ("remark", "note")]
            plan = [("empty", texts[0])] * 2 + [("null", texts[0])] * 2
            for c in shared:
                kind = kinds[c][1]
                how = "decimal" if kind.startswith("decimal") else "number" if kind == "int" else "clock" if kinds[c] == ("datetime2", "datetime2") else "time" if kind.startswith("datetime") else "text"
                plan += [(how, c)] * rng.randint(1, 2)
            for how, c in plan:
                i = rest.pop()
                old, new = source[i], target[i]
                if how == "empty":
                    old[c], new[c] = rng.sample([None, ""], 2)
                elif how == "null":
                    text = phrase(rng)
                    old[c], new[c] = rng.sample([None, text], 2)
                elif how == "decimal":
                    old[c] = rng.randint(1000, 900000) * 10 ** (scale_of(kinds[c][0]) - scale_of(kinds[c][1]))
                    new[c] = old[c] // 10 ** (scale_of(kinds[c][0]) - scale_of(kinds[c][1])) + rng.choice([-1, 1])
                elif how == "number":
                    new[c] = old[c] + rng.randint(1, 9)
                elif how == "clock":  # loaded as written: the same wall clock, another moment
                    old[c] = datetime(2026, 2, 3) + timedelta(minutes=rng.randint(0, 9000))
                    new[c] = old[c] + timedelta(minutes=offsets["prod"] - offsets["staging"])
                elif how == "time":
                    old[c] = datetime(2026, 2, 3) + timedelta(minutes=rng.randint(0, 9000))
                    new[c] = old[c] + timedelta(minutes=rng.choice([-60, 60, 1440]))
                else:
                    new[c] = "other"
                wrong.append([identify(old), c])
            for i in rest[:3]:  # the same on both sides
                source[i][texts[0]] = target[i][texts[0]] = rng.choice([None, ""])
            source = [row for i, row in enumerate(source) if i not in fresh]
            target = [row for i, row in enumerate(target) if i not in lost]
        elif name == "warehouse.StockLevels" or key is None:
            target = target[: -rng.randint(2, 6)]
        if name == "warehouse.StockLevels":  # not unique over there
            for row in target[:6]:
                row["import_ref"] = target[7]["import_ref"]
            for row in target[:6]:
                k = identify(row)
                if k not in extra and [k, "import_ref"] not in wrong:
                    wrong.append([k, "import_ref"])
        drift = [[c, "only_target" if not s else "only_source" if not t else "type"] for c, s, t, _ in spec if s != t]
        for position, (side, rows) in enumerate(zip(SIDES, (source, target))):
            present = [(c, kinds[c][position], nullable) for c, _, _, nullable in spec if kinds[c][position]]
            if side == "staging":
                present = present[2:] + present[:2]
            rng.shuffle(rows)
            body = [[show(rng, row[c], kind, side, offsets[side]) for c, kind, _ in present] for row in rows]
            world.write(f"{HOME}/{side}/data/{name}.csv", as_csv([c for c, _, _ in present], body))
            columns[side] += [[name, n, c, kind, nullable] for n, (c, kind, nullable) in enumerate(present, 1)]
            for index, primary, unique, filtered, parts, where in index_list:
                if side in where:
                    indexes[side] += [[name, index, primary, unique, filtered, n, c] for n, c in reversed(list(enumerate(parts, 1)))]
        if world.level not in levels:
            continue
        verdict = "SKIPPED" if key is None else "DIFFERENCES FOUND" if missing or extra or wrong or drift else "IDENTICAL"
        truth[name] = {
            "source_rows": len(source), "target_rows": len(target), "key": key, "drift": sorted(drift), "result": verdict,
            "missing": None if key is None else sorted(missing), "extra": None if key is None else sorted(extra), "mismatches": None if key is None else sorted(wrong),
        }
    hosts = {"prod": "sqlprd04.corp.example", "staging": "sqlstg02.corp.example"}
    for side in SIDES:
        now = datetime(2026, 4, rng.randint(2, 27), rng.randint(0, 23), rng.randint(0, 59), rng.randint(0, 59))
        world.write(f"{HOME}/{side}/catalog/columns.csv", as_csv(["table", "column_id", "column", "type", "is_nullable"], columns[side]))
        world.write(f"{HOME}/{side}/catalog/indexes.csv", as_csv(["table", "index", "is_primary_key", "is_unique", "has_filter", "key_ordinal", "column"], indexes[side]))
        world.write(f"{HOME}/{side}/session.json", json.dumps({"server": hosts[side], "version": "16.0.4135.4", "sysdatetime": f"{now + timedelta(minutes=offsets[side]):%Y-%m-%d %H:%M:%S}",
                                                               "sysutcdatetime": f"{now:%Y-%m-%d %H:%M:%S}"}, indent=1) + "\n")
    world.write(f"{HOME}/inventory.csv", as_csv(["server", "role", "utc_offset", "reviewed"], [[hosts[s], s, zone(claimed[s]), "2025-06-11"] for s in SIDES]))
    schemas = sorted({name.split(".")[0] for name in truth} - {"sales"})
    world.write(f"{HOME}/job.ini", "[reconcile]\nsource = prod\ntarget = staging\ntables = " + ",".join([f"{s}.*" for s in schemas] + ["sales.OrderLines"]) + "\n")
    world.write(f"{HOME}/README.md", README)
    verdicts = [entry["result"] for entry in truth.values()]
    root = world.path(HOME)
    return {
        "tables": truth,
        "passed": verdicts.count("IDENTICAL"), "failed": verdicts.count("DIFFERENCES FOUND"), "skipped": verdicts.count("SKIPPED"),
        "inputs": {str(p.relative_to(root)): world.digest(f"{HOME}/{p.relative_to(root)}") for p in sorted(root.rglob("*")) if p.is_file()},
    }
