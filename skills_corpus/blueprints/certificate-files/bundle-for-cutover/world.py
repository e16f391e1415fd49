"""An inbox of certificates in every format, for sites whose keys are known. Certificates come from a fixed pool of test certificates."""

import base64
import json
import textwrap

WORDS = ["download", "cert", "neu", "final", "export", "bundle", "mail-attachment", "server", "chain", "issued"]


def pem(cert):
    return "-----BEGIN CERTIFICATE-----\n" + "\n".join(textwrap.wrap(cert["der"], 64)) + "\n-----END CERTIFICATE-----\n"


def serial_text(rng, serial):
    """One of the ways in which people write a serial number."""
    number = int(serial, 16)
    pairs = textwrap.wrap(serial.zfill(len(serial) + len(serial) % 2), 2)
    return rng.choice([serial.upper(), ":".join(pairs), "0x" + serial, str(number)])


def build(world):
    rng = world.rng
    pool = json.loads(world.read("/pool.json"))
    world.path("/pool.json").unlink()
    certs, keys = pool["certificates"], pool["keys"]
    plan = world.knob("sites")
    names = rng.sample(sorted(keys), len(plan))
    mixed, revoked, cross = world.knob("mixed"), world.knob("revoked"), world.knob("cross")

    labels = rng.sample(range(100, 999), 2 * len(names))
    rows, pile, expected, unserved, revocations = [], [], {}, [], []
    for position, (name, variants) in enumerate(zip(names, plan)):
        label, other = f"edge-{labels[2 * position]}", f"edge-{labels[2 * position + 1]}"
        world.write(f"/etc/pki/hsm/{label}.pub", keys[name]["current"])
        world.write(f"/etc/pki/hsm/{other}.pub", keys[name]["former"])
        host = f"{name}.quay.example"
        rows.append(f"| {name} | {host}, www.{host} | {label} |")
        pile += [certs[f"{name}/{variant}"] for variant in variants if variant != "-"]
        if variants[0] == "-":
            unserved.append(name)
            continue
        issuer = {"rekeyed-ca": "ca1-rekeyed", "ca2": "ca2-renewed"}.get(variants[0], "ca1")
        expected[name] = [certs[f"{name}/{variants[0]}"], certs[issuer]]
        if revoked:
            best = max((certs[f"{name}/{v}"] for v in variants if v in ("good", "rekeyed-ca", "ca2")), key=lambda c: c["not_after"])
            if best is not expected[name][0]:  # longer valid, and revoked
                revocations.append((best["issuer"], best["serial"]))
            elif variants[0] == "ca2":  # another authority gave the same serial number, and revoked that one
                revocations.append((certs[f"{name}/good"]["issuer"], certs[f"{name}/good"]["serial"]))

    edge = certs[f"{names[0]}/edge"]  # ends on the day of the move, at 10:30 UTC; never what is chosen
    if world.knob("offset"):
        moment = rng.choice(["2026-07-15 14:%02d (UTC+02:00)", "2026-07-15 15:%02d (UTC+03:00)"]) % rng.randint(10, 50)
        pile.append(edge)
    else:
        moment = f"2026-07-{rng.randint(16, 26)} 06:00 (UTC)"
    world.write("/workspace/CUTOVER.md", f"# Move to the new edge servers\n\nMoment of the move: {moment}\n\n| Site | Names | Key |\n|---|---|---|\n" + "\n".join(rows)
                + "\n\nKey is the label in the hardware module; its public half is `/etc/pki/hsm/LABEL.pub`.\n")
    world.write("/etc/pki/trust/quay-root.pem", pem(certs["root"]))
    if revoked:
        revocations += [(cert["issuer"], f"{rng.getrandbits(120):x}") for cert in rng.sample(pile, 3)]
        rng.shuffle(revocations)
        world.write("/etc/pki/revoked.csv", "issuer,serial,revoked_on\n" + "".join(
            f'"{issuer}",{serial_text(rng, serial)},2026-0{rng.randint(4, 6)}-{rng.randint(10, 28)}\n' for issuer, serial in revocations))

    pile += [certs["ca1"], certs["root"]]
    if mixed:
        pile += [certs["ca1-rekeyed"], certs["ca2"], certs["ca2-renewed"]]
    if cross:
        pile += [certs["ca1-cross"], certs["legacy-root"]]
    rng.shuffle(pile)
    inbox, number = "/var/spool/pki/inbox", 0
    while pile:
        number += 1
        form = rng.choice(["pem", "der", "p7b", "crlf", "several"]) if mixed else "pem"
        if number <= 4 and mixed:  # each form occurs
            form = ["der", "p7b", "crlf", "several"][number - 1]
        batch = [pile.pop() for _ in range(min(len(pile), rng.randint(2, 3) if form in ("several", "p7b") else 1))]
        stem = f"{inbox}/{rng.choice(WORDS)}-{number}"
        text = "".join(pem(cert) for cert in batch)
        if form == "der":
            world.write(stem + rng.choice([".cer", ".pem", ".der"]), base64.b64decode(batch[0]["der"]))
        elif form == "p7b":
            world.write("/tmp-batch.pem", text)
            world.write(stem + ".p7b", world.run(["openssl", "crl2pkcs7", "-nocrl", "-certfile", str(world.path("/tmp-batch.pem"))]))
            world.path("/tmp-batch.pem").unlink()
        elif form == "crlf":
            world.write(stem + ".crt", ("Bag Attributes\n    friendlyName: export\n" + text).replace("\n", "\r\n"))
        else:
            world.write(stem + rng.choice([".pem", ".crt", ".txt"]), text)
    return {
        "chains": {name: [cert["sha256"] for cert in chain] for name, chain in expected.items()},
        "not_after": {name: chain[0]["not_after"] for name, chain in expected.items()}, "unserved": sorted(unserved),
        "inbox": {path.name: world.digest(f"{inbox}/{path.name}") for path in sorted(world.path(inbox).iterdir())},
    }
