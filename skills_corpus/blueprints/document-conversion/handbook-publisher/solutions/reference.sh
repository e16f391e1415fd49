#> The rules, decisions or accepted pages in case there are any, the kinds of links in the sample and one page of it whole, and whether the libraries that I would use are on this machine.
cat SPEC.md
for f in decisions/* accepted/*; do [ -f "$f" ] && { echo "== $f"; cat "$f"; }; done
ls handbook
grep -oh '\](.*)\|^\[.*\]: .*' handbook/*.md | sed 's/[a-z0-9-]*\.md/P.md/' | sort | uniq -c | sort -rn | head -n 20
cat handbook/README.md
python3 -c 'import markdown, bs4, yaml; print(markdown.__version__)'
#> Settle the constants: the rules give them; an accepted decision, if there is one, replaces a rule, a rejected one does not; and an accepted page, if there is one, shows which number the second of equal headings gets (1 otherwise).
prefix=$(grep -oP 'has the `id` `\K[^`]+' SPEC.md)
missing=$(grep -oP 'span class="\K[^"]+' SPEC.md)
rel=$(grep -oP 'rel="\K[^"]+' SPEC.md)
site=$(grep -oP 'blank and `\K[^`]+' SPEC.md)
for f in decisions/*; do
  if [ -f "$f" ] && grep -q '^Status: accepted' "$f"; then
    p=$(grep -oP 'is replaced by `\K[^`]+' "$f") && prefix=$p
    m=$(grep -oP 'lead nowhere is `\K[^`]+' "$f") && missing=$m
  fi
done
first=1
[ -f accepted/tides.html ] && first=$(grep -oP '<h2 id="[^"]*spring-\K\d+' accepted/tides.html | head -n 1)
echo "prefix $prefix, missing $missing, rel $rel, site $site, second heading -$first"
#> Write the program: render with the Markdown library, then change headings and links in the parsed HTML, where code is out of reach. Fragments go from source anchor to heading to id.
cat > publish.py <<PY
#!/usr/bin/env python3
"""Publish the Markdown pages of the current folder as HTML beside them."""
import csv
import html
import pathlib
import re
import urllib.parse

import markdown
import yaml
from bs4 import BeautifulSoup

PREFIX, MISSING, REL, SITE, FIRST = "$prefix", "$missing", "$rel", "$site", $first
PY
cat >> publish.py <<'PY'


def anchors(soup):
    """Map GitHub's anchor of each heading to its id on the site, and set the ids."""
    seen, found = {}, {}
    for head in soup.find_all(re.compile("^h[1-6]$")):
        slug = re.sub(r"[^\w\- ]", "", head.get_text().lower()).replace(" ", "-")
        number = seen[slug] = seen.get(slug, -1) + 1
        head["id"] = PREFIX + slug + (f"-{number - 1 + FIRST}" if number else "")
        found[slug + (f"-{number}" if number else "")] = head["id"]
    return found


def load(path):
    _, matter, text = path.read_text("utf-8").split("---\n", 2)
    matter = yaml.safe_load(matter)
    if matter.get("draft"):
        return None
    soup = BeautifulSoup(markdown.markdown(text, extensions=["tables", "fenced_code", "sane_lists"]), "html.parser")
    return {"title": matter["title"], "soup": soup, "anchors": anchors(soup), "html": "index.html" if path.stem == "README" else path.stem + ".html"}


def main():
    here = pathlib.Path(".")
    pages = {path.name: page for path in sorted(here.glob("*.md")) if (page := load(path))}
    moved = {}
    if (here / "moved.csv").exists():
        moved = {row["old"]: row["new"] for row in csv.DictReader(open("moved.csv", encoding="utf-8"))}
    for name, page in pages.items():
        for link in page["soup"].select("a[href]"):
            parts = urllib.parse.urlsplit(link["href"])
            if parts.scheme:
                link["rel"] = REL
                continue
            goal = parts.path.removeprefix("./") or name
            while goal in moved:
                goal = moved[goal]
            if goal not in pages:
                link.name, link.attrs = "span", {"class": MISSING}
                continue
            fragment = "#" + pages[goal]["anchors"][parts.fragment] if parts.fragment else ""
            link["href"] = fragment if fragment and not parts.path else pages[goal]["html"] + fragment
        head = f'<meta charset="utf-8"><title>{html.escape(page["title"] + " | " + SITE)}</title>'
        text = f'<!DOCTYPE html>\n<html lang="en">\n<head>{head}</head>\n<body>\n{page["soup"]}\n</body>\n</html>\n'
        (here / page["html"]).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
PY
#> Try it on a copy of the sample, look for dead links in what came out, and compare with the accepted page where there is one.
rm -rf /tmp/try && cp -r handbook /tmp/try && (cd /tmp/try && python3 /workspace/publish.py && ls && cat index.html && grep -oh 'href="[^"]*"' *.html | sort | uniq -c)
if [ -d accepted ]; then rm -rf /tmp/acc && mkdir /tmp/acc && cp accepted/tides.md /tmp/acc && (cd /tmp/acc && python3 /workspace/publish.py && diff tides.html /workspace/accepted/tides.html); fi
true
