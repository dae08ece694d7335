"""A one-minute demo: prove a textbook bound, make it tight, and find the smallest sufficient ε.

AboveThreshold returns which of two answers is the first above a threshold. The textbook (Dwork and
Roth 2014, Theorem 3.24) bounds the probability of a wrong answer by 4·e^{−αε/8} where both answers
are more than α away from the threshold. `make demo` runs this file.
"""

import sys
import tempfile
from dataclasses import replace
from math import log
from pathlib import Path

from exactdp import Accuracy, AllReals, ExactdpError, Mechanism, alpha, eps, exp
from exactdp.report.page import write_report

TEXTBOOK = 4 * exp(-alpha * eps / 8)
AWAY = 10  # both answers are more than this far from the threshold

first_above = Mechanism.from_source("""
def first_above(q: Real[2]):
    threshold = lap(eps / 2, 0)
    if lap(eps / 4, q[0]) >= threshold:
        return 0
    if lap(eps / 4, q[1]) >= threshold:
        return 1
    return None
""")
claim = Accuracy(first_above, beta=TEXTBOOK, inputs=AllReals())


def main(folder: Path) -> None:
    """Print the answers; write a picture and a report to a directory."""
    print("1. Is the textbook right, for all real inputs and every ε?")
    print(f"   {claim.check().sentence}")
    print("2. By how much could the bound be smaller?")
    tight = replace(claim, beta=4 * exp(-alpha * eps / 4))
    best = tight.tightest(width="1e-3")
    print(f"   Even 4·exp(-alpha*eps/4)/κ is true for κ up to {float(best.kappa.lower):.2f}.")
    print("3. Which ε is enough for at most 5 % errors, 10 away from the threshold?")
    needed = replace(claim, beta="5%", alpha=AWAY).smallest_epsilon(width="1e-3")
    textbook = 8 * log(4 / 0.05) / AWAY  # where 4·e^{−10ε/8} is 5 %
    print(f"   ε = {float(needed):.2f} suffices, the textbook asks for {textbook:.2f}.")
    print(_write(folder))


def _write(folder: Path) -> str:
    """Write the error at the worst input and the bound, as a picture and as a page."""
    at_worst = replace(claim, inputs=[[-AWAY, AWAY]])
    try:
        at_worst.plot().figure.savefig(folder / "error.svg")
        write_report({"first_above": at_worst}, folder / "report.html", Path(__file__).read_text())
    except ExactdpError as error:  # without the extra `report`
        return str(error)
    return f"The picture is {folder / 'error.svg'}, the report {folder / 'report.html'}."


if __name__ == "__main__":
    if sys.argv[1:] == ["--keep"]:
        kept = Path("exactdp-demo")
        kept.mkdir(exist_ok=True)
        main(kept)
    else:
        with tempfile.TemporaryDirectory() as nowhere:
            main(Path(nowhere))
