"""Linear forms in named symbols, as the language makes them of 1/ε too."""

from exactdp.errors import ValueRefusedError
from exactdp.language.linear import Linear, Scalar
from exactdp.language.program import Program

__all__ = ["Linear", "Scalar", "require_numbers"]


def require_numbers(program: Program, rule: str) -> None:
    """Refuse a question that is answered where all numbers beside reals are rational."""
    if program.moves:
        found = "log(r) / eps" if program.uses_log else "a + b / eps"
        instead = "" if program.uses_log else "; or declare one eps: @mechanism(epsilon='[1, 1]')"
        raise ValueRefusedError(
            f"{program.__name__} has {found} beside reals",
            rule=rule,
            way_out=f"Ask for probability(u, output) or distribution(u){instead}.",
        )
