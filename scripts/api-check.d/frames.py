"""Holds sample frames against the schemas of their type: `frames.py ASYNCAPI FRAME.json…`. A field that is not described is a fault."""

import json
import sys

import jsonschema
import yaml

description, *frames = sys.argv[1:]
document = yaml.safe_load(open(description, encoding="utf-8"))
for schema in document["components"]["schemas"].values():
    # On the wire unknown fields are passed over; in our own samples there are none.
    if schema.get("properties", {}).keys() != {"type"} and schema.get("type") == "object":
        schema["additionalProperties"] = False
        schema["properties"]["type"] = {}

problems = []
for name in frames:
    frame = json.load(open(name, encoding="utf-8"))
    payload = document["components"]["messages"][frame["type"]]["payload"]
    whole = {**payload, "components": document["components"]}
    problems += [f"{name}: {error.message}" for error in jsonschema.Draft7Validator(whole).iter_errors(frame)]
print("\n".join(problems) or f"{len(frames)} sample frames are as described")
sys.exit(bool(problems))
