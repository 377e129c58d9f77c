"""Rules for who may speak to whom: the policies are read as a cluster reads them, and compared with a table."""

from urllib.parse import urlsplit

from rendered import called, matches
from rules import differing, rule

CLIENTS_OF_KAFKA = ("topics", "ingest", "filter", "fanout", "moderation")
SERVICES = ("ingest", "filter", "fanout", "moderation")
SCRAPED = (*SERVICES, "canary")
PUBLIC = ("ingest", "fanout", "moderation")
# Others in the cluster, by the labels of their namespace.
GATEWAYS = {
    "gateway": {"danmaku/gateway": "true"},
    "envoy": {"kubernetes.io/metadata.name": "envoy-gateway-system"},
}
PROMETHEUS = {"prometheus": {"kubernetes.io/metadata.name": "monitoring"}}
STRANGER = {"stranger": {"kubernetes.io/metadata.name": "default"}}
# Ports outside that somebody may be asked at, and the namespaces where they are tried: of the cluster's DNS, of what watches us,
# and one that stands for all else.
OUTSIDE = (53, 443, 4318, 5432, 6379, 9092, 9093)
PLACES = ("kube-system", "monitoring", "default")


def expected(overlay):
    """The table: (from, to) and the ports by name. Whatever is not here is closed."""
    table = {("fanout", "redis"): {"redis"}, ("fanout", "ingest"): {"http"}}
    if overlay.of("Gateway"):
        name = "envoy" if overlay.of("ClientTrafficPolicy") else "gateway"
        table |= {(name, to): {"http"} for to in PUBLIC}
    if overlay.of("ServiceMonitor"):
        table |= {("prometheus", to): {"admin"} for to in SCRAPED}
    return table


def expected_outside(overlay, workload, place):
    """Ports in a namespace that is not ours: Kafka, a database and the public site may be anywhere, names and a collector of spans
    are not."""
    ports = {53} if place == "kube-system" else set()
    if workload.name in CLIENTS_OF_KAFKA:
        brokers = workload.given["DANMAKU_BROKERS"]
        ports.add(int(brokers.rpartition(":")[2]))
    if workload.name == "moderation" and "DANMAKU_DATABASE_FILE" in workload.given:
        ports.add(5432)
    if workload.name == "fanout" and "DANMAKU_REDIS_FILE" in workload.given:
        ports.add(6379)
    if workload.name == "canary":
        ports.add(443)
    if workload.name in SERVICES and (url := workload.given.get("DANMAKU_OTLP_ENDPOINT")):
        collector = urlsplit(url)
        ports |= {collector.port} if [place] == collector.hostname.split(".")[1:2] else set()
    return ports


def is_peer(peers, labels, namespace):
    """Whether a rule's list of peers takes somebody; no list takes everybody. `labels` is None for who is no pod of ours."""
    if not peers:
        return True
    for peer in peers:
        here = matches(peer["namespaceSelector"], namespace) if "namespaceSelector" in peer else labels is not None
        pod = matches(peer.get("podSelector"), labels or {})
        if "ipBlock" not in peer and here and pod:
            return True
    return False


def takes(terms, ports):
    """Whether a rule's list of ports takes one of these names and numbers; no list takes all."""
    return not terms or any(term.get("port") in ports for term in terms)


def policies(overlay, workload, direction):
    every = overlay.of("NetworkPolicy")
    return [
        one["spec"]
        for one in every
        if direction in one["spec"]["policyTypes"] and matches(one["spec"]["podSelector"], workload.labels)
    ]


def may(overlay, workload, direction, side, labels, namespace, ports):
    """Whether the policies of a workload let this traffic pass in one direction."""
    found = policies(overlay, workload, direction)
    terms = [term for spec in found for term in spec.get(direction.lower(), [])]
    return not found or any(is_peer(term.get(side), labels, namespace) and takes(term.get("ports"), ports) for term in terms)


@rule("namespace", "the namespace lets only restricted pods in, and nobody speaks to anybody unless a policy says so")
def namespace(overlay):
    (found,) = overlay.of("Namespace")
    yield called(found), differing({"pod-security.kubernetes.io/enforce": "restricted"}, found["metadata"].get("labels", {}))
    both = {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    everything = [one for one in overlay.of("NetworkPolicy") if one["spec"] == both]
    yield "NetworkPolicy", None if everything else "none denies everything to everybody"


@rule("who-speaks-to-whom", "between workloads, gateway and Prometheus exactly the ports of the table are open, from both ends")
def who_speaks_to_whom(overlay):
    home, table = {"kubernetes.io/metadata.name": "danmaku"}, expected(overlay)
    outsiders = GATEWAYS | PROMETHEUS | STRANGER
    for to in overlay.workloads():
        for name, number in to.ports().items():
            for other in overlay.workloads():
                opens = may(overlay, other, "Egress", "to", to.labels, home, (name, number))
                opens = opens and may(overlay, to, "Ingress", "from", other.labels, home, (name, number))
                yield from verdict(table, other.name, to.name, name, opens)
            for other, labels in outsiders.items():
                opens = may(overlay, to, "Ingress", "from", None, labels, (name, number))
                yield from verdict(table, other, to.name, name, opens)


def verdict(table, other, to, port, opens):
    wanted = port in table.get((other, to), ())
    wrong = None
    if wanted != opens:
        wrong = "is closed and must be open" if wanted else "is open and must be closed"
    yield f"{other} to {to}:{port}", wrong


@rule("who-goes-out", "a pod reaches names, and Kafka, a database, a collector or the public site if it has to; nothing else outside")
def who_goes_out(overlay):
    for workload in overlay.workloads():
        for place in PLACES:
            labels = {"kubernetes.io/metadata.name": place}
            opens = {port for port in OUTSIDE if may(overlay, workload, "Egress", "to", None, labels, (port,))}
            wanted = expected_outside(overlay, workload, place)
            wrong = None if opens == wanted else f"ports {sorted(opens)} are open, not {sorted(wanted)}"
            yield f"{workload} to {place}", wrong


@rule("policies-aim", "every policy is for somebody, and the ports it names are theirs")
def policies_aim(overlay):
    for thing in overlay.of("NetworkPolicy"):
        selector, wrong = thing["spec"]["podSelector"], None
        targets = overlay.selected(selector)
        if not targets and not (overlay.of("Kafka") and "strimzi.io/cluster" in selector.get("matchLabels", {})):
            wrong = "it is for nobody"
        for term in thing["spec"].get("ingress", []):
            for port in (port["port"] for port in term.get("ports", [])):
                lacking = [str(one) for one in targets if port not in one.ports() and port not in one.ports().values()]
                wrong = wrong or (f"{', '.join(lacking)} has no port {port}" if lacking else None)
        yield called(thing), wrong
