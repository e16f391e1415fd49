"""A till's export in which some receipts are voided, and the figures in a hidden file."""

import hashlib
import json
import random


def build(world):
    rows = ["number,cents,state"]
    total, kept = 0, []
    voided = set(world.rng.sample(range(2, 60), world.knob("voided")))
    for number in range(1, 61):
        cents = world.rng.randint(100, 99999)
        rows.append(f"{4000 + number},{cents},{'void' if number in voided else 'paid'}")
        if number not in voided:
            total += cents
            kept.append(4000 + number)
    world.write("/workspace/till.csv", "\n".join(rows) + "\n")
    figures = {"total_cents": total, "receipts": len(kept), "first": kept[0], "last": kept[-1]}
    world.hide("figures.json", json.dumps(figures))
    random.Random(world.seed).shuffle(rows)
    return {"seed": world.seed, "shuffled": hashlib.sha256("\n".join(rows).encode()).hexdigest()}
