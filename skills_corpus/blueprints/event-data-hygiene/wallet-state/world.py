"""A feed of wallet events: repeats, late arrivals, two schemas, closings, and ids that differ only beyond 2^53."""

import json
from datetime import datetime, timedelta, timezone

NAMES = ["Abara", "Bianchi", "Castro", "Dubois", "Eriksen", "Fodor", "Garza", "Haddad", "Ivanova", "Jansen", "Kaya", "Lindqvist"]
DIGITS = {"EUR": 2, "GBP": 2, "JPY": 0, "KWD": 3}


def money(minor, currency):
    digits = DIGITS[currency]
    if not digits:
        return str(minor)
    return f"{minor // 10 ** digits}.{minor % 10 ** digits:0{digits}d}"


def build(world):
    rng = world.rng
    schemas, withdrawn_on = world.knob("schemas"), world.knob("notices")
    currencies = world.knob("currencies").split()
    start = datetime(2026, 5, 4, 5, 0, tzinfo=timezone.utc)
    base = 9007199254740992 + 2 * rng.randrange(10 ** 4, 10 ** 6)
    wallets = []
    for n in range(24):  # pairs of neighbours: one number when read as a float
        wallets.append(base + 4 * n * rng.randint(5, 9) + (1 if n % 2 else 0))
        wallets.append(wallets[-1] + (-1 if n % 2 else 1))
    wallets = sorted(set(wallets))
    facts = []  # every event that really happened, in the producer's order
    for place, wallet in enumerate(wallets):
        currency = currencies[place % len(currencies)]
        owner = rng.choice(NAMES)
        moment = start + timedelta(minutes=rng.randrange(2000))
        count = rng.randint(2, 6)
        fate = place % 6  # 0: closed at the end, 1: closed and opened again
        for revision in range(1, count + 1):
            moment += timedelta(minutes=rng.randint(3, 400))
            kind = "wallet.opened" if revision == 1 else "wallet.updated"
            if fate == 0 and revision == count:
                kind = "wallet.closed"
            if fate == 1 and count > 3 and revision == count - 1:
                kind = "wallet.closed"
            if fate == 1 and count > 3 and revision == count:
                kind = "wallet.opened"
            if rng.random() < 0.2:
                owner = rng.choice(NAMES)
            facts.append({"id": f"ev-{rng.getrandbits(40):010x}", "wallet": wallet, "kind": kind, "revision": revision,
                          "at": moment, "owner": owner, "minor": rng.randint(1, 500000), "currency": currency,
                          "last": revision == count, "node": rng.choice(["w1", "w2", "w3"])})
    state = {}
    for fact in facts:
        state[fact["wallet"]] = fact

    deliveries = []  # (arrival, event, attempt, minor, batch)
    good, bad, back = (f"b-{n}" for n in rng.sample(range(100, 999), 3))
    for fact in facts:
        late = timedelta(hours=rng.choice([0, 0, 0, 9, 30]))
        copies = 2 if rng.random() < (0.5 if fact["last"] else 0.15) else 1
        corrected = world.knob("corrections") and copies == 2
        for attempt in range(1, copies + 1):
            stale = corrected and attempt < copies
            minor = fact["minor"] + (rng.randint(1, 900) if stale else 0)
            arrival = fact["at"] + late + timedelta(minutes=rng.randrange(900))  # the first attempt may come last
            batch = good
            if withdrawn_on and fact["last"] and rng.random() < 0.3:
                batch = back
            deliveries.append([arrival, fact, attempt, minor, batch])
    noise = []
    if withdrawn_on:
        for fact in rng.sample([f for f in facts if f["last"]], 14):  # a load test with the real ids and a higher attempt
            noise.append([fact["at"] + timedelta(minutes=90), fact, 3, fact["minor"] + rng.randint(1000, 9000), bad])
        for fact in rng.sample([f for f in facts if f["last"]], 6):  # and with events that never happened
            ghost = dict(fact, id=f"ev-{rng.getrandbits(40):010x}", revision=fact["revision"] + 1, kind="wallet.updated")
            noise.append([ghost["at"] + timedelta(minutes=95), ghost, 1, rng.randint(1, 9999), bad])
    deliveries += noise
    lines = []
    for arrival, fact, attempt, minor, batch in deliveries:
        clock = fact["at"]
        if fact["node"] == "w3":  # this node's clock runs wild
            clock -= timedelta(hours=70)
        at = clock.strftime("%Y-%m-%dT%H:%M:%SZ")
        amount = money(minor, fact["currency"])
        if schemas == 2 and (fact["wallet"] + fact["revision"]) % 3 == 0:
            event = {"schema": 2, "id": fact["id"], "type": fact["kind"],
                     "data": {"wallet_id": str(fact["wallet"]), "owner": fact["owner"], "balance": {"amount": amount, "currency": fact["currency"]}},
                     "meta": {"revision": fact["revision"], "occurred_at": at, "node": fact["node"], "attempt": attempt, "batch": batch}}
        else:
            event = {"schema": 1, "event_id": fact["id"], "type": fact["kind"], "wallet": fact["wallet"], "owner": fact["owner"],
                     "balance": amount, "currency": fact["currency"], "revision": fact["revision"], "occurred_at": at,
                     "node": fact["node"], "attempt": attempt, "batch": batch}
        lines.append((arrival, json.dumps(event)))
    beats = rng.randint(20, 40)
    for _ in range(beats):
        arrival = start + timedelta(minutes=rng.randrange(5000))
        lines.append((arrival, json.dumps({"schema": 1, "type": "feed.heartbeat", "node": rng.choice(["w1", "w2", "w3"]),
                                           "occurred_at": arrival.strftime("%Y-%m-%dT%H:%M:%SZ")})))
    lines.sort()
    count = world.knob("files")
    files = {}
    for i in range(count):
        part = lines[len(lines) * i // count:len(lines) * (i + 1) // count]
        name = f"/workspace/feed/part-{i + 1:02d}.jsonl"
        world.write(name, "".join(text + "\n" for _, text in part))
        files[name] = world.digest(name)

    order = ("The order of two events of a wallet is that of `revision`. `occurred_at` is the wall clock of a node and says nothing about order.\n"
             if not withdrawn_on else
             "Two events of a wallet are ordered by `occurred_at`, and where that is equal by `revision`.\n")
    second = ("Schema 2 carries the same facts: `id` is schema 1's `event_id`, `data.wallet_id` its `wallet` (as text), `data.balance.amount` and\n"
              "`data.balance.currency` its `balance` and `currency`, and what is in `meta` was at the top.\n\n" if schemas == 2 else "")
    again = ("A delivery is repeated until it is acknowledged. All deliveries of one event id are one event; a repeat may carry a corrected body,\n"
             "and the highest `attempt` is the one that counts.\n")
    world.write("/workspace/CONTRACT.md", (
        "# Wallet feed, contract 1.4 (2025-11-03)\n\nOne JSON object a line, at least once, in no particular order.\n\n"
        "## Events\n\n`wallet.opened`, `wallet.updated` and `wallet.closed` each carry the whole state of the wallet after the event. `wallet.closed`\n"
        "ends a wallet; a later `wallet.opened` brings it back. `feed.heartbeat` is no event, and is refused when counting.\n\n"
        f"{second}## Repeats\n\n{again}\n## Order\n\n{order}\n"
        "## Money\n\n`balance` is text in the currency's usual decimals (ISO 4217: two for EUR and GBP, none for JPY, three for KWD).\n"))
    if withdrawn_on:
        world.write("/workspace/producer/CHANGELOG.md", (
            "# wallet-service\n\n## 2.1 (2026-04-27)\n\n- Faster acknowledgement; repeats are rarer.\n\n## 2.0 (2026-04-13)\n\n"
            "- `revision` is now gapless for each wallet, and the only thing that orders its events. `occurred_at` is whatever the node's\n"
            "  clock says and is kept for support only. This replaces \"Order\" in contract 1.4 and earlier.\n\n## 1.9 (2026-01-19)\n\n- `batch` added.\n"))
        world.write("/workspace/notices/2026-05-05-a.txt", f"From: feed operations\nBatches {bad} and {back} are withdrawn: a load test ran against production. Refuse every delivery in them.\n")
        world.write("/workspace/notices/2026-05-06-a.txt", f"From: feed operations\nNode w3 was restarted, no action needed. Batch {good} is complete.\n")
        world.write("/workspace/notices/2026-05-07-a.txt", f"From: feed operations\nCorrection to the notice of 5 May: {back} is genuine and stands. The load test was in the other batch only.\n")
    wanted = {}
    for wallet, fact in state.items():
        if fact["kind"] != "wallet.closed":
            wanted[str(wallet)] = {"owner": fact["owner"], "currency": fact["currency"], "balance_minor": fact["minor"], "revision": fact["revision"]}
    totals = {c: money(sum(w["balance_minor"] for w in wanted.values() if w["currency"] == c), c) for c in currencies}
    counts = {"deliveries": len(lines), "events": len(facts), "repeats": len(deliveries) - len(noise) - len(facts),
              "refused": beats + len(noise), "closed": len(state) - len(wanted)}
    return {"wallets": wanted, "totals": totals, "counts": counts, "feed": files}
