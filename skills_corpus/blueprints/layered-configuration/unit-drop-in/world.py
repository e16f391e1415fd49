"""A systemd service whose settings come from the package, a site role, configuration management and an environment file."""

UNIT = "ledger-sync.service"
PACKAGE = f"/usr/lib/systemd/system/{UNIT}"
SITE = f"/usr/local/lib/systemd/system/{UNIT}.d"
OURS = f"/etc/systemd/system/{UNIT}.d"
ENV_FILE = "/etc/default/ledger-sync"
MIB = 1024 * 1024


def build(world):
    rng = world.rng
    site_layer, env_loaded, broken = world.knob("layers") == "site", world.knob("env_file"), world.knob("broken")
    relative = world.knob("wanted") == "relative"
    memory = rng.sample(range(640, 2048, 128), 5)  # MiB: hidden package file, package file, ours (early), site, disabled
    batch = rng.sample(range(200, 1400, 40), 4)  # package, tuning, environment file, wanted where absolute
    tasks = rng.sample(range(120, 400, 5), 2)
    queue, shard, limit = rng.choice(["default", "bulk", "eu"]), rng.randint(2, 19), rng.randint(100, 900)
    workers = rng.sample(range(5, 24), 4)  # requested, approved, first and second remark
    stop_sec, region, trace = rng.randint(31, 89), rng.choice(["eu-west", "eu-north", "us-east"]), rng.choice(["0", "1"])

    unit = f"""\
# ledger-sync 4.2, package file. Local changes belong in drop-ins.
[Unit]
Description=Ledger synchronisation worker
After=network-online.target postgresql.service
Wants=network-online.target

[Service]
Type=simple
User=ledger
ExecStartPre=/usr/bin/ledger-sync check-spool
ExecStartPre=/usr/bin/ledger-sync warm-cache --limit {limit}
ExecStart=/usr/bin/ledger-sync run --workers 4 --queue default
Environment=LEDGER_BATCH={batch[0]} LEDGER_REGION={region}
Environment="LEDGER_BANNER=ledger sync"
MemoryMax=512M
TimeoutStopSec={stop_sec}
Restart=on-failure

[Install]
WantedBy=multi-user.target
"""
    world.write(PACKAGE, unit)
    world.write(f"{PACKAGE}.d/20-limits.conf", f"# package defaults for hosts with more than 4 GB\n[Service]\nMemoryMax={memory[0]}M\nTasksMax={tasks[0]}\n")
    flags = {"--workers": "4", "--queue": "default"}
    pre = [["/usr/bin/ledger-sync", "check-spool"]]
    in_force = {"MemoryMax": (memory[0], f"{PACKAGE}.d/20-limits.conf"), "TasksMax": (tasks[0], f"{PACKAGE}.d/20-limits.conf"),
                "LEDGER_BATCH": (batch[1], f"{OURS}/80-tuning.conf")}
    site = ["# written by the site role, do not edit", "[Service]", "Nice=5"]
    if site_layer:
        site += ["ExecStart=", f"ExecStart=/usr/bin/ledger-sync run --workers 4 --queue {queue} \\", f"    --shard {shard}",
                 f"ExecStartPre=/usr/bin/ledger-sync register --shard {shard}", f"MemoryMax={memory[3]}M"]
        flags.update({"--queue": queue, "--shard": str(shard)})
        pre.append(["/usr/bin/ledger-sync", "register", "--shard", str(shard)])
        in_force["MemoryMax"] = (memory[3], f"{SITE}/60-site.conf")
        in_force["TasksMax"] = (tasks[1], f"{OURS}/20-limits.conf")
        world.write(f"{OURS}/20-limits.conf", f"# managed by configuration management\n[Service]\nTasksMax={tasks[1]}\n")
        world.write(f"{OURS}/40-memory.conf", f"# managed by configuration management\n[Service]\nMemoryMax={memory[2]}M\n")
        world.write(f"{OURS}/95-memory.conf.disabled", f"# managed by configuration management\n[Service]\nMemoryMax={memory[4]}M\n")
    if env_loaded:
        site.append(f"EnvironmentFile=-{ENV_FILE}")
        in_force["LEDGER_BATCH"] = (batch[2], ENV_FILE)
    world.write(f"{SITE}/60-site.conf", "\n".join(site) + "\n")
    world.write(f"{OURS}/80-tuning.conf", f"# managed by configuration management\n[Service]\nEnvironment=LEDGER_BATCH={batch[1]}\n")
    world.write(ENV_FILE, f"# ledger-sync, local settings of this host\n# trace: 1 writes every statement to the journal, agreed with audit\nLEDGER_TRACE={trace}\n"
                          f"LEDGER_BATCH={batch[2]}\nLEDGER_ENDPOINT=\"https://ledger.example.net/api?site={shard}\"\n")
    owned = [PACKAGE, f"{PACKAGE}.d/20-limits.conf", f"{SITE}/60-site.conf", f"{OURS}/80-tuning.conf"]
    if site_layer:
        owned += [f"{OURS}/20-limits.conf", f"{OURS}/40-memory.conf", f"{OURS}/95-memory.conf.disabled"]

    mine = {"MemoryMax": 2 * in_force["MemoryMax"][0], "LEDGER_BATCH": in_force["LEDGER_BATCH"][0] // 2, "workers": workers[0]}
    if not relative:
        mine["LEDGER_BATCH"] = batch[3]
        mine["MemoryMax"] += 256
    wanted_text = ["twice what is in force", "half of what is in force"] if relative else [f"{mine['MemoryMax']}M", f"{mine['LEDGER_BATCH']}"]
    ticket = f"""\
# CHG-4711: ledger-sync falls behind at month end

Requested by: Jana, ledger team
State: approved

| Setting | Wanted |
|---|---|
| `--workers` | {workers[0]} |
| `MemoryMax` | {wanted_text[0]} |
| variable `LEDGER_BATCH` | {wanted_text[1]} |
| `ExecStartPre` | drop the `warm-cache` step, keep the other steps in their order |
"""
    if broken:
        mine["workers"] = workers[1]
        ticket += f"""
## History

- 2026-05-04 09:12 Jana (ledger team): {workers[2]} workers would be better still.
- 2026-05-04 14:30 change board: approved with one change, `--workers` {workers[1]} because of the database's connection limit. All else as requested.
- 2026-05-05 08:02 Milan (development): I would still go for {workers[3]}.
"""
        world.write(f"{OURS}/70-chg4711.conf", f"# CHG-4711, Milan\n[Service]\nExecStart=/usr/bin/ledger-sync run --workers {workers[3]} --queue default\n"
                                               f"Environment=LEDGER_BATCH={batch[0] // 2}\n")
        world.write("/workspace/journal.txt",
                    "May 05 22:41:07 hb3 systemd[1]: Reloading.\n"
                    "May 05 22:41:09 hb3 systemd[1]: ledger-sync.service: Service has more than one ExecStart= setting, which is only allowed for Type=oneshot services. Refusing.\n"
                    "May 05 22:41:09 hb3 systemd[1]: Failed to start ledger-sync.service: Unit ledger-sync.service has a bad unit file setting.\n")
    world.write("/workspace/CHG-4711.md", ticket)

    flags["--workers"] = str(mine["workers"])
    env = {"LEDGER_REGION": region, "LEDGER_BANNER": "ledger sync"}
    if env_loaded:
        env.update({"LEDGER_TRACE": trace, "LEDGER_ENDPOINT": f"https://ledger.example.net/api?site={shard}"})
    return {
        "command": ["/usr/bin/ledger-sync", "run"], "flags": flags, "pre": pre,
        "memory_bytes": mine["MemoryMax"] * MIB, "batch": str(mine["LEDGER_BATCH"]), "env": env, "env_loaded": env_loaded,
        "rest": {"Unit.Description": "Ledger synchronisation worker", "Unit.After": "network-online.target postgresql.service",
                 "Unit.Wants": "network-online.target", "Service.Type": "simple", "Service.User": "ledger", "Service.TimeoutStopSec": str(stop_sec),
                 "Service.Restart": "on-failure", "Service.Nice": "5", "Service.TasksMax": str(in_force["TasksMax"][0]),
                 "Install.WantedBy": "multi-user.target"},
        "before": {"MemoryMax": [f"{in_force['MemoryMax'][0]}M", in_force["MemoryMax"][1]],
                   "TasksMax": [str(in_force["TasksMax"][0]), in_force["TasksMax"][1]],
                   "LEDGER_BATCH": [str(in_force["LEDGER_BATCH"][0]), in_force["LEDGER_BATCH"][1]]},
        "owned": {path: world.digest(path) for path in owned},
        "env_file": world.digest(ENV_FILE),
    }
