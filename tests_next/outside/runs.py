"""Random programs are run here and in CPython, and their values compared; so are their kinds.

`PYTHONPATH=src:tests_next python -m outside.runs 10000` prints what comes of many programs, which
codes refuse them, and how often each form occurs.
"""

from __future__ import annotations

import random
import signal
import sys
from collections import Counter
from fractions import Fraction
from typing import Any, NoReturn

from tests_next.outside import programs

from exactdp_next.errors import ExactdpError, NotYet
from exactdp_next.language.arithmetics import EXACT
from exactdp_next.language.check import Checked
from exactdp_next.language.code import Code
from exactdp_next.language.interpret import (
    Chosen,
    Discarded,
    Forked,
    Interpreter,
    Returned,
    Sampled,
    Selected,
    Tied,
)
from exactdp_next.language.kinds import Kind
from exactdp_next.language.program import Program
from exactdp_next.language.read import Reading
from exactdp_next.language.samplers import WHOLE
from exactdp_next.language.values import List, Table, Value, key, value_of
from exactdp_next.ring.expr import Expr
from exactdp_next.ring.linear import Linear

REFUSED = {
    "L01": "a list that may be a constant is changed",
    "L04": "a list with two names is changed",
    "P48": "`is` of values that may be more than None and truth values",
    "R01": "noise is carried by a `while` loop",
    "R04": "noise is multiplied by noise",
    "R06": "noise is a divisor",
    "quotients": "noise is divided by noise",
    "R07": "noise is raised",
    "R11": "exp of noise",
    "R14": "noise is an index",
    "R15": "noise bounds a loop",
    "R17": "noise has no entries",
    "R20": "noise in a function of finite values",
    "R21": "noise in a dictionary",
    "R22": "lists with noise are compared",
    "R13": "noise is a condition",
    "S09": "the mean of integer noise may be a real",
    "S10": "the mean of integer noise is no integer",
    "S35": "a score depends on noise",
    "S46": "a score depends on noise",
    "S16": "a score samples",
    "N03": "a variable may have no value, for another input or outcome",
    "N04": "a variable has no value, for another input or outcome",
    "R29": "noise is drawn in a loop that carries it",
    "I12": "outputs of different shape",
    "R05": "a quotient by noise",
    "R09": "a list times noise",
}
"""What may be refused although CPython has a value: rules of the language."""


def ours(program: Program, inputs: dict[str, Any], seed: int) -> Value | Discarded:
    """Return the value of a run with samples from a tape; only live variables are kept."""
    tape = programs.Tape(seed)
    interpreter = Interpreter(program.code, EXACT)
    env, pc = {x: value_of(v) for x, v in inputs.items()}, 0
    while True:
        env = {x: v for x, v in env.items() if x in program.code.live[pc]}
        found = interpreter.run(pc, env)
        match found:
            case Returned(output):
                return output
            case Discarded():
                return found
            case Sampled(noise, _, mean, target, ((pc, env),)):
                if noise == "unif":
                    drawn: Value = tape.real()
                else:
                    drawn = mean + (tape.whole() if noise in WHOLE else tape.real())
                env = {**env, target: drawn}
            case Chosen() | Selected():
                pc, env = found.next[tape.place(len(found.next))]
            case _:
                raise AssertionError(found)


def with_forms(program: Program, inputs: dict[str, Any], seed: int) -> Value | Discarded:
    """Return the value of the same run by forms: real inputs and noise are names till the end."""
    tape = programs.Tape(seed)
    numbers: dict[Any, Any] = {x: v for x, v in inputs.items() if isinstance(v, Fraction)}
    env: dict[str, Value] = {x: value_of(v) for x, v in inputs.items()}
    env |= {x: Linear.name(x) for x in numbers}
    interpreter, pc = Interpreter(program.code, EXACT), 0
    while True:
        found = interpreter.run(pc, env)
        match found:
            case Returned(output):
                return value_of(substituted(output, numbers))
            case Discarded():
                return found
            case Sampled(noise, _, mean, target, ((pc, env),)):
                drawn = tape.whole() if noise in WHOLE else tape.real()
                name = len(numbers)
                numbers[name] = drawn if noise == "unif" else substituted(mean, numbers) + drawn
                env = {**env, target: Linear.name(name)}
            case Forked(form, strict, after):
                at = substituted(form, numbers)
                pc, env = after[not (at > 0 or (at == 0 and not strict))]
            case Tied(form, after):
                pc, env = after[substituted(form, numbers) != 0]
            case Chosen() | Selected():
                pc, env = found.next[tape.place(len(found.next))]


def substituted(v: Value, numbers: dict[Any, Any]) -> Any:
    """Return a value with numbers for names."""
    match v:
        case Linear():
            return v.at(numbers)
        case List() | tuple():
            return type(v)(substituted(one, numbers) for one in v)
    return v


def comparable(v: Any) -> object:
    """Return a value in which numbers are equal if they are the same number."""
    match v:
        case bool():
            return ("bool", v)
        case float():
            return Fraction(v) if abs(v) < 1e300 else v
        case List() | list():
            return ("list", *map(comparable, v))
        case tuple():
            return ("tuple", *map(comparable, v))
        case Table(items):
            return ("table", *((comparable(k), comparable(x)) for k, x in items))
        case dict():
            return ("table", *((comparable(k), comparable(x)) for k, x in v.items()))
    return v


def outcome(seed: int) -> tuple[str, str]:
    """Return what comes of a program: equal, refused, fails in both, or different."""
    text, _ = programs.drawn(seed)
    rng = random.Random(seed)
    inputs = {
        "x": rng.randint(-2, 3),
        "b": rng.random() < 0.5,
        "q": Fraction(rng.randint(-9, 9), 4),
    }
    try:
        theirs = comparable(programs.in_python(text, inputs, seed))
    except programs.Discarded:
        theirs = Discarded
    except (ArithmeticError, LookupError, TypeError, ValueError, NameError, AssertionError,
            TimeoutError) as error:  # fmt: skip
        theirs = error
    try:
        program = Program.of(text)
        found = ours(program, inputs, seed)
    except NotYet:
        return "not yet", ""
    except ExactdpError as error:
        if isinstance(theirs, Exception) or error.code in REFUSED:
            return ("fails in both" if isinstance(theirs, Exception) else "refused"), error.code
        return "different", f"{error}\nCPython: {theirs}"
    assert Code.of_json(program.code.json()) == program.code
    assert Code.parse(str(program.code)) == program.code
    if isinstance(theirs, Exception):
        return "different", f"{found}\nCPython: {theirs!r}"
    try:
        again = with_forms(program, inputs, seed)
        if not isinstance(found, Discarded) and not isinstance(again, Discarded):
            assert comparable(again) == comparable(found), again
        else:
            assert type(again) is type(found)
    except NotYet:
        pass  # a product of unknown inputs
    if isinstance(found, Discarded):
        return ("equal" if theirs is Discarded else "different"), "discarded"
    if comparable(found) == theirs:
        return "equal", ""
    return "different", f"{key(found)}\nCPython: {theirs}"


KINDS: dict[str, type | tuple[type, ...]] = {
    "bool": bool,
    "int": int,
    "fraction": (int, Fraction),
    "text": str,
    "range": range,
    "inf": float,
    "none": type(None),
    "table": Table,
    "formula": Expr,
    "list": List,
    "real": (int, Fraction, float),
    "integer": (int, Fraction),
    "tuple": tuple,
}


def fits(value: Value, kind: Kind) -> bool:
    """Whether a value is one of a kind."""
    if kind.known is not None and key(value) != key(kind.known[0]):
        return False
    if not any(isinstance(value, KINDS[one]) for one in kind.types):
        return False
    if isinstance(value, List | tuple):
        if kind.entries is not None and kind.types <= {"list", "tuple"}:
            pairs = zip(value, kind.entries, strict=True)
            return len(value) == len(kind.entries) and all(fits(v, k) for v, k in pairs)
        if kind.each is not None:
            return all(fits(one, kind.each) for one in value)
    return True


def followed(reading: Reading, checked: Checked, inputs: dict[str, Any], seed: int) -> int:
    """Run a program, and compare its values with their kinds; return how many were compared."""
    tape = programs.Tape(seed)
    interpreter = Interpreter(reading.code, EXACT)
    env, pc, count = {x: value_of(v) for x, v in inputs.items()}, 0, 0
    for _ in range(3_000):
        kinds = checked.before[pc]
        for x in reading.code.live[pc]:
            if x in env:
                assert fits(env[x], kinds[x]), (pc, str(reading.code[pc]), x, env[x], kinds[x])
                count += 1
            else:
                assert x not in kinds or kinds[x].unset, (pc, x)
        try:
            found = interpreter.step(pc, env)
        except (ExactdpError, NotYet):
            return count
        match found:
            case int():
                pc = found
            case Sampled(noise, _, mean, target, ((pc, env),)):
                whole = noise in WHOLE
                drawn = tape.real() if noise == "unif" else mean
                env = {**env, target: drawn + (tape.whole() if whole else tape.real())}
            case Chosen() | Selected():
                pc, env = found.next[tape.place(len(found.next))]
            case _:
                return count
    return count


class Late(BaseException):
    """A program takes too long, here or in CPython."""


def _late(*_signal: object) -> NoReturn:
    raise Late


def main(most: int, first: int = 0) -> None:
    """Run many programs; print outcomes, codes, and how often each form occurs."""
    outcomes, codes, used = Counter[str](), Counter[str](), Counter[str]()
    signal.signal(signal.SIGALRM, _late)
    for seed in range(first, first + most):
        signal.alarm(10)
        try:
            what, said = outcome(seed)
        except Late:
            what, said = "late", ""
        except Exception as error:
            what, said = "crash", repr(error)
        signal.alarm(0)
        outcomes[what] += 1
        text, forms = programs.drawn(seed)
        used += forms
        if what in ("refused", "fails in both"):
            codes[f"{what} {said}"] += 1
        elif what in ("different", "crash", "late"):
            print(f"== {seed}: {what}\n{text}{said}\n", flush=True)
    print(outcomes, codes, used, f"{len(used)} forms", sep="\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
