"""Rules for who may do what on Kafka, where it asks for a login."""

from collections import defaultdict

from rendered import called
from rules import rule

READERS = {
    "danmaku-input": {"filter", "moderation"},
    "danmaku-output": {"filter", "fanout", "moderation"},
    "danmaku-verdicts": {"moderation"},
    "danmaku-state": {"fanout", "filter"},
    "danmaku-rules": {"ingest", "filter", "fanout", "moderation"},
}
WRITERS = {
    "danmaku-input": {"ingest", "moderation"},
    "danmaku-output": {"filter"},
    "danmaku-verdicts": {"filter"},
    "danmaku-state": {"filter"},
    "danmaku-rules": {"moderation"},
    "danmaku-dead-letter": {"filter"},
}
TRANSACTIONS = {"danmaku-rules": {"moderation"}}
HARMLESS = {"Describe", "DescribeConfigs"}


@rule("kafka-access", "on Kafka each topic has the readers and writers of the table, only filters a group, nobody a wildcard")
def kafka_access(overlay):
    users = overlay.of("KafkaUser")
    found = {kind: defaultdict(set) for kind in ("Read topic", "Write topic", "Read group", "Write transactionalId")}
    for user in users:
        name, wrong = user["metadata"]["name"].removeprefix("danmaku-"), None
        for term in user["spec"]["authorization"]["acls"]:
            resource = term["resource"]
            if resource.get("patternType", "literal") != "literal" or resource.get("name") == "*":
                wrong = f"{resource} is more than one thing"
            for operation in term["operations"]:
                if (kind := f"{operation} {resource['type']}") in found:
                    found[kind][resource["name"]].add(name)
                elif operation not in HARMLESS:
                    wrong = f"nobody needs {operation} on a {resource['type']}"
        yield called(user), wrong
    members = {f"danmaku-filter-g{overlay.workload('filter').setting('DANMAKU_GENERATION')}": {"filter"}}
    for kind, wanted in zip(found, (READERS, WRITERS, members, TRANSACTIONS)) if users else ():
        yield kind, None if found[kind] == wanted else f"{differences(wanted, found[kind])}"


def differences(wanted, found):
    both = sorted(wanted.keys() | found.keys())
    return "; ".join(
        f"{key}: {sorted(found.get(key, ()))}, not {sorted(wanted.get(key, ()))}"
        for key in both
        if wanted.get(key) != found.get(key)
    )


@rule("kafka-listeners", "who may come to Kafka is said at each listener; without a login only our own pods and KEDA")
def kafka_listeners(overlay):
    for kafka in overlay.of("Kafka"):
        for listener in kafka["spec"]["kafka"]["listeners"]:
            wrong = None
            if not listener.get("networkPolicyPeers"):
                wrong = "anybody in the cluster may come"
            elif "authentication" in listener and not listener["tls"]:
                wrong = "what is said after the login can be read and changed"
            elif "authentication" not in listener and overlay.name == "production":
                wrong = "whoever comes is let in without a login"
            elif "authentication" in listener and kafka["spec"]["kafka"].get("authorization", {}).get("type") != "simple":
                wrong = "whoever logs in may do anything"
            yield f"{called(kafka)} {listener['name']}", wrong


@rule("kafka-login", "where Kafka wants a login each of its clients gives its own, over TLS, and so does KEDA")
def kafka_login(overlay):
    users = {user["metadata"]["name"] for user in overlay.of("KafkaUser")}
    for workload in (one for one in overlay.workloads() if users and "DANMAKU_BROKERS" in one.given):
        name, wrong = workload.given.get("DANMAKU_KAFKA_USER"), None
        if name != f"danmaku-{workload.name}" or name not in users:
            wrong = f"it comes as {name}"
        elif not (workload.given.get("DANMAKU_KAFKA_CA") and workload.given.get("DANMAKU_KAFKA_PASSWORD_FILE")):
            wrong = "it lacks the password or Kafka's certificate"
        yield workload, wrong
    for thing in overlay.of("ScaledObject") if users else ():
        (trigger,) = thing["spec"]["triggers"]
        login = overlay.one("TriggerAuthentication", trigger.get("authenticationRef", {}).get("name"))
        named = {one["name"]: one["key"] for one in login["spec"]["secretTargetRef"]} if login else {}
        good = (
            named == {"danmaku-filter": "password", "danmaku-cluster-ca-cert": "ca.crt"}
            and trigger["metadata"].get("tls") == "enable"
        )
        yield called(thing), None if good else "KEDA has no login, or not over TLS"
