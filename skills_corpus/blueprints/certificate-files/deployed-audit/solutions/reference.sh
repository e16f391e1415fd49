#> First the rules of the audit, then what the server really loads: enabled sites only, with what they include if anything, and without lines that are commented out.
cat /workspace/AUDIT.md
ls -l /etc/nginx/* /etc/pki/*
head -n 20 /etc/nginx/sites-enabled/*.conf
cat /etc/nginx/snippets/*.conf 2>/dev/null | head -n 4
file /etc/pki/tls/*
#> I collect the facts of every certificate in every loaded file with openssl, split at each BEGIN CERTIFICATE, because openssl x509 reads only the first block. Links between certificates are signatures that openssl verify accepts, never names.
mkdir -p /tmp/audit
cat > /tmp/audit/facts.py <<'PY'
import glob, os, pickle, re, subprocess
from datetime import datetime, timezone
def openssl(*args, data=None):
    done = subprocess.run(["openssl", *args], input=data, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None
def directives(path):
    for line in open(path):
        line = line.split("#")[0].strip()
        if line.startswith("include"):
            for inner in glob.glob(line[7:].strip(" ;")):
                yield from directives(inner)
        elif line:
            yield line
def site(path):
    found = {"name": os.path.basename(path)[:-5], "names": []}
    for line in directives(path):
        if m := re.match(r"server_name (.*);", line): found["names"] += m[1].split()
        if m := re.match(r"ssl_certificate (.*);", line): found["file"] = m[1]
        if m := re.match(r"ssl_certificate_key .*object=([^;\"]+)", line): found["key"] = m[1]
    return found
def certificate(pem):
    text = openssl("x509", "-noout", "-dates", "-pubkey", "-fingerprint", "-sha256", "-ext", "subjectAltName,basicConstraints", data=pem)
    moment = lambda key: datetime.strptime(re.search(key + r"=(.*)", text)[1], "%b %d %H:%M:%S %Y %Z").replace(tzinfo=timezone.utc)
    return {"pem": pem, "begin": moment("notBefore"), "end": moment("notAfter"), "ca": "CA:TRUE" in text, "names": re.findall(r"DNS:([^\s,]+)", text),
            "print": re.search(r"Fingerprint=(.*)", text)[1].replace(":", "").lower(), "key": re.search(r"-----BEGIN PUBLIC KEY.*END PUBLIC KEY-----\n", text, re.S)[0]}
def signed_by(subject, issuer):
    for role, cert in (("subject", subject), ("issuer", issuer)):
        open(f"/tmp/audit/{role}.pem", "w").write(cert["pem"])
    return openssl("verify", "-partial_chain", "-no_check_time", "-trusted", "/tmp/audit/issuer.pem", "/tmp/audit/subject.pem") is not None
def read(path):
    data = open(path, "rb").read()
    blocks = re.findall(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\n", data.decode("latin-1"), re.S)
    if blocks:
        return True, [certificate(block) for block in blocks]
    return False, [certificate(openssl("x509", "-inform", "DER", "-in", path))]
if not os.path.exists("/tmp/audit/facts.pickle"):  # reading costs a process per certificate: once is enough
    sites = [site(path) for path in sorted(glob.glob("/etc/nginx/sites-enabled/*.conf"))]
    for entry in sites:
        entry["pem"], entry["certs"] = read(entry["file"])
        entry["leaf"] = next(cert for cert in entry["certs"] if not cert["ca"])
    root = read("/etc/pki/trust/quay-root.pem")[1][0]
    pickle.dump((sites, root), open("/tmp/audit/facts.pickle", "wb"))
sites, root = pickle.load(open("/tmp/audit/facts.pickle", "rb"))
PY
cd /tmp/audit && python3 -c 'from facts import *
for s in sites: print(s["name"], s["names"], s["key"], [(c["end"].isoformat(), c["names"]) for c in s["certs"]])'
#> Now each rule of the audit on these facts, with the moment in UTC whatever offset it is written with.
cat > /tmp/audit/judge.py <<'PY'
import json, re
from datetime import datetime, timedelta, timezone
from facts import openssl, root, signed_by, sites
audit = open("/workspace/AUDIT.md").read()
day, offset = re.search(r"Reference moment: (.*?) \(UTC([^)]*)\)", audit).groups()
moment = datetime.strptime(f"{day} {offset or '+00:00'}", "%Y-%m-%d %H:%M %z").astimezone(timezone.utc)
due = moment + timedelta(days=int(re.search(r"within (\d+) days", audit)[1]))
findings = []
def covers(pattern, name):
    return pattern == name or (pattern.startswith("*.") and name.split(".", 1)[1] == pattern[2:])
for site in sites:
    leaf, certs = site["leaf"], site["certs"]
    def found(problem, evidence): findings.append({"site": site["name"], "problem": problem, "evidence": evidence})
    if not site["pem"]:
        found("not_pem", site["file"])
        continue
    for cert in certs:
        if cert["end"] < moment: found("expired", cert["print"])
        if cert["begin"] > moment: found("not_yet_valid", cert["print"])
    if leaf["begin"] <= moment <= leaf["end"] <= due: found("renewal_due", leaf["print"])
    for name in site["names"]:
        if not any(covers(pattern, name) for pattern in leaf["names"]): found("name_not_covered", name)
    if leaf["key"] != openssl("pkey", "-pubin", "-in", f"/etc/pki/hsm/{site['key']}.pub", "-pubout"): found("wrong_key", leaf["print"])
    chain = [leaf]
    while not signed_by(chain[-1], root):
        step = next((c for c in certs if c not in chain and signed_by(chain[-1], c)), None)
        if step is None:
            chain = None
            break
        chain.append(step)
    if chain is None: found("chain_broken", leaf["print"])
    elif certs[: len(chain)] != chain: found("chain_order", leaf["print"])
expiry = {site["name"]: site["leaf"]["end"].strftime("%Y-%m-%dT%H:%M:%SZ") for site in sites}
json.dump({"findings": findings, "leaf_expiry": expiry}, open("/workspace/report.json", "w"), indent=1)
PY
python3 /tmp/audit/judge.py
#> Read the report as the site owners will, and list the sites without any finding.
jq -r '.findings[] | [.site, .problem, .evidence] | @tsv' /workspace/report.json
jq '.leaf_expiry, ((.leaf_expiry | keys) - ([.findings[].site] | unique))' /workspace/report.json
