"""Support tickets with personal data in many spellings, and with numbers and words that only look like it."""

import hashlib
import unicodedata

CUSTOMERS = [("Anna", "Kovac"), ("Tom", "Baker"), ("José", "Núñez"), ("Jörg", "Weiß"), ("Zoé", "Lefèvre"), ("Priya", "Raman"), ("Liam", "Stone"), ("Håkon", "Bråten")]
STAFF = [("Ines", "Roth"), ("Carl", "Adler"), ("Mei", "Tanaka")]
KINDS = {"DE": 18, "NL": 14, "GB": 18, "FR": 23}
TALK = ["The parcel arrived, but the second one is still missing.", "Please call back in the afternoon.", "I tried it twice on another machine.",
        "The invoice shows the old address.", "After the update to 4.11.2 the app closes at once.", "Our bakery needs the baker's dozen box, as stone as it gets.",
        "Nothing has changed since Monday.", "Kovacs street is closed, use the other gate.", "The Bakers' market opens at 9:30."]


def luhn(digits):
    return sum(sum(divmod(int(d) * (1 + i % 2), 10)) for i, d in enumerate(reversed(digits))) % 10 == 0


def mod97(code):
    return int("".join(str(int(c, 36)) for c in code[4:] + code[:4])) % 97


def build(world):
    rng = world.rng
    spellings, names, papers = world.knob("spellings"), world.knob("names"), world.knob("papers")
    ids = rng.sample(range(100, 999), len(CUSTOMERS))
    people = list(zip(ids, CUSTOMERS))

    def groups(text, size, separator):
        return separator.join(text[i:i + size] for i in range(0, len(text), size))

    def separator(narrow):
        if not spellings:
            return rng.choice(["", " ", "-"])
        return rng.choice(["", " ", "-", "\u00a0", "\u2013"] + ([] if narrow else ["\u2011"]))

    def card(valid):
        while True:
            digits = rng.choice("45") + "".join(rng.choice("0123456789") for _ in range(15))
            if luhn(digits) == valid:
                return digits

    def spelled_card(valid, narrow):
        digits = card(valid)
        if valid and spellings and not narrow and rng.random() < 0.25:
            digits = "".join(chr(ord(d) + 0xFEE0) for d in digits)
        text = groups(digits, 4, separator(narrow))
        if spellings and valid and len(text) > 16 and rng.random() < 0.35:
            text = text[:9] + "\n" + text[10:]
        return text

    def iban(valid):
        while True:
            country = rng.choice(list(KINDS))
            body = "".join(rng.choice("0123456789") for _ in range(KINDS[country]))
            if country in ("NL", "GB"):
                body = "".join(rng.choice("ABDEGHKNRST") for _ in range(4)) + body[4:]
            check = 98 - mod97(country + "00" + body)
            code = f"{country}{check:02d}{body}"
            if not valid:
                code = f"{country}{(check + rng.randint(1, 60)) % 97 + 1:02d}{body}"
            runs = [code[i:j] for i in range(0, len(code), 4) for j in range(i + 13, len(code) + 1)]
            runs += [code[2:j] for j in range(15, len(code) + 1)]
            if (mod97(code) == 1) == valid and not any(r.isdigit() and luhn(r) for r in runs):
                return code

    def spelled_iban(valid, narrow):
        text = groups(iban(valid), 4, rng.choice(["", " "] + (["\u00a0"] if spellings else [])))
        if spellings and valid and " " in text and rng.random() < 0.4:
            text = text.replace(" ", "\n", 2).replace("\n", " ", 1)
        return text

    def address(person):
        first, last = (unicodedata.normalize("NFD", part).encode("ascii", "ignore").decode().lower() for part in person)
        host = rng.choice(["mail.example", "post.example.org", "uni-west.example", "help.orbit.example.net", "nothelp.orbit.example"])
        return rng.choice([f"{first}.{last}@{host}", f"{first}{rng.randint(1, 99)}@{host}", f"{last}+shop@{host}"])

    def spelled_name(person, narrow):
        text = rng.choice([f"{person[0]} {person[1]}", f"{person[0]}\n{person[1]}" if spellings else person[1], person[1]])
        if papers and not narrow and rng.random() < 0.5:
            text = unicodedata.normalize("NFD", text)
        return text

    consents, named = [], set()
    if papers:
        for number, (ident, _) in enumerate(people):
            if number % 2:
                continue
            stays = number % 4 == 0  # the later instant has the earlier clock time, and stands first in the file
            if stays:
                named.add(ident)
            first, last = ("withdrawn", "given") if stays else ("given", "withdrawn")
            consents.append(f"{ident},2026-02-{10 + number}T22:40:00-06:00,{last}")
            consents.append(f"{ident},2026-02-{11 + number}T01:15:00+02:00,{first}")

    counts = {"email": 0, "card": 0, "iban": 0, "name": 0}
    tickets, secrets, tokens, expected, charsets = {}, {}, {}, {}, []
    for number in range(world.knob("tickets")):
        name = f"T-{1000 + world.seed * 100 + number * 7}.txt"
        legacy = papers and number % 4 == 1
        end = "\r\n" if spellings and number % 3 == 2 else "\n"
        person = people[number % len(people)]
        pieces = []  # (text, kind or "", token)

        def say(text, kind="", token=""):
            pieces.append((text, kind, token))

        def secret(text, kind, token):
            say(text, kind, token)
            counts[kind] += 1

        staff = rng.choice(STAFF)
        say(f"Ticket {name[:-4]} (agent {staff[0]} {staff[1]}, {staff[0].lower()}@help.orbit.example)\n\n")
        jobs = ["mail", "card", "iban", "fake card", "fake iban", "package", "tracking"] + (["name", "name", "other"] if names else [])
        rng.shuffle(jobs)
        for job in jobs:
            if rng.random() < 0.6:
                say(rng.choice(TALK) + rng.choice([" ", "\n", "  \n"]))
            if job == "mail":
                opening, closing = rng.choice([("Write to <", ">, not to the old one"), ("My address is ", ", as before"), ("mailto:", " is fine")])
                say(opening), secret(address(person[1]), "email", "[EMAIL]"), say(closing + ".\n")
            elif job == "card":
                say("Charged to "), secret(spelled_card(True, legacy), "card", "[CARD]"), say(", valid 04/28.\n")
            elif job == "iban":
                say("Refund goes to "), secret(spelled_iban(True, legacy), "iban", "[IBAN]"), say(", please.\n")
            elif job == "fake card":
                say("Order number "), say(spelled_card(False, legacy)), say(", two items.\n")
            elif job == "fake iban":
                say("Part "), say(spelled_iban(False, legacy)), say(" does not fit.\n")
            elif job == "package":
                say(rng.choice(["Log says left-pad@1.3.0 failed.\n", "It runs core@2.0.11, the newest.\n", "Team alias is @support.\n"]))
            elif job == "tracking":
                say(f"Tracking ZX{card(True)}, checked today.\n")
            elif job == "other":
                say(f"{person[1][0]} said so, and {rng.choice(STAFF)[1]} as well.\n")
            else:
                ident, who = person if rng.random() < 0.5 else rng.choice(people)
                text = spelled_name(who, legacy)
                say(rng.choice(["This is about ", "I am ", "Ask "]))
                if ident in named:
                    say(text)
                else:
                    secret(text, "name", f"[NAME-{ident}]")
                say(rng.choice([", again.\n", "'s order.\n", "; thanks.\n"]))
        if spellings and number % 4 == 3:
            pieces[-1] = (pieces[-1][0].rstrip("\n"), "", "")
        charset = "cp1252" if legacy else "utf-8"
        mark = b"\xef\xbb\xbf" if spellings and number % 4 == 0 else b""
        raw = mark + "".join(p[0] for p in pieces).replace("\n", end).encode(charset)
        clean = mark + "".join(p[2] or p[0] for p in pieces).replace("\n", end).encode(charset)
        world.write(f"/workspace/tickets/{name}", raw)
        tickets[name] = hashlib.sha256(raw).hexdigest()
        expected[name] = hashlib.sha256(clean).hexdigest()
        secrets[name] = [[p[1], p[0].replace("\n", end).encode(charset).hex()] for p in pieces if p[1]]
        tokens[name] = [p[2] for p in pieces if p[2]]
        charsets.append(f"{name},{'utf-8' if number == 5 else 'windows-1252' if legacy else 'utf-8'}")  # one entry is wrong
    rules = ["`[EMAIL]`: mail addresses of anybody outside. Addresses at exactly `help.orbit.example` are ours and stay. An address has a local part and a\n  domain with at least one dot that ends in letters; brackets, `mailto:` and the full stop or comma after it are not part of it.",
             "`[CARD]`: 13 to 19 digits that pass the Luhn check, with no letter or digit directly before or after.",
             "`[IBAN]`: the lengths are DE 22, NL 18, GB 22, FR 27, and the check digits must be right (ISO 13616, mod 97). What belongs to an IBAN is no card."]
    if names:
        rules.append("`[NAME-id]`: customers in `customers.csv`, with their id. A last name, alone or after its first name, as spelled there, capitals included, as whole\n  words (`Bakers` and `baker` are not `Baker`). A first name alone stays. What is part of an address went with the address."
                     + (" Accents may be written as one\n  character or as letter and mark; that is the same spelling." if papers else ""))
    if papers:
        rules.append("Customers who agreed to be named stay named: the latest entry in `consents.csv` (by instant) counts, `given` or `withdrawn`. No entry means no.")
    gaps = "a blank, a no-break space, a hyphen or dash of any kind, or a line end" if spellings else "a blank or a hyphen"
    world.write("/workspace/POLICY.md", (
        "# What may leave the house\n\nPersonal data is replaced by its token, from its first to its last character:\n\n- " + "\n- ".join(rules) + "\n\n"
        f"Card and account numbers may be written in groups; between two groups stands one separator: {gaps}.\n"
        + ("Digits may be full-width. First and last name may stand on two lines.\n" if spellings else "") +
        "\nEverything else, down to line ends, byte order marks and blanks, stays byte for byte as it is.\n"
        + ("\n`charsets.csv` says in which encoding the desk tool wrote a ticket. The tool only ever writes UTF-8 or Windows-1252, and older\nversions sometimes noted the wrong one.\n" if papers else "")))
    if names:
        world.write("/workspace/customers.csv", "id,first,last\n" + "".join(f"{i},{f},{n}\n" for i, (f, n) in sorted(people)))
    if papers:
        world.write("/workspace/consents.csv", "id,when,entry\n" + "\n".join(consents) + "\n")
        world.write("/workspace/charsets.csv", "file,charset\n" + "\n".join(charsets) + "\n")
    if not names:
        del counts["name"]
    return {"tickets": tickets, "expected": expected, "secrets": secrets, "tokens": tokens, "counts": counts}
