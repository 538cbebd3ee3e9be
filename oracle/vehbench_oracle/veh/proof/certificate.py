"""The written form of a proof that no design of a problem meets its limits with some power or more.

The proof is a binary tree over the five features of a design that `features` explains. Each inner node cuts the range
of one feature at the geometric mean of its ends; each leaf says why no design with features in the remaining ranges
counts. The text is the tree in pre-order, the part below the cut first, one letter a node:

- L, S, P: cut the beam length, the substrate thickness, the piezo thickness;
- F: cut w_r / w, the resonance over the excitation frequency; R: cut w R C_p, the load over the piezo's reactance;
- e: empty, no design of the problem's box that meets the frequency limit has such features;
- w: every design with such features breaks the displacement or the stress limit;
- m: none reaches the target, by what mass and damping let through; z: none does, by strain and load.

It names no number but the target, so that whoever reads it starts from the problem's own box and cannot lose a part of
it. Nothing is compressed: a reader never unpacks more than it is given, and equal proofs are equal bytes everywhere.
"""

import hashlib
import math
import re
from dataclasses import dataclass

from vehbench_oracle.errors import OracleError

SPLITS = "LSPFR"
"""Letters of the features, in their order."""
EMPTY, AMPLITUDE, MECHANICAL, ELECTRICAL = LEAVES = "ewmz"
"""Letters of the reasons."""

MAX_NODES = 500_000
_WORD = "vehbench-certificate-1"
_FORM = re.compile(rf"{_WORD} ([0-9.e+-]+) ([{SPLITS}{LEAVES}]+) ([0-9a-f]+)")
_LONGEST = MAX_NODES + 80


class CertificateError(OracleError):
    """A certificate that cannot be read, or that does not prove what it is shown for."""

    def __init__(self, message: str) -> None:
        super().__init__("certificate", message)

    def __reduce__(self) -> tuple[type, tuple[str]]:  # type: ignore[override]
        return type(self), (self.message,)


@dataclass(frozen=True)
class Certificate:
    """No design of a problem meets its limits with a load power of `target_uw` or more; `tree` is the proof.

    Raises CertificateError for a target that is not finite and positive, and for a tree of other letters or too many.
    """

    target_uw: float
    tree: str

    def __post_init__(self) -> None:
        if not (math.isfinite(self.target_uw) and self.target_uw > 0):
            raise CertificateError(f"the target must be a finite positive power in uW, got {self.target_uw}")
        if not 0 < len(self.tree) <= MAX_NODES or set(self.tree) - set(SPLITS + LEAVES):
            raise CertificateError(f"the tree must be 1 to {MAX_NODES} of the letters {SPLITS}{LEAVES}")

    @property
    def text(self) -> str:
        """One line: the format, the target, the tree, and a checksum of both."""
        return f"{_WORD} {float(self.target_uw)!r} {self.tree} {self._checksum()}"

    @classmethod
    def parse(cls, text: str) -> "Certificate":
        """Read what `text` gave. Raises CertificateError for anything else, whatever its size."""
        if not isinstance(text, str) or len(text) > _LONGEST:
            raise CertificateError(f"a certificate is a text of at most {_LONGEST} characters")
        match = _FORM.fullmatch(text)
        if match is None:
            raise CertificateError(f"expected '{_WORD} TARGET TREE CHECKSUM', got {text[:60]!r}")
        try:
            target = float(match[1])
        except ValueError:
            raise CertificateError(f"the target must be a power in uW, got {match[1][:40]}") from None
        certificate = cls(target, match[2])
        if certificate._checksum() != match[3]:
            raise CertificateError("target and tree do not match the checksum: the certificate is damaged or altered")
        return certificate

    def _checksum(self) -> str:
        return hashlib.sha256(f"{float(self.target_uw)!r} {self.tree}".encode()).hexdigest()[:12]
