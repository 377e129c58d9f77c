"""Strict schemas: names and types of every field, Kubernetes' own kinds and the custom ones. Kept out: what values mean."""

import json
from functools import cache
from pathlib import Path

import jsonschema
import kubernetes_validate


FOLDER = Path(__file__).resolve().parents[2] / "k8s/schemas"
# The oldest Kubernetes that has all we use, and the newest that the tool knows.
VERSIONS = ("1.32", "1.37")


@cache
def custom(group, version, kind):
    """The validator of a custom kind, or None."""
    file = FOLDER / group / f"{kind.lower()}_{version}.json"
    return jsonschema.Draft7Validator(json.loads(file.read_text())) if file.exists() else None


def problems(thing):
    """What the schema of a thing's kind says of it. Asked once of each thing: most overlays share most."""
    return _problems(json.dumps(thing, sort_keys=True, default=str))


@cache
def _problems(text):
    thing = json.loads(text)
    group, _, version = thing["apiVersion"].rpartition("/")
    if "." in group and not group.endswith(".k8s.io") or group.startswith("gateway."):
        validator = custom(group, version, thing["kind"])
        if validator is None:
            return [f"no schema: {group}/{thing['kind'].lower()}_{version}.json is not in k8s/schemas"]
        return [f"{'.'.join(map(str, error.absolute_path))}: {error.message[:160]}" for error in validator.iter_errors(thing)]
    found = []
    for wanted in VERSIONS:
        try:
            kubernetes_validate.validate(thing, wanted, strict=True)
        except kubernetes_validate.ValidationError as error:
            found.append(f"{'.'.join(map(str, error.path))}: {error.message[:160]} (Kubernetes {wanted})")
        except kubernetes_validate.SchemaNotFoundError:
            found.append(f"Kubernetes {wanted} knows no {thing['kind']} of {thing['apiVersion']}")
    return found
