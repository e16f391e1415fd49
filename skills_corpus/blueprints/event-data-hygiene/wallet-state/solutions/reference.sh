#> First the papers: what identifies an event, what orders two of them, what ends a wallet, and whether a later paper changes an earlier one.
cat CONTRACT.md
for f in producer/* notices/*; do if [ -f "$f" ]; then echo "== $f"; cat "$f"; fi; done
#> Now the shape of the data: lines, types, schemas, a heartbeat, a wallet event of schema 1, and a line of schema 2 in case there is any.
wc -l feed/*.jsonl
cat feed/*.jsonl | grep -o '"schema": [0-9]*\|"type": "[a-z.]*"' | sort | uniq -c
grep -m1 -h heartbeat feed/*.jsonl | head -n 1
grep -h '"schema": 1.*"wallet[.]' feed/*.jsonl | head -n 2
grep -m1 -h '"schema": 2' feed/*.jsonl | head -n 1
#> Ids must keep all digits: Python's integers are exact, doubles would round above 2^53. Bring every schema to one form, refuse heartbeats and batches that a notice (if any) withdraws, keep the highest attempt of each event, then the highest revision of each wallet. Closed ones drop out last.
cat > /tmp/fold.py <<'PY'
import glob, json, re
from decimal import Decimal
DIGITS = {"JPY": 0, "KWD": 3}
withdrawn = set()
for name in sorted(glob.glob("notices/*.txt")):  # dated names: later notices correct earlier ones
    for sentence in re.split(r"(?<=[.])\s", open(name).read()):
        batches = set(re.findall(r"b-\d+", sentence))
        if "withdrawn" in sentence:
            withdrawn |= batches
        elif "stands" in sentence:
            withdrawn -= batches
print("withdrawn:", sorted(withdrawn))

def normal(event):
    if event["schema"] == 1:
        return {"id": event["event_id"], "wallet": str(event["wallet"]), "amount": event["balance"],
                **{k: event[k] for k in ("type", "owner", "currency", "revision", "attempt", "batch")}}
    if event["schema"] == 2:
        data, meta = event["data"], event["meta"]
        return {"id": event["id"], "type": event["type"], "wallet": data["wallet_id"], "owner": data["owner"], "amount": data["balance"]["amount"],
                "currency": data["balance"]["currency"], "revision": meta["revision"], "attempt": meta["attempt"], "batch": meta["batch"]}
    raise SystemExit(f"unknown schema {event['schema']}")

lines = refused = accepted = 0
events = {}
for name in sorted(glob.glob("feed/*.jsonl")):
    for line in open(name, encoding="utf-8"):
        lines += 1
        event = json.loads(line)
        if event["type"] == "feed.heartbeat":
            refused += 1
            continue
        event = normal(event)
        if event["batch"] in withdrawn:
            refused += 1
            continue
        accepted += 1
        if event["id"] not in events or event["attempt"] > events[event["id"]]["attempt"]:
            events[event["id"]] = event
state = {}
for event in events.values():
    held = state.get(event["wallet"])
    if held is None or event["revision"] > held["revision"]:
        state[event["wallet"]] = event
still = [e for e in state.values() if e["type"] != "wallet.closed"]
totals = {}
with open("wallets.jsonl", "w") as out:
    for e in sorted(still, key=lambda e: int(e["wallet"])):
        minor = int(Decimal(e["amount"]).scaleb(DIGITS.get(e["currency"], 2)))
        totals[e["currency"]] = totals.get(e["currency"], 0) + minor
        print(json.dumps({"wallet": e["wallet"], "owner": e["owner"], "currency": e["currency"], "balance_minor": minor, "revision": e["revision"]}), file=out)
json.dump({"deliveries": lines, "events": len(events), "repeats": accepted - len(events), "refused": refused, "closed": len(state) - len(still),
           "totals": {c: f"{Decimal(m).scaleb(-DIGITS.get(c, 2)):.{DIGITS.get(c, 2)}f}" for c, m in sorted(totals.items())}},
          open("report.json", "w"), indent=1)
PY
python3 /tmp/fold.py
#> Check: the counts add up to the lines, the ids are text with all their digits, and no wallet appears twice.
cat report.json; echo
head -n 3 wallets.jsonl
cut -d'"' -f4 wallets.jsonl | sort | uniq -d | wc -l
