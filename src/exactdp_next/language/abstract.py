"""The arithmetic of kinds: values that are known are computed, of others only the kind.

Each rule of the language about reals and noise is refused here, in the operation that breaks it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ..errors import GivenUp, fail
from ..ring.expr import eps
from ..ring.linear import Linear
from .arithmetics import EXACT, rate_of
from .comparisons import Fork
from .folds import Branch
from .foreign import Foreign
from .kinds import (
    ANY,
    BOOL,
    FORMULA,
    GIVEN,
    INT,
    NOISE,
    NUMBER,
    NUMBERS,
    SCALARS,
    TEXT,
    UNKNOWN,
    Kind,
    Site,
    described,
    join,
    joined,
    known_text,
    known_value,
    noise_in,
    of,
    sites_in,
    with_sites,
)
from .numbers import BINARY, number
from .samplers import WHOLE
from .values import List, Table, Value, is_finite, shown


class Kinds:
    """The arithmetic: values that are known are computed, of others only the kind."""

    def __init__(self) -> None:
        self.pc = 0
        """The instruction that is run: the site of the lists that it makes."""

    @property
    def made(self) -> frozenset[Site]:
        """The site of a new list."""
        return frozenset({(self.pc, False)})

    def constant(self, value: Value) -> Kind:
        """Return the kind of a constant, which cannot be changed if it is a list."""
        return of(value, frozenset({GIVEN}))

    def applied(self, op: str, args: tuple[Kind, ...]) -> Kind:
        """Return what is known of the value of an operation, or refuse it."""
        if op in ("list", "tuple"):
            return self._listed(op, args)
        if any("function" in one.types for one in args) and op != "call":
            fail("N15") if op in BINARY else fail("N24")
        values = [one.value() for one in args]
        if op not in ("call", "not_found") and all(v is not None for v in values):
            found = EXACT.applied(op, tuple(v[0] for v in values if v is not None))
            return self._shared(found, args, op in ("iter", "entries", "index", "+="))
        if op in BINARY:
            return self._binary(op, *args)
        rule = getattr(self, f"_{op}", None)
        if rule is None:
            return self._finite(op, args)
        return with_sites(rule(*args), sites_in(args) | self.made)

    def _shared(self, found: Value, args: Iterable[Kind], same: bool) -> Kind:
        """Return the kind of a known value: lists in it may be those of the arguments.

        It is a list of the arguments itself if `same`, otherwise a new one.
        """
        kind = of(found, sites_in(args))
        return kind if same else replace(kind, sites=self.made)

    def _listed(self, op: str, args: tuple[Kind, ...]) -> Kind:
        for one in args:
            if "function" in one.types and one.known:
                fail("N25", what=str(one.known[0]))
        return Kind(frozenset({op}), None, args, joined(args), self.made)

    def _finite(self, op: str, args: tuple[Kind, ...]) -> Kind:
        """Return the kind of a function of finite values."""
        for one in args:
            if one.holds(*NOISE):
                if op in ("exp", "log", "sqrt"):
                    fail("R11", function=op, what=noise_in(one))
                fail("R20", function=op, what=noise_in(one))
        kinds = {
            "str": TEXT,
            "int": INT,
            "Fraction": NUMBER,
            "floor": INT,
            "ceil": INT,
            "exp": FORMULA,
            "log": FORMULA,
            "sqrt": FORMULA,
            "over": FORMULA,
            "maximum": FORMULA,
            "minimum": FORMULA,
            "not_found": INT,
        }
        return kinds.get(op, ANY)

    # -- numbers

    def _binary(self, op: str, a: Kind, b: Kind) -> Kind:
        if a.noisy or b.noisy:
            return self._of_noise(op, a, b)
        if op in ("+=", "*=") and "list" in a.types and a.types <= {"list"}:
            return self._longer(a, b)
        lists = {"list", "tuple", "text"}
        if a.types <= lists or b.types <= lists:
            return self._of_lists(op, a, b)
        if a.holds("formula") or b.holds("formula"):
            if op in ("+", "-", "*", "/", "**", "+=", "*="):
                return FORMULA
            fail("R12")
        if (a.types | b.types) <= {"bool", "int"}:
            if op == "/":
                return NUMBER
            return NUMBER if op == "**" else INT
        if (a.types | b.types) <= NUMBERS:
            return Kind(NUMBERS) if "inf" in a.types | b.types else NUMBER
        if a.types & NOISE or b.types & NOISE:
            return Kind(a.types | b.types, sampled=a.sampled or b.sampled)
        return ANY

    def _of_lists(self, op: str, a: Kind, b: Kind) -> Kind:
        if op in ("*", "*="):
            one = a if a.types <= {"list", "tuple", "text"} else b
            return replace(one, known=None, entries=None, sites=self.made)
        if op in ("+", "+=") and a.types == b.types:
            entries = None
            if a.entries is not None and b.entries is not None:
                entries = (*a.entries, *b.entries)
            each = joined(one for one in (a.each, b.each) if one)
            return Kind(a.types, None, entries, each, self.made)
        if op == "%" and a.types == {"text"}:
            fail("F25")
        return ANY

    def _of_noise(self, op: str, a: Kind, b: Kind) -> Kind:
        """Return the kind of an operation on noise or real inputs, which is linear."""
        op = op[0] if op in ("+=", "*=") else op
        bounded = a.compared if a.noisy else b.compared
        result = Kind(
            frozenset({"real"} if "real" in a.types | b.types else {"integer"}),
            sampled=a.sampled or b.sampled,
        )
        for one, other in ((a, b), (b, a)):
            if one.types <= {"list", "tuple"}:
                fail("R09", what=noise_in(other)) if op == "*" else fail(
                    "R05", a="a list", b=noise_in(other), op=op
                )
        numbers = NUMBERS | NOISE
        if op in ("*", "/", "**") and not result.sampled and a.types | b.types <= numbers:
            return replace(result, types=frozenset({"real"}))  # numbers, where inputs are listed
        if op in ("//", "%") and not b.noisy:
            return replace(result, types=frozenset({"integer"})) if op == "//" else result
        if op in ("//", "%", "&", "|", "^", "<<", ">>"):
            fail("R06", what=noise_in(b if b.noisy else a), op=op)
        if op == "**":
            if a.types | b.types <= NUMBERS | {"integer"} and bounded:
                return result
            fail("R07", what=noise_in(a if a.noisy else b))
        if a.noisy and b.noisy and op in ("*", "/"):
            if op == "/":
                raise GivenUp("quotients")
            if not (a.compared or b.compared) or "real" in result.types:
                fail("R04", a=noise_in(a), b=noise_in(b))
        return self._with_finite(op, a, b, result)

    def _with_finite(self, op: str, a: Kind, b: Kind, result: Kind) -> Kind:
        """Return the kind of noise with a finite value."""
        finite = b if a.noisy else a
        if finite.types == {"formula"}:
            if op in ("*", "/"):
                fail("R10")
            if finite.known:
                number(finite.known[0])
            return replace(result, types=frozenset({"real"}))
        if op == "/" and b.noisy and not a.noisy:
            fail("R05", a="a number", b=noise_in(b), op=op)
        if not finite.noisy and not finite.types & (NUMBERS | NOISE | {"formula"}):
            problem = f"a number and {described(finite)} have no {op}"
            fail("F05", problem=problem)
        whole = result.types == {"integer"} and not finite.types <= {"int", "bool", "integer"}
        if op == "/" or whole:
            fractions = finite.types - {"int", "bool", "integer"} or op == "/"
            return replace(result, types=frozenset({"real"}) if fractions and "real" in result.types
                           else result.types)  # fmt: skip
        return result

    def _neg(self, a: Kind) -> Kind:
        if a.noisy:
            return a
        if a.types <= {"list", "tuple", "text", "none", "table"}:
            fail("F05", problem=f"{described(a)} has no sign")
        if a.types == {"bool"}:
            return INT
        return replace(a, known=None)

    _pos = _neg

    def _bool(self, a: Kind) -> Kind:
        if a.types & NOISE:
            fail("R13", what=noise_in(a))
        if a.types == {"formula"}:
            fail("R12")
        if a.entries is not None and a.types <= {"list", "tuple"}:
            return of(bool(a.entries))
        return BOOL

    def _abs(self, a: Kind) -> Kind:
        return replace(a, known=None)

    def _round(self, a: Kind, digits: Kind | None = None) -> Kind:
        if a.types <= {"list", "tuple"}:
            fail("R08")
        if not a.types & NOISE:
            return INT if digits is None else NUMBER
        whole = digits is None or digits.types == {"none"}
        return replace(a, known=None, types=frozenset({"integer" if whole else "real"}))

    def _floor(self, a: Kind) -> Kind:
        return self._round(a)

    _ceil = _floor

    def _sum(self, a: Kind, start: Kind | None = None) -> Kind:
        self._require_entries(a)
        each = [one for one in ((a.entries or (a.each,)) or ()) if one is not None]
        result = start or of(0)
        for one in each:
            result = self._binary("+", result, one)
        return result if result.noisy else replace(result, known=None)

    # -- lists

    def _not_found(self, _wanted: Kind) -> Kind:
        return INT

    def _require_entries(self, a: Kind) -> None:
        if a.types and a.types <= NOISE:
            fail("R16", what=noise_in(a))
        if a.types <= SCALARS and not a.known:
            fail("L09", what="a number")

    def _iter(self, a: Kind) -> Kind:
        self._require_entries(a)
        if a.types <= {"table"}:
            return Kind(frozenset({"tuple"}), each=a.each or ANY)
        if a.types <= {"text"}:
            return Kind(frozenset({"tuple"}), each=TEXT)
        return a if a.each or a.entries is not None else ANY

    _entries = _iter

    def _as_list(self, a: Kind) -> Kind:
        found = self._iter(a)
        return replace(found, types=frozenset({"list"}), known=None, sites=self.made)

    def _as_tuple(self, a: Kind) -> Kind:
        return replace(self._as_list(a), types=frozenset({"tuple"}))

    def _reversed(self, a: Kind) -> Kind:
        found = self._as_list(a)
        return replace(found, entries=None if found.entries is None else found.entries[::-1])

    def _enumerate(self, a: Kind, _start: Kind | None = None) -> Kind:
        found = self._iter(a)
        pair = (INT, found.each or ANY)
        one = Kind(frozenset({"tuple"}), None, pair, joined(pair))
        return Kind(frozenset({"list"}), each=one, sites=self.made)

    def _zip(self, *lists: Kind) -> Kind:
        parts = tuple(self._iter(one).each or ANY for one in lists)
        one = Kind(frozenset({"tuple"}), None, parts, joined(parts))
        return Kind(frozenset({"list"}), each=one, sites=self.made)

    def _unpack(self, a: Kind, size: Kind) -> Kind:
        wanted = size.known[0] if size.known else 0
        assert isinstance(wanted, int)
        if a.noisy:
            fail("R19", what=noise_in(a), size=wanted)
        if a.entries is not None and a.types <= {"list", "tuple"}:
            if len(a.entries) != wanted:
                fail("F21", given=len(a.entries), size=wanted)
            return replace(a, types=frozenset({"tuple"}))
        each = self._iter(a).each or ANY
        return Kind(frozenset({"tuple"}), None, (each,) * wanted, each, a.sites)

    def _len(self, a: Kind) -> Kind:
        if a.noisy:
            fail("R18", what=noise_in(a))
        if a.entries is not None and a.types <= {"list", "tuple"}:
            return of(len(a.entries))
        return INT

    def _range(self, *ends: Kind) -> Kind:
        for one in ends:
            if one.types & NOISE:
                fail("R15", what=noise_in(one))
        return Kind(frozenset({"range"}), each=INT)

    def _index(self, a: Kind, at: Kind) -> Kind:
        if a.noisy:
            fail("R17", what=noise_in(a))
        if at.types & NOISE and not at.compared:
            fail("R14", what=noise_in(at))
        if a.types <= SCALARS:
            fail("F30")
        if a.types == {"text"}:
            return TEXT
        if a.types == {"table"}:
            return self._of_table(a)
        if a.entries is not None and at.known and isinstance(at.known[0], int):
            place = at.known[0]
            if not -len(a.entries) <= place < len(a.entries):
                kind = next(iter(a.types))
                fail("F02", what=kind, size=len(a.entries))
            return a.entries[place]
        return replace(a.each, unset=False) if a.each else ANY

    def _of_table(self, a: Kind) -> Kind:
        """Return the kind of a value of a dictionary."""
        if a.entries is not None:
            return joined(a.entries[1::2]) or ANY
        if a.known and isinstance(a.known[0], Table):
            return joined(of(v, a.sites) for _, v in a.known[0].items) or ANY
        return ANY

    def _slice(self, a: Kind, *_ends: Kind) -> Kind:
        if a.noisy:
            fail("R17", what=noise_in(a))
        if a.types <= SCALARS:
            fail("F33")
        values = [one.value() for one in _ends]
        if a.entries is not None and all(v is not None for v in values):
            whole = List(range(len(a.entries)))
            places = EXACT.applied("slice", (whole, *(v[0] for v in values if v is not None)))
            assert isinstance(places, tuple)
            part = tuple(a.entries[i] for i in places if isinstance(i, int))
            return Kind(a.types, None, part, joined(part), self.made)
        return replace(a, known=None, entries=None, sites=self.made)

    def _replace(self, a: Kind, at: Kind, v: Kind) -> Kind:
        if a.types == {"table"}:
            fail("F15")
        if "list" not in a.types:
            fail("F27")
        if at.types & NOISE and not at.compared:
            fail("R14", what=noise_in(at))
        entries = a.entries
        if entries is not None and at.known and isinstance(at.known[0], int):
            place = at.known[0]
            if not -len(entries) <= place < len(entries):
                fail("F28", size=len(entries))
            place %= len(entries)
            entries = (*entries[:place], v, *entries[place + 1 :])
        elif entries is not None:
            entries = tuple(join(one, v) for one in entries)
        each = join(a.each, v) if a.each else v
        return replace(a, known=None, entries=entries, each=each)

    def appended(self, listed: Kind, entry: Kind) -> Kind:
        """Return the kind of a list with one more entry."""
        if "list" not in listed.types:
            fail("F29")
        if "function" in entry.types and entry.known:
            fail("N25", what=str(entry.known[0]))
        entries = None if listed.entries is None else (*listed.entries, entry)
        each = join(listed.each, entry) if listed.each else entry
        return replace(listed, known=None, entries=entries, each=each)

    def _longer(self, a: Kind, b: Kind) -> Kind:
        found = self._iter(b)
        entries = None
        if a.entries is not None and found.entries is not None:
            entries = (*a.entries, *found.entries)
        each = joined(one for one in (a.each, found.each) if one)
        return replace(a, known=None, entries=entries, each=each)

    def _extend(self, a: Kind, b: Kind) -> Kind:
        if "list" not in a.types:
            fail("F29")
        return self._longer(a, b)

    # -- tables

    def _table(self, *parts: Kind) -> Kind:
        for one in parts:
            if one.holds(*NOISE):
                fail("R21", what=noise_in(one))
        return Kind(frozenset({"table"}), None, parts, joined(parts[::2]))

    def _weights(self, *parts: Kind) -> Kind:
        for k, w in zip(parts[::2], parts[1::2], strict=True):
            if k.holds(*NOISE):
                fail("S29", what=noise_in(k))
            if w.holds(*NOISE):
                fail("S30", what=noise_in(w))
        return Kind(frozenset({"table"}), None, parts, joined(parts[::2]))

    def _dict(self, a: Kind) -> Kind:
        if a.holds(*NOISE):
            fail("R21", what=noise_in(a))
        return Kind(frozenset({"table"}), each=ANY)

    def _keys(self, a: Kind) -> Kind:
        return Kind(frozenset({"list"}), each=a.each or ANY, sites=self.made)

    def _values(self, a: Kind) -> Kind:
        return Kind(frozenset({"list"}), each=self._of_table(a), sites=self.made)

    def _items(self, a: Kind) -> Kind:
        pair = (a.each or ANY, self._of_table(a))
        one = Kind(frozenset({"tuple"}), None, pair, joined(pair))
        return Kind(frozenset({"list"}), each=one, sites=self.made)

    # -- declarations and calls

    def _declare(self, v: Kind, name: Kind, kind: Kind, domain: Kind) -> Kind:
        told: dict[str, Any] = {"name": known_text(name), "domain": known_text(kind)}
        if known_text(kind) == "Real":
            if v.types == {"integer"}:
                fail("I27", **told)
            return v
        if "real" in v.types:
            fail("I08", **told)
        if v.types == {"integer"} and not v.compared:
            fail("I09", **told)
        return domain.each or (of(domain.known[0]).each if domain.known else None) or v

    def _call(self, f: Kind, *args: Kind) -> Kind:
        assert f.known
        function = f.known[0]
        assert isinstance(function, Foreign)
        for one in args:
            if one.holds("function"):
                fail("N24")
            if one.holds(*NOISE) and not (one.types == {"integer"} and one.compared):
                fail("N21", function=function.name, what=noise_in(one))
            if one.types == {"formula"} and function.name.rpartition(".")[2] in (
                "exp",
                "log",
                "sqrt",
            ):
                word = function.name.rpartition(".")[2]
                fail("N29", what=function.name, word=word)
        return replace(ANY, types=ANY.types | {"formula"})

    # -- comparisons

    def compared(self, op: str, a: Kind, b: Kind) -> bool | Fork:
        """Return whether a comparison holds, or `UNKNOWN`; what cannot be compared is refused."""
        if "function" in a.types | b.types:
            fail("N17")
        if op in ("is", "is not"):
            self._require_identity(a, b)
        one, two = a.value(), b.value()
        if one is not None and two is not None:
            return EXACT.compared(op, one[0], two[0])
        if op in ("in", "not in"):
            if b.noisy:
                fail("R16", what=noise_in(b))
            self._require_entries(b)
            return UNKNOWN
        if op in ("is", "is not"):
            if a.types.isdisjoint(b.types):
                return op == "is not"
            return UNKNOWN
        for this, other in ((a, b), (b, a)):
            if this.types == {"formula"}:
                if not other.types & NOISE:
                    fail("R12")
                if this.known:
                    number(this.known[0])
            if this.types & {"list", "tuple"} and this.holds(*NOISE) and other.types & this.types:
                fail("R22", what=noise_in(this))
        return UNKNOWN

    def _require_identity(self, a: Kind, b: Kind) -> None:
        single = {"bool", "none"}
        if a.types == {"none"} or b.types == {"none"} or (a.types | b.types) <= single:
            return
        fail("P48")

    def folded(self, how: str, keyed: bool, state: Kind) -> Kind | Branch:
        """Return what is known of the largest, least or sorted entries."""
        value = state.value()
        if value is not None and is_finite(value[0]):
            found = EXACT.folded(how, keyed, value[0])
            assert not isinstance(found, Branch)
            return self._shared(found, [state], how in ("max", "min"))
        parts = state.entries or ((state.each,) if state.each else ())
        if keyed:
            parts = tuple(one.entries[1] for one in parts if one and one.entries)
        each = joined(one for one in parts if one)
        if each is None:
            return ANY
        if how in ("max", "min"):
            if each.types & {"formula"} and not each.types & NOISE:
                return FORMULA
            return replace(each, known=None, compared=True) if not keyed else each
        entries = (each,) * len(state.entries) if state.entries is not None else None
        return Kind(frozenset({"list"}), None, entries, each, self.made)

    # -- samplers

    def drawn(self, noise: str, rate: Kind, mean: Kind) -> tuple[Any, Any]:
        """Check the rate and the mean of noise, or the ends of uniform noise."""
        if noise == "unif":
            for one in (rate, mean):
                if one.sampled:
                    way_out = "Add noise to the sample instead: x + unif(0, 1)"
                    fail("K02", what="noise", way_out=way_out)
            if all(one.value() is not None or one.noisy for one in (rate, mean)):
                ends = [Linear.name(str(i)) if one.noisy else known_value(one)
                        for i, one in enumerate((rate, mean))]  # fmt: skip
                EXACT.drawn("unif", *ends)
            return None, None
        self._rate(rate, noise)
        self._mean(mean, noise)
        return None, None

    def _rate(self, rate: Kind, noise: str) -> None:
        if rate.holds(*NOISE):
            fail("S33", what=noise_in(rate))
        if rate.known:
            rate_of(rate.known[0], noise)
        elif "formula" not in rate.types:
            fail("S01", what=described(rate), way_out="Write a * eps with a rational number a > 0")

    def _mean(self, mean: Kind, noise: str) -> None:
        if mean.types <= {"list", "tuple", "range", "table"}:
            fail("S08", what="a list")
        if noise in WHOLE and "real" in mean.types:
            fail("S09", noise=noise)
        if not mean.types & (NOISE | NUMBERS | {"formula"}) or mean.value() is not None:
            EXACT.drawn(noise, eps, known_value(mean) if mean.value() is not None else None)

    def choices(self, table: Kind) -> list[tuple[Kind, Any]]:
        """Check the probabilities of `choose` where they are known."""
        if "table" not in table.types:
            if table.holds(*NOISE):
                fail("S31", what=noise_in(table))
            value = table.value()
            fail("S21", what=shown(value[0]) if value is not None else described(table))
        if table.known:
            EXACT.choices(table.known[0])
        elif table.entries is not None:
            keys, weights = table.entries[::2], table.entries[1::2]
            known = [w.value() for w in weights]
            if all(w is not None for w in known):
                names = [known_value(k) if k.value() is not None else f"value {i}"
                         for i, k in enumerate(keys, 1)]  # fmt: skip
                pairs = zip(names, (w[0] for w in known if w is not None), strict=True)
                EXACT.choices(Table(tuple(pairs)))
        return [(table.each or ANY, None)]

    def scored(self, rate: Kind, scores: Kind) -> tuple[Any, list[tuple[Kind, Any]]]:
        """Check the candidates and scores of `expmech`."""
        if scores.entries == ():
            fail("S14")
        each = scores.each
        assert each
        assert each.entries
        candidate, score = each.entries
        if candidate.holds(*NOISE):
            fail("S34")
        if score.sampled:
            fail("S35", what=noise_in(score)) if score.types == {"integer"} else fail("S46")
        self._rate(rate, "expmech")
        value = scores.value()
        if value is not None and rate.known:
            EXACT.scored(rate.known[0], value[0])
        return None, [(candidate, None)]
