"""The configuration of a reverse proxy, some releases behind, with a changelog whose entries rename, convert, invert and take back."""

NAMES = ["shop", "orders", "wiki", "static", "partner", "reports", "login", "media"]

ENTRIES = {
    8: """\
## 4.0.0 (schema 8)

- `timeouts` take text with a unit again (`"30s"`), numbers are refused.
- `cache.dir_mode` is gone, the directory is always created with mode 0700.
""",
    7: """\
## 3.1.0 (schema 7)

- The rename of `headers.hide` in 3.0.0 broke too many set-ups and is taken back: the key is `headers.hide`, and `headers.strip` is not read any more.
- `cache.size_mb` is replaced by `cache.size_bytes`, a number of bytes (1 MB was always 1048576 bytes).
""",
    6: """\
## 3.0.0 (schema 6)

- `listen.bind` is split into `listen.host` (text) and `listen.port` (number).
- `tls.insecure_skip_verify` is replaced by `tls.verify`, with the opposite meaning; the default of both amounts to verification.
- `headers.hide` is called `headers.strip`.
- The default of `keepalive` (in a site or a profile) is now `false`. It was `true`.
""",
    5: """\
## 2.5.0 (schema 5)

- `listen.addr` is called `listen.bind`.
- `timeouts.connect` and `timeouts.read` are in milliseconds, wherever a `timeouts` block stands. They were in seconds. Names and defaults (5 seconds and 60 seconds) do not change.
- `log.verbose` (`true`, `false`) is replaced by `log.level` (`debug`, `info`).
""",
    4: """\
## 2.3.0 (schema 4)

- New: `profiles` in `tidegate.yaml`. A site takes from its `profile` each key that it does not set itself; a block such as `timeouts` is taken whole.
- `tidegate.yaml` and the files in `sites.d` carry their schema each; a release reads its own schema only.
""",
}
VERSIONS = {4: "2.3.4", 5: "2.5.1", 6: "3.0.2", 7: "3.1.0"}


class File:
    """Lines with the mark whether the migration concerns them."""

    def __init__(self):
        self.lines, self.touched = [], []

    def keep(self, *lines):
        self.lines += lines
        self.touched += [False] * len(lines)

    def touch(self, line, when=True):
        self.lines.append(line)
        self.touched.append(bool(when))

    def truth(self, data):
        marked = list(zip(self.lines, self.touched))
        return {"data": data, "kept": [line for line, touched in marked if not touched],
                "comments": [line[line.index("#"):] for line, touched in marked if touched and "#" in line]}

    def text(self):
        return "\n".join(self.lines) + "\n"


def timeouts(file, indent, values, schema, target, notes):
    factor, final = (1 if schema < 5 else 1000), (1 if target < 5 else 1000)
    for (key, seconds), note in zip(values.items(), notes):
        file.touch(f"{indent}{key}: {seconds * factor}{note}", factor != final)
    return {key: seconds * final for key, seconds in values.items()}


def headers_key(schema):
    return "strip" if schema == 6 else "hide"


def build(world):
    rng, source, target, inherited = world.rng, world.knob("source"), world.knob("target"), world.knob("inherited")
    names = rng.sample(NAMES, 5)
    port, backlog = rng.randint(8001, 8999), rng.choice([128, 511, 1024])
    host = f"10.{rng.randint(1, 250)}.0.{rng.randint(2, 250)}"
    read, connect, profile_read = rng.sample(range(11, 90), 3)
    skip_verify, verbose, size_mb = rng.random() < 0.5, rng.random() < 0.5, rng.choice([48, 96, 192, 320])
    hide = rng.sample(["Server", "X-Powered-By", "X-Runtime", "Via", "X-Backend"], 3)

    main, data = File(), {}
    main.keep("# tidegate, main configuration. On call: platform team, see the runbook before a restart.")
    main.touch(f"schema: {source}")
    main.keep("", "listen:")
    main.touch(f'  {"addr" if source < 5 else "bind"}: "{host}:{port}"   # the balancer checks this port')
    main.keep(f"  backlog: {backlog}", "", "timeouts:   # of all sites without a block of their own")
    data["listen"] = {"host": host, "port": port, "backlog": backlog}
    data["timeouts"] = timeouts(main, "  ", {"connect": connect, "read": read}, source, target, ["      # measured in March, do not lower", ""])
    main.keep("", "log:")
    level = "debug" if verbose else "info"
    main.touch(f"  verbose: {str(verbose).lower()}   # audit wants to be told when this changes" if source < 5 else f"  level: {level}   # audit wants to be told when this changes", source < 5)
    main.keep("  path: /var/log/tidegate/access.log", "", "tls:", "  # towards the sites' own servers")
    data["log"] = {"level": level, "path": "/var/log/tidegate/access.log"}
    main.touch(f"  insecure_skip_verify: {str(skip_verify).lower()}")
    main.keep('  min_version: "1.2"   # quoted on purpose', "", "headers:")
    data["tls"] = {"verify": not skip_verify, "min_version": "1.2"}
    main.touch(f"  {headers_key(source)}: [{', '.join(hide)}]   # pentest finding 12", headers_key(source) != headers_key(target))
    main.keep("", "cache:")
    data["headers"] = {headers_key(target): hide}
    main.touch(f"  size_mb: {size_mb}", target >= 7)
    main.keep('  dir_mode: "0750"', "  # size_mb was 512 until the disk filled up" if target < 7 else "  # half of this is enough on the spare host", "", "profiles:", "  standard:", "    timeouts:")
    data["cache"] = {"size_bytes" if target >= 7 else "size_mb": size_mb * 1048576 if target >= 7 else size_mb, "dir_mode": "0750"}
    standard = {"timeouts": timeouts(main, "      ", {"read": profile_read}, source, target, ["    # as agreed with sales"])}
    if inherited:
        main.keep("    keepalive: false   # old load balancers in front of these")
        standard["keepalive"] = False
    main.keep("  bulk:", "    retries: 2", "", "# end of file, sites are in sites.d/")
    data["profiles"] = {"standard": standard, "bulk": {"retries": 2}}
    data["schema"] = target

    # what each site sets of itself: profile and keepalive
    shapes = [("standard", None), ("bulk", None), ("bulk", None), (None, True), ("bulk", False)]
    if len(world.knob("sites")) < 4:
        shapes = [("standard", None), ("bulk", None), (None, False)] if len(world.knob("sites")) == 3 else [("bulk", None), ("standard", False)]
    files, sites, keepalive, untouched = {"tidegate.yaml": main}, {}, {}, {}
    for name, schema, (profile, own) in zip(names, world.knob("sites"), shapes):
        path = f"sites.d/{rng.randint(10, 90)}-{name}.yaml"
        site, value = File(), {"schema": target, "site": f"{name}.example.net"}
        site.keep(f"# {name}: ask {rng.choice(['Ada', 'Linus', 'Grace', 'Ken'])} before you change anything here")
        site.touch(f"schema: {schema}", schema != target)
        site.keep(f"site: {name}.example.net")
        if profile:
            site.keep(f"profile: {profile}")
            value["profile"] = profile
        rate, weight, seconds = rng.randint(2, 60) * 10, rng.randint(1, 9), rng.randint(91, 240)
        address = f"https://10.20.{rng.randint(0, 9)}.{rng.randint(2, 250)}:9443"
        site.keep("", "upstreams:", f"  - url: {address}", f"    weight: {weight}   # of 10", "limits:", f"  read: {rate}      # requests a second, not a timeout", "timeouts:")
        value.update(upstreams=[{"url": address, "weight": weight}], limits={"read": rate})
        value["timeouts"] = timeouts(site, "  ", {"read": seconds}, schema, target, ["   # monthly report takes that long"])
        site.keep('countries: [DE, "NO", SE]   # NO in quotes, or it is false')
        value["countries"] = ["DE", "NO", "SE"]
        extra = rng.sample(["X-Trace", "X-Site", "X-Cache", "Etag"], 2)
        site.keep("headers:")
        site.touch(f"  {headers_key(schema)}: [{', '.join(extra)}]", headers_key(schema) != headers_key(target))
        value["headers"] = {headers_key(target): extra}
        skip = rng.random() < 0.5
        site.keep("tls:")
        site.touch(f"  insecure_skip_verify: {str(skip).lower()}   # certificate is ordered" if schema < 6 else f"  verify: {str(not skip).lower()}   # certificate is ordered", schema < 6)
        value["tls"] = {"verify": not skip}
        if own is not None:
            site.keep(f"keepalive: {str(own).lower()}")
        decided = own if own is not None else (False if profile == "standard" and inherited else None)
        keepalive[path] = decided if decided is not None else schema < 6  # the default that the file's schema had
        files[path] = site
        if schema == target:
            untouched[path] = None
        else:
            sites[path] = site.truth(value)

    for path, file in files.items():
        world.write(f"/etc/tidegate/{path}", file.text())
    if source < 5:
        world.write("/etc/tidegate/tidegate.yaml.dpkg-dist", "\n".join([
            f"schema: {target}", "listen:", "  host: 127.0.0.1", "  port: 8080", "timeouts:", "  connect: 5000", "  read: 60000", "log:", "  level: info",
            "tls:", "  verify: true", "headers:", f"  {headers_key(target)}: [Server]", ""]))
        untouched["tidegate.yaml.dpkg-dist"] = None
    newest = world.knob("newest")
    world.write("/usr/share/doc/tidegate/CHANGELOG.md", "# tidegate, changes that need the administrator\n\n" + "\n".join(ENTRIES[n] for n in range(newest, 3, -1)))
    world.write("/var/log/tidegate/startup.log",
                f"2026-05-10T06:14:02Z tidegate {VERSIONS[source]} starting, reads schema {source}\n"
                "2026-05-10T06:14:02Z configuration accepted\n"
                "2026-05-11T02:30:40Z stopped for package upgrade\n"
                f"2026-05-11T02:31:15Z tidegate {VERSIONS[target]} starting, reads schema {target}\n"
                f"2026-05-11T02:31:15Z /etc/tidegate/tidegate.yaml: schema {source} is too old, giving up\n")
    return {"main": main.truth(data), "sites": sites, "keepalive": keepalive,
            "untouched": {path: world.digest(f"/etc/tidegate/{path}") for path in untouched}}
