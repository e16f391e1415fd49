"""A purchasing mailbox: confirmations from four countries, quoted requests, offers, corrections, a forger, and MIME as it comes."""

import base64
import quopri
from datetime import datetime, timedelta, timezone

MONTHS = ["janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"]
LOOKALIKE = str.maketrans("PO", "РО")  # Cyrillic er and o
SUPPLIERS = [  # domain, name, country, convention of numbers, order of dates
    ("nordwind-teile.example", "Nordwind Teile GmbH", "DE", "1.234,50", "dd.mm.yyyy"),
    ("harrow-castings.example", "Harrow Castings Ltd", "GB", "1,234.50", "dd/mm/yyyy"),
    ("lakeside-bearings.example", "Lakeside Bearings Inc", "US", "1,234.50", "mm/dd/yyyy"),
    ("ateliers-vernay.example", "Ateliers Vernay SA", "FR", "1 234,50", "dd month yyyy"),
]
CURRENCY = {"DE": "EUR", "GB": "GBP", "US": "USD", "FR": "EUR"}


def amount(cents, country):
    whole, rest = f"{cents // 100:,}", f"{cents % 100:02d}"
    if country == "DE":
        return f"{whole.replace(',', '.')},{rest}"
    if country == "FR":
        return f"{whole.replace(',', chr(0x202F))},{rest}"
    return f"{whole}.{rest}"


def date(day, country):
    if country == "DE":
        return f"{day:%d.%m.%Y}"
    if country == "FR":
        return f"{day.day} {MONTHS[day.month - 1]} {day.year}"
    return f"{day:%m/%d/%Y}" if country == "US" else f"{day:%d/%m/%Y}"


def confirmation(country, po, money, day):
    if country == "DE":
        return f"Guten Tag,\n\nhiermit bestätigen wir Ihre Bestellung.\n\nBestellung: {po}\nBetrag: {money} EUR\nLiefertermin: {day}\n\nMit freundlichen Grüßen\nVertrieb"
    if country == "GB":
        return f"Dear all,\n\nwe are pleased to confirm order {po} at a total of GBP {money}. The goods leave our works on {day} as agreed.\n\nKind regards\nSales office"
    if country == "US":
        return f"Hi there,\n\norder {po} is confirmed. Total: USD {money}. Ship date: {day}.\n\nThanks!\nOrder desk"
    return f"Bonjour,\n\nnous confirmons votre commande {po} pour un montant de {money} EUR, livraison le {day}.\n\nCordialement\nLe service commercial"


def build(world):
    rng = world.rng
    mime, quarrels = world.knob("mime"), world.knob("quarrels")
    start = datetime(2026, 3, 2, 7, 0, tzinfo=timezone.utc)
    numbers = iter(rng.sample(range(40000, 49999), 40))
    mails, wanted = [], {}

    def send(moment, sender, subject, body, reference=""):
        mails.append({"when": moment, "from": sender, "subject": subject, "body": body, "ref": reference})
        mails[-1]["id"] = f"<{rng.getrandbits(44):011x}@{sender.split('@')[1].rstrip('>')}>"
        return mails[-1]

    def quoted(text, moment, who):
        return f"\n\nOn {moment:%d %b %Y} {who} wrote:\n" + "\n".join(f"> {line}".rstrip() for line in text.split("\n"))

    def fold(po):
        style = rng.choice(["plain", "cyrillic", "hyphen", "wide"]) if mime else "plain"
        if style == "cyrillic":
            return po.translate(LOOKALIKE)
        if style == "hyphen":
            return po.replace("-", "\u2011")
        return "".join(chr(ord(c) + 0xFEE0) if c.isdigit() else c for c in po) if style == "wide" else po

    for n in range(world.knob("orders")):
        domain, name, country, _, _ = SUPPLIERS[n % 4]
        po = f"PO-{next(numbers)}"
        moment = start + timedelta(hours=9 * n + rng.randrange(8), minutes=rng.randrange(60))
        asked, got = rng.randint(30000, 400000), rng.randint(110000, 2900000)
        day = datetime(2026, rng.randint(5, 12), rng.randint(1, 12))
        while day.day == day.month:
            day += timedelta(days=1)
        request = f"Hello,\n\nplease supply under our order {po}. We expect a total of {amount(asked, 'GB')} {CURRENCY[country]} and delivery on {day + timedelta(days=9):%d/%m/%Y}.\n\nPurchasing"
        if n % 3 == 0:  # our own request is in the box as well
            send(moment - timedelta(hours=20), "purchasing@orbit.example", f"Order {po}", request)
        body = confirmation(country, fold(po), amount(got, country), date(day, country))
        body += quoted(request, moment - timedelta(hours=20), "purchasing@orbit.example")
        mail = send(moment, f"{name} <sales@{domain}>", f"Re: Order {po}" if country != "DE" else f"AW: Bestellung {po}", body)
        wanted[po] = [got, day, CURRENCY[country], domain, mail["id"]]
        later = moment + timedelta(days=2, hours=rng.randrange(9))
        if quarrels and n % 4 == 1 or quarrels and n % 4 == 2 and n < 8:  # a correction, further down the thread
            got2, day2 = got + rng.randint(100, 9000), day + timedelta(days=rng.randint(3, 9))
            text = "Apologies, please disregard our earlier mail, corrected figures below.\n\n" + confirmation(country, po, amount(got2, country), date(day2, country))
            mail = send(later, f"{name} <sales@{domain}>", f"Re: Re: Order {po}", text + quoted(body, moment, f"sales@{domain}"))
            wanted[po] = [got2, day2, CURRENCY[country], domain, mail["id"]]
        if quarrels and n % 6 == 4:  # the order falls through
            send(later, f"{name} <sales@{domain}>", f"Cancellation {po}",
                 f"Dear all,\n\nto our regret order {po} is cancelled and will not be delivered.\n\nSales" + quoted(body, moment, f"sales@{domain}"))
            del wanted[po]
        if quarrels and n % 5 == 0 and n:  # somebody who is not the supplier
            fake = domain.replace("-", "", 1) if n % 2 else domain.replace("r", "rn", 1)
            send(later + timedelta(hours=1), f"\"{name}\" <sales@{fake}>", f"Re: Order {po}",
                 confirmation(country, po, amount(got + 77700, country), date(day + timedelta(days=1), country)) + quoted(body, moment, f"sales@{domain}"))
        if n % 4 == 3:  # a colleague passes it on, with a wrong figure from memory
            send(later, "Jon Ekman <jon@orbit.example>", f"Fwd: Order {po}", f"fyi, order {po} is confirmed. Total: USD {amount(got - 1000, 'US')}. Ship date: 01/02/2026.")
    for n in range(4):  # offers: the same words, nothing confirmed
        domain, name, country, _, _ = SUPPLIERS[n]
        po = f"PO-{next(numbers)}"
        send(start + timedelta(hours=13 * n + 5), f"{name} <sales@{domain}>", f"Offer for {po}",
             f"Dear all,\n\nthis is an offer for your enquiry {po}, not a confirmation: {amount(rng.randint(10000, 900000), country)} {CURRENCY[country]}, delivery {date(datetime(2026, 9, 3 + n), country)}.\n\nSales")

    zones = [0, 1, -5, 9]
    mails.sort(key=lambda m: m["id"])
    for place, mail in enumerate(mails):
        offset = zones[place % 4] if mime else 0
        local = mail["when"].astimezone(timezone(timedelta(hours=offset)))
        stamp = f"{local:%d} {['Jan', 'Feb', 'Mar', 'Apr', 'May'][local.month - 1]} {local:%Y %H:%M:%S} {'-' if offset < 0 else '+'}{abs(offset):02d}00"
        head = f"From: {mail['from']}\nTo: purchasing@orbit.example\nDate: {stamp}\nMessage-ID: {mail['id']}\nSubject: {mail['subject']}\nMIME-Version: 1.0\n"
        way = place % 4 if mime else 0
        text = mail["body"] + "\n"
        if way == 1:
            raw = head + "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n" + base64.encodebytes(text.encode()).decode()
        elif way == 2:
            raw = head + "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n" + quopri.encodestring(text.encode()).decode()
        elif way == 3:  # format=flowed: soft breaks in mid-sentence
            lines = []
            for line in text.split("\n"):
                quote = "> " if line.startswith(">") else ""
                words, row = line.removeprefix("> ").split(" "), quote
                for word in words:
                    if len(row) + len(word) > 44 and row.strip():
                        lines.append(row)
                        row = quote
                    row += word + " "
                lines.append(row.rstrip())
            raw = head + "Content-Type: text/plain; charset=utf-8; format=flowed\nContent-Transfer-Encoding: 8bit\n\n" + "\n".join(lines)
        else:
            raw = head + "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n" + text
        mail["file"] = f"/workspace/mail/{place:03d}.eml"
        world.write(mail["file"], raw)
    world.write("/workspace/suppliers.csv", "domain,name,country,numbers,dates\n" + "".join(",".join(f'"{v}"' if "," in v else v for v in s) + "\n" for s in SUPPLIERS))
    world.write("/workspace/PROCEDURE.md", (
        "# Order confirmations\n\n- Only the supplier confirms: a mail whose From address is at exactly a domain in `suppliers.csv`. What colleagues or others say does not count.\n"
        "- What counts is what the supplier wrote in that mail itself, not what it quotes.\n- Offers, requests and reminders confirm nothing.\n"
        "- Numbers and dates are written as the supplier's line in `suppliers.csv` says. Order numbers are `PO-` and five digits, however they were typed.\n"
        + ("- A later confirmation of the same order replaces an earlier one (by the instant of `Date`). A cancelled order is not confirmed.\n" if quarrels else "")))
    orders = {po: {"amount": f"{c // 100}.{c % 100:02d}", "currency": cur, "delivery": f"{day:%Y-%m-%d}", "supplier": domain, "message_id": ident}
              for po, (c, day, cur, domain, ident) in wanted.items()}
    return {"orders": orders, "mail": {m["file"]: world.digest(m["file"]) for m in mails}}
