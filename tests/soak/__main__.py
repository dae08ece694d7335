"""`make soak`: compare random claims with the oracle, many of them.

python -m soak --claims 100000 --seed 1 --jobs 2
python -m soak --case 1:234          # one program again, with all that was compared
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import signal
import sys
import time
import traceback
from collections import Counter
from multiprocessing.connection import Connection
from random import Random
from typing import Any

from exactdp import ExactdpError, Mechanism

from .claims import COARSE, GRID, Asker
from .compare import Bench, Log, compare, compare_distribution, compare_tightest, near_truth
from .privacy import compare_privacy, watch_memory
from .programs import Writer

_CLAIMS = 8  # about one program
_SHARES = (0.0, 0.1, -0.1, 0.01, -0.01, 1e-3, -1e-3, 1e-5, -1e-5, 0.5)
_SECONDS = 30.0  # of the processor, for one program
_PATIENCE = 900.0  # by the clock, if it cannot be interrupted


def case(seed: str, log: Log | None = None) -> Log:
    """Make up a program and claims about it, and compare all that is said of them."""
    random, log = Random(seed), Log() if log is None else log
    made = Writer(random).program()
    try:
        mechanism = Mechanism.from_source(made.text)
    except ExactdpError as error:
        log.counts[f"refused: {str(error).splitlines()[0].split(': ', 1)[-1][:60]}"] += 1
        return log
    bench = Bench(made.text, COARSE if made.hard else GRID)
    for number in range(_CLAIMS):
        question = Asker(random, made).question()
        if number == 0 and made.outputs != "numbers":
            compare_distribution(bench, question.points[0], mechanism, question.claim, log)
        close = None
        if random.random() < 0.9:
            question, close = near_truth(bench, question, random.choice(_SHARES))
        compare(bench, question, mechanism, log, close)
        if random.random() < 0.2:
            compare_tightest(bench, question, mechanism, log)
        if number == 1 and made.outputs != "numbers":
            compare_privacy(bench, question, mechanism, random, log)
    return log


class _SlowError(Exception):
    """A program took too long."""


def _stop(*_: object) -> None:
    raise _SlowError


def _worker(line: Connection, seed: str, first: int, step: int) -> None:
    number = first
    signal.signal(signal.SIGVTALRM, _stop)
    while True:
        begin = time.process_time()
        log = Log()
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, _SECONDS)
            log = case(f"{seed}:{number}", log)
        except KeyboardInterrupt:
            return
        except _SlowError:
            log.counts["too slow"] += 1
        except Exception as error:
            log.counts["crashes"] += 1
            log.wrong.append("".join(traceback.format_exception(error)[-4:]))
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        watch_memory(log)
        line.send((number, log, time.process_time() - begin))
        number += step


class Soak:
    """Workers that compare one case after another, and what they found together."""

    def __init__(self, seed: str, jobs: int) -> None:
        self.seed, self.jobs = seed, jobs
        self.log = Log()
        self.seconds = 0.0
        """Of the processor."""
        self.slowest: Counter[str] = Counter()
        self._workers: dict[int, tuple[Any, Connection, int, float]] = {}

    def run(self, claims: int, seconds: float) -> None:
        """Compare so many claims, or for so long by the clock, or until Ctrl-C."""
        begin = time.monotonic()
        told = begin
        for job in range(self.jobs):
            self._start(job, job)
        try:
            while self.log.counts["claims"] < claims and time.monotonic() - begin < seconds:
                for job in self._workers:
                    self._look(job)
                if time.monotonic() - told > 30:
                    told = time.monotonic()
                    print(self, f"after {told - begin:.0f} s", flush=True)
        except KeyboardInterrupt:
            print("stopped")
        finally:
            for process, *_ in self._workers.values():
                process.kill()
                process.join()

    def _start(self, job: int, first: int) -> None:
        mine, other = multiprocessing.Pipe(duplex=False)
        process = multiprocessing.Process(
            target=_worker, args=(other, self.seed, first, self.jobs), daemon=True
        )
        process.start()
        self._workers[job] = process, mine, first, time.monotonic()

    def _look(self, job: int) -> None:
        """Take what a worker found; leave a program that cannot be interrupted."""
        process, line, number, since = self._workers[job]
        if line.poll(0.05):
            number, log, seconds = line.recv()
            self._workers[job] = process, line, number + self.jobs, time.monotonic()
            largest = "largest process, MB"
            most = max(self.log.counts[largest], log.counts.pop(largest, 0))
            self.log.counts += log.counts
            self.log.counts[largest] = most
            self.seconds += seconds
            self.slowest[f"{self.seed}:{number}"] = round(1000 * seconds)
            for one in log.wrong:
                self.log.wrong.append(one)
                print(f"\n=== case {self.seed}:{number}\n{one}", flush=True)
        elif time.monotonic() - since > _PATIENCE or not process.is_alive():
            process.kill()
            process.join()
            self.log.counts["hang or end of a process"] += 1
            text = Writer(Random(f"{self.seed}:{number}")).program().text
            print(f"\n=== case {self.seed}:{number} hangs or dies\n{text}", flush=True)
            self._start(job, number + self.jobs)

    def __str__(self) -> str:
        counts = self.log.counts
        share = 1000 * self.seconds / max(1, counts["claims"])
        return (
            f"{counts['claims']:,} claims, {counts['disagreements']} disagreements, "
            f"{share:.0f} ms of the processor each"
        )


def main() -> int:
    """Run from the command line; the exit code is 1 if anything disagrees."""
    reader = argparse.ArgumentParser(prog="soak", description=__doc__.splitlines()[0])
    reader.add_argument("--claims", type=int, default=100_000)
    reader.add_argument("--seconds", type=float, default=math.inf, help="by the clock, at most")
    reader.add_argument("--seed", default="1")
    reader.add_argument("--jobs", type=int, default=2)
    reader.add_argument("--case", help="run one case again, such as 1:234")
    given = reader.parse_args()
    if given.case:
        log = case(given.case)
        print(*log.wrong, sep="\n\n")
    else:
        soak = Soak(given.seed, given.jobs)
        soak.run(given.claims, given.seconds)
        log = soak.log
        print(f"\n{soak}\nslowest cases (ms): {dict(soak.slowest.most_common(8))}")
    for name, count in sorted(log.counts.items()):
        print(f"{count:>9,}  {name}")
    return int(bool(log.wrong or log.counts["too much memory"]))


if __name__ == "__main__":
    sys.exit(main())
