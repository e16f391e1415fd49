#> What is in the export: its folders, a list of the pages if it has one, one page as the wiki wrote it, and what the index adds.
ls export; find export/attachments | sort | head -n 8
if [ -f export/entities.xml ]; then cat export/entities.xml; fi
cat "$(ls export/*_*.html | head -n 1)"
head -c 600 export/index.html
#> One page is not all of them: count the tags with their classes, the forms that links and images take, and the parameters of code, over all pages; the converter has to know each of these. Backticks or tildes in code decide which fence is safe.
grep -ohE '<[a-z0-9]+( class="[^"]*")?' export/*_*.html | sort | uniq -c | sort -rn | head -n 40
grep -ohE '(href|src)="[^"]*"' export/*_*.html | sed -E 's/[0-9]{3,}/N/g; s/[A-Z][A-Za-z]+(_N|-)/P\1/g; s/#.*"/#..."/' | sort | uniq -c | sort -rn | head -n 24
grep -ohE 'data-params="[^"]*"' export/*_*.html | sort | uniq -c; grep -c '```\|~~~' export/*_*.html
grep -ohE '<(br|em|ol|h[1-6])[ >/].{0,60}|&[a-z]+;|&#[0-9]+;' export/*_*.html | sed 's/id="[^"]*"//' | sort | uniq -c | sort -rn | head -n 20
#> Use the standard library's event parser and write the Markdown as the tags go by. A first pass over all pages collects titles and the anchors of headings, so that links among the pages can be resolved; a list of pages with ids is read if the export has one.
cat > /tmp/stream.py <<'PY'
import collections, glob, os, re, shutil, urllib.parse as u
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from datetime import datetime, timedelta, timezone
os.makedirs("docs/img", exist_ok=True)
norm = lambda t: "".join(c for c in t.lower().replace(" ", "-") if c.isalnum() or c in "-_")
meta = {}
if os.path.exists("export/entities.xml"):
    tree = ET.parse("export/entities.xml").getroot()
    for p in tree:
        meta[p.get("file")] = (p.get("modified"), [l.text for l in p.findall("label")], p.get("state"), [p.get("id")] + [f.text for f in p.findall("formerId")])
    home = tree.get("baseUrl")

class Scan(HTMLParser):
    def __init__(s, text):
        super().__init__()
        s.tag = s.title = ""; s.ids = {}; s.n = collections.Counter(); s.meta = {}; s.quiet = 0
        s.feed(text)
    def handle_starttag(s, tag, attrs):
        a = dict(attrs)
        if tag == "meta": s.meta[a.get("name")] = a.get("content")
        if tag[0] == "h" and tag[1:].isdigit(): s.tag, s.id, s.text = tag, a.get("id"), ""
    def handle_data(s, d):
        if s.tag: s.text += d
    def handle_endtag(s, tag):
        if tag == s.tag:
            s.tag = ""
            if s.id == "title-heading": s.title = s.text
            elif s.id:
                k = norm(s.text); s.ids[s.id] = k + ("-%d" % s.n[k] if s.n[k] else ""); s.n[k] += 1

scans = {os.path.basename(f): Scan(open(f, encoding="utf-8").read()) for f in sorted(glob.glob("export/*_*.html"))}
number = {i: f for f, m in meta.items() for i in m[3]}

class Write(HTMLParser):
    def __init__(s, file):
        super().__init__()
        s.file, s.out, s.line, s.skip, s.live, s.depth, s.href, s.pre, s.kind, s.item, s.cell = file, [], "", 0, False, 0, [], None, [], 0, None
        s.feed(open("export/" + file, encoding="utf-8").read())
    def goal(s, href):
        q = u.urlsplit(href)
        if q.netloc and not (meta and href.startswith(home + "/")): return href
        page = u.parse_qs(q.query).get("pageId")
        f = number.get(page[0]) if page else q.path or s.file
        if meta and meta[f][2] != "current": return None
        return norm(scans[f].title) + ".md" + ("#" + scans[f].ids[q.fragment] if q.fragment else "")
    def flush(s):
        if s.line.strip(): s.out.append(s.line.strip())
        s.line = ""
    def handle_starttag(s, tag, attrs):
        a = dict(attrs); c = a.get("class") or ""
        if a.get("id") == "main-content": s.live, s.depth = True, 0; return
        if not s.live: return
        if tag in ("div", "section"): s.depth += 1
        if c in ("toc", "comments"): s.skip = s.skip or s.depth
        if s.skip: return
        if tag == "pre":
            s.flush(); s.pre = ""; s.lang = (re.findall(r"brush: (\w+)", a.get("data-params", "")) or [""])[0]
        elif tag[0] == "h" and tag[1:].isdigit(): s.flush(); s.line = "#" * int(tag[1:]) + " "
        elif tag == "p" and s.cell is None and not s.kind: s.flush()
        elif tag in ("ul", "ol"): s.flush(); s.kind.append(tag); s.item = 0
        elif tag == "li": s.item += 1; s.line = "* " if s.kind[-1] == "ul" else "%d. " % s.item
        elif tag == "table": s.flush(); s.rows = []
        elif tag == "tr": s.rows.append([])
        elif tag in ("td", "th"): s.cell, s.line = True, ""
        elif tag == "br": s.line += "<br/>"
        elif tag == "strong": s.line += "**"
        elif tag == "a":
            g = s.goal(a["href"]); s.href.append(g); s.line += "[" if g else ""
        elif tag == "img":
            old = "export/" + u.unquote(a["src"]); new = "img/" + old.split("/")[-2] + "-" + os.path.basename(old).replace(" ", "_")
            shutil.copy(old, "docs/" + new); s.line += "![%s](%s)" % (a["alt"], new)
    handle_startendtag = handle_starttag
    def handle_data(s, d):
        if not s.live or s.skip: return
        if s.pre is not None: s.pre += d; return
        d = re.sub(r"[\s\xa0]+", " ", d).replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|").replace("_", "\\_").replace("*", "\\*")
        if d.strip() or s.line: s.line += d
    def handle_endtag(s, tag):
        if not s.live: return
        if tag in ("div", "section"):
            if s.skip == s.depth: s.skip = 0
            s.depth -= 1
            if s.depth < 0: s.flush(); s.live = False
            return
        if s.skip: return
        if tag == "pre":
            mark = "~~~~"
            s.out.append(mark + s.lang + "\n" + s.pre + "\n" + mark); s.pre = None
        elif tag[0] == "h" and tag[1:].isdigit() or tag == "p" and s.cell is None and not s.kind: s.flush()
        elif tag == "li": s.flush(); s.out[-2:] = ["\n".join(s.out[-2:])] if s.item > 1 else s.out[-2:]
        elif tag in ("ul", "ol"): s.kind.pop()
        elif tag in ("td", "th"): s.rows[-1].append(s.line.strip()); s.line, s.cell = "", None
        elif tag == "table":
            s.out.append("\n".join("|" + "|".join(r) + "|" + ("\n" + "|---" * len(r) + "|" if not n else "") for n, r in enumerate(s.rows)))
        elif tag == "strong": s.line += "**"
        elif tag == "a":
            g = s.href.pop(); s.line += "](%s)" % g if g else ""

for f, scan in scans.items():
    when, labels, state = meta[f][:3] if meta else (scan.meta["modified"], scan.meta["labels"].split(", "), "current")
    if state == "current":
        t = datetime.strptime(when, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc).astimezone(timezone(timedelta(hours=2 if meta else 0)))
        front = "---\ntitle: '%s'\nupdated: %s\nlabels:\n%s\n---\n" % (scan.title, t.date(), "\n".join("  - " + l for l in labels))
        open("docs/" + norm(scan.title) + ".md", "w", encoding="utf-8").write(front + "\n\n".join(Write(f).out) + "\n")
PY
#> Convert, see which files there are, and look at one page next to what the wiki had.
python3 /tmp/stream.py
find docs | sort
head -n 40 "$(ls docs/*.md | head -n 1)"
#> Follow every link and image of the new files: the file has to be there, and a fragment has to be an anchor of one of its headings. Code is left out, for a link in there is none. Then compare the number of code blocks, tables and images with the wiki's.
cat > /tmp/follow.py <<'PY'
import collections, glob, os, re, urllib.parse as u
plain, anchors = {}, {}
for f in sorted(glob.glob("docs/*.md")):
    text = re.sub(r"^~~~~.*?^~~~~$", "", open(f, encoding="utf-8").read().split("\n---\n", 1)[1], flags=re.M | re.S)
    name = os.path.basename(f)
    plain[name], seen, anchors[name] = text, collections.Counter(), set()
    for head in re.findall(r"^#+ (.*)$", text, re.M):
        k = "".join(c for c in re.sub(r"&\w+;|\\", "", head).lower().replace(" ", "-") if c.isalnum() or c in "-_")
        anchors[name].add(k + ("-%d" % seen[k] if seen[k] else "")); seen[k] += 1
good = collections.Counter()
for name, text in plain.items():
    for mark, to in re.findall(r"(!?)\[[^\]]*\]\(([^)]*)\)", text):
        page, _, part = to.partition("#")
        if "://" in to: good["elsewhere"] += 1
        elif mark and os.path.isfile("docs/" + u.unquote(to)): good["images"] += 1
        elif page in plain and (not part or part in anchors[page]): good["pages"] += 1
        else: print("dead:", name, to)
print(dict(good))
PY
python3 /tmp/follow.py
echo "new: $(grep -ch '^~~~~' docs/*.md | paste -sd+ | sed 's,.*,(&)/2,' | bc) code, $(grep -h '^|---' docs/*.md | wc -l) tables, $(grep -oh '!\[' docs/*.md | wc -l) images"
for f in export/*_*.html; do echo "$f: $(grep -o '<pre' "$f" | wc -l) code, $(grep -o '<table' "$f" | wc -l) tables, $(grep -o '<img' "$f" | wc -l) images"; done
