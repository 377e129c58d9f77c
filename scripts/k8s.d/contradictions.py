"""Rules for numbers that are each right alone and wrong together."""

from rendered import bytes_of, called, cpus, seconds
from rules import rule

# What is left for the end after the drain: logs, a last commit, the node's word to Redis.
AFTER_THE_DRAIN = 10


@rule("drain-and-grace", "terminationGracePeriodSeconds ≥ preStop + DANMAKU_DRAIN + 10 s, or leaving is cut off")
def drain_and_grace(overlay):
    for workload in overlay.ours():
        # The canary has nobody to send away, and knows neither setting.
        grace, drain = workload.pod.get("terminationGracePeriodSeconds", 30), seconds(workload.setting("DANMAKU_DRAIN") or 0)
        needed = workload.pre_stop() + drain + AFTER_THE_DRAIN
        said = f"grace {grace} s < preStop {workload.pre_stop()} s + drain {drain} s + {AFTER_THE_DRAIN} s = {needed} s"
        yield workload, None if grace >= needed else said
        if "DANMAKU_GRACE" in overlay.programs.settings[workload.name]:
            left, told = grace - workload.pre_stop(), workload.setting("DANMAKU_GRACE")
            is_so = told is not None and seconds(told) == left
            yield workload, None if is_so else f"DANMAKU_GRACE is {told}, grace − preStop is {left} s"


@rule(
    "filters-and-partitions", "all filters' threads together, with one more during a rollout, are at most as many as partitions"
)
def filters_and_partitions(overlay):
    workload = overlay.workload("filter")
    threads, partitions = (int(workload.setting(name)) for name in ("DANMAKU_JUDGE_THREADS", "DANMAKU_PARTITIONS"))
    surge = workload.thing["spec"].get("strategy", {}).get("rollingUpdate", {}).get("maxSurge", 0)
    members = (overlay.at_most(workload) + surge) * threads
    yield workload, None if members <= partitions else f"{members} threads at most, {partitions} partitions"


@rule("history-and-retention", "topics are kept longer than DANMAKU_HISTORY, and than the 5 minutes that services insist on")
def history_and_retention(overlay):
    needed = max(seconds(overlay.workload("fanout").setting("DANMAKU_HISTORY")), 300)
    kept = {
        called(one): one["spec"]["config"]["retention.ms"] / 1000
        for one in overlay.of("KafkaTopic")
        if "retention.ms" in one["spec"]["config"]
    }
    for argument in overlay.workload("topics").containers[0]["args"]:
        if argument.startswith("--output-retention="):
            kept[f"Job/topics {argument}"] = seconds(argument.partition("=")[2])
    for who, time in kept.items():
        yield who, None if time >= needed else f"kept {time:.0f} s, needed for {needed:.0f} s"


@rule("ping-idle-gateway", "2 × DANMAKU_PING < DANMAKU_IDLE < the gateway's idle timeouts")
def ping_idle_gateway(overlay):
    hall = overlay.workload("fanout")
    ping, idle = (seconds(hall.setting(name)) for name in ("DANMAKU_PING", "DANMAKU_IDLE"))
    yield hall, None if 2 * ping < idle else f"ping {ping} s twice, idle {idle} s: one that is late is one too few"
    for thing in overlay.of("ClientTrafficPolicy", "BackendTrafficPolicy"):
        to_halls = any("fanout" in overlay.sent_to(route) for route in overlay.routes(thing))
        if thing["kind"] == "BackendTrafficPolicy" and not to_halls:
            continue
        http = thing["spec"].get("timeout", {}).get("http", {})
        stream, whole = http.get("streamIdleTimeout"), http.get("requestTimeout", "0s")
        wrong = None
        if stream is None or seconds(stream) <= idle:
            wrong = f"streamIdleTimeout {stream}, but the hall waits {idle} s"
        elif seconds(whole) or http.get("maxStreamDuration") or http.get("maxConnectionDuration"):
            wrong = "a socket is one request, and would be cut"
        yield called(thing), wrong


@rule("memory", "DANMAKU_MEMORY_MAX is at most half of what the container may have")
def memory(overlay):
    hall = overlay.workload("fanout")
    limit, given = bytes_of(hall.containers[0]["resources"]["limits"]["memory"]), bytes_of(hall.setting("DANMAKU_MEMORY_MAX"))
    yield hall, None if 0 < given <= limit / 2 else f"{given >> 20} MiB of {limit >> 20} MiB"


@rule(
    "threads-and-cpus",
    "threads that never wait are as many as the CPUs asked for; on a laptop they may share",
    {"local": "on a laptop they share"},
)
def threads_and_cpus(overlay):
    for name, setting in (("filter", "DANMAKU_JUDGE_THREADS"), ("fanout", "DANMAKU_SHARDS")):
        workload = overlay.workload(name)
        threads, asked = int(workload.setting(setting) or 0), cpus(workload.containers[0]["resources"]["requests"]["cpu"])
        yield workload, None if threads == asked else f"{setting} is {threads}, and it asks for {asked:g} CPUs"


# What base/settings/fanout.env reckons with: messages a second to each viewer, and how many a CPU delivers in a second.
BUSY_ROOM, DELIVERIES = 50, 1_100_000


@rule("full-and-scale", "more halls come before halls are full, by viewers or by what these cost: at 70 % of DANMAKU_VIEWERS_MAX")
def full_and_scale(overlay):
    hall = overlay.workload("fanout")
    full = int(hall.setting("DANMAKU_VIEWERS_MAX"))
    full_percent = 100 * full * BUSY_ROOM / DELIVERIES / cpus(hall.containers[0]["resources"]["requests"]["cpu"])
    for thing in overlay.scaler(hall):
        said = []
        for metric in thing["spec"]["metrics"]:
            if metric["type"] == "Resource":
                said.append((metric["resource"]["target"]["averageUtilization"], full_percent, "% CPU"))
            elif metric["pods"]["metric"]["name"] == "danmaku_fanout_viewers":
                said.append((int(metric["pods"]["target"]["averageValue"]), full, "viewers"))
        early = any(target <= 0.7 * most for target, most, _ in said)
        yield called(thing), None if early else "; ".join(f"{target} of {most:.0f} {unit}" for target, most, unit in said)


@rule(
    "copies",
    "what was acknowledged lies on two machines of three, and no copy that lags may lead",
    {"local": "one Kafka on a laptop"},
)
def copies(overlay):
    for thing in overlay.of("KafkaTopic"):
        spec = thing["spec"]
        enough = spec["replicas"] >= 3 and spec["config"].get("min.insync.replicas") == 2
        yield called(thing), None if enough else "fewer than three copies, or not two of them in step"
    for thing in overlay.of("Kafka"):
        config = thing["spec"]["kafka"]["config"]
        safe = all(str(config.get(key)) == "false" for key in ("unclean.leader.election.enable", "auto.create.topics.enable"))
        yield called(thing), None if safe else "unclean leaders or topics that make themselves"
