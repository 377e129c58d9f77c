"""Validates OpenAPI: `openapi.py FILE`, or `openapi.py --served-by PROGRAM`, which starts it and asks for /openapi.json."""

import json
import subprocess
import sys
import tempfile
import urllib.request

import yaml
from openapi_spec_validator import OpenAPIV31SpecValidator, OpenAPIV30SpecValidator


def served_by(program):
    with tempfile.TemporaryDirectory() as data:
        line = [program, "--listen=127.0.0.1:0", "--admin=127.0.0.1:0", "--crowd=0", f"--data={data}"]
        running = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            address = json.loads(running.stdout.readline())["public"]
            with urllib.request.urlopen(f"http://{address}/openapi.json", timeout=10) as answer:
                return json.load(answer)
        finally:
            running.terminate()
            running.wait(30)


if sys.argv[1] == "--served-by":
    name, document = f"/openapi.json of {sys.argv[2]}", served_by(sys.argv[2])
else:
    name, document = sys.argv[1], yaml.safe_load(open(sys.argv[1], encoding="utf-8"))

validator = OpenAPIV31SpecValidator if document["openapi"].startswith("3.1") else OpenAPIV30SpecValidator
problems = [f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message}" for error in validator(document).iter_errors()]
print("\n".join(problems) or f"{name}: {len(document['paths'])} paths, right")
sys.exit(bool(problems))
