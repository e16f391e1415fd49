#> In Python, row by row.
head -n 2 till.csv
python3 - <<'PY'
import csv, json
paid = [row for row in csv.DictReader(open("till.csv")) if row["state"] != "void"]
numbers = [int(row["number"]) for row in paid]
result = {"last": max(numbers), "first": min(numbers), "kept_receipts": len(paid), "total_cents": sum(int(row["cents"]) for row in paid)}
json.dump(result, open("total.json", "w"))
PY
