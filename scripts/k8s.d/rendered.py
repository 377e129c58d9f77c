"""What an overlay comes to: its objects, and the questions that rules ask of them. What is right or wrong is kept out."""

import re
import subprocess
import sys
from functools import cached_property
from pathlib import Path

import yaml

LONG_RUNNING = ("Deployment", "StatefulSet", "DaemonSet")
WORKLOADS = (*LONG_RUNNING, "Job")


class NotRendered(Exception):
    """Kustomize's own words."""


def kustomize(folder):
    """The text that `kubectl apply -k` would send."""
    kubectl = Path(sys.executable).with_name("kubectl")
    done = subprocess.run([kubectl, "kustomize", folder], capture_output=True, text=True)
    if done.returncode:
        raise NotRendered(done.stderr.strip())
    # A warning is a thing that the next kustomize refuses.
    if done.stderr.strip():
        raise NotRendered(done.stderr.strip())
    return done.stdout


def called(thing):
    """How a thing is named in a finding."""
    return f"{thing['kind']}/{thing['metadata']['name']}"


def matches(selector, labels):
    """Whether a label selector takes these labels; an empty one takes all."""
    selector = selector or {}
    if any(labels.get(key) != value for key, value in selector.get("matchLabels", {}).items()):
        return False
    for term in selector.get("matchExpressions", []):
        key, values = term["key"], term.get("values", [])
        holds = {
            "In": labels.get(key) in values,
            "NotIn": labels.get(key) not in values,
            "Exists": key in labels,
            "DoesNotExist": key not in labels,
        }[term["operator"]]
        if not holds:
            return False
    return True


def seconds(text):
    """The programs' durations and Kubernetes' alike: `75s`, `500ms`, `24h`, `0`."""
    number, unit = re.fullmatch(r"(\d+)(ms|s|m|h|d)?", str(text).strip()).groups()
    return int(number) * {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, None: 1}[unit]


def bytes_of(text):
    """`512MiB` of the programs, `1Gi` of Kubernetes."""
    number, unit = re.fullmatch(r"(\d+)\s*([KMGT]?)i?B?", str(text).strip()).groups()
    return int(number) * 1024 ** " KMGT".index(unit or " ")


def cpus(text):
    """`2`, `500m`."""
    text = str(text)
    return int(text[:-1]) / 1000 if text.endswith("m") else float(text)


class Workload:
    """One Deployment or Job, seen as its pods."""

    def __init__(self, thing, overlay):
        self.thing, self.overlay = thing, overlay
        self.kind, self.name = thing["kind"], thing["metadata"]["name"]
        template = thing["spec"]["template"]
        self.labels, self.pod = template["metadata"].get("labels", {}), template["spec"]
        self.containers = self.pod["containers"]

    def __str__(self):
        return called(self.thing)

    @property
    def is_ours(self):
        """One of our services, with an admin port; not Redis, not a job."""
        return self.thing["metadata"].get("labels", {}).get("danmaku/admin") == "true"

    @property
    def runs_long(self):
        return self.kind in LONG_RUNNING

    @cached_property
    def given(self):
        """The environment as the first container gets it; what a field or a Secret fills in stands as None."""
        container, environment = self.containers[0], {}
        for source in container.get("envFrom", []):
            name = source.get("configMapRef", {}).get("name")
            environment |= self.overlay.config(name) or {}
        for variable in container.get("env", []):
            key = variable.get("valueFrom", {}).get("configMapKeyRef")
            shared = (self.overlay.config(key["name"]) or {}).get(key["key"]) if key else None
            environment[variable["name"]] = variable.get("value", shared)
        return environment

    @property
    def flags(self):
        """The arguments of the first container that are `--name=value`."""
        arguments = (one.partition("=") for one in self.containers[0].get("args", []))
        return {name: value for name, _, value in arguments if name.startswith("--") and value}

    def setting(self, name):
        """What is in force: given, or the program's default."""
        given = self.given.get(name)
        return given if given is not None else self.overlay.programs.default(self.name, name)

    def ports(self):
        """Name and number of each container port."""
        return {port.get("name"): port["containerPort"] for one in self.containers for port in one.get("ports", [])}

    def pre_stop(self):
        """Seconds that pass before the program is told to leave."""
        return self.containers[0].get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)


class Overlay:
    """All objects of one overlay."""

    def __init__(self, name, things, programs):
        self.name, self.things, self.programs = name, things, programs

    @classmethod
    def render(cls, name, folder, programs):
        return cls(name, [thing for thing in yaml.safe_load_all(kustomize(folder)) if thing], programs)

    def of(self, *kinds):
        return [thing for thing in self.things if thing["kind"] in kinds]

    def one(self, kind, name):
        return next((thing for thing in self.of(kind) if thing["metadata"]["name"] == name), None)

    def workloads(self):
        return [Workload(thing, self) for thing in self.of(*WORKLOADS)]

    def workload(self, name):
        return next((workload for workload in self.workloads() if workload.name == name), None)

    def ours(self):
        return [workload for workload in self.workloads() if workload.is_ours]

    def routes(self, policy):
        """The routes that a policy of the gateway is for."""
        return [route for target in policy["spec"]["targetRefs"] if (route := self.one("HTTPRoute", target["name"]))]

    @staticmethod
    def sent_to(route):
        """The names of the Services that a route leads to."""
        return {one["name"] for term in route["spec"]["rules"] for one in term.get("backendRefs", [])}

    def config(self, name):
        return (self.one("ConfigMap", name) or {}).get("data")

    def selected(self, selector):
        return [workload for workload in self.workloads() if matches(selector, workload.labels)]

    def behind(self, service):
        """The workloads that a Service sends to."""
        return self.selected({"matchLabels": service["spec"].get("selector", {"": ""})})

    def scaler(self, workload):
        """Whatever decides how many there are."""
        scalers = self.of("HorizontalPodAutoscaler", "ScaledObject")
        return [one for one in scalers if one["spec"]["scaleTargetRef"]["name"] == workload.name]

    def at_most(self, workload):
        """How many pods there may be."""
        limits = [one["spec"].get("maxReplicas", one["spec"].get("maxReplicaCount")) for one in self.scaler(workload)]
        return max(limits, default=workload.thing["spec"].get("replicas", 1))
