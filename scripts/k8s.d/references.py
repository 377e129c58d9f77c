"""Rules for everything that names something else: it exists, here or in the programs."""

import re
from urllib.parse import urlsplit

import yaml

from programs import ROOT
from rendered import called, matches
from rules import rule

# Made by others: the README says by whom.
SECRETS = {
    "danmaku-keys": "keys.json",
    "danmaku-relay": "token",
    "danmaku-database": "url",
    "danmaku-redis": "url",
    "danmaku-tls": "tls.crt",
    "danmaku-canary": "token",
}
# Made by Strimzi, the passwords for each of its users that is here.
CLUSTER_CA = {"danmaku-cluster-ca-cert": "ca.crt"}


def secrets(overlay):
    return SECRETS | CLUSTER_CA | {user["metadata"]["name"]: "password" for user in overlay.of("KafkaUser")}


# Where each program serves clients.
PORTS = {"ingest": "8081", "fanout": "8082", "moderation": "8083"}


@rule("services", "every Service has somebody behind it, who has its ports")
def services(overlay):
    for service in overlay.of("Service"):
        behind = overlay.behind(service)
        wrong = None if behind else "nobody is behind it"
        for port in service["spec"]["ports"]:
            lacking = [str(one) for one in behind if port["targetPort"] not in (*one.ports(), *one.ports().values())]
            wrong = wrong or (f"{lacking} has no port {port['targetPort']}" if lacking else None)
        yield called(service), wrong


@rule("ports", "probes ask ports that the container has, and the container's ports are those that its settings bind")
def ports(overlay):
    for workload in filter(lambda one: one.runs_long, overlay.workloads()):
        for kind in ("startupProbe", "readinessProbe", "livenessProbe"):
            probe = workload.containers[0].get(kind, {})
            for port in (probe[how]["port"] for how in ("httpGet", "tcpSocket") if how in probe):
                yield workload, None if port in workload.ports() else f"{kind} asks port {port}"
    for workload in overlay.ours():
        for setting, name in (("DANMAKU_LISTEN", "http"), ("DANMAKU_ADMIN", "admin")):
            if name == "http" and workload.name not in PORTS:
                continue
            bound = workload.setting(setting).rpartition(":")
            wrong = None
            if bound[0] in ("127.0.0.1", "localhost", "[::1]"):
                wrong = f"{setting} is {workload.setting(setting)}: nobody else reaches it"
            elif bound[2] != str(workload.ports().get(name)):
                wrong = f"{setting} binds {bound[2]}, the container's port {name} is {workload.ports().get(name)}"
            yield workload, wrong


def at_home(overlay, host):
    """`redis.danmaku.svc`, as it is called within `danmaku`: `redis`."""
    return host.removesuffix(f".{overlay.of('Namespace')[0]['metadata']['name']}.svc")


def service_at(overlay, host, port):
    """What is wrong with an address inside of the namespace, or None. Other names with a dot are somebody else's."""
    host = at_home(overlay, host)
    if "." in host:
        return None
    if host.endswith("-kafka-bootstrap"):
        cluster = overlay.one("Kafka", host.removesuffix("-kafka-bootstrap"))
        listeners = [one["port"] for one in cluster["spec"]["kafka"]["listeners"]] if cluster else []
        return None if port in listeners else f"no Kafka listens at {host}:{port}"
    service = overlay.one("Service", host)
    if service and port in [one["port"] for one in service["spec"]["ports"]]:
        return None
    return f"no Service is {host}:{port}"


@rule("addresses", "Redis, doors and Kafka that settings name are there, and KEDA, which is elsewhere, asks Kafka by a whole name")
def addresses(overlay):
    hall = overlay.workload("fanout")
    # What a Secret names is the site's own.
    for setting in ("DANMAKU_INGEST",) if "DANMAKU_REDIS_FILE" in hall.given else ("DANMAKU_INGEST", "DANMAKU_REDIS"):
        for url in hall.given[setting].split(","):
            yield hall, service_at(overlay, urlsplit(url).hostname, urlsplit(url).port)
    for workload in overlay.workloads():
        for broker in (workload.given.get("DANMAKU_BROKERS") or "").split(","):
            host, _, port = broker.rpartition(":")
            # A Kafka that is not rendered here is the site's own.
            if host and (overlay.of("Kafka") or at_home(overlay, host).endswith("-kafka-bootstrap")):
                yield workload, service_at(overlay, host, int(port))
    for thing in overlay.of("ScaledObject"):
        for trigger in (one["metadata"] for one in thing["spec"]["triggers"] if one["type"] == "kafka"):
            short = [one for one in trigger["bootstrapServers"].split(",") if "." not in one]
            yield called(thing), f"{short} is no name in KEDA's own namespace" if short else None


@rule("volumes", "ConfigMaps, claims and Secrets that pods name are there, and files that settings name are mounted")
def volumes(overlay):
    known = secrets(overlay)
    for workload in overlay.workloads():
        for source in (one for container in workload.containers for one in container.get("envFrom", [])):
            name = source["configMapRef"]["name"]
            yield workload, None if overlay.one("ConfigMap", name) else f"no ConfigMap {name}"
        for variable in (one for container in workload.containers for one in container.get("env", [])):
            source = variable.get("valueFrom", {})
            if reference := source.get("secretKeyRef"):
                yield workload, None if known.get(reference["name"]) == reference["key"] else f"no Secret {reference}"
            if reference := source.get("configMapKeyRef"):
                held = overlay.config(reference["name"]) or {}
                yield workload, None if reference["key"] in held else f"no ConfigMap with {reference}"
        mounted, declared = {}, {volume["name"]: volume for volume in workload.pod.get("volumes", [])}
        for mount in (one for container in workload.containers for one in container.get("volumeMounts", [])):
            volume = declared.get(mount["name"], {})
            secret, claim = volume.get("secret", {}).get("secretName"), volume.get("persistentVolumeClaim", {}).get("claimName")
            wrong = None if volume else f"no volume {mount['name']}"
            wrong = wrong or (f"no Secret {secret}" if secret and secret not in known else None)
            wrong = wrong or (f"no claim {claim}" if claim and not overlay.one("PersistentVolumeClaim", claim) else None)
            yield workload, wrong
            mounted[mount["mountPath"]] = known.get(secret)
        for setting, value in (workload.given | workload.flags).items():
            if path := re.fullmatch(r"(?:sqlite://)?(/.+)/([^/]+)", value or ""):
                there = path[1] in mounted and mounted[path[1]] in (None, path[2])
                yield workload, None if there else f"{setting} is {value}, where nothing like it is mounted"


@rule("routes", "routes name a Gateway's listener, Services and their ports; policies name routes, and hash what differs")
def routes(overlay):
    listeners = {(one["metadata"]["name"], port["name"]) for one in overlay.of("Gateway") for port in one["spec"]["listeners"]}
    for route in overlay.of("HTTPRoute"):
        for parent in route["spec"]["parentRefs"]:
            yield called(route), None if (parent["name"], parent["sectionName"]) in listeners else f"no listener {parent}"
        for backend in (one for term in route["spec"]["rules"] for one in term.get("backendRefs", [])):
            service = overlay.one("Service", backend["name"])
            found = service and backend["port"] in [port["port"] for port in service["spec"]["ports"] if port["name"] == "http"]
            yield called(route), None if found else f"no Service {backend['name']} has a public port {backend['port']}"
    for policy in overlay.of("ClientTrafficPolicy", "BackendTrafficPolicy"):
        for target in policy["spec"]["targetRefs"]:
            yield called(policy), None if overlay.one(target["kind"], target["name"]) else f"no {target['kind']} {target['name']}"
    # What a policy hashes by is what the other one sets.
    said = [
        one["name"]
        for policy in overlay.of("ClientTrafficPolicy")
        for one in policy["spec"]["headers"]["earlyRequestHeaders"]["set"]
    ]
    for policy in overlay.of("BackendTrafficPolicy"):
        if header := policy["spec"].get("loadBalancer", {}).get("consistentHash", {}).get("header", {}).get("name"):
            yield called(policy), None if header in said else f"nobody sets the header {header}"
            alike = [path for route in overlay.routes(policy) for path in whole_paths(route)]
            yield called(policy), f"all who come by {alike} are sent to one pod" if alike else None


def whole_paths(route):
    """The paths of a route that name no room and no user: whoever comes by one has it in common with all others."""
    matches = [match["path"] for term in route["spec"]["rules"] for match in term.get("matches", []) if "path" in match]
    return [path["value"] for path in matches if path["type"] == "Exact"]


@rule("hosts", "the names in settings, and the canary's way, are those that the gateway serves")
def hosts(overlay):
    served = {one["metadata"]["name"]: one["spec"]["hostnames"] for one in overlay.of("HTTPRoute")}
    told = (
        ("fanout", "DANMAKU_ADVERTISE", "fanout"),
        ("fanout", "DANMAKU_ORIGINS", "moderation"),
        ("moderation", "DANMAKU_HALL", "fanout"),
    )
    for program, setting, route in told if served else ():
        host = urlsplit(overlay.workload(program).given[setting]).hostname
        yield program, None if host in served[route] else f"{setting} names {host}, HTTPRoute/{route} serves {served[route]}"
    canary = overlay.workload("canary")
    for flag, route in (("--door", "ingest"), ("--halls", "fanout")) if canary else ():
        wanted = [f"https://{host}" for host in served.get(route, ())]
        yield canary, None if canary.flags.get(flag) in wanted else f"{flag} is {canary.flags.get(flag)}, viewers come to {wanted}"


@rule("scale-targets", "every autoscaler and budget is for a workload that is there")
def scale_targets(overlay):
    for thing in overlay.of("HorizontalPodAutoscaler", "ScaledObject"):
        target = thing["spec"]["scaleTargetRef"]
        found = overlay.one(target.get("kind", "Deployment"), target["name"])
        yield called(thing), None if found else f"no {target}"
    for thing in overlay.of("PodDisruptionBudget"):
        yield called(thing), None if overlay.selected(thing["spec"]["selector"]) else "it is for nobody"


@rule("scrape", "Prometheus finds a Service with an admin port for each of our services, and nothing else; who tells numbers is read")
def scrape(overlay):
    for kafka in overlay.of("Kafka"):
        tells = "metricsConfig" in kafka["spec"]["kafka"] or "kafkaExporter" in kafka["spec"]
        yield called(kafka), "nobody reads its numbers" if tells and not overlay.of("PodMonitor") else None
    for monitor in overlay.of("ServiceMonitor"):
        found = [one for one in overlay.of("Service") if matches(monitor["spec"]["selector"], one["metadata"].get("labels", {}))]
        scraped = {workload.name for service in found for workload in overlay.behind(service)}
        wanted = {workload.name for workload in overlay.ours()}
        yield called(monitor), None if scraped == wanted else f"it scrapes {sorted(scraped)}, not {sorted(wanted)}"
        for service in found:
            lacking = [
                one["port"]
                for one in monitor["spec"]["endpoints"]
                if one["port"] not in [port["name"] for port in service["spec"]["ports"]]
            ]
            yield called(monitor), f"{called(service)} has no port {lacking}" if lacking else None


@rule("kafka-names", "topics, partitions and the group are those that the programs use")
def kafka_names(overlay):
    told = overlay.workload("filter").setting
    prefix, partitions = told("DANMAKU_TOPIC_PREFIX") or "", int(told("DANMAKU_PARTITIONS"))
    known = set(re.findall(r'=> "(danmaku-[a-z-]+)"', (ROOT / "proto/src/topics.rs").read_text()))
    topics = {
        one["spec"].get("topicName", one["metadata"]["name"]): one["spec"]["partitions"] for one in overlay.of("KafkaTopic")
    }
    if topics:
        missing = {prefix + name for name in known} ^ topics.keys()
        yield "KafkaTopic", f"{sorted(missing)} are not in both" if missing else None
    for name, count in topics.items():
        wanted = 1 if name.endswith(("-rules", "-dead-letter")) else partitions
        yield f"KafkaTopic/{name}", None if count == wanted else f"{count} partitions, not {wanted}"
    for thing in overlay.of("ScaledObject"):
        for trigger in (one["metadata"] for one in thing["spec"]["triggers"] if one["type"] == "kafka"):
            wanted = (f"{prefix}danmaku-filter-g{told('DANMAKU_GENERATION')}", f"{prefix}danmaku-input", told("DANMAKU_BROKERS"))
            found = tuple(trigger[key] for key in ("consumerGroup", "topic", "bootstrapServers"))
            yield called(thing), None if found == wanted else f"it watches {found}, not {wanted}"


@rule("settings-known", "every setting is one that its program has")
def settings_known(overlay):
    for workload in (one for one in overlay.workloads() if one.name in overlay.programs.settings):
        known = overlay.programs.settings[workload.name]
        # The job reads the settings that all share, and needs few of them.
        known = known if workload.is_ours else known | overlay.programs.settings["ingest"]
        for name in (name for name in workload.given if name.startswith("DANMAKU_")):
            asked = overlay.programs.source[workload.name]
            yield workload, None if name in known else f"{name} is no setting of it (asked of {asked}: built from these sources?)"


@rule("settings-accepted", "every value is one that its program takes, asked of the program itself where it is built")
def settings_accepted(overlay):
    for workload in (one for one in overlay.workloads() if one.name in overlay.programs.settings):
        refused = overlay.programs.refused(workload.name, workload.given, workload.flags)
        if refused is not None:
            yield workload, "; ".join(refused) or None


@rule("metrics-known", "metrics that autoscalers and rules ask for are exported")
def metrics_known(overlay):
    for thing in overlay.of("HorizontalPodAutoscaler", "PrometheusRule", "ScaledObject", "ConfigMap"):
        # In a ConfigMap only a dashboard's queries count.
        if thing["kind"] == "ConfigMap" and "grafana_dashboard" not in thing["metadata"].get("labels", {}):
            continue
        for name in sorted(set(re.findall(r"\bdanmaku_\w+", yaml.safe_dump(thing["data" if "data" in thing else "spec"])))):
            yield called(thing), None if is_exported(name, thing, overlay) else f"nobody exports {name}"


def is_exported(name, thing, overlay):
    """As itself, as a histogram's series, or recorded by a rule."""
    recorded = {
        rule.get("record") for one in overlay.of("PrometheusRule") for group in one["spec"]["groups"] for rule in group["rules"]
    }
    known = overlay.programs.metrics
    return name in known or re.sub(r"_(bucket|sum|count)$", "", name) in known or name in recorded
