#> Take stock first: the pages, how one is built, and what kinds of links there are.
ls -R export | head -n 40
cat export/entities.xml 2>/dev/null
grep -oh 'href="[^"]*"' export/*.html | sed 's/[0-9]\{3,\}/N/g' | sort | uniq -c | sort -rn | head -n 40
cat "$(ls export/*_*.html | head -n 1)"
#> One table of pages decides every name and every anchor; each link is looked up in it, in whatever form it names its page. Then walk each page's content and emit Markdown, with text escaped, code verbatim in a fence that is long enough, and images copied per page.
cat > /tmp/convert.py <<'PY'
import json, pathlib, re, shutil
from datetime import datetime, timedelta
from urllib.parse import parse_qs, unquote, urlsplit, quote
from bs4 import BeautifulSoup, NavigableString
source, target = pathlib.Path("export"), pathlib.Path("docs")
target.mkdir(exist_ok=True)
listing = source / "entities.xml"
entities = BeautifulSoup(listing.read_text("utf-8"), "xml") if listing.exists() else None
base = entities.space["baseUrl"] if entities else ""

def slug(text):
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")

pages, by_id = {}, {}
for path in sorted(source.glob("*_*.html")):
    soup = BeautifulSoup(path.read_text("utf-8"), "lxml")
    title = soup.find(id="title-heading").get_text()
    content = soup.find(id="main-content")
    for furniture in content.select(".toc, .comments"):
        furniture.decompose()
    seen, anchors = {}, {}
    for head in content.find_all(re.compile("^h[1-6]$")):
        name = slug(head.get_text().strip())
        seen[name] = seen.get(name, 0) + 1
        anchors[head.get("id")] = name if seen[name] == 1 else f"{name}-{seen[name] - 1}"
    if entities:
        entry = entities.find("page", file=path.name)
        modified, labels, state = entry["modified"], [e.text for e in entry.find_all("label")], entry["state"]
        numbers = [entry["id"], *(e.text for e in entry.find_all("formerId"))]
    else:
        modified, state, numbers = soup.find("meta", {"name": "modified"})["content"], "current", []
        labels = soup.find("meta", {"name": "labels"})["content"].split(", ")
    day = datetime.fromisoformat(modified.replace("Z", "+00:00")) + timedelta(hours=2 if entities else 0)
    pages[path.name] = {"title": title, "content": content, "anchors": anchors, "labels": labels, "day": day.strftime("%Y-%m-%d"), "moves": state == "current", "name": slug(title) + ".md"}
    by_id.update({number: path.name for number in numbers})

def resolve(href, here):
    """The new target of a link, or None when its page stays behind."""
    if base and href.startswith(base):
        href = href[len(urlsplit(base).scheme + "://" + urlsplit(base).netloc):]
    parts = urlsplit(href)
    if parts.scheme:
        return href
    number = parse_qs(parts.query).get("pageId")
    file = by_id.get(number[0]) if number else (unquote(parts.path) or here)
    if file not in pages or not pages[file]["moves"]:
        print("left as text:", here, href)
        return None
    anchor = "#" + pages[file]["anchors"][parts.fragment] if parts.fragment else ""
    return anchor if file == here and anchor else pages[file]["name"] + anchor

def escape(text):
    return re.sub(r"([\\`*\[\]<>|&])", r"\\\1", re.sub(r"\s+", " ", text.replace("\u00a0", " ")))

def inline(node, here):
    out = ""
    for child in node.children:
        if isinstance(child, NavigableString):
            out += escape(str(child))
        elif child.name == "a":
            goal, text = resolve(child["href"], here), inline(child, here)
            out += f"[{text}]({goal})" if goal else text
        elif child.name == "img":
            out += image(child, here)
        elif child.name in ("strong", "b"):
            out += f"**{inline(child, here)}**"
        elif child.name in ("em", "i"):
            out += f"*{inline(child, here)}*"
        elif child.name == "code":
            out += f"`{child.get_text()}`"
        elif child.name == "br":
            out += "<br>"
        else:
            out += inline(child, here)
    return out

def image(tag, here):
    file = source / unquote(tag["src"])
    folder = target / "images" / pages[here]["name"].removesuffix(".md")
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, folder / file.name.replace(" ", "-"))
    return f"![{tag['alt']}](images/{folder.name}/{quote(file.name.replace(' ', '-'))})"

def block(node, here):
    for child in node.children:
        if isinstance(child, NavigableString):
            if child.strip():
                yield escape(str(child)).strip()
        elif re.fullmatch("h[1-6]", child.name):
            yield "#" * int(child.name[1]) + " " + inline(child, here).strip()
        elif child.name == "pre":
            code = child.get_text()
            fence = "`" * max([3] + [len(run) + 1 for run in re.findall("`{3,}", code)])
            brush = re.search(r"brush: (\w+)", child.get("data-params", ""))
            yield f"{fence}{brush[1] if brush else ''}\n{code}\n{fence}"
        elif child.name in ("ul", "ol"):
            yield "\n".join((f"{n}. " if child.name == "ol" else "- ") + inline(li, here).strip() for n, li in enumerate(child.find_all("li", recursive=False), 1))
        elif child.name == "table":
            rows = ["| " + " | ".join(inline(c, here).strip() for c in tr.find_all(["th", "td"])) + " |" for tr in child.find_all("tr")]
            yield "\n".join([rows[0], "|" + " --- |" * len(child.find("tr").find_all(["th", "td"])), *rows[1:]])
        elif child.name == "p":
            if text := inline(child, here).strip():
                yield text
        else:
            yield from block(child, here)

for file, page in pages.items():
    if page["moves"]:
        head = f"---\ntitle: {json.dumps(page['title'])}\nupdated: \"{page['day']}\"\nlabels: [{', '.join(page['labels'])}]\n---\n\n"
        (target / page["name"]).write_text(head + "\n\n".join(block(page["content"], file)) + "\n", "utf-8")
PY
python3 /tmp/convert.py
ls -R docs
#> Read the result back through a Markdown parser: no dead link, no missing image, every fragment an anchor. Links printed as left as text, if any, lead to pages that do not move. Then look at the top of one page.
cat > /tmp/readback.py <<'PY'
import pathlib, re
import markdown
from bs4 import BeautifulSoup
root, html = pathlib.Path("docs"), {}
for path in root.glob("*.md"):
    text = path.read_text("utf-8").split("\n---\n", 1)[1]
    html[path.name] = BeautifulSoup(markdown.markdown(text, extensions=["tables", "fenced_code"]), "lxml")
def anchors(soup):
    seen = {}
    for head in soup.find_all(re.compile("^h[1-6]$")):
        name = re.sub(r"[^\w\- ]", "", head.get_text().lower()).replace(" ", "-")
        seen[name] = seen.get(name, -1) + 1
        yield name + (f"-{seen[name]}" if seen[name] else "")
dead = []
for name, soup in html.items():
    for a in soup.select("a[href]"):
        file, _, fragment = a["href"].partition("#")
        if "://" not in a["href"] and (file or name) not in html or (file.endswith(".md") or not file) and fragment and fragment not in anchors(html[file or name]):
            dead.append((name, a["href"]))
    dead += [(name, img["src"]) for img in soup.select("img") if not (root / img["src"]).exists()]
print("dead:", dead)
PY
python3 /tmp/readback.py
head -n 30 "$(ls docs/*.md | head -n 1)"
