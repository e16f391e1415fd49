"""Sites of a web server with certificate files in many states. Certificates come from a fixed pool of test certificates."""

import base64
import json
import textwrap

AUDIT = """\
# Certificate review

Reference moment: {moment}. Everything is judged as of this moment.

| Problem | Reported when | Evidence |
|---|---|---|
| `not_pem` | the file is not PEM, so the server cannot read it; nothing else of this site is judged then | path of the file |
| `expired` | a certificate in the file (any of them) ended before the moment | fingerprint of that certificate |
| `not_yet_valid` | a certificate in the file begins after the moment | fingerprint of that certificate |
| `renewal_due` | the site's own certificate is valid, and ends within {days} days after the moment | fingerprint of that certificate |
| `name_not_covered` | a `server_name` of the site is not covered by its own certificate as clients check it; one finding for each name | the name |
| `wrong_key` | the site's own certificate is not for the key that the site is configured with | fingerprint of that certificate |
| `chain_order` | the file holds all that leads from the site's own certificate to the trusted root, but not in that order | fingerprint of the site's own certificate |
| `chain_broken` | with what the file holds no chain of valid signatures leads from the site's own certificate to the trusted root (dates aside) | fingerprint of the site's own certificate |

Fingerprints are SHA-256 of the certificate (DER), in hexadecimal. Several problems of one site are several findings.
"""


def pem(der_text):
    return "-----BEGIN CERTIFICATE-----\n" + "\n".join(textwrap.wrap(der_text, 64)) + "\n-----END CERTIFICATE-----\n"


def build(world):
    rng = world.rng
    pool = json.loads(world.read("/pool.json"))
    world.path("/pool.json").unlink()
    certs, keys = pool["certificates"], pool["keys"]
    names = sorted(keys)
    rng.shuffle(names)
    labels = [f"web-{n}" for n in rng.sample(range(100, 999), 2 * len(names))]
    days = rng.choice([28, 30, 35])
    after_edge = rng.random() < 0.5
    if world.knob("offset"):  # ignoring the offset puts the moment on the wrong side of the certificates that end on that day
        moment, utc = ("2026-07-15 07:%02d (UTC-05:00)", "2026-07-15T12:%02d:00Z") if after_edge else ("2026-07-15 11:%02d (UTC+02:00)", "2026-07-15T09:%02d:00Z")
        minute = rng.randint(1, 29)
        moment, utc = moment % minute, utc % minute
    else:
        day = rng.randint(5, 11)
        moment, utc = f"2026-07-{day:02d} 12:00 (UTC)", f"2026-07-{day:02d}T12:00:00Z"
    limit = {28: "2026-08-12", 30: "2026-08-14", 35: "2026-08-19"}[days]  # of 15 July; nothing in the pool ends between these and a week earlier
    world.write("/workspace/AUDIT.md", AUDIT.format(moment=moment, days=days))
    world.write("/etc/pki/trust/quay-root.pem", pem(certs["root"]["der"]))

    findings, expiry = [], {}
    for name, shape in zip(names, world.knob("sites")):
        kind, issuer, form = (shape.split("/") + ["plain"])[:3]
        host = f"{name}.quay.example"
        served = [host] if kind == "wildcard" else [host, f"www.{host}"]
        served += [f"{name}-alias.quay.example"] if kind.endswith("-alias") else []
        leaf = certs[f"{name}/{kind.removesuffix('-deep').removesuffix('-alias')}"]
        chain = [leaf] + ([certs[issuer]] if issuer != "none" else [])
        order = chain[::-1] if form == "reversed" else chain
        path = f"/etc/pki/tls/{name}.pem"
        if form == "der":
            world.write(path, base64.b64decode(leaf["der"]))
        else:
            world.write(path, "".join(pem(cert["der"]) for cert in order))
        label, other = labels.pop(), labels.pop()
        world.write(f"/etc/pki/hsm/{label}.pub", keys[name]["current"])
        world.write(f"/etc/pki/hsm/{other}.pub", keys[name]["former"])
        tls = [f"ssl_certificate {path};", f'ssl_certificate_key "engine:pkcs11:pkcs11:token=quay;object={label};type=private";']
        if world.knob("snippets"):
            world.write(f"/etc/nginx/snippets/{label}.conf", "\n".join(tls) + "\n")
            tls = [f"# ssl_certificate /etc/pki/tls/{name}-2024.pem;", f'# ssl_certificate_key "engine:pkcs11:pkcs11:token=quay;object={other};type=private";',
                   f"include /etc/nginx/snippets/{label}.conf;"]
            world.write(f"/etc/pki/tls/{name}-2024.pem", pem(certs[f"{name}/expired"]["der"]) + pem(certs["ca1"]["der"]))
        world.write(f"/etc/nginx/sites-enabled/{name}.conf", "server {\n    listen 443 ssl;\n    server_name " + " ".join(served) + ";\n"
                    + "".join(f"    {line}\n" for line in tls) + f"    location / {{ proxy_pass http://10.9.0.{rng.randint(2, 250)}:8080; }}\n}}\n")

        expiry[name] = leaf["not_after"]
        fingerprint = leaf["sha256"]
        if form == "der":
            findings.append([name, "not_pem", path])
            continue
        for cert in chain:
            if cert["not_after"] < utc:
                findings.append([name, "expired", cert["sha256"]])
            if cert["not_before"] > utc:
                findings.append([name, "not_yet_valid", cert["sha256"]])
        if utc <= leaf["not_after"] < limit:
            findings.append([name, "renewal_due", fingerprint])
        if kind == "cn-only":
            findings.append([name, "name_not_covered", host])
        if kind == "wildcard-deep":
            findings.append([name, "name_not_covered", f"www.{host}"])
        if kind.endswith("-alias"):
            findings.append([name, "name_not_covered", f"{name}-alias.quay.example"])
        if kind.startswith("former-key"):
            findings.append([name, "wrong_key", fingerprint])
        if issuer == "none" or (kind == "rekeyed-ca") != (issuer == "ca1-rekeyed"):
            findings.append([name, "chain_broken", fingerprint])
        elif form == "reversed":
            findings.append([name, "chain_order", fingerprint])
    if world.knob("disabled"):
        name = names[len(world.knob("sites"))]
        world.write(f"/etc/pki/tls/{name}.pem", pem(certs[f"{name}/expired"]["der"]) + pem(certs["ca1"]["der"]))
        world.write(f"/etc/pki/hsm/{labels[0]}.pub", keys[name]["current"])
        world.write(f"/etc/nginx/sites-available/{name}.conf", f"# switched off in spring\nserver {{\n    listen 443 ssl;\n    server_name {name}.quay.example;\n"
                    f'    ssl_certificate /etc/pki/tls/{name}.pem;\n    ssl_certificate_key "engine:pkcs11:pkcs11:token=quay;object={labels[0]};type=private";\n}}\n')
    paths = [f"/{p.relative_to(world.path('/'))}" for top in ("/etc/pki", "/etc/nginx") for p in sorted(world.path(top).rglob("*")) if p.is_file()]
    return {"findings": sorted(findings), "leaf_expiry": expiry, "inputs": {path: world.digest(path) for path in paths}}
