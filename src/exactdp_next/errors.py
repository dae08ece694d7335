"""What a user did wrong, and what exactdp does not do."""

from __future__ import annotations


class ExactdpError(Exception):
    """A wrong program, claim, input or argument, or a question that exactdp does not answer."""


class ProgramError(ExactdpError):
    """A program that is not in the language."""


class ParseError(ExactdpError):
    """A text that is not an expression."""


class ArgumentRefusedError(ExactdpError):
    """A wrong argument."""


class ValueRefusedError(ExactdpError):
    """A value that a program or claim cannot take."""


class VacuousClaimError(ExactdpError):
    """A question about a claim that says nothing."""


class StoreError(ExactdpError):
    """A store that cannot be read or written."""


class GivenUp(ExactdpError):  # noqa: N818
    """A question of a family that exactdp no longer answers, with what does it instead."""

    def __init__(self, family: str, instead: str) -> None:
        super().__init__(f"exactdp does not do this: {family}. Instead: {instead}")
        self.family = family


class NotYet(Exception):  # noqa: N818
    """Internal, and no error of a user: a package of the new tree that is not written yet."""

    def __init__(self, family: str) -> None:
        super().__init__(f"not yet: {family}")
        self.family = family
