"""A handbook in Markdown, the rules for its HTML, and hidden handbooks to publish with the delivered program."""

import json
import re

NAMES = ["backup", "network-map", "first-steps", "printers", "release", "mail-gateway", "badges", "phones"]
HEADS = ["Set up", "Who to ask", "Limits & quotas", "When it fails (again)", "Costs", "History of v1.2"]
TALK = ["Ask the owner before you change anything.", "Values with 5 < n are normal & fine.", "It takes an hour, and a second person.", "Rooms on the second floor have no cable."]
CODE = [("bash", "cat notes.md\n    grep -n '[guide](backup.md)' *.md"), ("markdown", "See [the guide](backup.md#costs) and\n\n# Not a heading"), ("", "a < b && c > d   # plain")]
SITES = ["Orbit Handbook", "Harbour Notes", "Night Shift Manual"]


def anchor(text):
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def handbook(world, rules, size, tag):
    """Sources of a handbook, and what each published page must hold."""
    rng, rich, moved = world.rng, world.knob("rich"), world.knob("papers")
    names = rng.sample(NAMES, size)
    pages = []
    for n, name in enumerate(["README"] + names):
        heads = [(2, text) for text in rng.sample(HEADS, 4)]
        if rich:
            heads[3] = (3, heads[1][1])  # the same heading again
            heads.append((2, heads[1][1]))
        count, seen = [], {}
        for _, text in heads:
            count.append(seen.get(text, 0))
            seen[text] = count[-1] + 1
        first = 2 if moved else 1  # how the site numbers the second of equal headings
        pages.append({"name": name, "title": f"{name.replace('-', ' ').title()}: part {rng.randint(1, 99)}" if n else f"Welcome to {tag}", "heads": heads,
                      "source": [anchor(t) + (f"-{c}" if c else "") for (_, t), c in zip(heads, count)],
                      "ids": [rules["prefix"] + anchor(t) + (f"-{c - 1 + first}" if c else "") for (_, t), c in zip(heads, count)],
                      "draft": n == size, "html": "index.html" if not n else f"{name}.html"})
    old = {"old-" + names[0]: names[0], "older-" + names[0]: "old-" + names[0], "stale": names[-1]} if moved else {}
    files, expected = {}, {}
    for page in pages:
        md, blocks, links, missing, refs, number = [f"---\ntitle: \"{page['title']}\"\n" + ("draft: true\n" if page["draft"] else "") + "---\n"], [], [], [], [], 0

        def link():
            nonlocal number
            number += 1
            text = f"link {page['name'][0]}{number}"
            form = rng.randrange(8 if rich else 6)
            other = rng.choice(pages)
            at = rng.randrange(len(other["heads"]))
            if form == 0:
                goal, href, rel = (u := f"https://docs.example.org/{other['name']}.md#{rng.randint(1, 9)}"), u, rules["rel"]
            elif form == 1:
                at = rng.randrange(len(page["heads"]))
                goal, href, rel = "#" + page["source"][at], "#" + page["ids"][at], ""
            elif form == 2:
                goal, href, rel = f"never-{rng.randint(1, 99)}.md", None, ""
            else:
                aliases = [a for a in old if (old.get(old[a], old[a])) == other["name"]]
                spelled = rng.choice(aliases) if aliases and rng.random() < 0.6 else other["name"]
                goal, href, rel = ("./" if form == 3 else "") + spelled + ".md", other["html"], ""
                if form > 3:
                    goal, href = f"{goal}#{other['source'][at]}", f"{href}#{other['ids'][at]}"
                if other["draft"]:
                    href = None
            (links if href else missing).append([text, href, rel] if href else text)
            if form > 5:
                refs.append(f"[{page['name'][0]}{number}]: {goal}")
                return f"[{text}][{page['name'][0]}{number}]", text
            return f"[{text}]({goal})", text

        def sentence():
            talk, (markup, text) = rng.choice(TALK), link()
            extra = rng.choice(["", " Type `[x](backup.md)` there.", " It is **not** optional."])
            return f"{talk} See {markup} first.{extra}", f"{talk} See {text} first." + extra.replace("`", "").replace("**", "")

        for k, (level, text) in enumerate(page["heads"]):
            md.append(f"{'#' * level} {text}")
            blocks.append([f"h{level}", page["ids"][k], text])
            source, plain = sentence()
            md.append(source)
            blocks.append(["p", plain])
            if k == 1:
                items = [sentence() for _ in range(3)]
                md.append("\n".join(f"- {s}" for s, _ in items))
                blocks += [["li", p] for _, p in items]
            if k == 2:
                lang, code = rng.choice(CODE)
                md.append(f"```{lang}\n{code}\n```")
                blocks.append(["code", lang, code])
            if k == 3 and rich:
                rows = [[f"n{rng.randint(1, 99)}", link()] for _ in range(3)]
                md.append("| Node | Where |\n| --- | --- |\n" + "\n".join(f"| {a} | {s} |" for a, (s, _) in rows))
                blocks += [["tr", ["Node", "Where"]]] + [["tr", [a, p]] for a, (_, p) in rows]
        files[page["name"] + ".md"] = "\n\n".join(md) + "\n" + ("\n" + "\n".join(refs) + "\n" if refs else "")
        if not page["draft"]:
            expected[page["html"]] = {"title": f"{page['title']} | {rules['site']}", "blocks": blocks, "links": links, "missing": missing}
    if moved:
        files["moved.csv"] = "old,new\n" + "".join(f"{a}.md,{b}.md\n" for a, b in sorted(old.items()))
    return files, expected


def build(world):
    rng = world.rng
    rules = {"prefix": rng.choice(["s-", "sec-", "at-"]) + f"{world.seed}-", "missing": rng.choice(["gone", "withheld", "no-page"]),
             "rel": rng.choice(["external", "external noopener", "nofollow external"]), "site": rng.choice(SITES)}
    papers = world.knob("papers")
    sample, _ = handbook(world, rules, 4, "the sample")
    for name, text in sample.items():
        world.write(f"/workspace/handbook/{name}", text)
    stale = dict(rules, prefix="sect-", missing="dead-link") if papers else rules
    repeated = ("The id of a heading that occurs more than once on its page is numbered, as it always was." if papers else
                "Like there, a second equal heading on a page gets `-1`, the third `-2`.")
    world.write("/workspace/SPEC.md", (
        "# How the handbook becomes HTML\n\n- Every `x.md` becomes `x.html`, `README.md` becomes `index.html`. Front matter: `title` and, for some, `draft: true`; a draft is not published.\n"
        f"- `<title>` is the title, a blank, `|`, a blank and `{rules['site']}`. The body holds the rendered page and nothing else.\n"
        f"- Each heading has the `id` `{stale['prefix']}` plus the anchor that GitHub would give it. {repeated}\n"
        "- In the sources, links to a section are written with GitHub's anchors (there a second equal heading is `-1`). They lead to that heading's `id`, on the same page with the fragment alone.\n"
        f"- A link to a page that is not published becomes `<span class=\"{stale['missing']}\">` with the link's text.\n"
        f"- Links with a scheme stay as they are and get `rel=\"{rules['rel']}\"`. Other links have no `rel`.\n"
        "- Code blocks are `<pre><code>`, with `class=\"language-...\"` where the source names one. Code is never changed.\n"
        + ("- Names that pages had before are in `moved.csv` (`old,new`, beside the sources). A link to an old name leads to the page as it is called now.\n" if papers else "")))
    if papers:
        world.write("/workspace/decisions/2025-11-ids.md", f"# Ids of headings\n\nStatus: accepted\n\nThe prefix in SPEC.md is replaced by `{rules['prefix']}`, since `{stale['prefix']}` clashes with the theme.\n")
        world.write("/workspace/decisions/2026-02-ids.md", "# Ids of headings, again\n\nStatus: rejected\n\nThe prefix would be dropped altogether.\n")
        world.write("/workspace/decisions/2026-03-missing.md", f"# Missing pages\n\nStatus: accepted\n\nThe class of links that lead nowhere is `{rules['missing']}` from now on.\n")
        p = rules["prefix"]
        world.write("/workspace/accepted/tides.md", "---\ntitle: \"Tides\"\n---\n\n## Spring\n\nFrom [the second](#spring-1) to [the third](#spring-2).\n\n## Spring\n\nMore.\n\n### Spring\n\nMost.\n")
        world.write("/workspace/accepted/tides.html", (
            f"<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Tides | {rules['site']}</title></head>\n<body>\n<h2 id=\"{p}spring\">Spring</h2>\n"
            f"<p>From <a href=\"#{p}spring-2\">the second</a> to <a href=\"#{p}spring-3\">the third</a>.</p>\n<h2 id=\"{p}spring-2\">Spring</h2>\n<p>More.</p>\n"
            f"<h3 id=\"{p}spring-3\">Spring</h3>\n<p>Most.</p>\n</body>\n</html>\n"))
    hidden = [handbook(world, rules, size, tag) for size, tag in ((5, "the night shift"), (6, "the harbour"))]
    world.hide("handbooks.json", json.dumps([files for files, _ in hidden]))
    inputs = ["/workspace/SPEC.md"] + [f"/workspace/handbook/{name}" for name in sample]
    return {"books": [expected for _, expected in hidden], "missing_class": rules["missing"], "inputs": {path: world.digest(path) for path in inputs}}
