"""Program form to flat code: calls, case splits and choices."""

from __future__ import annotations

import ast

from exactdp.language.code import Appended, Set, Test
from exactdp.language.lowering import Lowering
from exactdp.language.noisy import samples
from exactdp.language.rules import refuse
from exactdp.language.tree import (
    Choose,
    Comprehension,
    Definition,
    ExpMech,
    NoiseCall,
    arguments,
    call,
    called,
    constant,
    list_of,
    name,
    nodes,
    parameters,
    put,
    rebuilt,
)

_SCORE = "A score is a rational number or linear in real inputs, without noise."
_KEY = "A key or score is a function of one item."
_ONE_ITEM = "Write `lambda item: …`, or the name of a function."
_ARGUMENTS = "A subroutine is called with one argument for each of its inputs."


class CallLowering(Lowering):
    """Emits calls: inlined subroutines, and abs, min, max and sorted of noise as comparisons."""

    def call(self, node: ast.Call) -> ast.expr:
        """Return the value of a call with effects."""
        word = called(node)
        target = self.scope.constants.get(word)
        if isinstance(target, Definition):
            return self.subroutine(node, target)
        if target is None and word in ("any", "all") and len(node.args) == 1:
            argument = node.args[0]
            if isinstance(argument, Comprehension):
                return self.quantifier(word, argument, node)
        if target is None and word in ("int", "trunc") and len(node.args) == 1:
            argument = node.args[0]
            if self.scope.noise.noisy(argument) and not node.keywords:
                return self.prelude_call("trunc", [self.value(argument)], node)
        if (
            target is None
            and word in ("abs", "min", "max", "sorted")
            and any(map(self.scope.noise.split, arguments(node)))
        ):
            return self.case_split(node, word)
        assert isinstance(node.func, ast.Name)
        place, args = self.place(node), [self.value(arg) for arg in node.args]
        keywords = [rebuilt(one, self.value, place) for one in node.keywords]
        found = put(ast.Call(self.called(node.func), args, keywords), place)
        return self.keep(found, place) if self.scope.noise.rounds(node) else found

    def subroutine(self, node: ast.Call, target: Definition) -> ast.Name:
        """Inline a call of another mechanism or ideal."""
        params = [param.name for param in target.params]
        place, word = self.place(node), called(node)
        usage = f"Write {word}({', '.join(params)})."
        if len(node.args) > len(params):
            message = f"{word} takes {len(params)} arguments, {len(node.args)} given"
            refuse(place, message, _ARGUMENTS, usage)
        given = dict(zip(params, node.args, strict=False))
        for one in node.keywords:
            key = str(one.arg)
            if key not in params or key in given:
                message = f"{word} has no argument {key}, or it is given twice"
                refuse(place, message, _ARGUMENTS, usage)
            given[key] = one.value
        missing = [param for param in params if param not in given]
        if missing:
            refuse(place, f"{word} needs {', '.join(missing)}", _ARGUMENTS, usage)
        values = {key: self.value(arg) for key, arg in given.items()}
        return self.inline(target, [values[param] for param in params], node, True)

    def quantifier(self, word: str, argument: Comprehension, node: ast.Call) -> ast.Name:
        """Emit any(…) or all(…) over a comprehension, with short-circuit evaluation."""
        place = self.place(node)
        slot, stop = self.temporary("b"), word == "any"
        end = self.label()
        self.emit(Set(slot, constant(stop, place), place=place))

        def inside() -> None:
            further = self.label()
            goals = (end, further) if stop else (further, end)
            self.condition(argument.elt, *goals)
            self.mark(further)

        # The loop is left early only with the opposite answer, so set this one last.
        self.clauses(argument.generators, inside)
        self.emit(Set(slot, constant(not stop, place), place=place))
        self.mark(end)
        return name(slot, place)

    def is_noisy_sorted(self, node: ast.Call) -> bool:
        """Whether a call of `sorted` compares noise."""
        return self.is_builtin("sorted") and any(map(self.scope.noise.split, arguments(node)))

    def case_split(self, node: ast.Call, word: str, most: int | None = None) -> ast.Name:
        """Emit abs, min, max or sorted of noise as comparisons.

        Of a sorted list, `most` is the number of entries needed, negative for the last ones.
        """
        keywords = {str(one.arg): one.value for one in node.keywords}
        key, reverse = keywords.pop("key", None), keywords.pop("reverse", None)
        if keywords or (word == "abs" and (key or reverse or len(node.args) != 1)):
            refuse(
                self.place(node),
                f"{word} of noise takes no argument {next(iter(keywords), 'of this kind')}",
                "Of noise, abs takes a number; min and max take numbers, or a list and `key`; "
                "sorted takes a list, `key` and `reverse`.",
                "Test the case with `if` first.",
            )
        if word == "abs":
            return self.prelude_call("abs", [self.value(node.args[0])], node)
        if word != "sorted" and key is None and len(node.args) > 1:
            return self.extreme(node, ">" if word == "max" else "<")
        items: ast.expr
        if len(node.args) == 1:
            items = self.value(node.args[0])
            if self.reads(items, None) and not isinstance(items, ast.Name):
                items = self.keep(items, self.place(node))
        else:
            values = [self.value(arg) for arg in node.args]
            items = self.keep(list_of(values, self.place(node)), self.place(node))
        if word != "sorted" and key is None:
            return self.prelude_call(word, [items], node)
        keys = items if key is None else self.mapped(key, items, node)
        if reverse is not None:
            keys = self.reversed_keys(keys, reverse, node)
        if word == "sorted" and most is not None:
            given = [items, keys, constant(abs(most), self.place(node))]
            return self.prelude_call("first_by" if most > 0 else "last_by", given, node)
        if word == "sorted":
            return self.prelude_call("sorted_by", [items, keys], node)
        return self.prelude_call(f"{word}_by", [items, keys], node)

    def extreme(self, node: ast.Call, op: str) -> ast.Name:
        """Emit the largest or smallest of several numbers, one comparison each."""
        place = self.place(node)
        values = [self.value(arg) for arg in node.args]
        best = name(self.temporary("best"), place)
        self.noisy_slots.add(best.id)
        self.emit(Set(best.id, values[0], place=place))
        for value in values[1:]:
            truth = name(self.temporary("b"), place)
            self.emit(Test(truth.id, op, value, best, place=place))
            yes, no = self.label(), self.label()
            self.branch(truth, yes, no, place)
            self.mark(yes)
            self.emit(Set(best.id, value, place=place))
            self.mark(no)
        return best

    def reversed_keys(self, keys: ast.expr, reverse: ast.expr, node: ast.Call) -> ast.expr:
        """Return the keys negated if `reverse` is True."""
        if not isinstance(reverse, ast.Constant) or not isinstance(reverse.value, bool):
            refuse(
                self.place(reverse),
                "reverse is not True or False here",
                "The order in which noise is sorted is fixed in the source.",
                "Write reverse=True or reverse=False, one on each side of an `if`.",
            )
        if not reverse.value:
            return keys
        place = self.place(node)
        slot = name(self.slot("%key"), place)
        self.noisy_slots.add(slot.id)
        negated = put(ast.UnaryOp(ast.USub(), slot), place)
        each = put(ast.comprehension(slot, keys, [], 0), place)
        return self.keep(put(ast.ListComp(negated, [each]), place), place)

    def mapped(self, function: ast.expr, items: ast.expr, node: ast.expr) -> ast.Name:
        """Return the list of a function's results for each item, with the function inlined."""
        place = self.place(node)
        variable = name("%each", place)
        body: ast.expr
        if isinstance(function, ast.Lambda):
            if len(parameters(function)) != 1:
                refuse(self.place(function), "the lambda must have one parameter", _KEY, _ONE_ITEM)
            variable = name(parameters(function)[0], place)
            body = function.body
        elif isinstance(function, ast.Name):
            body = call(function, [variable], place)
        else:
            refuse(self.place(function), "this is not a function", _KEY, _ONE_ITEM)
        found = name(self.temporary("list"), place)
        self.noisy_slots.add(found.id)
        self.emit(Set(found.id, list_of([], place), place=place))
        outer = self.scope.names
        self.scope.names = dict(outer)
        slot = self.fresh(variable.id)
        if self.reads_noise(items):
            self.noisy_slots.add(slot)

        def inside() -> None:
            self.emit(Set(found.id, put(Appended(found, self.value(body)), place), place=place))

        self.loop(variable, items, inside, node)
        self.scope.names = outer
        return found

    def choice(self, node: ExpMech | Choose) -> ExpMech | Choose:
        """Return a choice with pure parts."""
        place = self.place(node)
        if isinstance(node, Choose):
            return rebuilt(node, self.value, place)
        rate, score = self.value(node.rate), node.score
        candidates = self.value(node.candidates)
        target = self.scope.constants.get(score.id) if isinstance(score, ast.Name) else None
        if isinstance(target, Definition) and samples(target) is not None:
            refuse(self.place(score), "the score samples", _SCORE, "Leave the noise out of it.")
        if isinstance(score, ast.Lambda):
            self.check_samples(score)
        noise = self.scope.noise
        if isinstance(target, Definition) or noise.effectful(score) or noise.noisy(score):
            kept = self.keep(candidates, place)
            return put(ExpMech(rate, self.mapped(score, kept, node), kept), place)
        return put(ExpMech(rate, self.value(score), candidates), place)

    def check_samples(self, node: ast.Lambda) -> None:
        """Refuse a lambda that samples."""
        for part in nodes(node.body):
            target = self.scope.constants.get(called(part))
            if isinstance(part, NoiseCall | ExpMech | Choose) or (
                isinstance(target, Definition) and samples(target) is not None
            ):
                self.noisy_lambda(node)
