"""Rules for the files themselves, which rendering forgets: signs, arithmetic, and where schemas come from."""

import re

from programs import ROOT

FOLDER = ROOT / "k8s"
# Of a number that somebody chose, the key it stands at.
NUMBERS = re.compile(r"^(\s*)(requests|terminationGracePeriodSeconds|averageValue|size|DANMAKU_(?:VIEWERS|MEMORY)_MAX)\b")


def ours(folder):
    files = [file for file in sorted(folder.rglob("*")) if file.suffix in (".yaml", ".env")]
    return [file for file in files if "chart" not in file.parts and "monitoring" not in file.relative_to(folder).parts[:1]]


def signs(folder=FOLDER):
    """Every file begins with a sentence that says what it is."""
    for file in ours(folder):
        first = file.read_text().split("\n", 1)[0]
        yield file.relative_to(folder), None if first.startswith("# ") else "its first line is no sentence about it"


def arithmetic(folder=FOLDER):
    """Beside every number that somebody chose stands a comment with the numbers it comes from; for a grace, their sum."""
    for file in ours(folder):
        lines = file.read_text().splitlines()
        for number, line in enumerate(lines):
            if not NUMBERS.match(line):
                continue
            comment, above = "", number - 1
            while above >= 0 and lines[above].lstrip().startswith("#"):
                comment, above = lines[above].lstrip(" #") + " " + comment, above - 1
            wrong = None if re.search(r"\d", comment) else "no arithmetic stands above it"
            if grace := re.match(r"\s*terminationGracePeriodSeconds: (\d+)", line):
                wrong = wrong or summed(comment, int(grace[1]))
            yield f"{file.relative_to(folder)}:{number + 1}", wrong


def summed(comment, grace):
    """`10 s … + 30 s … + 20 s … = 60 s`: the terms come to the sum, and the sum is what stands there."""
    said = re.search(r"= (\d+) s\b(?!.*= \d+ s\b)", comment)
    if not said:
        return None
    terms = [int(term) for term in re.findall(r"(?:^|[:+] )(\d+) s\b", comment[: said.start()])]
    if int(said[1]) != grace or sum(terms) != grace:
        return f"{' + '.join(map(str, terms))} = {sum(terms)}, the comment says {said[1]}, the field {grace}"
    return None


def origins(folder=FOLDER):
    """Every schema is small, and the README beside it tells where it is from."""
    told = (folder / "schemas/README.md").read_text()
    for file in sorted((folder / "schemas").rglob("*.json")):
        name = str(file.relative_to(folder / "schemas"))
        wrong = None if f"`{name}`" in told else "schemas/README.md does not tell where it is from"
        yield file.relative_to(folder), wrong or ("larger than 1 MB" if file.stat().st_size > 1_000_000 else None)


CHECKS = {"signs": signs, "arithmetic": arithmetic, "origins": origins}
