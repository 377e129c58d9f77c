"""Rules for every workload: what its pods may do, when they are asked, how they come and go."""

import re

from rendered import bytes_of, matches
from rules import differing, rule

ON_A_LAPTOP = {"local": "one of each on a laptop"}


@rule("restricted", "every container runs as the Pod Security standard `restricted` asks, on a read-only root")
def restricted(overlay):
    pod = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
    container = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
    for workload in overlay.workloads():
        given = workload.pod.get("securityContext", {})
        yield workload, differing(pod, given)
        yield (
            workload,
            None if given.get("runAsUser", 0) >= 10_000 else "runAsUser is below 10000: it may be somebody on the machine",
        )
        for one in workload.containers + workload.pod.get("initContainers", []):
            yield f"{workload} {one['name']}", differing(container, one.get("securityContext", {}))


@rule("no-token", "no pod is given a token for Kubernetes, or the addresses of Services in its environment")
def no_token(overlay):
    for workload in overlay.workloads():
        yield workload, differing({"automountServiceAccountToken": False, "enableServiceLinks": False}, workload.pod)


@rule("probes", "whatever runs long is asked three questions; our services whether they live and whether they are ready, apart")
def probes(overlay):
    for workload in filter(lambda one: one.runs_long, overlay.workloads()):
        for kind, path in (("startupProbe", "/livez"), ("readinessProbe", "/readyz"), ("livenessProbe", "/livez")):
            probe = workload.containers[0].get(kind)
            asked = (probe or {}).get("httpGet", {})
            wrong = probe is None and f"no {kind}"
            if not wrong and workload.is_ours and (asked.get("path"), asked.get("port")) != (path, "admin"):
                wrong = f"{kind} asks {asked.get('path')} on port {asked.get('port')}, not {path} on admin"
            yield workload, wrong or None


@rule("resources", "every container says what CPU and memory it needs; memory is also its limit, CPU has none")
def resources(overlay):
    for workload in overlay.workloads():
        for one in workload.containers:
            wanted, limit = (one.get("resources", {}).get(key, {}) for key in ("requests", "limits"))
            wrong = None
            if not {"cpu", "memory"} <= wanted.keys():
                wrong = "requests want both cpu and memory"
            elif "memory" not in limit or bytes_of(limit["memory"]) != bytes_of(wanted["memory"]):
                wrong = "the limit of memory is not what is requested"
            elif "cpu" in limit:
                wrong = "a limit of CPU makes it late"
            yield f"{workload} {one['name']}", wrong


@rule("images", "every image has a version, and no registry of ours or anybody's")
def images(overlay):
    for workload in overlay.workloads():
        for one in workload.containers:
            name, _, tag = one["image"].partition(":")
            wrong = None
            if not tag or tag == "latest":
                wrong = f"{one['image']} has no version"
            elif "." in name.split("/")[0]:
                wrong = f"{one['image']} names a registry"
            elif "imagePullPolicy" not in one:
                wrong = "imagePullPolicy is not said"
            yield workload, wrong


@rule("pre-stop", "who is sent clients waits until nobody is, by the native sleep, before it leaves")
def pre_stop(overlay):
    clients = [
        service for service in overlay.of("Service") if any(port.get("name") == "http" for port in service["spec"]["ports"])
    ]
    for workload in (workload for service in clients for workload in overlay.behind(service)):
        yield workload, None if workload.pre_stop() >= 5 else "preStop sleeps less than 5 s"


@rule("spread", "pods of a workload stand on different machines and in different zones where they can, and none waits for that")
def spread(overlay):
    wanted = dict.fromkeys(("kubernetes.io/hostname", "topology.kubernetes.io/zone"), "ScheduleAnyway")
    for workload in filter(lambda one: one.runs_long, overlay.workloads()):
        terms = workload.pod.get("topologySpreadConstraints", [])
        found = {
            term["topologyKey"]: term["whenUnsatisfiable"] for term in terms if matches(term["labelSelector"], workload.labels)
        }
        loose = [term for term in terms if "app.kubernetes.io/name" not in term.get("matchLabelKeys", [])]
        yield workload, differing(wanted, found) or ("it counts pods of other workloads" if loose else None)


@rule("rollout", "a rollout brings the new up first; only who cannot share (one file, one truth) is replaced")
def rollout(overlay):
    for workload in filter(lambda one: one.kind == "Deployment", overlay.workloads()):
        spec = workload.thing["spec"]
        strategy, alone = spec.get("strategy", {}), spec.get("replicas") == 1 and not overlay.scaler(workload)
        wrong = None
        if strategy.get("type") == "Recreate":
            wrong = None if alone else "Recreate of several is an outage"
        else:
            wrong = differing({"maxUnavailable": 0}, strategy.get("rollingUpdate", {}))
            claims = [volume for volume in workload.pod.get("volumes", []) if "persistentVolumeClaim" in volume]
            wrong = wrong or ("two pods would share its volume" if claims else None)
        yield workload, wrong


@rule("disruption-budget", "machines can be emptied, one pod of a workload at a time")
def disruption_budget(overlay):
    for workload in filter(lambda one: one.runs_long, overlay.workloads()):
        budgets = [one["spec"] for one in overlay.of("PodDisruptionBudget") if matches(one["spec"]["selector"], workload.labels)]
        wrong = f"{len(budgets)} budgets, not one" if len(budgets) != 1 else None
        yield workload, wrong or differing({"maxUnavailable": 1, "unhealthyPodEvictionPolicy": "AlwaysAllow"}, budgets[0])


@rule("autoscaler", "there are soon more and slowly fewer: after 5 minutes at least, one pod a minute at most")
def autoscaler(overlay):
    for thing in overlay.of("HorizontalPodAutoscaler", "ScaledObject"):
        spec = thing["spec"]
        behavior = spec.get("behavior") or spec.get("advanced", {}).get("horizontalPodAutoscalerConfig", {}).get("behavior", {})
        down = behavior.get("scaleDown", {})
        slow = down.get("stabilizationWindowSeconds", 0) >= 300 and down.get("policies")
        slow = slow and all(one["type"] == "Pods" and one["value"] / one["periodSeconds"] <= 1 / 60 for one in down["policies"])
        yield f"{thing['kind']}/{thing['metadata']['name']}", None if slow else "scaleDown is faster than that"


@rule("two-of-each", "of a workload that can be several there are never fewer than two", ON_A_LAPTOP)
def two_of_each(overlay):
    for workload in filter(lambda one: one.runs_long, overlay.workloads()):
        least = [one["spec"].get("minReplicas", one["spec"].get("minReplicaCount", 1)) for one in overlay.scaler(workload)]
        least = least or [workload.thing["spec"].get("replicas", 1)]
        alone = workload.thing["spec"].get("strategy", {}).get("type") == "Recreate"
        yield workload, None if alone or min(least) >= 2 else f"there may be {min(least)}"


@rule("one-master", "the number of pods is said once: by one autoscaler, or by the workload")
def one_master(overlay):
    for workload in filter(lambda one: one.runs_long, overlay.workloads()):
        scalers, said = len(overlay.scaler(workload)), "replicas" in workload.thing["spec"]
        yield workload, None if scalers + said == 1 else f"{scalers} autoscalers and {'a' if said else 'no'} number of its own"


@rule("hashed-config", "settings come from ConfigMaps whose name changes with them")
def hashed_config(overlay):
    for workload in filter(lambda one: one.is_ours or one.kind == "Job", overlay.workloads()):
        for source in workload.containers[0].get("envFrom", []):
            name = source.get("configMapRef", {}).get("name", "")
            yield workload, None if re.search(r"-[0-9a-z]{10}$", name) else f"{name or source} bears no hash"


# user:password@ in an address.
PASSWORD = re.compile(r"://[^/\s@]*:[^/\s@]+@")


@rule("secrets-by-file", "secrets are files that only their program reads; none is in an environment, a ConfigMap, or here at all")
def secrets_by_file(overlay):
    for workload in overlay.workloads():
        for variable in (one for container in workload.containers for one in container.get("env", [])):
            is_secret = "secretKeyRef" in variable.get("valueFrom", {}) or PASSWORD.search(variable.get("value") or "")
            yield workload, f"{variable['name']} puts a secret into the environment" if is_secret else None
        mounts = {mount["name"]: mount for one in workload.containers for mount in one.get("volumeMounts", [])}
        for volume in (volume for volume in workload.pod.get("volumes", []) if "secret" in volume):
            wrong = not mounts[volume["name"]].get("readOnly") and f"{volume['name']} is not mounted read-only"
            wrong = wrong or (volume["secret"].get("defaultMode") != 0o440 and f"{volume['name']} is not of mode 0440")
            yield workload, wrong or None
    for thing in overlay.of("Secret", "ConfigMap"):
        told = [key for key, value in thing.get("data", {}).items() if PASSWORD.search(value)]
        wrong = "a Secret does not belong into a repository" if thing["kind"] == "Secret" else None
        yield f"{thing['kind']}/{thing['metadata']['name']}", wrong or (f"{told} hold a password" if told else None)
