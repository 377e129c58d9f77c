"""What Prometheus' own files in k8s/monitoring are to a cluster: a PrometheusRule, and ConfigMaps of dashboards, written from
them, since kustomize cannot wrap a file into an object. Kept out: whether rules and dashboards are right, which their checks say."""

import textwrap

import yaml

from programs import ROOT

FOLDER = ROOT / "k8s"
SIGN = "# Written by `scripts/k8s-check --write` from {}; change those.\n"


def wanted(folder=FOLDER):
    """Each file with what should stand in it; nothing where there are no rules."""
    place = folder / "monitoring"
    rules, dashboards = (
        sorted((place / name).glob(pattern)) for name, pattern in (("rules", "*.yaml"), ("dashboards", "*.json"))
    )
    if not rules:
        return {}
    rule = {"apiVersion": "monitoring.coreos.com/v1", "kind": "PrometheusRule", "metadata": {"name": "danmaku"}}
    kustomization = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": ["prometheus-rules.yaml"],
        # Grafana's sidecar finds them by the label.
        "generatorOptions": {"disableNameSuffixHash": True, "labels": {"grafana_dashboard": "1"}},
        "configMapGenerator": [{"name": f"dashboard-{file.stem}", "files": [f"dashboards/{file.name}"]} for file in dashboards],
    }
    return {
        place / "prometheus-rules.yaml": SIGN.format("rules/")
        + dumped(rule)
        + "spec:\n  groups:\n"
        + "".join(map(groups, rules)),
        place / "kustomization.yaml": SIGN.format("rules/ and dashboards/") + dumped(kustomization),
    }


def groups(file):
    """A file's groups as they are written, comments too, a step further in."""
    _, body = file.read_text().split("\ngroups:\n", 1)
    return textwrap.indent(body.rstrip() + "\n", "  ")


def dumped(value):
    return yaml.safe_dump(value, sort_keys=False, width=130, allow_unicode=True)


def write():
    for file, text in wanted().items():
        file.write_text(text)
        print(file.relative_to(ROOT))


def written(folder=FOLDER):
    """What is written from k8s/monitoring is as it would be written now."""
    for file, text in wanted(folder).items():
        same = file.exists() and file.read_text() == text
        yield file.relative_to(folder), None if same else "it is not what would be written: scripts/k8s-check --write"
