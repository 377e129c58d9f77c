"""Checks the manifests in k8s/ without a cluster.

Every overlay is rendered by kubectl's kustomize, then held against strict schemas (Kubernetes' own and k8s/schemas), a table of
rules over every workload, references (selectors, ports, settings, metrics), numbers that contradict each other, checkov, and
the Helm chart, which must come to the same objects. Exit code 0: all is as it should be; 1: a finding; 2: wrong usage.
"""

import argparse
import json
import os
import sys
import time
from collections import defaultdict
from pathlib import Path

import chart
import monitoring
import somebody_elses
import sources
from faults import FAULTS, seeded
from programs import ROOT, Programs
from rendered import NotRendered, Overlay, called, kustomize
from rules import TABLE, Rule
import schemas

# Each puts its rules into the table, in the order in which they are told.
import pods, network, references, contradictions, access

FILES = {**sources.CHECKS, "written": monitoring.written}

SCHEMA = Rule("schema", "every field is one of its kind's, of its type", None, {})


def schema_look(overlay):
    for thing in overlay.things:
        problems = schemas.problems(thing)
        yield called(thing), "; ".join(problems) or None


def look(rule, overlay):
    """What a rule finds, and at how many things it looked."""
    if overlay.name in rule.but:
        return [], 0
    seen = list(schema_look(overlay) if rule is SCHEMA else rule.look(overlay))
    return [(rule.name, overlay.name, str(who), problem) for who, problem in seen if problem], len(seen)


# Components on the bare base: what an overlay patches over would not be seen.
ALONE = (
    ("keda",),
    ("monitoring",),
    ("postgres",),
    ("tracing",),
    ("strimzi", "strimzi-users"),
    ("strimzi", "strimzi-users", "keda", "keda-login"),
)


def overlays(folder, programs):
    """Those of k8s/overlays, and components alone."""
    for place in sorted((ROOT / "k8s/overlays").iterdir()):
        yield Overlay.render(place.name, place, programs)
    for names in ALONE:
        yield Overlay.render(f"with {names[-1]}", with_component(folder, *names), programs)


def with_component(folder, *names):
    place = folder / "with"
    place.mkdir(parents=True, exist_ok=True)
    # Kustomize takes no absolute folder.
    root = os.path.relpath(ROOT / "k8s", place.resolve())
    text = f"resources: [{root}/base]\ncomponents: [{', '.join(f'{root}/components/{name}' for name in names)}]\n"
    (place / "kustomization.yaml").write_text("namespace: danmaku\n" + text)
    return place


def run_rules(rendered):
    """All findings, and the things each rule looked at."""
    findings, counts = [], defaultdict(int)
    for overlay in rendered:
        for rule in [SCHEMA, *TABLE]:
            found, count = look(rule, overlay)
            findings += found
            counts[rule.name] += count
    for name, check in FILES.items():
        seen = list(check())
        findings += [(name, "sources", str(who), problem) for who, problem in seen if problem]
        counts[name] = len(seen)
    return findings, counts


def excused(programs):
    """Rules that may have nothing to look at: the programs are not built, or there are no files to write from."""
    return [
        name
        for name, is_so in (("settings-accepted", not programs.binary("ingest")), ("written", not monitoring.wanted()))
        if is_so
    ]


def told(findings, counts, programs):
    """The table for people."""
    bad = defaultdict(list)
    for name, overlay, who, problem in findings:
        bad[name].append(f"{overlay}: {who}: {problem}")
    sentences = {rule.name: rule.sentence for rule in [SCHEMA, *TABLE]} | {
        name: check.__doc__.strip() for name, check in FILES.items()
    }
    for name, sentence in sentences.items():
        print(f"{'FAIL' if bad[name] else 'ok  ' if counts[name] else 'NONE'} {name:24} {counts[name]:5}  {sentence}")
        for line in dict.fromkeys(bad[name]):
            print(f"       {line}")
    asked = {name: where for name, where in programs.source.items()}
    print(
        f"settings asked of: {', '.join(f'{name} ({where})' for name, where in asked.items())}; metrics of {programs.metrics_source}"
    )


def self_test(rendered):
    """Each rule catches its own fault, and no other rule cries that did not before."""
    named = {overlay.name: overlay for overlay in rendered}
    before = {finding for overlay in rendered for rule in [SCHEMA, *TABLE] for finding in look(rule, overlay)[0]}
    wrong, covered = [], set()
    for one in FAULTS:
        damaged = seeded(one, named[one.overlay])
        found = {finding[0] for rule in [SCHEMA, *TABLE] for finding in look(rule, damaged)[0] if finding not in before}
        can_be_asked = one.rule != "settings-accepted" or all(map(damaged.programs.binary, ("ingest", "danmaku")))
        verdict = "ok  " if found == {one.rule} else "FAIL" if can_be_asked else "skip"
        print(
            f"{verdict} {one.rule:24} {one.overlay:18} {one.what}"
            + ("" if found == {one.rule} else f": caught by {sorted(found)}")
        )
        wrong += [one] if verdict == "FAIL" else []
        covered.add(one.rule)
    for rule in [SCHEMA, *TABLE]:
        if rule.name not in covered:
            print(f"FAIL {rule.name:24} no fault is seeded for it")
            wrong.append(rule)
    return not wrong


def arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/k8s-check", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--self-test", action="store_true", help="seed a fault for each rule and demand that exactly that rule finds it"
    )
    parser.add_argument("--json", action="store_true", help="print findings as JSON, one object")
    parser.add_argument("--fast", action="store_true", help="without checkov and the chart")
    parser.add_argument(
        "--write", action="store_true", help="only write what stands in k8s/monitoring from its rules and dashboards"
    )
    parser.add_argument("--chart", action="store_true", help="only write the Helm chart, and say where")
    parser.add_argument("--folder", type=Path, required=True, help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    asked = arguments()
    if asked.write:
        return monitoring.write()
    programs = Programs(asked.folder.parent)
    try:
        rendered = list(overlays(asked.folder, programs))
    except NotRendered as error:
        print(f"FAIL render: {error}")
        return 1
    if asked.chart:
        return chart.write(rendered, asked.folder)
    return self_tests(rendered, asked) if asked.self_test else checked(rendered, programs, asked)


def checked(rendered, programs, asked):
    """Everything once; the exit code."""
    begun = time.monotonic()
    findings, counts = run_rules(rendered)
    idle = [name for name, count in counts.items() if not count and name not in excused(programs)]
    findings += [(name, "all", "rule", "it looked at nothing") for name in idle]
    if not asked.json:
        told(findings, counts, programs)
    if not asked.fast:
        findings += somebody_elses.findings(rendered, asked.folder, quiet=asked.json)
        findings += chart.findings(rendered, asked.folder, programs, quiet=asked.json)
    if asked.json:
        keys = ("rule", "overlay", "thing", "problem")
        print(json.dumps({"ok": not findings, "looked_at": counts, "findings": [dict(zip(keys, one)) for one in findings]}))
    else:
        print(
            f"{len(findings)} findings in {len(rendered)} renderings, {sum(counts.values())} looks, {time.monotonic() - begun:.0f} s"
        )
    return 1 if findings else 0


def self_tests(rendered, asked):
    """Whether every check can fail; the exit code."""
    tests = [self_test(rendered), sources_self_test(asked.folder), render_self_test(asked.folder)]
    if not asked.fast:
        tests += [somebody_elses.self_test(rendered, asked.folder), chart.self_test(rendered)]
    return 0 if all(tests) else 1


def sources_self_test(folder):
    """The same for the files: a folder of small ones, each with its fault."""
    place = folder / "damaged"
    (place / "schemas/a").mkdir(parents=True, exist_ok=True)
    (place / "schemas/README.md").write_text("")
    (place / "schemas/a/b.json").write_text("{}")
    (place / "sign.yaml").write_text("kind: Pod\n")
    (place / "sum.yaml").write_text("# A pod.\n# 10 s to hear of it + 30 s = 60 s.\nterminationGracePeriodSeconds: 60\n")
    (place / "number.yaml").write_text("# A pod.\n\nrequests: {cpu: 1}\n")
    (place / "monitoring/rules").mkdir(parents=True, exist_ok=True)
    (place / "monitoring/rules/one.yaml").write_text("# One.\ngroups:\n  - {name: one, rules: []}\n")
    (place / "monitoring/prometheus-rules.yaml").write_text("# An older one.\n")
    wanted = {
        "signs": {"sign.yaml"},
        "arithmetic": {"sum.yaml:3", "number.yaml:3"},
        "origins": {"schemas/a/b.json"},
        "written": {"monitoring/prometheus-rules.yaml", "monitoring/kustomization.yaml"},
    }
    good = True
    for name, check in FILES.items():
        found = {str(who) for who, problem in check(place) if problem}
        good &= found == wanted[name]
        print(f"{'ok  ' if found == wanted[name] else 'FAIL'} {name:24} {'sources':18} {', '.join(sorted(found))}")
    return good


def render_self_test(folder):
    """Kustomize itself refuses a key that it does not know, and what it only warns of is refused too."""
    good = True
    for fault in ("patchs: []", "commonLabels: {a: b}"):
        place = with_component(folder, "strimzi")
        (place / "kustomization.yaml").write_text((place / "kustomization.yaml").read_text() + fault + "\n")
        try:
            kustomize(place)
            good, verdict = False, "FAIL"
        except NotRendered:
            verdict = "ok  "
        print(f"{verdict} {'render':24} {'sources':18} {fault}")
    return good


if __name__ == "__main__":
    sys.exit(main())
