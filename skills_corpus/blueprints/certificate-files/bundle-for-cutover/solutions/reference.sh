#> See what is wanted, which keys there are, and in which forms the certificates came; suffixes prove nothing.
cat /workspace/CUTOVER.md
ls /etc/pki/hsm
cat /etc/pki/revoked.csv 2>/dev/null
file /var/spool/pki/inbox/*
#> Bring everything to single PEM certificates in a scratch folder, whatever the form: PEM blocks, PKCS#7 bags, plain DER. The same block in two files counts once. Then list what there is.
mkdir -p /tmp/pki /workspace/bundles
cat > /tmp/pki/pile.py <<'PY'
import glob, os, pickle, re, subprocess
from datetime import datetime, timezone
def openssl(*args, data=None):
    done = subprocess.run(["openssl", *args], input=data, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None
def blocks(path):
    text = open(path, "rb").read().decode("latin-1").replace("\r", "")
    if "BEGIN PKCS7" in text:
        text = openssl("pkcs7", "-print_certs", "-in", path)
    elif "BEGIN CERTIFICATE" not in text:
        text = openssl("x509", "-inform", "DER", "-in", path)
    return re.findall(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\n", text, re.S)
def facts(pem):
    text = openssl("x509", "-noout", "-issuer", "-subject", "-serial", "-dates", "-pubkey", "-fingerprint", "-sha256", "-nameopt", "multiline", "-ext", "subjectAltName,basicConstraints", data=pem)
    moment = lambda key: datetime.strptime(re.search(key + r"=(.*)", text)[1], "%b %d %H:%M:%S %Y %Z").replace(tzinfo=timezone.utc)
    return {"pem": pem, "begin": moment("notBefore"), "end": moment("notAfter"), "ca": "CA:TRUE" in text, "names": re.findall(r"DNS:([^\s,]+)", text),
            "subject": re.search(r"subject=.*?commonName += (.*?)\n", text, re.S)[1], "issuer": re.search(r"issuer=.*?commonName += (.*?)\n", text, re.S)[1], "serial": int(re.search(r"serial=(.*)", text)[1], 16),
            "print": re.search(r"Fingerprint=(.*)", text)[1].replace(":", "").lower(), "key": re.search(r"-----BEGIN PUBLIC KEY.*END PUBLIC KEY-----\n", text, re.S)[0]}
def signed_by(subject, issuer):
    if subject["issuer"] != issuer["subject"]:  # the name can rule out, only the signature can prove
        return False
    for role, cert in (("subject", subject), ("issuer", issuer)):
        open(f"/tmp/pki/{role}.pem", "w").write(cert["pem"])
    return openssl("verify", "-partial_chain", "-no_check_time", "-trusted", "/tmp/pki/issuer.pem", "/tmp/pki/subject.pem") is not None
if not os.path.exists("/tmp/pki/pile.pickle"):  # reading costs a process per certificate: once is enough
    pems = sorted({pem for path in sorted(glob.glob("/var/spool/pki/inbox/*")) for pem in blocks(path)})
    pickle.dump(([facts(pem) for pem in pems], facts(blocks("/etc/pki/trust/quay-root.pem")[0])), open("/tmp/pki/pile.pickle", "wb"))
pile, root = pickle.load(open("/tmp/pki/pile.pickle", "rb"))
PY
cd /tmp/pki && python3 -c 'from pile import pile
for c in sorted(pile, key=lambda c: (c["ca"], c["names"], c["end"])): print(c["end"].isoformat(), c["issuer"], c["names"] or "CA", c["print"][:12])'
#> Sort out before ranking: key, names, dates at the moment of the move in UTC, a signed path to our root through intermediates that are in date, and issuer and number, if there is a list of what is revoked. Only among the rest does the longest validity decide.
cat > /tmp/pki/choose.py <<'PY'
import csv, json, os, re
from datetime import datetime, timezone
from pile import openssl, pile, root, signed_by
text = open("/workspace/CUTOVER.md").read()
when, offset = re.search(r"Moment of the move: (.*?) \(UTC([^)]*)\)", text).groups()
moment = datetime.strptime(f"{when} {offset or '+00:00'}", "%Y-%m-%d %H:%M %z").astimezone(timezone.utc)
def number(text):
    text = text.replace(":", "").lower().removeprefix("0x")
    return {int(text, 16)} | ({int(text)} if text.isdigit() else set())
revoked = set()
if os.path.exists("/etc/pki/revoked.csv"):
    for row in csv.DictReader(open("/etc/pki/revoked.csv")):
        revoked |= {(row["issuer"], n) for n in number(row["serial"])}
def usable(cert):
    return cert["begin"] <= moment <= cert["end"] and (cert["issuer"], cert["serial"]) not in revoked
def covers(cert, name):
    return any(p == name or (p[:2] == "*." and name.split(".", 1)[1] == p[2:]) for p in cert["names"])
def path(cert, seen=()):
    if signed_by(cert, root):
        return [cert]
    for issuer in pile:
        if issuer["ca"] and issuer["print"] != root["print"] and issuer["print"] not in seen and usable(issuer) and signed_by(cert, issuer):
            rest = path(issuer, (*seen, cert["print"]))
            if rest:
                return [cert, *rest]
    return None
summary = {"bundles": {}, "unserved": []}
for site, names, label in re.findall(r"^\| (\w+) \| (\S+, \S+) \| (\S+) \|$", text, re.M):
    key = openssl("pkey", "-pubin", "-in", f"/etc/pki/hsm/{label}.pub", "-pubout")
    fit = [c for c in pile if not c["ca"] and c["key"] == key and all(covers(c, n) for n in names.split(", ")) and usable(c)]
    chains = [chain for chain in (path(c) for c in sorted(fit, key=lambda c: c["end"], reverse=True)) if chain]
    if not chains:
        summary["unserved"].append(site)
        continue
    open(f"/workspace/bundles/{site}.pem", "w").write("".join(c["pem"] for c in chains[0]))
    summary["bundles"][site] = {"leaf": chains[0][0]["print"], "not_after": chains[0][0]["end"].strftime("%Y-%m-%dT%H:%M:%SZ")}
summary["unserved"].sort()
json.dump(summary, open("/workspace/summary.json", "w"), indent=1)
PY
python3 /tmp/pki/choose.py
#> Read back what a client would get: subject and issuer of each block in order, and the summary.
for f in /workspace/bundles/*.pem; do echo "$f"; openssl crl2pkcs7 -nocrl -certfile "$f" | openssl pkcs7 -print_certs -noout; done
cat /workspace/summary.json
