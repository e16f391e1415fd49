#> What counts as a confirmation, and whose: procedure and suppliers first, then how the mails are built.
cat PROCEDURE.md suppliers.csv
ls mail | wc -l
grep -ih '^Content-T\|^From:' mail/* | sort | uniq -c | sort -rn
head -n 12 mail/000.eml
#> Now how each sender words things: of every sender and kind of subject one mail, decoded, and then all characters that are not plain ASCII, since order numbers and figures can be typed oddly.
cat > /tmp/look.py <<'PY'
import glob, re, unicodedata
from collections import Counter
from email import message_from_bytes, policy
seen, odd = set(), Counter()
for name in sorted(glob.glob("mail/*.eml")):
    message = message_from_bytes(open(name, "rb").read(), policy=policy.default)
    text = message.get_content()
    odd.update(c for c in text if not c.isascii())
    opening = next((w for w in ("cancelled", "disregard") if w in text.split("wrote:")[0]), "")
    kind = (message["From"], re.sub(r"\S*\d+\S*", "", message["Subject"]), opening)
    if kind not in seen:
        seen.add(kind)
        print("==", name, message["From"], "|", message["Subject"], "|", message["Date"])
        print("\n".join([line for line in text.splitlines() if line and line[0] != ">"][:5]))
print(*(f"{n} {unicodedata.name(c)}" for c, n in odd.most_common()), sep="; ")
PY
python3 /tmp/look.py
#> Parse MIME, join lines where a mail is flowed, cut off what is quoted, fold look-alikes in order numbers in case there are any, and read figures by the supplier's country. The sender's whole domain decides; should an order come up again or be cancelled, the latest Date does.
cat > /tmp/orders.py <<'PY'
import csv, glob, json, re, unicodedata
from email import message_from_bytes, policy
from email.utils import parseaddr
suppliers = {r["domain"]: r for r in csv.DictReader(open("suppliers.csv", encoding="utf-8"))}
MONTHS = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split()
LATIN = str.maketrans("РО\u2010\u2013", "PO--")

def own_words(message):
    text = message.get_content()
    if message.get_param("format") == "flowed":
        lines = []
        for line in text.splitlines():
            quoted = line.startswith(">")
            if lines and lines[-1].endswith(" ") and quoted == lines[-1].startswith(">"):
                lines[-1] += line.lstrip("> ") if quoted else line
            else:
                lines.append(line)
        text = "\n".join(lines)
    kept = []
    for line in text.splitlines():
        if line.startswith(">") or re.match(r"On .* wrote:$", line):
            break
        kept.append(line)
    return unicodedata.normalize("NFKC", "\n".join(kept))

def money(text, country):
    text = re.sub(r"\s", "", text)
    return text.replace(".", "").replace(",", ".") if country in ("DE", "FR") else text.replace(",", "")

def day(text, country):
    if country == "FR":
        d, month, year = text.split()
        return f"{year}-{MONTHS.index(month) + 1:02d}-{int(d):02d}"
    a, b, year = re.split(r"[./]", text)
    return f"{year}-{a}-{b}" if country == "US" else f"{year}-{b}-{a}"

FORMS = {
    "DE": r"bestätigen.*?Betrag:\s*(?P<money>[\d., ]+?)\s*(?P<currency>[A-Z]{3}).*?Liefertermin:\s*(?P<day>[\d.]+\d)",
    "GB": r"pleased\s+to\s+confirm.*?total\s+of\s+(?P<currency>[A-Z]{3})\s+(?P<money>[\d,.]+\d).*?works\s+on\s+(?P<day>[\d/]+)",
    "US": r"is\s+confirmed.*?Total:\s+(?P<currency>[A-Z]{3})\s+(?P<money>[\d,.]+\d).*?date:\s+(?P<day>[\d/]+)",
    "FR": r"confirmons.*?montant\s+de\s+(?P<money>[\d, ]+\d)\s+(?P<currency>[A-Z]{3}).*?livraison\s+le\s+(?P<day>\d+\s+\w+\s+\d{4})",
}
statements = []
for name in sorted(glob.glob("mail/*.eml")):
    message = message_from_bytes(open(name, "rb").read(), policy=policy.default)
    domain = parseaddr(message["From"])[1].rpartition("@")[2].lower()
    text = own_words(message)
    found = re.search(r"PO\s*-\s*(\d{5})", text.translate(LATIN))
    if domain not in suppliers or not found:
        print("not a supplier:" if domain not in suppliers else "no order:", name, message["From"])
        continue
    country = suppliers[domain]["country"]
    form = re.search(FORMS[country], text, re.S)
    if "is cancelled" in re.sub(r"\s+", " ", text):
        record = None
    elif form:
        record = {"po": "PO-" + found[1], "supplier": domain, "amount": money(form["money"], country), "currency": form["currency"],
                  "delivery": day(form["day"], country), "message_id": message["Message-ID"].strip()}
    else:
        print("confirms nothing:", name, message["Subject"])
        continue
    statements.append((message["Date"].datetime, "PO-" + found[1], record))
final = {po: record for _, po, record in sorted(statements, key=lambda s: s[0])}
with open("orders.jsonl", "w") as out:
    for po in sorted(final):
        if final[po]:
            print(json.dumps(final[po]), file=out)
PY
python3 /tmp/orders.py
#> Left out are offers and senders who are not at a listed domain, as it should be. Check the rest: one line per order, every amount with two decimals, dates in the coming months.
wc -l orders.jsonl
cat orders.jsonl
cut -d'"' -f4 orders.jsonl | sort | uniq -d
