"""Program form to flat code: calls, case splits and choices."""

from __future__ import annotations

from typing import NoReturn

from exactdp.language.code import Appended, PureExpr, Set, Test
from exactdp.language.definition import Definition, nodes
from exactdp.language.lowering import Lowering
from exactdp.language.noisy import samples
from exactdp.language.prelude import prelude
from exactdp.language.syntax import (
    Call,
    Choose,
    Clause,
    Comprehension,
    Draw,
    ExpMech,
    Expr,
    Lambda,
    Literal,
    Name,
    Node,
    Sequence,
    Unary,
)

_SCORE = "A score is a function of finite values with rational results."
_KEY = "A key or score is a function of one item."
_ONE_ITEM = "Write `lambda item: …`, or the name of a function."
_ARGUMENTS = "A subroutine is called with one argument for each of its inputs."


class CallLowering(Lowering):
    """Emits calls: subroutines inlined, abs, min, max and sorted of noise as comparisons."""

    def call(self, node: Call) -> PureExpr:
        """Return the value of a call with effects."""
        name = node.function.id
        target = self.scope.constants.get(name)
        if isinstance(target, Definition):
            return self.subroutine(node, target)
        if target is None and name in ("any", "all") and len(node.args) == 1:
            argument = node.args[0]
            if isinstance(argument, Comprehension):
                return self.quantifier(name, argument, node)
        parts = (*node.args, *(arg for _, arg in node.keywords))
        if (
            target is None
            and name in ("abs", "min", "max", "sorted")
            and any(self.scope.noise.split(part) for part in parts)
        ):
            return self.case_split(node, name)
        args = tuple(self.value(arg) for arg in node.args)
        keywords = tuple((key, self.value(arg)) for key, arg in node.keywords)
        return Call(self.called(node.function), args, keywords, place=self.place(node))

    def subroutine(self, node: Call, target: Definition) -> Name:
        """Inline a call of another mechanism or ideal."""
        params = [param.name for param in target.function.params]
        place, name = self.place(node), node.function.id
        usage = f"Write {name}({', '.join(params)})."
        if len(node.args) > len(params):
            message = f"{name} takes {len(params)} arguments, {len(node.args)} given"
            self.refuse(place, message, _ARGUMENTS, usage)
        given = dict(zip(params, node.args, strict=False))
        for key, arg in node.keywords:
            if key not in params or key in given:
                message = f"{name} has no argument {key}, or it is given twice"
                self.refuse(place, message, _ARGUMENTS, usage)
            given[key] = arg
        missing = [param for param in params if param not in given]
        if missing:
            self.refuse(place, f"{name} needs {', '.join(missing)}", _ARGUMENTS, usage)
        values = {key: self.value(arg) for key, arg in given.items()}
        return self.inline(target, [values[param] for param in params], node, True)

    def prelude_call(self, name: str, args: list[PureExpr], node: Node) -> Name:
        """Inline a function of the prelude."""
        return self.inline(prelude(name), args, node, False)

    def quantifier(self, name: str, argument: Comprehension, node: Node) -> Name:
        """Emit any(…) or all(…) over a comprehension, which stop early."""
        place = self.place(node)
        slot, stop = self.temporary("b"), name == "any"
        end = self.label()
        self.emit(Set(slot, Literal(stop, place=place), place=place))

        def inside() -> None:
            further = self.label()
            goals = (end, further) if stop else (further, end)
            self.condition(argument.element, *goals)
            self.mark(further)

        # Until the end is reached early the answer is the other one, so set it last.
        self.clauses(argument.clauses, inside, node)
        self.emit(Set(slot, Literal(not stop, place=place), place=place))
        self.mark(end)
        return Name(slot, place=place)

    def case_split(self, node: Call, name: str) -> Name:
        """Emit abs, min, max or sorted of noise as comparisons."""
        keywords = dict(node.keywords)
        key, reverse = keywords.pop("key", None), keywords.pop("reverse", None)
        if keywords or (name == "abs" and (key or reverse or len(node.args) != 1)):
            self.refuse(
                self.place(node),
                f"{name} of noise takes no argument {next(iter(keywords), 'of this kind')}",
                "Of noise, abs takes a number; min and max take numbers, or a list and `key`; "
                "sorted takes a list, `key` and `reverse`.",
                "Test the case with `if` first.",
            )
        if name == "abs":
            return self.prelude_call("abs", [self.value(node.args[0])], node)
        if name != "sorted" and key is None and len(node.args) > 1:
            return self.extreme(node, ">" if name == "max" else "<")
        items: PureExpr
        if len(node.args) == 1:
            items = self.value(node.args[0])
            if self.reads(items, None) and not isinstance(items, Name):
                items = self.keep(items, self.place(node))
        else:
            values = tuple(self.value(arg) for arg in node.args)
            items = self.keep(Sequence(values, True, place=self.place(node)), self.place(node))
        if name != "sorted" and key is None:
            return self.prelude_call(name, [items], node)
        keys = items if key is None else self.mapped(key, items, node)
        if reverse is not None:
            keys = self.reversed_keys(keys, reverse, node)
        if name == "sorted":
            return self.prelude_call("sorted_by", [items, keys], node)
        return self.prelude_call(f"{name}_by", [items, keys], node)

    def extreme(self, node: Call, op: str) -> Name:
        """Emit the largest or smallest of several numbers, one comparison each."""
        place = self.place(node)
        values = [self.value(arg) for arg in node.args]
        best = Name(self.temporary("best"), place=place)
        self.noisy_slots.add(best.id)
        self.emit(Set(best.id, values[0], place=place))
        for value in values[1:]:
            truth = Name(self.temporary("b"), place=place)
            self.emit(Test(truth.id, op, value, best, place=place))
            yes, no = self.label(), self.label()
            self.branch(truth, yes, no, place)
            self.mark(yes)
            self.emit(Set(best.id, value, place=place))
            self.mark(no)
        return best

    def reversed_keys(self, keys: PureExpr, reverse: Expr, node: Node) -> PureExpr:
        """Return the keys negated if `reverse` is True."""
        if not isinstance(reverse, Literal) or not isinstance(reverse.value, bool):
            self.refuse(
                self.place(reverse),
                "reverse is not True or False here",
                "The order in which noise is sorted is fixed in the source.",
                "Write reverse=True or reverse=False, one on each side of an `if`.",
            )
        if not reverse.value:
            return keys
        place = self.place(node)
        slot = Name(self.slot("%key"), place=place)
        self.noisy_slots.add(slot.id)
        negated = Comprehension(
            Unary("-", slot, place=place),
            (Clause(slot, keys, (), place=place),),  # type: ignore[arg-type]
            True,
            place=place,
        )
        return self.keep(negated, place)

    def mapped(self, function: Expr, items: PureExpr, node: Node) -> Name:
        """Return the list of what a function makes of each item, inlined."""
        place = self.place(node)
        variable = Name("%each", place=place)
        outer = dict(self.scope.names)
        body: Expr
        if isinstance(function, Lambda):
            self.check_samples(function)
            if len(function.params) != 1:
                self.refuse(
                    self.place(function), "the lambda must have one parameter", _KEY, _ONE_ITEM
                )
            variable = Name(function.params[0], place=place)
            body = function.body
        elif isinstance(function, Name):
            body = Call(function, (variable,), place=place)
        else:
            self.refuse(self.place(function), "this is not a function", _KEY, _ONE_ITEM)
        found = Name(self.temporary("list"), place=place)
        self.noisy_slots.add(found.id)
        self.emit(Set(found.id, Sequence((), True, place=place), place=place))
        slot = self.fresh(variable.id)
        if self.reads_noise(items):
            self.noisy_slots.add(slot)

        def inside() -> None:
            value = self.value(body)
            self.emit(Set(found.id, Appended(found, value, place=place), place=place))

        self.loop(variable, items, inside, node)
        self.restore(outer)
        return found

    def choice(self, node: ExpMech | Choose) -> ExpMech | Choose:
        """Return a choice with pure parts."""
        place = self.place(node)
        if isinstance(node, Choose):
            pairs = tuple(
                (self.value(value), self.value(chance)) for value, chance in node.outcomes
            )
            table = None if node.table is None else self.value(node.table)
            return Choose(pairs, table, place=place)
        rate, score = self.value(node.rate), node.score
        candidates = self.value(node.candidates)
        called = self.scope.constants.get(score.id) if isinstance(score, Name) else None
        if isinstance(called, Definition) and samples(called) is not None:
            self.refuse(
                self.place(score), "the score samples", _SCORE, "Leave the noise out of it."
            )
        if isinstance(called, Definition) or self.scope.noise.effectful(score):
            kept = self.keep(candidates, place)
            return ExpMech(rate, self.mapped(score, kept, node), kept, place=place)
        return ExpMech(rate, self.value(score), candidates, place=place)

    def check_samples(self, node: Lambda) -> None:
        """Refuse a lambda that samples."""
        for part in nodes(node.body):
            target = self.scope.constants.get(part.function.id) if isinstance(part, Call) else None
            if isinstance(part, Draw | ExpMech | Choose) or (
                isinstance(target, Definition) and samples(target) is not None
            ):
                self.noisy_lambda(node)

    def noisy_lambda(self, node: Lambda) -> NoReturn:
        """Refuse a lambda with noise."""
        self.refuse(
            self.place(node),
            "a lambda cannot sample or compare noise",
            "Functions handed to other functions are run on finite values.",
            "Use a comprehension or a loop, or an @ideal function called by name.",
        )
