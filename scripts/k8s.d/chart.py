"""The Helm chart: made from what the overlays come to, with a template's word in place of a few values; and the proof that
it comes to the same objects. Kept out: Helm itself, which is asked through its SDK."""

import copy
import re
import shutil

import yaml

import helm_python
from programs import NAMES, ROOT
from rendered import Overlay, called
from rules import TABLE

SOURCE = ROOT / "k8s/chart"
OURS = (*NAMES, "danmaku")
# The namespace is made by whoever installs: Helm keeps its own notes in it.
LEFT_OUT = ("Namespace",)


class Words:
    """Stand-ins in the objects, each for one expression of the template."""

    def __init__(self):
        self.expressions = []

    def of(self, expression):
        self.expressions.append(expression)
        return f"WORD{len(self.expressions) - 1}X"

    def put(self, text):
        # What is more than the overlay's settings stands behind the last of these, and has no key of its own.
        text = re.sub(r"\n *MORE: ", "", text)
        # A dashboard's {{label}} is no expression of ours.
        text = text.replace("{{", "{{`{{`}}")
        return re.sub(r"WORD(\d+)X", lambda found: "{{ " + self.expressions[int(found[1])] + " }}", text)


def render(place, values, namespace="danmaku"):
    """What `helm template danmaku … --namespace danmaku` would print, as objects."""
    with helm_python.Chart.load(str(place)) as chart:
        chart.validate_schema(chart.merge_values(values))
        texts = chart.render(values, name="danmaku", namespace=namespace)
    return [thing for text in texts.values() for thing in yaml.safe_load_all(text) if thing]


def assemble(rendered, folder):
    """Writes the chart and returns its folder."""
    place = folder / "chart/danmaku"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(SOURCE, place)
    parts = []
    for overlay in rendered:
        words = Words()
        things = [worded(thing, overlay, words) for thing in copy.deepcopy(overlay.things) if thing["kind"] not in LEFT_OUT]
        text = words.put(yaml.safe_dump_all(things, sort_keys=False, allow_unicode=True, width=100_000))
        parts.append(f'{{{{- if eq .Values.overlay "{overlay.name}" }}}}\n{text}{{{{- end }}}}\n')
    (place / "templates").mkdir(exist_ok=True)
    (place / "templates/objects.yaml").write_text("".join(parts))
    return place


def worded(thing, overlay, words):
    """The object with stand-ins where a value may speak."""
    name, kind = thing["metadata"]["name"], thing["kind"]
    if "namespace" in thing["metadata"]:
        thing["metadata"]["namespace"] = words.of(".Release.Namespace")
    if kind == "ConfigMap" and (program := name.rpartition("-")[0]) in OURS:
        thing["data"] = settings(thing["data"], program, words)
    if kind == "Gateway":
        said = thing["spec"]["gatewayClassName"]
        thing["spec"]["gatewayClassName"] = words.of(f'.Values.gatewayClass | default "{said}"')
    if kind in ("HorizontalPodAutoscaler", "ScaledObject"):
        for side, keys in (("min", ("minReplicas", "minReplicaCount")), ("max", ("maxReplicas", "maxReplicaCount"))):
            for key in keys & thing["spec"].keys():
                thing["spec"][key] = words.of(f'dig "{name}" "{side}" {thing["spec"][key]} .Values.scale')
    return everywhere(thing, overlay, words)


def settings(data, program, words):
    """Each setting may be said otherwise, and more may be said."""
    given = f'(dig "{program}" dict .Values.settings)'
    said = {
        key: words.of(f'dig "{program}" "{key}" {quoted(value, words)} .Values.settings | quote') for key, value in data.items()
    }
    keys = " ".join(f'"{key}"' for key in data)
    more = f"range $key, $value := omit {given} {keys} }}}}\n  {{{{ $key }}}}: {{{{ $value | quote }}}}{{{{ end"
    return said | {"MORE": words.of(more)}


def said(key, given, words):
    """A setting of all programs, where it stands beside them."""
    return f'dig "danmaku" "{key}" {quoted(given[key], words)} .Values.settings'


def quoted(value, words):
    """A default inside of an expression; the hosts in it, and the namespace, are values themselves."""
    if ".danmaku.svc" in value:
        return f'(printf "{value.replace(".danmaku.svc", ".%s.svc")}" .Release.Namespace)'
    if "://live.example.com" in value or "://console.example.com" in value:
        scheme, _, host = value.partition("://")
        return f'(printf "{scheme}://%s" .Values.{host.split(".")[0].replace("live", "host")})'
    return f'"{value}"'


def everywhere(value, overlay, words):
    """Names of images, hosts and ConfigMaps, wherever they stand."""
    if isinstance(value, dict):
        return {key: everywhere(one, overlay, words) for key, one in value.items()}
    if isinstance(value, list):
        return [everywhere(one, overlay, words) for one in value]
    if not isinstance(value, str):
        return value
    if image := re.fullmatch(r"danmaku/(\w+):([\w.]+)", value):
        return f"{words.of('.Values.image.prefix')}{image[1]}:{words.of('.Values.image.tag | default .Chart.AppVersion')}"
    given = overlay.workload("filter").given
    if value == f"danmaku-filter-g{given['DANMAKU_GENERATION']}":
        return value.rstrip("0123456789") + words.of(said("DANMAKU_GENERATION", given, words))
    if value == given["DANMAKU_BROKERS"]:
        # KEDA asks them too.
        return words.of(said("DANMAKU_BROKERS", given, words))
    if site := re.fullmatch(r"(--\w+=https://)?(live|console)\.example\.com", value):
        return (site[1] or "") + words.of(f".Values.{site[2].replace('live', 'host')}")
    generated = [one["metadata"]["name"] for one in overlay.of("ConfigMap") if one["metadata"]["name"].rpartition("-")[0] in OURS]
    if value in generated:
        # Other settings are another name, so that pods hear of them.
        return f"{value}{words.of('with .Values.settings }}-{{ toJson . | sha256sum | trunc 10 }}{{ end')}"
    return value


# Values that somebody may say, each with an overlay; what comes of them passes all the rules.
SAID = [
    ("small", {"image": {"prefix": "registry/danmaku/", "tag": "0.1.1"}}),
    ("small", {"host": "danmaku.example.org", "console": "desk.example.org", "gatewayClass": "istio"}),
    (
        "small",
        {"settings": {"danmaku": {"DANMAKU_BROKERS": "kafka-0.example.org:9092"}, "fanout": {"DANMAKU_ANONYMOUS": "false"}}},
    ),
    ("production", {"settings": {"danmaku": {"DANMAKU_BROKERS": "kafka.example.org:9093"}}}),
    ("production", {"settings": {"danmaku": {"DANMAKU_GENERATION": "2"}}}),
    ("production", {"host": "danmaku.example.org", "console": "desk.example.org"}),
    ("production", {"scale": {"fanout": {"min": 4, "max": 12}, "filter": {"min": 2, "max": 8}}}),
]
# And values that the schema refuses.
REFUSED = [
    {"overlay": "big"},
    {"image": {"prefix": "danmaku/", "tga": "1"}},
    {"image": {"prefix": "danmaku/", "tag": "latest"}},
    {"host": "https://live.example.com"},
    {"settings": {"door": {}}},
    {"settings": {"fanout": {"VIEWERS_MAX": "5"}}},
    {"scale": {"fanout": {"min": 0, "max": 1}}},
    {"replicas": 3},
]


def findings(rendered, folder, programs, quiet=False):
    """What is wrong with the chart."""
    names = [place.name for place in (ROOT / "k8s/overlays").iterdir()]
    chosen, found = [overlay for overlay in rendered if overlay.name in names], []
    place = assemble(chosen, folder)
    for overlay in chosen:
        things = render(place, {"overlay": overlay.name})
        found += [("chart-equal", overlay.name, who, problem) for who, problem in compared(overlay.things, things)]
    for name, values in SAID:
        overlay = Overlay(name, render(place, {"overlay": name} | values), programs)
        overlay.things.append({"apiVersion": "v1", **next(one.of("Namespace")[0] for one in chosen if one.name == name)})
        bad = [
            (rule.name, who, problem) for rule in TABLE if name not in rule.but for who, problem in rule.look(overlay) if problem
        ]
        found += [("chart-values", f"{name} {values}", str(who), f"{rule}: {problem}") for rule, who, problem in bad]
        found += said_is_heard(name, values, overlay)
    for name in names:
        text = yaml.safe_dump_all(render(place, {"overlay": name}, "chat"))
        left = sorted(set(re.findall(r"[\w.-]+\.danmaku\.svc|namespace: danmaku", text)))
        found += [("chart-values", name, "namespace chat", f"{left} is of another")] if left else []
    for values in REFUSED:
        try:
            render(place, values)
            found.append(("chart-schema", "chart", str(values), "was taken"))
        except helm_python.HelmError:
            pass
    if not quiet:
        count = sum(len(overlay.things) for overlay in chosen)
        print(
            f"{'FAIL' if found else 'ok  '} chart: {count} objects of {len(chosen)} overlays compared, {len(SAID)} values said, {len(REFUSED)} refused"
        )
        for _, overlay, who, problem in found:
            print(f"       {overlay}: {who}: {problem}")
    return found


def compared(wanted, found):
    """Object by object."""

    def key(thing):
        return thing["apiVersion"], called(thing)

    wanted = {key(thing): thing for thing in wanted if thing["kind"] not in LEFT_OUT}
    found = {key(thing): thing for thing in found}
    for one in sorted(wanted.keys() | found.keys()):
        if one not in found:
            yield one[1], "the chart lacks it"
        elif one not in wanted:
            yield one[1], "the chart has it alone"
        elif wanted[one] != found[one]:
            yield one[1], f"it differs: {difference(wanted[one], found[one])}"


def difference(wanted, found, path=""):
    if isinstance(wanted, dict) and isinstance(found, dict):
        for key in wanted.keys() | found.keys():
            if wanted.get(key) != found.get(key):
                return difference(wanted.get(key), found.get(key), f"{path}.{key}")
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        for number, (one, other) in enumerate(zip(wanted, found)):
            if one != other:
                return difference(one, other, f"{path}[{number}]")
    return f"{path} is {found!r}, not {wanted!r}"


def said_is_heard(name, values, overlay):
    """Every leaf that was said stands somewhere in what came of it."""
    text = yaml.safe_dump_all(overlay.things, width=100_000)

    def leaves(value):
        return [leaf for one in value.values() for leaf in leaves(one)] if isinstance(value, dict) else [value]

    silent = [leaf for leaf in leaves(values) if str(leaf) not in text]
    return [("chart-values", f"{name} {values}", "values", f"{silent} are not heard")] if silent else []


def self_test(rendered):
    """The comparison sees what is lacking, what is more, and what differs."""
    things = next(one for one in rendered if one.name == "small").things
    wanted = [thing for thing in things if thing["kind"] not in LEFT_OUT]
    lacking, more, other = (
        wanted[:-1],
        wanted + [{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}}],
        copy.deepcopy(wanted),
    )
    next(one for one in other if one["kind"] == "PodDisruptionBudget")["spec"]["maxUnavailable"] = 2
    seen = [len(list(compared(wanted, found))) for found in (wanted, lacking, more, other)]
    good = seen == [0, 1, 1, 1]
    print(f"{'ok  ' if good else 'FAIL'} {'chart-equal':24} {'small':18} one lacking, one more, one other: {seen[1:]} seen")
    return good


def write(rendered, folder):
    """For `make chart`: the chart, packed."""
    names = [place.name for place in (ROOT / "k8s/overlays").iterdir()]
    place = assemble([overlay for overlay in rendered if overlay.name in names], folder)
    with helm_python.Chart.load(str(place)) as chart:
        print(chart.save(str(folder)))
