"""`make soak`: compare random claims with the oracle, many of them.

python -m soak --claims 100000 --seed 1 --jobs 2
python -m soak --case 1:234          # one program again, with all that was compared
"""

from __future__ import annotations

import argparse
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

from .claims import GRID, Asker
from .compare import Bench, Log, compare, compare_distribution, compare_tightest, near_truth
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
    bench = Bench(made.text, GRID[2::3] if made.hard else GRID)
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
        line.send((number, log, time.process_time() - begin))
        number += step


def run(claims: int, seed: str, jobs: int, show: Any = print) -> Log:
    """Compare at least so many claims; a program that takes too long is told and left."""
    total, begin, told = Log(), time.monotonic(), 0.0
    slow: Counter[int] = Counter()
    workers: dict[int, tuple[Any, Connection, int, float]] = {}

    def start(job: int, first: int) -> None:
        mine, other = multiprocessing.Pipe(duplex=False)
        process = multiprocessing.Process(
            target=_worker, args=(other, seed, first, jobs), daemon=True
        )
        process.start()
        workers[job] = process, mine, first, time.monotonic()

    for job in range(jobs):
        start(job, job)
    while total.counts["claims"] < claims:
        for job, (process, line, number, since) in list(workers.items()):
            if line.poll(0.05):
                done, log, seconds = line.recv()
                workers[job] = process, line, done + jobs, time.monotonic()
                total.counts += log.counts
                slow[done] = round(1000 * seconds)
                for one in log.wrong:
                    total.wrong.append(f"case {seed}:{done}: {one}")
                    show(f"\n=== case {seed}:{done}\n{one}", flush=True)
            elif time.monotonic() - since > _PATIENCE:
                process.kill()
                process.join()
                total.counts["too slow"] += 1
                text = Writer(Random(f"{seed}:{number}")).program().text
                show(
                    f"\n=== case {seed}:{number} took more than {_PATIENCE:g} s\n{text}", flush=True
                )
                start(job, number + jobs)
        if time.monotonic() - told > 30:
            told = time.monotonic()
            done = total.counts["claims"]
            show(
                f"{done:,} claims, {total.counts['disagreements']} disagreements, "
                f"{told - begin:.0f} s",
                flush=True,
            )
    for process, *_ in workers.values():
        process.kill()
        process.join()
    show(f"slowest cases (ms): {slow.most_common(8)}")
    return total


def main() -> int:
    """Run from the command line; the exit code is 1 if anything disagrees."""
    reader = argparse.ArgumentParser(prog="soak", description=__doc__.splitlines()[0])
    reader.add_argument("--claims", type=int, default=100_000)
    reader.add_argument("--seed", default="1")
    reader.add_argument("--jobs", type=int, default=2)
    reader.add_argument("--case", help="run one case again, such as 1:234")
    given = reader.parse_args()
    if given.case:
        log = case(given.case)
        print(*log.wrong, sep="\n\n")
    else:
        log = run(given.claims, given.seed, given.jobs)
    for name, count in sorted(log.counts.items()):
        print(f"{count:>9,}  {name}")
    return int(bool(log.wrong))


if __name__ == "__main__":
    sys.exit(main())
