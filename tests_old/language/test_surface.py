"""What a user writes: the table of DESIGN section 2, and the ways to write a mechanism down."""

from __future__ import annotations

import doctest
import linecache
import math
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import exactdp.language as edp
from exactdp import Ideal, Mechanism, ideal, lap, mechanism, reals
from exactdp.errors import ExactdpError, ProgramError
from exactdp.language.words import OutsideMechanismError

from .python_run import by_numbers

NAMES = {
    "mechanism": mechanism,
    "ideal": ideal,
    **{name: getattr(edp, name) for name in ("Real", "Dom", "lap", "dlap", "expo")},
    **{name: getattr(edp, name) for name in ("expmech", "choose")},
    "eps": reals.eps,
    "exp": reals.exp,
}


def cell(text: str, **names: object) -> dict[str, Any]:
    """Run a text as a notebook does: its lines are known to `linecache`, nothing is in a file."""
    file = f"<cell {len(linecache.cache)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space: dict[str, Any] = {"__name__": "__main__", **NAMES, **names}
    exec(compile(text, file, "exec"), space)
    return space


def read(text: str, **constants: object) -> Mechanism:
    return Mechanism.from_source(text, constants=constants)


# Ways to write it down ------------------------------------------------------------------


def test_in_a_cell_at_module_level() -> None:
    text = "@mechanism\ndef f(q: Real):\n    return lap(eps, q) >= 0\n"
    found = cell(text)["f"]
    assert isinstance(found, Mechanism)
    assert str(found) == "def f(q: Real):\n    return lap(eps, q) >= 0"


@pytest.mark.parametrize(
    "text",
    [
        "def f(q: Real):\n    x = lap(eps, q)\n# a remark\n\n    return x > 1  # the end\n",
        "def f(\n    q: Real,\n):\n    x = lap(eps, q)\n    return x > 1\n",
        "def f(q: Real):\n    x = lap(\neps,\nq\n)\n    return x > 1\n",
        'def f(q: Real):\n    """A\ndef."""\n    x = lap(eps, q)\n    return x > 1\n',
        "def f(q: Real):\n    x = \\\nlap(eps, q)\n    return x > 1\n",
    ],
)
@pytest.mark.parametrize("indented", [False, True])
def test_lines_that_are_not_indented(text: str, indented: bool) -> None:
    """The end of a function is where the indentation ends, unless a statement goes on there."""
    text = f"@mechanism\n{text}y = 1\n"
    if indented and '"""' not in text and "\\" not in text:
        text = "if True:\n" + "".join(f"  {line}\n" for line in text.splitlines())
    found = cell(text)["f"]
    assert str(found).endswith("    x = lap(eps, q)\n    return x > 1")


def test_nested_in_a_factory_constants_are_taken_at_decoration() -> None:
    text = (
        "def make(m, c):\n"
        "    @mechanism\n"
        "    def f(q: Real[m]):\n"
        "        return [lap(eps / c, q[i]) for i in range(m)]\n"
        "    m = 99\n"
        "    return f\n"
    )
    found = cell(text)["make"](2, 3)
    assert found.definition.constants == {"m": 2, "c": 3}
    assert str(found.inputs[0].type) == "Real[2]"


def test_annotations_may_be_strings() -> None:
    """`from __future__ import annotations` leaves only the text of `Real[m]`."""
    text = (
        "from __future__ import annotations\n"
        "def make(m):\n"
        "    @mechanism\n"
        "    def f(q: Real[m]):\n"
        "        return lap(eps, q[0])\n"
        "    return f\n"
    )
    assert str(cell(text)["make"](4).inputs[0].type) == "Real[4]"
    assert str(read("def f(q: 'Real[2]'):\n    return 1\n").inputs[0].type) == "Real[2]"


def test_places_are_those_of_the_file() -> None:
    text = (
        "\n\ndef make():\n    @mechanism\n    def f(q: Real):\n        return q * q\n    return f\n"
    )
    space = cell(text)
    with pytest.raises(ProgramError) as caught:
        space["make"]()
    assert (caught.value.line, caught.value.column) == (6, 16)
    assert caught.value.place is not None
    assert caught.value.place.text == "        return q * q"


def test_without_a_source_it_says_so() -> None:
    space: dict[str, Any] = dict(NAMES)
    with pytest.raises(ProgramError, match="cannot be found") as caught:
        exec("@mechanism\ndef f():\n    return 1\n", space)
    assert "from_source" in str(caught.value)


@pytest.mark.parametrize("wrong", [3, len, lambda q: q, str, None])
def test_only_a_def_can_be_a_mechanism(wrong: Any) -> None:
    with pytest.raises(ProgramError, match="cannot be a mechanism"):
        mechanism(wrong)


def test_in_a_doctest() -> None:
    text = """
    >>> @mechanism
    ... def flip(q: Real):
    ...     return lap(eps, q) > 0
    >>> print(flip)
    def flip(q: Real):
        return lap(eps, q) > 0
    """
    test = doctest.DocTestParser().get_doctest(text, dict(NAMES), "example", None, 0)
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


def test_in_a_script(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from exactdp import Real, eps, lap, mechanism\n"
        "@mechanism\ndef f(q: Real):\n    return lap(eps, q)\nprint(f)\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "def f(q: Real):\n    return lap(eps, q)\n"


def test_nothing_is_run_by_from_source() -> None:
    text = "def f():\n    assert boom() == 1\n    return 1\n"

    def boom() -> int:
        raise AssertionError("was run")

    read(text, boom=boom)


def test_names_of_the_module_can_be_dotted() -> None:
    module = ModuleType("exactdp")
    vars(module).update(NAMES)
    text = "def f(q: dp.Real[2]):\n    return dp.lap(dp.eps / 2, q[0]) > math.floor(T)\n"
    found = read(text, dp=module, math=math, T=Fraction(5, 2))
    assert "return lap(eps / 2, q[0]) > floor(T)" in str(found)
    assert by_numbers(found, [1, 1], [Fraction(3, 2)]) is True
    assert by_numbers(found, [1, 1], [Fraction(1)]) is False


def test_renamed_imports() -> None:
    found = cell(
        "@mechanism\ndef f(q: R):\n    return laplace(e, q)\n",
        R=NAMES["Real"],
        laplace=lap,
        e=reals.eps,
    )["f"]
    assert str(found) == "def f(q: Real):\n    return lap(eps, q)"


def test_samplers_outside_a_mechanism_say_so() -> None:
    with pytest.raises(OutsideMechanismError, match="outside a mechanism"):
        lap(1, 2)
    with pytest.raises(OutsideMechanismError, match="called like a function"):
        read("def f():\n    return lap(eps, 0)\n")()


# Constants ------------------------------------------------------------------------------


def test_constants_of_every_kind() -> None:
    text = "def f():\n    return a, b, c, d, e, g, h, k\n"
    found = read(
        text,
        a=1,
        b=Fraction(1, 3),
        c="0.1",
        d=0.1,
        e=(1, [2, None]),
        g=Decimal("0.25"),
        h="word",
        k=True,
    )
    third, tenth = Fraction(1, 3), Fraction(1, 10)
    assert found.run() == (1, third, tenth, tenth, (1, (2, None)), Fraction(1, 4), "word", True)
    explained = found.explain()
    assert "the float 0.1 is read as the decimal it spells, 1/10" in explained
    assert "the string '0.1' is read as the number 1/10" in explained


def test_a_float_in_the_source_is_the_decimal_it_spells() -> None:
    found = read("def f():\n    return 0.1 + 0.2, 1e-3, 0.1000000000000000055511151231257827\n")
    assert found.run()[:2] == (Fraction(3, 10), Fraction(1, 1000))
    assert found.run()[2] != Fraction(1, 10)
    assert "line 2: 0.1 is read as the decimal 1/10" in found.explain()


def test_lists_are_copied_at_decoration() -> None:
    shared = [1, 2]
    found = read("def f():\n    return xs\n", xs=shared)
    shared.append(3)
    assert found.run() == (1, 2)


def test_closed_forms_and_functions_of_eps() -> None:
    """`half = eps / 2` outside, and a variable for a rate inside, are the same rate."""
    half = reals.eps / 2
    text = "def f(q: Real):\n    rest = eps - half\n    return lap(half, q), lap(rest / 3, q)\n"
    found = read(text, half=half)
    event = found.machine.advance(found.machine.start(found.read_input(0)))
    assert getattr(event, "rate", None) == Fraction(1, 2)
    after = found.machine.advance(found.machine.resume(event, 0))  # type: ignore[arg-type]
    assert getattr(after, "rate", None) == Fraction(1, 6)


# Rows of the table ----------------------------------------------------------------------


def test_inputs_of_every_type() -> None:
    text = (
        "def f(a: Real, b: Real[2], c: Dom(-3, 3), d: Dom(0, 1)[2], "
        "e: Dom(['x', 'y']), g: bool):\n    return a, b, c, d, e, g\n"
    )
    found = read(text)
    u = ("0.5", (1, "2/3"), -3, [0, 1], "y", True)
    assert found.run(u) == (Fraction(1, 2), (1, Fraction(2, 3)), -3, (0, 1), "y", True)
    assert found.run(dict(zip("abcdeg", u, strict=True))) == found.run(u)
    again = Mechanism.from_source(str(found))
    assert again == found


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("Real", "one"),
        ("Real", math.nan),
        ("Real", math.inf),
        ("Real", True),
        ("Real", [1]),
        ("Real", None),
        ("Real[2]", [1]),
        ("Real[2]", [1, 2, 3]),
        ("Real[2]", 1),
        ("Real[2]", "12"),
        ("Dom(0, 3)", 4),
        ("Dom(0, 3)", "0"),
        ("Dom(0, 3)", True),
        ("Dom(0, 3)", Fraction(1, 2)),
        ("Dom(0, 3)[2]", [0, 9]),
        ("bool", 2),
    ],
)
def test_wrong_inputs(kind: str, value: object) -> None:
    found = read(f"def f(q: {kind}):\n    return 1\n")
    with pytest.raises(ExactdpError, match="the input q of f"):
        found.run(value)


def test_wrong_number_of_inputs() -> None:
    found = read("def f(a: Real, b: Real):\n    return 1\n")
    for wrong in (1, (1,), {"a": 1}, {"a": 1, "b": 2, "c": 3}, "ab"):
        with pytest.raises(ExactdpError, match="inputs"):
            found.run(wrong)
    with pytest.raises(ProgramError, match="has no type"):
        read("def f(a):\n    return 1\n").run(1)


@pytest.mark.parametrize(
    ("call", "rate"),
    [
        ("lap(3 * eps / 4, q)", Fraction(3, 4)),
        ("lap(scale=2 / eps, mean=q)", Fraction(1, 2)),
        ("lap(mean=q, rate=eps)", Fraction(1)),
        ("expo(eps / 2, q)", Fraction(1, 2)),
        ("expo(scale=1 / (3 * eps), start=q)", Fraction(3)),
        ("lap(0.1 * eps, 2 * q - 1)", Fraction(1, 10)),
    ],
)
def test_rates(call: str, rate: Fraction) -> None:
    found = read(f"def f(q: Real):\n    return {call}\n")
    event = found.machine.advance(found.machine.start(found.read_input(1)))
    assert getattr(event, "rate", None) == rate
    assert getattr(event, "mean", None) == 1
    assert Mechanism.from_source(str(found)) == found


def test_expmech_and_choose() -> None:
    text = "def f(x: Dom(0, 2)):\n    return expmech(eps / 2, lambda v: -abs(v - x), range(3))\n"
    found = read(text)
    event = found.machine.advance(found.machine.start((1,)))
    assert getattr(event, "exponents", None) == (Fraction(-1, 2), 0, Fraction(-1, 2))
    found = read("def f():\n    p = 1 / (1 + exp(eps))\n    return choose({'a': p, 'b': 1 - p})\n")
    event = found.machine.advance(found.machine.start(()))
    assert [str(p) for p in getattr(event, "chances", ())] == [
        "1 / (1 + exp(eps))",
        "1 - 1 / (1 + exp(eps))",
    ]


def test_a_score_may_be_written_in_the_language() -> None:
    text = (
        "def score(x, v):\n    return -abs(x - v)\n"
        "def f(x: Dom(0, 2)):\n    return expmech(eps, lambda v: score(x, v), [0, 1, 2])\n"
    )
    found = read(text)
    event = found.machine.advance(found.machine.start((2,)))
    assert getattr(event, "exponents", None) == (-2, -1, 0)
    assert found.noiseless().run(2) == 2


def test_python_functions_get_python_values() -> None:
    def count(xs: list[int]) -> Fraction:
        assert type(xs) is list
        return Fraction(len([*xs, 1]), 2)

    found = read("def f(x: Dom(0, 1)[2]):\n    xs = list(x)\n    return g(xs)\n", g=count)
    assert found.run([0, 1]) == Fraction(3, 2)


def test_subroutines_are_inlined() -> None:
    helper = read(
        "def top(xs):\n    best = 0\n    for i in range(1, len(xs)):\n"
        "        if xs[i] > xs[best]:\n            best = i\n    return best\n"
    )
    text = "def f(q: Real[3]):\n    return top([lap(eps, x) for x in q])\n"
    found = read(text, top=helper)
    assert by_numbers(found, [0, 5, 1], [0, 0, 0]) == 1
    assert by_numbers(found, [0, 5, 1], [6, 0, 0]) == 0
    assert Mechanism.from_source(str(found)) == found
    assert found.noiseless().run([0, 5, 1]) == 1


def test_ideal() -> None:
    text = "@ideal\ndef f(q: Real[2]):\n    return max(q), q[0] / 3\n"
    found = cell(text)["f"]
    assert isinstance(found, Ideal)
    assert found([1, "0.5"]) == (1, Fraction(1, 3))
    assert found.run([1, 2]) == (2, Fraction(1, 3))
    helper = cell("@ideal\ndef g(a, b):\n    return a - b\n")["g"]
    assert helper(3, Fraction(1, 2)) == Fraction(5, 2)


def test_infinity() -> None:
    text = "def d(u: Real, v: Real):\n    if u == v:\n        return 0\n    return inf\n"
    found = read(text)
    assert found.run((1, 1)) == 0
    assert found.run((1, 2)) == math.inf


def test_none_beside_reals() -> None:
    text = (
        "def f(q: Real[2]):\n    out = [None, None]\n    for i in range(2):\n"
        "        r = lap(eps, q[i])\n        if r > 0:\n            out[i] = r\n"
        "    if out[0] is None and out[1] == None:\n        return None\n    return out\n"
    )
    found = read(text)
    assert by_numbers(found, [0, 0], [1, -1]) == (1, None)
    assert by_numbers(found, [0, 0], [-1, -1]) is None


def test_lists_of_lists_that_python_shares_or_not() -> None:
    """Building rows one by one is no alias, though one line makes all of them."""
    text = (
        "def f(x: Dom(0, 3)):\n    rows = []\n    for i in range(3):\n        row = []\n"
        "        for j in range(i):\n            row.append(x * j)\n        rows.append(row)\n"
        "    return rows\n"
    )
    assert read(text).run(2) == ((), (0,), (0, 2))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return x & 1, x | 8 ^ x, (x ^ 1) & 2, x << 1 + 1, x >> 1 & 1 == 0", (1, 13, 0, 20, True)),
        ("return (x & 1) == 0, divmod(x, 2)", (False, (2, 1))),
        ("w = {4: 'no', 5: 'yes'}\n    return w[x], x in w, len(w)", ("yes", True, 2)),
        ("return {i: i * x for i in range(3) if i}[2], {i: 1 for i in [x]}[5]", (10, 1)),
        ("return x in {4, 5}, x not in {5}", (True, False)),
        (
            "xs = [1]\n    xs.extend([x])\n    xs.extend(i for i in range(2))\n    return xs",
            (1, 5, 0, 1),
        ),
        ("xs: list[int] = []\n    y: int = x\n    xs.append(y)\n    return xs", (5,)),
        ("return T[x], len(T)", (Fraction(1, 2), 1)),
        ("return H, [0, 1, 2][H]", (2, 2)),
    ],
)
def test_python_of_finite_values(body: str, expected: object) -> None:
    """Bits, dictionaries, membership in a set, `extend`, Python's own types; all read back."""
    text = f"def f(x: Dom(0, 7)):\n    {body}\n"
    found = read(text, T={5: Fraction(1, 2)}, H=Fraction(2))
    assert found.run(5) == expected
    assert Mechanism.from_source(str(found)) == found


def test_choose_from_a_table() -> None:
    """Permute-and-flip as it is written down: a uniform pick among what is left."""
    text = (
        "def f(q: Dom(0, 1)[2]):\n    left = list(range(2))\n    while True:\n"
        "        r = choose({i: Fraction(1, len(left)) for i in left})\n"
        "        p = exp(eps * (q[r] - max(q)) / 2)\n"
        "        if choose({True: p, False: 1 - p}):\n            return r\n"
        "        left = [i for i in left if i != r]\n"
    )
    found = read(text)
    assert Mechanism.from_source(str(found)) == found
    assert found.probability([0, 1], 0) == reals.exp(-reals.eps / 2) / 2
    table = {0: reals.exp(-reals.eps), 1: 1 - reals.exp(-reals.eps)}
    known = read("def f():\n    return choose(T)\n", T=table)
    assert known.probability((), 0) == reals.exp(-reals.eps)
    assert Mechanism.from_source(str(known)) == known
    with pytest.raises(ProgramError, match="sum to 3/2"):
        read("def f():\n    return choose({i: 0.5 for i in range(3)})\n")
    with pytest.raises(ProgramError, match="choose cannot pick from 1"):
        read("def f(x: Dom(0, 1)):\n    return choose(x)\n").run(1, 1)


def test_declared_domains() -> None:
    found = read("def f(x: Dom(0, 5)):\n    y: Dom(0, 5) = x\n    y += 1\n    return y\n")
    assert found.run(4) == 5
    with pytest.raises(ProgramError, match=r"y is Dom\(0, 5\): 6 is outside"):
        found.run(5)


def test_equality_and_text() -> None:
    one = read("def f(q: Real):\n    return lap(eps/2,q)\n")
    other = read("def f( q : Real ):\n\n    return lap(eps / 2, q)  # the same\n")
    assert one == other
    assert hash(one) == hash(other)
    assert one != read("def f(q: Real):\n    return lap(eps / 3, q)\n")
    assert read("def f():\n    return m\n", m=1) != read("def f():\n    return m\n", m=2)
    assert repr(one) == "<mechanism f(q: Real)>"
