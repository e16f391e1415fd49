#> What does the installed release want, and in which schema is each file now? They need not all be in the same one.
cat /var/log/tidegate/startup.log
grep -n '^schema' /etc/tidegate/*.yaml* /etc/tidegate/sites.d/*
want=$(sed -n 's/.*starting, reads schema \([0-9]*\)$/\1/p' /var/log/tidegate/startup.log | tail -n 1)
#> The changelog, of which only the entries up to the installed schema count, and the files themselves with their notes. Keep a copy of all to compare with.
cat /usr/share/doc/tidegate/CHANGELOG.md
cat /etc/tidegate/tidegate.yaml /etc/tidegate/sites.d/*.yaml
cp -r /etc/tidegate /tmp/before
#> I change lines, not documents: a small editor takes each key's path from the indentation and applies the entries between a file's schema and the wanted one, oldest first. The new keepalive default is countered only in older site files where neither the site nor its profile sets it.
cat > /tmp/migrate.py <<'PY'
import glob, re, sys, yaml
want = int(sys.argv[1])
profiles = yaml.safe_load(open("/etc/tidegate/tidegate.yaml"))["profiles"]
def step(schema, block, key, value):
    """New (key, value) pairs for one line by the changelog entry of one schema."""
    if schema == 5:
        if (block, key) == ("listen", "addr"): return [("bind", value)]
        if block == "timeouts" and key in ("connect", "read"): return [(key, str(int(value) * 1000))]
        if (block, key) == ("log", "verbose"): return [("level", "debug" if value == "true" else "info")]
    if schema == 6:
        if (block, key) == ("listen", "bind"):
            host, port = value.strip('"').rsplit(":", 1)
            return [("host", f'"{host}"'), ("port", port)]
        if (block, key) == ("tls", "insecure_skip_verify"): return [("verify", "false" if value == "true" else "true")]
        if (block, key) == ("headers", "hide"): return [("strip", value)]
    if schema == 7:
        if (block, key) == ("headers", "strip"): return [("hide", value)]
        if (block, key) == ("cache", "size_mb"): return [("size_bytes", str(int(value) * 1048576))]
    return [(key, value)]
for path in ["/etc/tidegate/tidegate.yaml", *sorted(glob.glob("/etc/tidegate/sites.d/*.yaml"))]:
    text = open(path).read()
    data = yaml.safe_load(text)
    have = data["schema"]
    if have == want:
        continue
    out, stack = [], []
    for line in text.splitlines():
        m = re.match(r"^( *)([\w]+):(?: +([^#]*?))?( *#.*)?$", line)
        if not m:
            out.append(line)
            continue
        indent, key, value, note = len(m[1]), m[2], m[3] or "", m[4] or ""
        while stack and stack[-1][0] >= indent: stack.pop()
        block = stack[-1][1] if stack else ""
        stack.append((indent, key))
        pairs = [(key, value)]
        for schema in range(have + 1, want + 1):
            pairs = [new for k, v in pairs for new in step(schema, block, k, v)]
        if (indent, key) == (0, "schema"): pairs = [(key, str(want))]
        if pairs == [(key, value)]:
            out.append(line)
        else:
            out += [f"{m[1]}{k}: {v}{note if n == 0 else ''}" for n, (k, v) in enumerate(pairs)]
    if "site" in data and have < 6 <= want and "keepalive" not in data and "keepalive" not in profiles.get(data.get("profile"), {}):
        out.append("keepalive: true")
    open(path, "w").write("\n".join(out) + "\n")
PY
python3 /tmp/migrate.py "$want"
#> Read the difference line by line, and see that every file parses and carries the wanted schema.
diff -ru /tmp/before /etc/tidegate
for f in /etc/tidegate/tidegate.yaml /etc/tidegate/sites.d/*.yaml; do python3 -c 'import sys, yaml; d = yaml.safe_load(open(sys.argv[1])); print(sys.argv[1], d["schema"], d.get("keepalive"))' "$f"; done
