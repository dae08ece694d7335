"""The results of `exactdp reproduce` as JSON; exact numbers are strings such as "1/3"."""

from __future__ import annotations

from exactdp.cli import records
from exactdp.cli.output import Json
from exactdp.reproduce.differences import KINDS, Difference
from exactdp.reproduce.rows import WORDS
from exactdp.reproduce.run import Everywhere, Result, Run, WitnessCheck
from exactdp.reproduce.summary import Summary


def result(found: Result, certificates: dict[str, str]) -> Json:
    """Return a row and its results."""
    row = found.row
    return {
        "table": row.table,
        "program": row.program,
        "m": row.m,
        "c": row.c,
        "alpha": row.alpha,
        "gamma": row.gamma,
        "range": list(row.grid),
        "kappa": row.kappa,
        "inputs": row.inputs,
        "published": {
            "verdict": row.expect,
            "seconds": row.paper_seconds,
            "witness": row.witness
            and {
                "input": list(row.witness.input),
                "eps": records.number(row.witness.eps),
            },
        },
        "runs": [_run(one, certificates.get(run_label(found, one))) for one in found.runs],
        "reproduced": found.reproduced,
    }


def run_label(found: Result, run: Run) -> str:
    """Return a name for the certificate of a run."""
    return f"{found.row.label}-{WORDS[run.source]}"


def _run(run: Run, certificate: str | None) -> Json:
    return {
        "source": WORDS[run.source],
        "verdict": run.answer,
        "seconds": round(run.seconds, 6),
        "counterexample": run.verdict.counterexample and str(run.verdict.counterexample),
        "witness": run.examined and _examined(run.examined),
        "best": run.best and records.tightness(run.best),
        "certificate": certificate,
    }


def _examined(found: WitnessCheck) -> Json:
    return {
        "distance": records.number(found.distance),
        "error": records.enclosure(found.error),
        "bound": records.enclosure(found.bound),
        "violates": found.violates,
    }


def everywhere(found: Everywhere, certificates: dict[str, str]) -> Json:
    """Return a claim for all real inputs and its verdict."""
    subject = found.subject
    return {
        "program": subject.program,
        "source": WORDS[subject.source],
        "m": subject.m,
        "c": subject.c,
        "kappa": subject.kappa,
        "claim": str(found.verdict.claim),
        "verdict": found.answer,
        "cells": found.verdict.inputs,
        "counterexample": found.verdict.counterexample and str(found.verdict.counterexample),
        "seconds": round(found.seconds, 6),
        "certificate": certificates.get(subject.label),
    }


def difference(found: Difference, certificates: dict[str, str]) -> Json:
    """Return a difference between the text and the experiments of the paper."""
    return {
        "row": found.row.label,
        "kind": found.kind,
        "difference": KINDS[found.kind],
        "why": found.why,
        "truth": found.truth,
        "sentence": found.verdict.sentence,
        "certificate": certificates.get(found.label),
    }


def summary(found: Summary) -> Json:
    """Return the totals."""
    return {
        "sentence": str(found),
        "rows": len(found.results),
        "reproduced": found.reproduced,
        "disagreeing": dict(found.disputed),
        "seconds": round(found.seconds, 6),
        "paper_seconds": found.paper_seconds,
        "ratio": round(found.ratio, 1),
    }
