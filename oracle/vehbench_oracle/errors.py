"""Errors of the oracle: each names the quantity at fault, so that a caller can turn it into an outcome."""


class OracleError(ValueError):
    """Base of everything the oracle raises on bad input; `name` is the quantity at fault."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name
        self.message = message

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        return type(self), (self.name, self.message)


class MissingVariableError(OracleError):
    """A design variable, a bound or an excitation value that the formulas need is absent or null."""


class InvalidValueError(OracleError):
    """A value is not a number, not finite, or outside the domain of the formulas (say, a negative length)."""


class UnknownMaterialError(OracleError):
    """A material name that is neither in the tables nor a known spelling of an entry."""
