"""A fault for each rule, seeded into what was rendered. A rule that does not catch its own, or that is caught by another's,
is a defect of the rules."""

import copy
from dataclasses import dataclass
from collections.abc import Callable

from rendered import Overlay


@dataclass(frozen=True)
class Fault:
    rule: str
    overlay: str
    what: str
    seed: Callable


FAULTS = []


def fault(rule, overlay, what):
    def put(seed):
        FAULTS.append(Fault(rule, overlay, what, seed))
        return seed

    return put


def seeded(one, overlay):
    """The overlay with the fault in it."""
    damaged = Overlay(overlay.name, copy.deepcopy(overlay.things), overlay.programs)
    one.seed(damaged)
    return damaged


def pod(overlay, name):
    return overlay.workload(name).pod


def container(overlay, name):
    return overlay.workload(name).containers[0]


def settings(overlay, name):
    """The data of a generated ConfigMap, by the name before its hash."""
    return next(one["data"] for one in overlay.of("ConfigMap") if one["metadata"]["name"].rpartition("-")[0] == name)


def spec(overlay, kind, name):
    return overlay.one(kind, name)["spec"]


@fault("schema", "small", "a wrong key in a Deployment")
def _(overlay):
    pod(overlay, "fanout")["terminationGracePeriodSecond"] = 60


@fault("schema", "production", "a wrong key in a custom resource")
def _(overlay):
    spec(overlay, "ScaledObject", "filter")["maxReplicas"] = 3


@fault("schema", "production", "a kind whose schema is not here")
def _(overlay):
    overlay.things.append({"apiVersion": "kafka.strimzi.io/v1", "kind": "KafkaBridge", "metadata": {"name": "x"}, "spec": {}})


@fault("restricted", "small", "a root that can be written")
def _(overlay):
    container(overlay, "redis")["securityContext"]["readOnlyRootFilesystem"] = False


@fault("restricted", "small", "no seccomp profile")
def _(overlay):
    del pod(overlay, "topics")["securityContext"]["seccompProfile"]


@fault("restricted", "small", "a user that may be somebody on the machine")
def _(overlay):
    pod(overlay, "ingest")["securityContext"]["runAsUser"] = 1000


@fault("no-token", "small", "a token for Kubernetes")
def _(overlay):
    pod(overlay, "filter")["automountServiceAccountToken"] = True


@fault("probes", "small", "life that hangs on Kafka")
def _(overlay):
    container(overlay, "filter")["livenessProbe"]["httpGet"]["path"] = "/readyz"


@fault("probes", "small", "no question at the start")
def _(overlay):
    del container(overlay, "redis")["startupProbe"]


@fault("resources", "small", "memory without a limit")
def _(overlay):
    del container(overlay, "moderation")["resources"]["limits"]["memory"]


@fault("resources", "small", "a limit of CPU")
def _(overlay):
    container(overlay, "ingest")["resources"]["limits"]["cpu"] = "2"


@fault("images", "small", "an image without a version")
def _(overlay):
    container(overlay, "ingest")["image"] = "danmaku/ingest:latest"


@fault("images", "small", "a registry")
def _(overlay):
    container(overlay, "ingest")["image"] = "registry.example.com/danmaku/ingest:0.1.0"


@fault("pre-stop", "small", "SIGTERM before the gateway knows")
def _(overlay):
    del container(overlay, "fanout")["lifecycle"]
    pod(overlay, "fanout")["terminationGracePeriodSeconds"] = 50


@fault("spread", "small", "all halls on one machine")
def _(overlay):
    pod(overlay, "fanout")["topologySpreadConstraints"].pop(0)


@fault("spread", "small", "halls that one full machine keeps from growing")
def _(overlay):
    pod(overlay, "fanout")["topologySpreadConstraints"][0]["whenUnsatisfiable"] = "DoNotSchedule"


@fault("rollout", "production", "a quarter of the halls away at once")
def _(overlay):
    spec(overlay, "Deployment", "fanout")["strategy"]["rollingUpdate"]["maxUnavailable"] = "25%"


@fault("rollout", "small", "two processes on one file")
def _(overlay):
    spec(overlay, "Deployment", "moderation")["replicas"] = 2


@fault("disruption-budget", "small", "a pod that is not ready holds its machine up")
def _(overlay):
    del spec(overlay, "PodDisruptionBudget", "ingest")["unhealthyPodEvictionPolicy"]


@fault("disruption-budget", "small", "a workload without a budget")
def _(overlay):
    overlay.things.remove(overlay.one("PodDisruptionBudget", "filter"))


@fault("autoscaler", "small", "five halls away in a minute")
def _(overlay):
    spec(overlay, "HorizontalPodAutoscaler", "fanout")["behavior"]["scaleDown"]["policies"][0] |= {
        "value": 5,
        "periodSeconds": 60,
    }


@fault("autoscaler", "production", "filters that come and go with each wave")
def _(overlay):
    down = spec(overlay, "ScaledObject", "filter")["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]["scaleDown"]
    down["stabilizationWindowSeconds"] = 60


@fault("two-of-each", "production", "one filter alone")
def _(overlay):
    spec(overlay, "ScaledObject", "filter")["minReplicaCount"] = 0


@fault("one-master", "small", "a number that each apply sets back")
def _(overlay):
    spec(overlay, "Deployment", "fanout")["replicas"] = 3


@fault("hashed-config", "small", "settings whose change nobody hears of")
def _(overlay):
    config = next(one for one in overlay.of("ConfigMap") if one["metadata"]["name"].startswith("filter-"))
    container(overlay, "filter")["envFrom"][1]["configMapRef"]["name"] = config["metadata"]["name"] = "filter"


@fault("secrets-by-file", "small", "a secret in the environment")
def _(overlay):
    secret = {"secretKeyRef": {"name": "danmaku-relay", "key": "token"}}
    container(overlay, "fanout")["env"].append({"name": "RELAY_TOKEN", "valueFrom": secret})


@fault("secrets-by-file", "production", "a database's password in a Deployment")
def _(overlay):
    container(overlay, "moderation")["env"].append({"name": "DANMAKU_DATABASE", "value": "postgres://a:hunter2@database/danmaku"})


@fault("secrets-by-file", "production", "a database's password that anybody in the pod may read")
def _(overlay):
    next(one for one in pod(overlay, "moderation")["volumes"] if one["name"] == "database")["secret"]["defaultMode"] = 0o444


@fault("secrets-by-file", "small", "a password in a ConfigMap")
def _(overlay):
    settings(overlay, "fanout")["DANMAKU_REDIS"] = "redis://:hunter2@redis:6379/0"


@fault("secrets-by-file", "small", "a Secret among the manifests")
def _(overlay):
    overlay.things.append({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "danmaku-keys"}, "data": {}})


@fault("namespace", "small", "a namespace that takes any pod")
def _(overlay):
    overlay.of("Namespace")[0]["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] = "baseline"


@fault("who-speaks-to-whom", "small", "Redis open to everybody in the cluster")
def _(overlay):
    spec(overlay, "NetworkPolicy", "redis")["ingress"] = [{"ports": [{"port": "redis"}]}]


@fault("who-speaks-to-whom", "production", "the admin ports open to the gateway")
def _(overlay):
    spec(overlay, "NetworkPolicy", "gateway")["ingress"][0]["ports"].append({"port": "admin"})


@fault("who-speaks-to-whom", "small", "halls that do not reach the door")
def _(overlay):
    spec(overlay, "NetworkPolicy", "fanout")["egress"].pop()


@fault("who-speaks-to-whom", "production", "a canary that Prometheus does not hear")
def _(overlay):
    spec(overlay, "NetworkPolicy", "monitoring")["podSelector"]["matchExpressions"][0]["values"].remove("canary")


@fault("who-goes-out", "small", "a judge that may go anywhere")
def _(overlay):
    spec(overlay, "NetworkPolicy", "kafka-clients")["egress"] = [{}]


@fault("who-goes-out", "with postgres", "a database that nobody reaches")
def _(overlay):
    overlay.things.remove(overlay.one("NetworkPolicy", "moderation-database"))


@fault("who-goes-out", "production", "a canary that reaches Kafka")
def _(overlay):
    spec(overlay, "NetworkPolicy", "canary")["egress"][0]["ports"].append({"port": 9092})


@fault("who-goes-out", "production", "a canary that cannot leave")
def _(overlay):
    spec(overlay, "NetworkPolicy", "canary")["egress"].pop()


@fault("who-goes-out", "with tracing", "spans for anybody who listens there")
def _(overlay):
    spec(overlay, "NetworkPolicy", "tracing")["egress"][0].pop("to")


@fault("who-goes-out", "with tracing", "a collector that the judge cannot reach")
def _(overlay):
    spec(overlay, "NetworkPolicy", "tracing")["podSelector"]["matchExpressions"][0]["values"].remove("filter")


@fault("who-goes-out", "small", "a judge that asks names of somebody else")
def _(overlay):
    spec(overlay, "NetworkPolicy", "dns")["egress"][0]["to"][0]["namespaceSelector"] = {}


@fault("policies-aim", "small", "a policy for nobody")
def _(overlay):
    policy = copy.deepcopy(overlay.one("NetworkPolicy", "redis"))
    policy["metadata"]["name"], policy["spec"]["podSelector"] = "rediss", {"matchLabels": {"app.kubernetes.io/name": "rediss"}}
    overlay.things.append(policy)


@fault("services", "small", "a Service with nobody behind it")
def _(overlay):
    overlay.things.append(
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "lost"},
            "spec": {"selector": {"app.kubernetes.io/name": "lost"}, "ports": [{"name": "admin", "port": 1, "targetPort": 1}]},
        }
    )


@fault("services", "small", "a Service that sends to a port nobody has")
def _(overlay):
    spec(overlay, "Service", "redis")["ports"][0]["targetPort"] = 6380


@fault("ports", "small", "a hall that only its own pod reaches")
def _(overlay):
    settings(overlay, "fanout")["DANMAKU_LISTEN"] = "127.0.0.1:8082"


@fault("ports", "small", "a probe at a port that is not there")
def _(overlay):
    container(overlay, "redis")["livenessProbe"]["tcpSocket"]["port"] = "rediss"


@fault("addresses", "small", "a door that is not there")
def _(overlay):
    settings(overlay, "fanout")["DANMAKU_INGEST"] = "http://ingest:8080"


@fault("addresses", "local", "a Kafka that is not there")
def _(overlay):
    settings(overlay, "danmaku")["DANMAKU_BROKERS"] = "kafka-kafka-bootstrap.danmaku.svc:9092"


@fault("addresses", "production", "a Kafka whose name KEDA cannot find in a namespace of its own")
def _(overlay):
    (trigger,) = spec(overlay, "ScaledObject", "filter")["triggers"]
    trigger["metadata"]["bootstrapServers"] = settings(overlay, "danmaku")["DANMAKU_BROKERS"] = "danmaku-kafka-bootstrap:9093"


@fault("volumes", "small", "a Secret that nobody is told to make")
def _(overlay):
    next(one for one in pod(overlay, "ingest")["volumes"] if one["name"] == "keys")["secret"]["secretName"] = "keys"


@fault("volumes", "small", "keys where none are mounted")
def _(overlay):
    settings(overlay, "ingest")["DANMAKU_KEYS"] = "/etc/danmaku/keys/key.json"


@fault("volumes", "with postgres", "a database on a volume that is gone")
def _(overlay):
    container(overlay, "moderation")["env"].append({"name": "DANMAKU_DATABASE", "value": "sqlite:///data/moderation.db"})


@fault("volumes", "production", "a token where none is mounted")
def _(overlay):
    container(overlay, "canary")["args"][-1] = "--token-file=/etc/danmaku/relay/token"


@fault("volumes", "production", "a setting of a ConfigMap that does not hold it")
def _(overlay):
    container(overlay, "canary")["env"][1]["valueFrom"]["configMapKeyRef"]["key"] = "DANMAKU_LOGS"


@fault("volumes", "small", "a claim that is not there")
def _(overlay):
    overlay.things.remove(overlay.one("PersistentVolumeClaim", "moderation"))


@fault("routes", "small", "a route to the admin port")
def _(overlay):
    spec(overlay, "HTTPRoute", "fanout")["rules"][0]["backendRefs"][0]["port"] = 9090


@fault("routes", "production", "a policy for a route that is not there")
def _(overlay):
    spec(overlay, "BackendTrafficPolicy", "ingest")["targetRefs"][0]["name"] = "door"


@fault("routes", "production", "hashing by a header that nobody sets")
def _(overlay):
    spec(overlay, "BackendTrafficPolicy", "fanout")["loadBalancer"]["consistentHash"]["header"]["name"] = "room"


@fault("routes", "production", "all of goim's viewers in one hall")
def _(overlay):
    spec(overlay, "HTTPRoute", "fanout")["rules"][0]["matches"].append({"path": {"type": "Exact", "value": "/sub"}})


@fault("hosts", "small", "a console that watches another site")
def _(overlay):
    settings(overlay, "moderation")["DANMAKU_HALL"] = "https://live.example.org"


@fault("hosts", "production", "a canary that does not come as viewers do")
def _(overlay):
    container(overlay, "canary")["args"][2] = "--halls=http://fanout:8082"


@fault("scale-targets", "small", "an autoscaler of nobody")
def _(overlay):
    extra = copy.deepcopy(overlay.one("HorizontalPodAutoscaler", "ingest"))
    extra["metadata"]["name"], extra["spec"]["scaleTargetRef"]["name"] = "door", "door"
    overlay.things.append(extra)


@fault("scrape", "production", "a service that Prometheus does not find")
def _(overlay):
    overlay.one("Service", "filter")["metadata"]["labels"].pop("danmaku/admin")


@fault("scrape", "production", "a canary that Prometheus does not find")
def _(overlay):
    overlay.one("Service", "canary")["metadata"]["labels"].pop("danmaku/admin")


@fault("scrape", "production", "brokers whose numbers nobody reads")
def _(overlay):
    spec(overlay, "Kafka", "danmaku")["kafka"]["metricsConfig"] = {"type": "strimziMetricsReporter"}


@fault("kafka-names", "production", "KEDA watches another group")
def _(overlay):
    spec(overlay, "ScaledObject", "filter")["triggers"][0]["metadata"]["consumerGroup"] = "filter"


@fault("kafka-names", "production", "a topic of too few partitions")
def _(overlay):
    spec(overlay, "KafkaTopic", "danmaku-state")["partitions"] = 32


@fault("settings-known", "small", "a setting that no program has")
def _(overlay):
    settings(overlay, "fanout")["DANMAKU_VIEWER_MAX"] = "5000"


@fault("settings-accepted", "small", "a duration without its unit")
def _(overlay):
    settings(overlay, "ingest")["DANMAKU_PRODUCE_TIMEOUT"] = "5"


@fault("settings-accepted", "production", "a canary told something that it cannot be")
def _(overlay):
    container(overlay, "canary")["args"].insert(1, "--every=5")


@fault("metrics-known", "production", "an autoscaler that asks for what nobody exports")
def _(overlay):
    scaler = spec(overlay, "HorizontalPodAutoscaler", "fanout")
    scaler["metrics"].append(
        {
            "type": "Pods",
            "pods": {"metric": {"name": "danmaku_ws_connections"}, "target": {"type": "AverageValue", "averageValue": "1"}},
        }
    )


@fault("drain-and-grace", "small", "a drain longer than the grace")
def _(overlay):
    settings(overlay, "fanout")["DANMAKU_DRAIN"] = "60s"


@fault("filters-and-partitions", "production", "more filters than partitions")
def _(overlay):
    spec(overlay, "ScaledObject", "filter")["maxReplicaCount"] = 40


@fault("history-and-retention", "production", "a history longer than the topics are kept")
def _(overlay):
    settings(overlay, "fanout")["DANMAKU_HISTORY"] = "2h"


@fault("history-and-retention", "small", "topics kept for a minute")
def _(overlay):
    container(overlay, "topics")["args"][-1] = "--output-retention=1m"


@fault("ping-idle-gateway", "small", "a ping longer than the idle limit")
def _(overlay):
    settings(overlay, "fanout")["DANMAKU_PING"] = "74s"


@fault("ping-idle-gateway", "production", "a gateway that closes before the hall")
def _(overlay):
    spec(overlay, "BackendTrafficPolicy", "fanout")["timeout"]["http"]["streamIdleTimeout"] = "60s"


@fault("ping-idle-gateway", "production", "a gateway that cuts goim's sockets")
def _(overlay):
    spec(overlay, "BackendTrafficPolicy", "goim")["timeout"]["http"]["requestTimeout"] = "15s"


@fault("memory", "small", "a hall that fills its container")
def _(overlay):
    settings(overlay, "fanout")["DANMAKU_MEMORY_MAX"] = "1GiB"


@fault("threads-and-cpus", "small", "four shards on one CPU")
def _(overlay):
    settings(overlay, "fanout")["DANMAKU_SHARDS"] = "4"


@fault("full-and-scale", "production", "halls that are full before another comes")
def _(overlay):
    settings(overlay, "fanout")["DANMAKU_VIEWERS_MAX"] = "14000"


@fault("full-and-scale", "small", "halls that are full before their CPU is busy")
def _(overlay):
    spec(overlay, "HorizontalPodAutoscaler", "fanout")["metrics"][0]["resource"]["target"]["averageUtilization"] = 60


@fault("copies", "production", "one copy of what was acknowledged")
def _(overlay):
    spec(overlay, "KafkaTopic", "danmaku-input")["config"]["min.insync.replicas"] = 1


@fault("copies", "production", "a leader that takes back what was acknowledged")
def _(overlay):
    spec(overlay, "Kafka", "danmaku")["kafka"]["config"]["unclean.leader.election.enable"] = "true"


@fault("kafka-access", "production", "a group for the hall")
def _(overlay):
    acls = spec(overlay, "KafkaUser", "danmaku-fanout")["authorization"]["acls"]
    acls.append({"resource": {"type": "group", "name": "fanout", "patternType": "literal"}, "operations": ["Read"]})


@fault("kafka-access", "production", "a judge that cannot read the modes of the one before")
def _(overlay):
    acls = spec(overlay, "KafkaUser", "danmaku-filter")["authorization"]["acls"]
    next(one for one in acls if one["resource"]["name"] == "danmaku-state")["operations"].remove("Read")


@fault("kafka-access", "production", "a judge that may not be a member in its own generation")
def _(overlay):
    acls = spec(overlay, "KafkaUser", "danmaku-filter")["authorization"]["acls"]
    next(one for one in acls if one["resource"]["name"] == "danmaku-filter-g1")["resource"]["name"] = "danmaku-filter-g2"


@fault("kafka-access", "production", "a door that may do anything")
def _(overlay):
    acls = spec(overlay, "KafkaUser", "danmaku-ingest")["authorization"]["acls"]
    acls.append({"resource": {"type": "topic", "name": "*", "patternType": "literal"}, "operations": ["All"]})


@fault("kafka-listeners", "production", "a Kafka that anybody in the cluster may come to")
def _(overlay):
    del spec(overlay, "Kafka", "danmaku")["kafka"]["listeners"][0]["networkPolicyPeers"]


@fault("kafka-login", "production", "a hall that comes to Kafka as the filter")
def _(overlay):
    next(one for one in container(overlay, "fanout")["env"] if one["name"] == "DANMAKU_KAFKA_USER")["value"] = "danmaku-filter"


@fault("kafka-login", "production", "a KEDA that Kafka does not let in")
def _(overlay):
    del spec(overlay, "ScaledObject", "filter")["triggers"][0]["authenticationRef"]


@fault("drain-and-grace", "small", "a grace that is told longer than it is")
def _(overlay):
    settings(overlay, "danmaku")["DANMAKU_GRACE"] = "60s"


@fault("drain-and-grace", "small", "a grace that is not told")
def _(overlay):
    del settings(overlay, "danmaku")["DANMAKU_GRACE"]
