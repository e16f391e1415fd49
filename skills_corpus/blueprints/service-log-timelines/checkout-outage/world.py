"""Four services' logs around one outage: its cause lies two services deep, in a change written down by another clock."""

import gzip
import hashlib
import json
from datetime import datetime, timedelta

CAUSES = [  # key, value before, value that broke it, exception, what it says
    ("pool.max", "40", "2", "com.zaxxer.hikari.pool.HikariPool$PoolExhaustedException", "no connection within 3000 ms, {key}size 2"),
    ("ledger.host", "ledger-a.internal", "ledger-b.internal", "java.net.UnknownHostException", "{key}ledger-b.internal"),
    ("tls.truststore", "/etc/pki/2025.jks", "/etc/pki/2026.jks", "java.security.cert.CertPathValidatorException", "no trust anchor in {key}/etc/pki/2026.jks"),
    ("db.statement_timeout_ms", "4000", "40", "java.sql.SQLTimeoutException", "canceled after {key}40 ms"),
]
NOISE = ["java.util.ConcurrentModificationException", "java.lang.NullPointerException", "java.net.SocketTimeoutException"]
HARMLESS = ["cache.ttl_s: 300 -> 600", "log.level: INFO -> DEBUG", "mail.sender: shop@ -> hello@", "banner.text: spring -> easter"]


def build(world):
    rng = world.rng
    day = datetime(2026, rng.choice([1, 2, 3]), rng.randint(3, 27))
    root, other = rng.sample(["payments", "stock"], 2)
    key, before, broken, exception, says = rng.choice(CAUSES)
    noise = rng.choice(NOISE)
    zone = rng.choice([2, -5, 8, -3])
    skew = rng.randint(95, 170)
    numbers = rng.sample(range(4100, 4990), 7)
    hours = zone if world.knob("local") else 0
    shift = {"orders": timedelta(0), other: timedelta(0), root: timedelta(hours=hours, seconds=skew if world.knob("skewed") else 0)}
    says = says.format(key=f"{key} = " if world.knob("named_key") else "")

    logs = {name: [] for name in ("gateway", "orders", "payments", "stock")}  # (true time, order, text without stamp)

    def tell(service, moment, text):
        logs[service].append((moment, len(logs[service]), text))

    moment = day + timedelta(hours=7, seconds=rng.randrange(900))
    requests = []
    first, last = rng.randint(60, 75), 0
    last = first + rng.randint(28, 40)
    count = last + rng.randint(45, 60)
    alone = {rng.randint(8, 20), rng.randint(25, 40), last + rng.randint(10, 20)}
    alone |= {min(alone) + 1}
    retries = world.knob("retries")
    for n in range(count):
        moment += timedelta(seconds=rng.randint(24, 50), milliseconds=rng.randrange(1000))
        down = first <= n <= last
        statuses = [rng.choice([502, 503])] if down or n in alone else [rng.choice([201, 201, 201, 402])]
        if retries:
            if down or n in alone:
                statuses *= rng.randint(1, 3)
            elif n in (first - 1, last + 1) or rng.random() < 0.06:
                statuses = [503, 201]
        rid = f"{rng.getrandbits(48):012x}"
        requests.append((moment, rid, statuses, down))
    answers = []
    for moment, rid, statuses, down in requests:
        at = moment
        for attempt, status in enumerate(statuses, 1):
            answered = _checkout(rng, tell, at, rid, attempt, status, root, exception if down else None, says)
            answers.append((answered, rid, down, status))
            at = answered + timedelta(milliseconds=800)
    failing = [a for a in answers if a[2]]
    started, ended = failing[0][0], failing[-1][0]
    ids = [r[1] for r in requests if r[3]]

    end_of_day = requests[-1][0]
    at = requests[0][0]
    while at < end_of_day:  # other traffic, probes and a background job that complains all day
        at += timedelta(seconds=rng.randint(40, 90), milliseconds=rng.randrange(1000))
        kind = rng.random()
        path, status = ("/health", 200) if kind < 0.4 else ("/search?q=mug", rng.choice([200, 200, 500])) if kind < 0.8 else ("/cart", 200)
        tell("gateway", at, {"rid": f"{rng.getrandbits(48):012x}", "method": "GET", "path": path, "status": status, "attempt": 1, "ms": rng.randint(3, 60)})
        if kind > 0.55:
            job = rng.choice([root, other, other])
            tell(job, at, f"ERROR [-] shop.{job}.Refresh - refresh failed\nshop.{job}.RefreshException: could not refresh\n"
                          f"\tat shop.{job}.Refresh.run(Refresh.java:41)\nCaused by: {noise}\n\tat shop.{job}.Source.read(Source.java:{rng.randint(20, 90)})\n\t... 7 more")

    change = numbers[0]
    trigger = requests[first][0] - timedelta(seconds=rng.randint(8, 14))
    undone = requests[last][0] + timedelta(seconds=rng.randint(12, 18))
    tell(root, trigger, f"INFO  [-] shop.{root}.Config - CHG-{change} applied: {key}: {before} -> {broken}")
    tell(root, undone, f"INFO  [-] shop.{root}.Config - CHG-{numbers[1]} applied: {key}: {broken} -> {before}")
    harmless = rng.sample(HARMLESS, 4)
    far = [(other, requests[6][0]), ("orders", requests[22][0]), (root, requests[30][0])]
    if world.knob("decoy"):  # later than any change that went well for a while, earlier than the guilty one
        far.append((other, requests[first - 3][0] + timedelta(seconds=6)))
    for (service, when), number, text in zip(far, numbers[2:], harmless):
        tell(service, when, f"INFO  [-] shop.{service}.Config - CHG-{number} applied: {text}")

    files = _write(world, logs, shift, started + (ended - started) / 3, requests[last][0] + timedelta(minutes=12))
    _configure(world, hours, root)
    world.publish("day", f"{day:%Y-%m-%d}")

    def where(service, test):
        return [[path, n] for path, lines in files.items() if f"/{service}/" in path for n, line in enumerate(lines, 1) if test(line)]

    def answer(moment, rid):
        return where("gateway", lambda line: f'"{rid}"' in line and f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03d}" in line)

    # The probes of the gateway's folder are never cited; a trace counts when its class stands in the root service's own log.
    world.hide("citable.json", json.dumps({
        "first_failure": answer(started, ids[0]), "last_failure": answer(ended, ids[-1]),
        "root_exception": where(root, lambda line: line.startswith(f"Caused by: {exception}")),
        "trigger": where(root, lambda line: f"CHG-{change} " in line)}))
    stamp = "%Y-%m-%dT%H:%M:%SZ"
    return {
        "started_at": started.strftime(stamp), "ended_at": ended.strftime(stamp), "failed_checkouts": len(ids), "first_request": ids[0],
        "root_service": root, "root_exception": exception, "change": f"CHG-{change}", "change_at": trigger.strftime(stamp),
        "digests": {path: hashlib.sha256(world.read(path)).hexdigest() for path in files},
    }


def _checkout(rng, tell, at, rid, attempt, status, root, exception, says):
    """One attempt of a checkout through all services; returns when the gateway answered."""
    def later(ms):
        return at + timedelta(milliseconds=ms + rng.randint(0, 9))

    tell("orders", later(5), f"INFO  [{rid}] shop.orders.Checkout - begin")
    tell("orders", later(20), f"INFO  [{rid}] shop.orders.Client - call stock")
    tell("stock", later(35), f"INFO  [{rid}] shop.stock.Api - received POST /reserve")
    if exception and root == "stock":
        tell("stock", later(80), _trace("stock", rid, "reservation failed", exception, says, rng))
        culprit = "stock"
    else:
        tell("stock", later(70), f"INFO  [{rid}] shop.stock.Api - reserved")
        tell("orders", later(90), f"INFO  [{rid}] shop.orders.Client - call payments")
        tell("payments", later(105), f"INFO  [{rid}] shop.payments.Api - received POST /charge")
        if exception:
            tell("payments", later(150), _trace("payments", rid, "charge failed", exception, says, rng))
        elif status == 402:
            tell("payments", later(150), f"WARN  [{rid}] shop.payments.Api - card declined")
        elif status < 500:
            tell("payments", later(150), f"INFO  [{rid}] shop.payments.Api - charged")
        culprit = "payments"
    if status >= 500:
        why = f"shop.orders.UpstreamException: {culprit} answered 500" if exception else "java.net.SocketTimeoutException: Read timed out"
        tell("orders", later(190), f"ERROR [{rid}] shop.orders.Checkout - checkout failed\nshop.orders.CheckoutException: {rid}\n"
                                   f"\tat shop.orders.Checkout.post(Checkout.java:88)\nCaused by: {why}\n"
                                   f"\tat shop.orders.Client.call(Client.java:52)\n\t... 21 more")
    answered = later(rng.randint(215, 400))
    tell("gateway", answered, {"rid": rid, "method": "POST", "path": "/checkout", "status": status, "attempt": attempt,
                               "ms": (answered - at) // timedelta(milliseconds=1)})
    return answered


def _trace(service, rid, what, exception, says, rng):
    name = service.capitalize().removesuffix("s")
    return (f"ERROR [{rid}] shop.{service}.Api - {what}\nshop.{service}.{name}Exception: {what}\n"
            f"\tat shop.{service}.Api.post(Api.java:{rng.randint(60, 99)})\n\tSuppressed: java.io.IOException: stream closed\n"
            f"\t\tat shop.{service}.Api.close(Api.java:120)\nCaused by: shop.{service}.BackendException: giving up\n"
            f"\tat shop.{service}.Backend.call(Backend.java:33)\n\t... 14 more\nCaused by: {exception}: {says}\n"
            f"\tat shop.{service}.Backend.open(Backend.java:71)\n\t... 15 more")


def _write(world, logs, shift, cut, second_cut):
    """Write every service's log by its own clock, rotated in the middle of the outage; returns file name to lines."""
    files = {}
    for service, records in logs.items():
        records.sort()
        parts = {}
        for moment, _, text in records:
            moment = moment - timedelta(microseconds=moment.microsecond % 1000)
            if service == "gateway":
                line = json.dumps({"ts": f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z", **text})
            else:
                own = moment + shift[service]
                line = f"{own:%Y-%m-%d %H:%M:%S}.{own.microsecond // 1000:03d} {text}"
            age = (2 if moment <= cut else 1 if moment <= second_cut else 0) if world.knob("rotated") else 0
            parts.setdefault(age, []).extend(line.split("\n"))
        base = f"/var/log/shop/{service}/" + ("access.log" if service == "gateway" else f"{service}.log")
        for age, lines in parts.items():
            path = base + (f".{age}" if age else "") + (".gz" if age == 2 else "")
            data = "".join(line + "\n" for line in lines).encode()
            world.write(path, gzip.compress(data, mtime=0) if age == 2 else data)
            files[path] = lines
    return files


def _configure(world, hours, root):
    zones = {"orders": "GMT", "payments": "GMT", "stock": "GMT"}
    if hours:
        zones[root] = f"GMT{hours:+d}"
    for service, zone in zones.items():
        world.write(f"/etc/shop/{service}/logback.xml", (
            '<configuration>\n  <appender name="FILE" class="ch.qos.logback.core.rolling.RollingFileAppender">\n'
            f"    <file>/var/log/shop/{service}/{service}.log</file>\n    <encoder>\n"
            f"      <pattern>%d{{yyyy-MM-dd HH:mm:ss.SSS, {zone}}} %-5level [%X{{rid:--}}] %logger - %msg%n%ex</pattern>\n"
            "    </encoder>\n  </appender>\n</configuration>\n"))
    world.write("/etc/shop/gateway/gateway.toml", (
        '[access_log]\nfile = "/var/log/shop/gateway/access.log"\nformat = "json"\n'
        "# ts is the moment of the answer, UTC; a line for every attempt, all attempts of a request have its rid\n\n"
        "[retry]\non = [502, 503]\nmax_attempts = 3\n"))
