"""Linear forms in named symbols, including 1/ε."""

from exactdp.errors import ValueRefusedError
from exactdp.language.linear import Linear, Scalar
from exactdp.language.program import Program

__all__ = ["Linear", "Scalar", "require_numbers"]


def require_numbers(program: Program, rule: str) -> None:
    """Refuse a question that requires all numbers combined with reals to be rational."""
    if program.moves:
        found = "log(r) / eps" if program.uses_log else "a + b / eps"
        instead = "" if program.uses_log else "; or declare one eps: @mechanism(epsilon='[1, 1]')"
        raise ValueRefusedError(
            f"{program.__name__} has {found} beside reals",
            rule=rule,
            way_out=f"Ask for probability(u, output) or distribution(u){instead}.",
        )
