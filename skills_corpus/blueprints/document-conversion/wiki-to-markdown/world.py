"""A wiki export in HTML: pages with tables, code, images and links in every form that wikis write them."""

import hashlib
import html
import re
import struct
import zlib
from datetime import datetime, timedelta, timezone
from urllib.parse import quote

TITLES = ["Backup and Restore", "Network Map", "On-call: First Steps", "Printer Fleet", "Release Checklist", "Mail Gateway", "Badge System"]
SECTIONS = ["Overview", "Set-up", "Limits & Quotas", "Troubleshooting (common)", "Contacts", "Open Questions"]
LABELS = ["operations", "network", "howto", "security", "office"]
SENTENCES = ["Ask the owner before you change anything here.", "The nightly job writes to <host>:/var/spool and keeps 14 days.",
             "Values below 5 < n < 9 are normal, everything else is not.", "Use max_open_files only on the old nodes.",
             "This took a week in 2024 & nobody wants to do it again.", "Rooms on the second floor have no cable."]
CODE = [("bash", "rsync -a --delete \\\n    /srv/data/ <host>:/backup/\n\n# see [notes](Backup.html) first"), ("yaml", "limits:\n  - name: \"open files\"\n    value: 4096   # was 1024"),
        ("", "  PID TTY          TIME CMD\n 4711 ?        00:00:01 cron"), ("python", "if a < b and c > d:\n    print(\"a|b\", '&amp;')")]
FENCED = ("markdown", "Write it like this:\n\n```bash\nuptime\n```\n\nand nothing else.")


def slug(text):
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def picture(rng):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes(rng.randrange(256) for _ in range(12)) for _ in range(4))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b"")


def build(world):
    rng = world.rng
    wild, drafts = world.knob("wild"), world.knob("drafts")
    titles = rng.sample(TITLES, 5)
    ids = rng.sample(range(10100, 98000), 8)
    base = "https://wiki.orbit.example/wiki"
    pages = []
    for n, title in enumerate(titles):
        moment = datetime(2026, rng.randint(1, 9), rng.randint(2, 27), rng.choice([22, 23]) if wild else 12, rng.randrange(60), tzinfo=timezone.utc)
        names = rng.sample(SECTIONS, 4)
        heads = [(2, names[0]), (3, names[1]), (2, names[2]), (2, names[3])]
        if wild:
            heads += [(3, names[1])]  # the same heading again
        seen, anchors = {}, []
        for level, text in heads:
            seen[text] = seen.get(text, 0) + 1
            anchors.append(slug(text) + (f"-{seen[text] - 1}" if seen[text] > 1 else ""))
        compact = re.sub(r"\W", "", title)
        pages.append({"id": ids[n], "title": title, "file": f"{compact}_{ids[n]}.html", "moment": moment, "heads": heads, "anchors": anchors,
                      "old": [f"{compact}-{re.sub(r'[^A-Za-z]', '', text)}" + (f".{k}" if k > 3 else "") for k, (_, text) in enumerate(heads)],
                      "labels": sorted(rng.sample(LABELS, rng.randint(1, 3))), "target": slug(title) + ".md", "state": "current"})
    if drafts:
        for n, (title, state) in enumerate([("Salary Bands", "draft"), ("Old Printer Fleet", "archived")]):
            pages.append({**pages[n], "id": ids[5 + n], "title": title, "file": f"{title.replace(' ', '')}_{ids[5 + n]}.html", "state": state, "target": ""})
    moved = ids[7]  # an old id of the first page
    truth_pages = {}

    def link(page, text):
        """One link in one of the forms of the wiki: its HTML, the text, and the target it must have."""
        other = rng.choice([p for p in pages if p is not page])
        form = rng.randrange(6 if wild else 3)
        if form == 1:
            return f'<a href="https://docs.example.org/{other["file"]}#top">{text}</a>', (text, f'https://docs.example.org/{other["file"]}#top')
        at = rng.randrange(len(other["heads"]))
        fragment, anchor = (f'#{other["old"][at]}', f'#{other["anchors"][at]}') if form in (2, 4) else ("", "")
        if form == 3:
            href = f'/wiki/pages/viewpage.action?pageId={other["id"]}'
        elif form == 4:
            href = f'{base}/pages/viewpage.action?pageId={other["id"]}{fragment}'
        elif form == 5 and drafts:
            other, href = pages[0], f"/wiki/pages/viewpage.action?pageId={moved}"
        elif form == 5:
            own = rng.randrange(len(page["heads"]))
            return f'<a href="#{page["old"][own]}">{text}</a>', (text, f'#{page["anchors"][own]}')
        else:
            href = other["file"] + fragment
        return f'<a href="{html.escape(href)}">{text}</a>', (text, other["target"] + anchor) if other["target"] else None

    for number, page in enumerate(pages):
        blocks, links, body, images, counter = [], [], [], [], 0

        def prose():
            nonlocal counter
            sentence = rng.choice(SENTENCES)
            counter += 1
            markup, wanted = link(page, f"page {chr(65 + number)}{counter}")
            if wanted:
                links.append(list(wanted))
            blank = "&nbsp;" if wild else " "
            return f"{html.escape(sentence, quote=False)} See{blank}{markup} and <strong>note the date</strong>.", f"{sentence} See page {chr(65 + number)}{counter} and note the date."

        for k, (level, text) in enumerate(page["heads"]):
            body.append(f'<h{level} id="{page["old"][k]}">{html.escape(text)}</h{level}>')
            blocks.append(["heading", level, text])
            markup, plain = prose()
            body.append(f"<p>{markup}</p>" + ("<p>&nbsp;</p>" if wild and k == 1 else ""))
            blocks.append(["text", plain])
            if k == 0:
                rows = [["Node", "Rule", "Owner"]]
                for _ in range(rng.randint(2, 4)):
                    rows.append([f"n{rng.randint(10, 99)}", rng.choice(["tcp | udp", "a || b", "none | all"]) if wild else rng.choice(["tcp", "udp"]),
                                 rng.choice(["Ines", "Carl", "", "Mei"])])
                cells = [[html.escape(c).replace("|| ", "||<br/>") for c in row] for row in rows]
                body.append("<div class=\"table-wrap\"><table><tbody>" + "".join(
                    "<tr>" + "".join(f"<{'td' if r else 'th'}><p>{c}</p></{'td' if r else 'th'}>" if r else f"<th>{c}</th>" for c in row) + "</tr>" for r, row in enumerate(cells)) + "</tbody></table></div>")
                blocks.append(["table", rows])
            if k == 1 or k == 3:
                lang, text = FENCED if wild and k == 3 else rng.choice(CODE)
                params = f' data-params="brush: {lang}; gutter: false"' if lang else ' data-params="gutter: false"'
                body.append(f'<div class="code panel"><pre class="code-block"{params}>{html.escape(text, quote=False)}</pre></div>')
                blocks.append(["code", lang, text])
            if k == 2:
                kind = rng.choice(["ul", "ol"])
                items = [prose() for _ in range(rng.randint(2, 3))]
                body.append(f"<{kind}>" + "".join(f"<li>{'<p>' if wild else ''}{m}{'</p>' if wild else ''}</li>" for m, _ in items) + f"</{kind}>")
                blocks.append(["list", kind, [p for _, p in items]])
                name, alt = ("floor plan.png" if wild else "diagram.png"), f"plan {number}"
                data = picture(rng)
                world.write(f"/workspace/export/attachments/{page['id']}/{name}", data)
                body.append(f'<p><img class="confluence-embedded" alt="{alt}" src="attachments/{page["id"]}/{quote(name)}"/></p>')
                images.append([alt, hashlib.sha256(data).hexdigest()])
        zone = 2 if wild else 0
        furniture = ('<div class="toc"><ul>' + "".join(f'<li><a href="#{o}">{html.escape(t)}</a></li>' for o, (_, t) in zip(page["old"], page["heads"])) + "</ul></div>") if wild else ""
        after = '<section class="comments"><h2>Comments</h2><p>Carl: is this still true?</p></section>' if wild else ""
        meta = f'<meta name="modified" content="{page["moment"]:%Y-%m-%dT%H:%M:%SZ}"/><meta name="labels" content="{", ".join(page["labels"])}"/>' if not wild else ""
        world.write(f"/workspace/export/{page['file']}", (
            f"<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"/><title>{html.escape(page['title'])} - Orbit Wiki</title>{meta}</head>\n<body>\n"
            f'<div id="breadcrumbs"><a href="index.html">Orbit</a></div>\n<h1 id="title-heading">{html.escape(page["title"])}</h1>\n'
            f'<div id="main-content">{furniture}\n' + "\n".join(body) + f'\n{after}</div>\n<div id="footer">Exported by <a href="https://wiki.orbit.example/">Orbit Wiki</a></div>\n</body></html>\n'))
        if page["target"]:
            truth_pages[page["target"]] = {"title": page["title"], "updated": f"{page['moment'] + timedelta(hours=zone):%Y-%m-%d}", "labels": page["labels"],
                                           "blocks": blocks, "links": links, "images": images}
    world.write("/workspace/export/index.html", "<html><body><ul>" + "".join(f'<li><a href="{p["file"]}">{html.escape(p["title"])}</a></li>' for p in pages) + "</ul></body></html>\n")
    if wild:
        world.write("/workspace/export/entities.xml", f'<?xml version="1.0" encoding="UTF-8"?>\n<space key="OPS" baseUrl="{base}">\n' + "".join(
            f'  <page id="{p["id"]}" file="{p["file"]}" state="{p["state"]}" modified="{p["moment"]:%Y-%m-%dT%H:%M:%SZ}">'
            + "".join(f"<label>{x}</label>" for x in p["labels"]) + (f'<formerId>{moved}</formerId>' if p is pages[0] and drafts else "") + "</page>\n" for p in pages) + "</space>\n")
    files = sorted(str(p.relative_to(world.path("/"))) for p in world.path("/workspace/export").rglob("*") if p.is_file())
    return {"pages": truth_pages, "export": {f"/{name}": world.digest(f"/{name}") for name in files}}
