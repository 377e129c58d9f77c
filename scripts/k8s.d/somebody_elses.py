"""Checkov: somebody else's rules for pods, over the same renderings. It runs without a network; each rule that we do not follow
stands here with its reason."""

import copy
import json
import os
import subprocess
import sys
from pathlib import Path

import yaml

from rendered import Overlay

SKIPPED = {
    "CKV_K8S_11": "a limit of CPU throttles whoever needs it for a moment, and who is throttled is late; requests share it out",
    "CKV_K8S_15": "an image's version is never written twice, and a pod must start while the registry is away",
    "CKV_K8S_43": "digests are the site's, which builds the images: `images: [{name, digest}]` in its overlay",
}


def findings(rendered, folder, quiet=False):
    """What checkov finds, beside what is skipped."""
    found, passed = run(rendered, folder / "checkov")
    if not quiet:
        print(f"{'FAIL' if found else 'ok  '} checkov: {passed} checks passed; {len(SKIPPED)} not followed:")
        for check, reason in SKIPPED.items():
            print(f"       {check}: {reason}")
        for _, overlay, who, problem in found:
            print(f"       {overlay}: {who}: {problem}")
    return found


def run(rendered, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for overlay in rendered:
        (folder / f"{overlay.name.replace(' ', '-')}.yaml").write_text(yaml.safe_dump_all(overlay.things))
    checkov = Path(sys.executable).with_name("checkov")
    line = [checkov, "-d", folder, "--framework", "kubernetes", "--skip-download", "--compact", "--quiet", "-o", "json"]
    line += ["--skip-check", ",".join(SKIPPED)] if SKIPPED else []
    told = subprocess.run(line, capture_output=True, text=True, env={**os.environ, "LOG_LEVEL": "ERROR"})
    report = json.loads(told.stdout)
    failed = [
        (one["check_id"], one["file_path"].strip("/"), one["resource"], one["check_name"])
        for one in report["results"]["failed_checks"]
    ]
    return failed, report["summary"]["passed"]


def self_test(rendered, folder):
    """One fault that is no affair of our rules."""
    overlay = next(one for one in rendered if one.name == "small")
    damaged = Overlay("damaged", copy.deepcopy(overlay.things), overlay.programs)
    damaged.workload("fanout").pod["hostIPC"] = True
    found = {check for check, *_ in run([damaged], folder / "checkov-damaged")[0]}
    good = found == {"CKV_K8S_18"}
    print(
        f"{'ok  ' if good else 'FAIL'} {'checkov':24} {'small':18} the machine's shared memory"
        + ("" if good else f": found {sorted(found)}")
    )
    return good
