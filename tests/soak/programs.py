"""Random mechanisms as text, with what a claim about them needs to know."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

RATES = ("eps", "eps", "eps / 2", "2 * eps", "eps / 3", "3 * eps / 2")
CONSTANTS = ("0", "0", "1", "-1", "2", "1 / 2", "-1 / 3")
OPS = ("<", "<=", ">", ">=")


@dataclass(frozen=True)
class Made:
    """A program; `outputs` are "finite", "positions" of the input, or "numbers" with noise."""

    text: str
    outputs: str
    reals: int
    """How many numbers of the input are real."""
    domains: tuple[tuple[int, int], ...]
    """The ends of each finite entry; they come before the reals."""
    ideal: str | None
    """The ideal as a program, if there must be one."""
    hard: bool = False
    """Whether three noises are compared with each other, or integers are summed up."""


class Writer:
    """Writes programs; all that is random comes from one generator."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def pick(self, *options: str) -> str:
        """Return one of the options."""
        return self.random.choice(options)

    def chance(self, p: float) -> bool:
        """Return True with a probability."""
        return self.random.random() < p

    # Real noise -------------------------------------------------------------------------

    def real(self) -> Made:
        """Return a program with real noise and nested conditions."""
        size = self.random.choice((1, 1, 2, 2, 3))
        domains = ((0, 2),) if self.chance(0.1) else ()
        inputs = [f"q[{k}]" for k in range(size)]
        header = f"q: Real[{size}]"
        if size == 1 and self.chance(0.6):
            inputs, header = ["q"], "q: Real"
        if domains:
            header = f"x: Dom(0, 2), {header}"
            inputs.append("x")
        count = self.random.choices((1, 2, 3), (50, 46, 4))[0]
        lines: list[str] = []
        noises: list[str] = []
        for k in range(count):
            name = "abc"[k]
            kind = self.pick("lap", "lap", "lap", "expo")
            mean = self.pick(*inputs, *inputs, *inputs, self.pick(*CONSTANTS))
            if self.chance(0.15):
                mean = f"{mean} + {self.pick(*CONSTANTS)}"
            if noises and kind == "lap" and self.chance(0.12):
                mean = self.pick(*noises)
            rate = self.pick(*RATES)
            arguments = f"{rate}, {mean}"
            if kind == "lap" and self.chance(0.05):
                arguments = f"scale={self.pick('1', '2', '1 / 2')} / eps, mean={mean}"
            lines.append(f"    {name} = {kind}({arguments})")
            noises.append(name)
        numeric = self.chance(0.25)
        lines += self.block("    ", self.random.choice((1, 1, 2)), noises, inputs, numeric)
        text = f"def program({header}):\n" + "\n".join(lines) + "\n"
        outputs = "numbers" if numeric else "finite"
        return Made(text, outputs, size, domains, None, hard=count == 3)

    def block(
        self, indent: str, depth: int, noises: list[str], inputs: list[str], numeric: bool
    ) -> list[str]:
        """Return statements that end in a return on every way."""
        if depth == 0 or self.chance(0.1):
            return [f"{indent}return {self.output(noises, inputs, numeric)}"]
        inner = indent + "    "
        lines = []
        if not numeric and self.chance(0.15):
            return [
                f"{indent}return [{self.condition(noises, inputs)}, "
                f"{self.condition(noises, inputs)}]"
            ]
        if self.chance(0.1):
            lines.append(f"{indent}k = 0")
            lines.append(f"{indent}for t in [{self.sum(noises, inputs)}, {noises[-1]}]:")
            lines.append(f"{inner}if t {self.pick(*OPS)} {self.pick(*CONSTANTS)}:")
            lines.append(f"{inner}    k += 1")
            lines.append(f"{indent}if k == {self.pick('0', '1', '2')}:")
        else:
            lines.append(f"{indent}if {self.condition(noises, inputs)}:")
        lines += self.block(inner, depth - 1, noises, inputs, numeric)
        if self.chance(0.3):
            lines.append(f"{indent}elif {self.condition(noises, inputs)}:")
            lines += self.block(inner, 0, noises, inputs, numeric)
        lines.append(f"{indent}else:")
        return lines + self.block(inner, depth - 1, noises, inputs, numeric)

    def output(self, noises: list[str], inputs: list[str], numeric: bool) -> str:
        """Return an output."""
        if numeric and self.chance(0.75):
            one = self.pick(*noises, self.sum(noises, inputs))
            return self.pick(one, one, f"[{one}, {self.pick('None', '1', 'True')}]")
        return self.pick("0", "1", "2", "None", "True", "[0, 1]", "[None]", "-1", "False")

    def sum(self, noises: list[str], inputs: list[str]) -> str:
        """Return a linear expression with noise."""
        one = self.pick(*noises)
        other = self.pick(*noises, *inputs, *CONSTANTS)
        return self.pick(
            one,
            f"{one} + {other}",
            f"{one} - {other}",
            f"2 * {one} - {other}",
            f"{one} / 2 + {other}",
            f"abs({one})",
            f"max({one}, {other})",
            f"min({one}, {other})",
        )

    def condition(self, noises: list[str], inputs: list[str]) -> str:
        """Return a condition, now and then on the input alone."""
        one, op = self.sum(noises, inputs), self.pick(*OPS)
        other = self.pick(*noises, *inputs, *CONSTANTS, *CONSTANTS)
        simple = f"{one} {op} {other}"
        return self.pick(
            simple,
            simple,
            simple,
            simple,
            f"{one} {self.pick('==', '!=')} {other}",
            f"not {one} {op} {other}",
            f"{self.pick(*CONSTANTS)} {op} {self.pick(*noises)} {op} {self.pick(*CONSTANTS)}",
            f"{simple} and {self.pick(*noises)} {self.pick(*OPS)} {self.pick(*CONSTANTS)}",
            f"{simple} or {self.pick(*noises)} {self.pick(*OPS)} {self.pick(*CONSTANTS)}",
            f"{self.pick(*inputs)} {op} {self.pick(*CONSTANTS)}",
        )

    # Known mechanisms, with variations ------------------------------------------------------

    def known(self) -> Made:
        """Return a mechanism like those of the paper."""
        size = self.random.choice((2, 2, 2, 3))
        rate, other = self.pick(*RATES), self.pick(*RATES)
        op = self.pick(">", ">=", "<")
        kind = self.pick("lap", "lap", "expo")
        which = self.random.randrange(6)
        if which == 0:
            body = f"""    noisy = [{kind}({rate}, x) for x in q]
    return max(range({size}), key=lambda i: noisy[i])"""
        elif which == 1:
            body = f"""    best, top = 0, {kind}({rate}, q[0])
    for i in range(1, {size}):
        r = {kind}({rate}, q[i])
        if r {op} top:
            best, top = i, r
    return best"""
        elif which == 2:
            body = f"""    t = lap({other}, {self.pick(*CONSTANTS)})
    out = []
    for x in q:
        if {kind}({rate}, x) {op} t:
            out.append(True)
            break
        out.append(False)
    return out"""
        elif which == 3:
            body = f"""    t = lap({other}, {self.pick(*CONSTANTS)})
    out = []
    for x in q:
        r = lap({rate}, x)
        if r {op} t:
            out.append({self.pick("r", f"lap({other}, x)", "r - t")})
            return out
        out.append(None)
    return out"""
        elif which == 4:
            body = f"""    noisy = [{kind}({rate}, x) for x in q]
    return {
                self.pick(
                    "sum(noisy)",
                    "noisy",
                    "max(noisy)",
                    "min(noisy)",
                    "sorted(noisy)[0]",
                    "noisy[0] - noisy[-1]",
                )
            }"""
        else:
            body = f"""    noisy = [lap({rate}, x) for x in q]
    return {
                self.pick(
                    "noisy.index(max(noisy))",
                    "sum(x > 0 for x in noisy)",
                    "[x >= 1 for x in noisy]",
                    "any(x < 0 for x in noisy)",
                    "all(abs(x) < 2 for x in noisy)",
                )
            }"""
        text = f"def program(q: Real[{size}]):\n{body}\n"
        outputs = "positions" if which in (0, 1) else "numbers" if which in (3, 4) else "finite"
        return Made(text, outputs, size, (), None, hard=size == 3 and which not in (2, 3))

    # Integer noise ----------------------------------------------------------------------------

    def whole(self) -> Made:
        """Return a program with integer noise."""
        size = self.random.choice((1, 1, 2))
        names = ["x", "y"][:size]
        domains = tuple((0, self.random.choice((1, 2, 3))) for _ in names)
        header = ", ".join(f"{n}: Dom({a}, {b})" for n, (a, b) in zip(names, domains, strict=True))
        count = self.random.choice((1, 1, 1, 2))
        lines: list[str] = []
        noises: list[str] = []
        for k in range(count):
            mean = self.pick(*names, *names, "1", f"2 * {names[0]}", f"{names[-1]} - 1")
            rate = self.pick("eps", "eps", "eps / 2", "2 * eps")
            lines.append(f"    {'ab'[k]} = dlap({rate}, {mean})")
            noises.append("ab"[k])

        def condition() -> str:
            one = self.pick(
                *noises,
                f"abs({noises[0]})",
                f"2 * {noises[0]}",
                f"3 * {noises[-1]} - 1",
                f"{noises[0]} - {noises[-1]}",
                f"{noises[0]} / 2",
                f"max({noises[0]}, 1)",
            )
            op = self.pick("<", "<=", ">", ">=", "==", "!=")
            return f"{one} {op} {self.pick(*noises, *names, '0', '1', '2', '1 / 2')}"

        numeric = self.chance(0.3)
        if numeric and self.chance(0.5):
            lines.append(
                f"    return {self.pick(noises[-1], f'2 * {noises[0]}', f'[{noises[-1]}]')}"
            )
        elif numeric:
            lines.append(f"    if {condition()}:")
            lines.append(f"        return {noises[0]}")
            lines.append(f"    return {self.pick('None', '0', noises[-1])}")
        elif self.chance(0.5):
            lines.append(f"    return {condition()}")
        else:
            lines.append(f"    if {condition()}:")
            lines.append(f"        return {self.pick('1', 'None', '2', condition())}")
            lines.append(f"    return {self.pick('0', 'False', '[1, 2]', condition())}")
        text = f"def program({header}):\n" + "\n".join(lines) + "\n"
        return Made(text, "numbers" if numeric else "finite", 0, domains, None, hard=count == 2)

    # Choices and loops ----------------------------------------------------------------------

    def coin(self) -> str:
        """Return a probability as text."""
        return self.pick(
            "1 / 2", "1 / 3", "exp(-eps)", "exp(-eps / 2)", "1 / (1 + eps)", "1 / (1 + exp(-eps))"
        )

    def chosen(self) -> Made:
        """Return a program with choices of finite values, some inside a while loop."""
        lines: list[str] = []
        real = self.chance(0.4)
        header = "x: Dom(0, 2)" + (", q: Real" if real else "")
        if real:
            lines.append(f"    a = lap({self.pick(*RATES)}, q)")
        which = self.random.randrange(3)
        test = f"a {self.pick(*OPS)} {self.pick(*CONSTANTS)}" if real else "x > 0"
        ideal = None
        if which == 0:
            score = self.pick("lambda v: -abs(v - x)", "lambda v: v * x", "lambda v: (v - x) / 2")
            lines.append(f"    k = expmech({self.pick(*RATES)}, {score}, [0, 1, 2])")
            lines.append(f"    return {self.pick('k', f'k if {test} else 3', f'[k, {test}]')}")
        else:
            p, r = self.coin(), self.coin()
            if which == 1:
                lines.append(f"    k = choose({{0: {p}, x + 1: 1 - {p}}})")
            else:
                lines += [
                    f"    k = {self.pick('0', '1')}",
                    "    while k < 2:",
                    "        if k == 0:",
                    f"            k = choose({{1: {p}, 2: 1 - {p}}})",
                    f"        elif {test}:",
                    f"            k = choose({{0: {r}, 3: 1 - {r}}})",
                    "        else:",
                    f"            k = choose({{0: {p}, 1: (1 - {p}) / 2, 2: (1 - {p}) / 2}})",
                ]
            outputs = {
                "k": ("x", "2", "1 if x > 1 else 2", "0"),
                "k > 1": ("True", "x > 1"),
                f"[k, {test}]": ("[2, True]", "[0, x > 0]", "[x, False]"),
            }
            output = self.pick(*outputs)
            lines.append(f"    return {output}")
            wanted, other = self.pick(*outputs[output]), self.pick(*outputs[output])
            if real and self.chance(0.5):
                wanted = f"({wanted}) if q > {self.pick(*CONSTANTS)} else {other}"
            ideal = f"def wanted({header}):\n    return {wanted}\n"
        text = f"def program({header}):\n" + "\n".join(lines) + "\n"
        return Made(text, "finite", int(real), ((0, 2),), ideal)

    def program(self) -> Made:
        """Return a program of some kind."""
        kinds = self.real, self.known, self.whole, self.chosen
        return self.random.choices(kinds, (50, 22, 16, 12))[0]()
