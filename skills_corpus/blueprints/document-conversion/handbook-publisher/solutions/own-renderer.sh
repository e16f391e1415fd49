#> First the papers: the rules, and decisions or accepted pages in case there are any beside them (a complaint of cat about a missing folder does not matter).
cat SPEC.md decisions/* accepted/* 2>/dev/null
#> The request names a small part of Markdown, so a line reader and one tokenizer for inline text will do. Constants come out of the papers, from an accepted decision where there is one, and are written into the program, since only that file is deployed.
cat > /tmp/make.py <<'PY'
import glob, os, re
spec = open("SPEC.md").read()
conf = {"PRE": re.search(r"`id` `(.+?)`", spec)[1], "GONE": re.search(r'span class="(.+?)"', spec)[1], "REL": re.search(r'rel="(.+?)"', spec)[1],
        "SITE": re.search(r"blank and `(.+?)`", spec)[1], "PLUS": 0}
for p in sorted(glob.glob("decisions/*")):
    t = open(p).read()
    if "Status: accepted" in t:
        for key, pattern in (("PRE", r"replaced by `(.+?)`"), ("GONE", r"nowhere is `(.+?)`")):
            m = re.search(pattern, t)
            if m: conf[key] = m[1]
if os.path.exists("accepted/tides.html"):
    conf["PLUS"] = int(re.search(r"spring-(\d)\">Spring</h2>", open("accepted/tides.html").read())[1]) - 1
body = r'''
import glob, os, re, string
from html import escape as E
TOKEN = re.compile(r"(?P<code>`[^`]+`)|\*\*(?P<bold>.+?)\*\*|\[(?P<text>[^\]]*)\](?:\((?P<to>[^)\s]*)\)|\[(?P<ref>[^\]]*)\])")
keep = set(string.ascii_lowercase + string.digits + "-_ ")
gh = lambda s: "".join(c for c in s.lower() if c in keep or c.isalnum()).replace(" ", "-")
books, moves = {}, {}
if os.path.exists("moved.csv"):
    moves = dict(l.strip().split(",") for l in open("moved.csv") if "," in l)
for f in sorted(glob.glob("*.md")):
    top, text = open(f, encoding="utf-8").read().split("---\n", 2)[1:]
    if re.search(r"^draft:\s*true", top, re.M): continue
    refs = dict(re.findall(r"^\[([^\]]+)\]: (\S+)$", text, re.M))
    ids, mine, code, tally = {}, [], False, {}
    for line in text.split("\n"):
        if line.startswith("```"): code = not code
        elif line.startswith("#") and not code:
            s = gh(line.lstrip("#").strip()); n = tally.get(s, 0); tally[s] = n + 1
            mine.append(PRE + s + ("-%d" % (n + PLUS) if n else "")); ids[s + ("-%d" % n if n else "")] = mine[-1]
    books[f] = (re.search(r'title: "(.*)"', top)[1], text, refs, ids, mine, "index.html" if f == "README.md" else f[:-2] + "html")

def inline(f, s):
    out, at = "", 0
    for m in TOKEN.finditer(s):
        out += E(s[at:m.start()], False); at = m.end()
        if m["code"]: out += "<code>" + E(m["code"][1:-1], False) + "</code>"
        elif m["bold"]: out += "<strong>" + inline(f, m["bold"]) + "</strong>"
        else:
            to = m["to"] if m["to"] is not None else books[f][2][m["ref"]]
            label = inline(f, m["text"])
            if "://" in to: out += '<a href="%s" rel="%s">%s</a>' % (E(to), REL, label); continue
            page, _, part = to.partition("#")
            goal = page[2:] if page[:2] == "./" else page or f
            while goal in moves: goal = moves[goal]
            if goal not in books: out += '<span class="%s">%s</span>' % (GONE, label); continue
            out += '<a href="%s%s">%s</a>' % (books[goal][5] if page else "", "#" + books[goal][3][part] if part else "", label)
    return out + E(s[at:], False)

for f, (title, text, refs, ids, mine, name) in books.items():
    out, queue, lines, i = [], iter(mine), text.split("\n"), 0
    while i < len(lines):
        l = lines[i]; i += 1
        if l.startswith("```"):
            j = lines.index("```", i)
            out.append("<pre><code%s>%s\n</code></pre>" % (' class="language-%s"' % l[3:] if l[3:] else "", E("\n".join(lines[i:j]), False))); i = j + 1
        elif l.startswith("#"):
            n = len(l) - len(l.lstrip("#")); out.append('<h%d id="%s">%s</h%d>' % (n, next(queue), inline(f, l[n:].strip()), n))
        elif l.startswith("- "): out.append("<ul><li>%s</li></ul>" % inline(f, l[2:]))
        elif l.startswith("|"):
            if set(l) <= set("|- "): continue
            out.append("<table><tr>%s</tr></table>" % "".join("<td>%s</td>" % inline(f, c.strip()) for c in l.strip("|").split("|")))
        elif l.strip() and not re.match(r"\[[^\]]+\]: ", l): out.append("<p>%s</p>" % inline(f, l))
    open(name, "w", encoding="utf-8").write('<!DOCTYPE html><html><head><meta charset="utf-8"><title>%s</title></head><body>%s</body></html>' % (E(title + " | " + SITE), "\n".join(out)))
'''
open("publish.py", "w").write("".join(f"{k} = {v!r}\n" for k, v in conf.items()) + body)
PY
python3 /tmp/make.py
#> Try it on a copy, for the handbook itself must not change: which files are written, and how the first page reads.
rm -rf /tmp/try2 && cp -r handbook /tmp/try2 && (cd /tmp/try2 && python3 /workspace/publish.py && ls && head -c 1500 index.html)
