#> First the papers: the rules, and decisions or accepted pages in case there are any beside them.
cat SPEC.md
for f in decisions/* accepted/*; do if [ -f "$f" ]; then echo "== $f"; cat "$f"; fi; done
#> Then the handbook: one page whole, how lines begin in all of them, since that is what the renderer has to tell apart, how links are written, front matter, and what lies there that is no page.
ls handbook; cat handbook/README.md
sed -E 's/^\[[^]]*\]:.*/[R]:/; t; s/^(```|#+|- |\||---|[a-z]+:).*/\1/; t; s/^.+/text/' handbook/*.md | sort | uniq -c | sort -rn
grep -ohE '\](\([^)]*\)|\[[^]]*\])|^\[[^]]*\]: .*' handbook/*.md | sed -E 's/[a-z0-9-]+\.md/P.md/; s/\[[A-Za-z]+[0-9]+\]/[R]/g; s/#[^)]*/#part/' | sort | uniq -c | sort -rn | head -n 20
head -qn 4 handbook/*.md | sort | uniq -c; for f in handbook/*.csv; do if [ -f "$f" ]; then cat "$f"; fi; done
#> A page may well be harder than these. What could mislead a reader of lines: text that goes on over several lines, and what code holds.
grep -n -B 1 -A 7 '^```' handbook/*.md | head -n 30
awk 'FNR == 1 {p = ""; n = c = 0} /^```/ {c = !c} {t = !c && n >= 2 && /^[A-Za-z]/; if (t && p) k++; p = t} /^---/ {n++} END {print k + 0, "lines go on a paragraph"}' handbook/*.md
#> The request names a small part of Markdown, so a reader of blocks and one tokenizer for inline text will do. Constants come out of the papers, from an accepted decision where there is one, and are written into the program, since only that file is deployed.
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
HEAD = re.compile(r"#{1,6} ")
START = re.compile(r"```|#{1,6} |- |\||\[[^\]]+\]: ")  # what ends a paragraph or an item
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
        elif HEAD.match(line) and not code:
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
        elif HEAD.match(l):
            n = len(l) - len(l.lstrip("#")); out.append('<h%d id="%s">%s</h%d>' % (n, next(queue), inline(f, l[n:].strip()), n))
        elif l.startswith("- "):
            items = [l[2:]]
            while i < len(lines) and lines[i].strip() and (lines[i].startswith("- ") or not START.match(lines[i])):
                if lines[i].startswith("- "): items.append(lines[i][2:])
                else: items[-1] += "\n" + lines[i].strip()
                i += 1
            out.append("<ul>\n%s\n</ul>" % "\n".join("<li>%s</li>" % inline(f, item) for item in items))
        elif l.startswith("|"):
            rows = [l]
            while i < len(lines) and lines[i].startswith("|"): rows.append(lines[i]); i += 1
            row = lambda r, t: "<tr>%s</tr>" % "".join("<%s>%s</%s>" % (t, inline(f, c.strip()), t) for c in r.strip().strip("|").split("|"))
            out.append("<table>\n<thead>%s</thead>\n<tbody>\n%s\n</tbody>\n</table>" % (row(rows[0], "th"), "\n".join(row(r, "td") for r in rows[2:])))
        elif l.strip() and not re.match(r"\[[^\]]+\]: ", l):
            para = [l.strip()]
            while i < len(lines) and lines[i].strip() and not START.match(lines[i]): para.append(lines[i].strip()); i += 1
            out.append("<p>%s</p>" % inline(f, "\n".join(para)))
    open(name, "w", encoding="utf-8").write('<!DOCTYPE html><html><head><meta charset="utf-8"><title>%s</title></head><body>%s</body></html>' % (E(title + " | " + SITE), "\n".join(out)))
'''
open("publish.py", "w").write("".join(f"{k} = {v!r}\n" for k, v in conf.items()) + body)
PY
python3 /tmp/make.py
head -n 5 publish.py; python3 -m py_compile publish.py && rm -rf __pycache__
#> Try it on a copy, for the handbook itself must not change: which files are written, and how the first page reads.
rm -rf /tmp/try2 && cp -r handbook /tmp/try2 && (cd /tmp/try2 && python3 /workspace/publish.py && ls && cat index.html)
#> Are there dead links or ids that stand twice? And is the code what it was, character for character? If there is an accepted page, ids, links and text of ours are compared with it. At last a page of my own with what the sample lacks.
cat > /tmp/dead.py <<'PY'
import glob, html, re
pages = {p: open(p, encoding="utf-8").read() for p in sorted(glob.glob("*.html"))}
ids = {p: re.findall(r' id="([^"]*)"', re.sub(r"(?s)<code.*?</code>", "", t)) for p, t in pages.items()}
for p, t in pages.items():
    to = [html.unescape(h) for h in re.findall(r'<a href="([^"]*)"', t)]
    dead = [h for h in to if "://" not in h and ((h.partition("#")[0] or p) not in pages or "#" in h and h.partition("#")[2] not in ids[h.partition("#")[0] or p])]
    source = open("README.md" if p == "index.html" else p[:-4] + "md", encoding="utf-8").read()
    code = [html.unescape(c) for c in re.findall(r"(?s)<pre><code[^>]*>(.*?)</code></pre>", t)]
    print(p, len(to), "links, dead:", dead, "ids twice:", len(ids[p]) - len(set(ids[p])), "code as it was:", all(c in source for c in code), "of", len(code))
PY
cd /tmp/try2 && python3 /tmp/dead.py
if [ -d /workspace/accepted ]; then
  rm -rf /tmp/acc2 && mkdir /tmp/acc2 && cp /workspace/accepted/*.md /tmp/acc2 && cd /tmp/acc2 && python3 /workspace/publish.py
  for f in *.html; do diff <(grep -o '<[a-z0-9]* [a-z]*="[^"]*"\|>[^<]\+<' $f | grep -v '^<html') <(grep -o '<[a-z0-9]* [a-z]*="[^"]*"\|>[^<]\+<' /workspace/accepted/$f | grep -v '^<html') && echo "$f is as accepted"; done
fi
rm -rf /tmp/own && mkdir /tmp/own && cd /tmp/own && printf '%s\n' '---' 'title: "A & B"' '---' '' '# One `x < y` & **two**' '' 'First line' 'and the **second**.' '- a [b](gone.md)' '  goes on' '- `c`' '' '```' '# no heading' '- no item' '```' > own.md && python3 /workspace/publish.py && cat own.html && echo; cd /workspace; ls
