"""One harvester brief, ready to be asked: a box of designs, limits, excitation and materials."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypedDict

from numpy.typing import ArrayLike

from vehbench_oracle import space
from vehbench_oracle.checks import finite, positive
from vehbench_oracle.domain import Stated
from vehbench_oracle.errors import InvalidValueError, MissingVariableError
from vehbench_oracle.quantities import Box, Limit, Objective, Quantity, Variable
from vehbench_oracle.veh import materials
from vehbench_oracle.veh.cantilever import Response
from vehbench_oracle.veh.conditions import MOST_CONDITIONS, Condition, respond_under
from vehbench_oracle.veh.plant import NOMINAL, Plant
from vehbench_oracle.veh.quantities import METRICS, OBJECTIVE, UPPER_LIMITS, VARIABLES
from vehbench_oracle.veh.verdict import judge, limits_with
from vehbench_oracle.verdict import Verdict, box_violations, unevaluable

DEFAULT_PIEZO, DEFAULT_SUBSTRATE = "PZT-5A", "stainless_steel"
"""What is judged where a brief names no material."""


class Setting(TypedDict):
    """The keyword arguments of `cantilever.respond`."""

    frequency_hz: float
    acceleration_g: float
    piezo: materials.Piezo
    substrate: materials.Substrate
    damping_ratio: float | None


@dataclass(frozen=True)
class VehProblem:
    """What a brief asks for, as far as it says it.

    `bounds` holds an inclusive range for each of the six variables, `constraints` the values of the limits: an absent
    or null one is the paper's default. `stated` is what the brief says about the excitation in words. `plant`
    is the device as built, which no model is shown. `conditions` are excitations stated beside the first one, two at
    most: the limits must hold under all, and the power counts at the least.
    """

    bounds: Mapping[str, Box | None]
    constraints: Mapping[str, float | None]
    frequency_hz: float | None
    acceleration_g: float | None
    piezo: str | None = DEFAULT_PIEZO
    substrate: str | None = DEFAULT_SUBSTRATE
    damping_ratio: float | None = None
    stated: Sequence[Stated] = ()
    plant: Plant = NOMINAL
    conditions: tuple[Condition, ...] = ()

    @property
    def variables(self) -> Mapping[str, Variable]:
        """The six design variables."""
        return VARIABLES

    @property
    def metrics(self) -> Mapping[str, Quantity]:
        """What the verifier reports."""
        return METRICS

    @cached_property
    def limits(self) -> Mapping[str, Limit]:
        """The four limits with their values. Raises InvalidValueError for one that is no finite number."""
        return limits_with(self.constraints)

    @property
    def objective(self) -> Objective:
        """The load power."""
        return OBJECTIVE

    @property
    def setting(self) -> Setting:
        """Excitation and materials as `cantilever.respond` takes them, defaults for what the brief leaves out.

        Raises MissingVariableError when the brief withholds the excitation.
        """
        for name, value in (("frequency_hz", self.frequency_hz), ("acceleration_g", self.acceleration_g)):
            if value is None:
                raise MissingVariableError(name, f"{name} is missing, so that no verdict is possible")
        assert self.frequency_hz is not None
        assert self.acceleration_g is not None
        piezo, substrate = self.layers()
        return {
            "frequency_hz": self.frequency_hz,
            "acceleration_g": self.acceleration_g,
            "piezo": piezo,
            "substrate": substrate,
            "damping_ratio": self.plant.damping(self.damping_ratio),
        }

    @property
    def excitations(self) -> tuple[Condition, ...]:
        """All stated excitations. Raises what `setting` does, and InvalidValueError for more than three."""
        if len(self.conditions) >= MOST_CONDITIONS:
            text = f"conditions: expected at most {MOST_CONDITIONS} stated excitations, got {1 + len(self.conditions)}"
            raise InvalidValueError("conditions", text)
        setting = self.setting
        return Condition(setting["frequency_hz"], setting["acceleration_g"]), *self.conditions

    def layers(self) -> tuple[materials.Piezo, materials.Substrate]:
        """The constants of both layers as built. Raises UnknownMaterialError for a material outside the tables."""
        piezo, substrate = self.piezo or DEFAULT_PIEZO, self.substrate or DEFAULT_SUBSTRATE
        return self.plant.layers(materials.piezo(piezo), materials.substrate(substrate))

    def respond(self, design: Mapping[str, ArrayLike]) -> Response:
        """The oracle's response of a design or a batch, the worst under several excitations.

        Raises as `excitations` and `cantilever.respond` do.
        """
        setting = self.setting
        return respond_under(
            self.excitations,
            design,
            piezo=setting["piezo"],
            substrate=setting["substrate"],
            damping_ratio=setting["damping_ratio"],
        )

    def least_slack(self, design: Mapping[str, ArrayLike]) -> space.Array:
        """The smallest slack / limit over the four limits, for a design or a batch; negative means infeasible.

        The bounds do not count. Raises as `respond` does.
        """
        return space.least_slack(self.limits, vars(self.respond(design)))

    def judge(self, design: Mapping[str, float]) -> Verdict:
        """Judge a complete, finite design under the limits, excitation, materials and bounds of the brief.

        A value for which the formulas have no answer (a negative length, say) makes the design infeasible, with the
        box violation and without metrics; it is never an exception and never a pass. Raises MissingVariableError when
        the brief itself withholds what the verdict needs.
        """
        try:
            conditions = self.excitations[1:]
            return judge(design, limits=self.constraints, bounds=self.bounds, conditions=conditions, **self.setting)
        except InvalidValueError as error:
            if error.name not in design:
                raise  # a limit or an excitation value of the bank is at fault, not the model
            return unevaluable(box_violations(VARIABLES, design, self.bounds), error.message)

    def margins(self, metrics: Mapping[str, float]) -> list[float]:
        """Margins to the three upper limits in logarithms.

        The frequency error has a kink at resonance, so both sides of it are limits on the frequency ratio, one pair
        for each stated excitation.
        """
        log, limit = space.log, self.limit
        stress, displacement = metrics["tip_stress_mpa"], metrics["tip_disp_mm"]
        error = limit("freq_error_pct_limit") / 100
        ratios = [log(metrics["resonant_freq_hz"] / condition.frequency_hz) for condition in self.excitations]
        return [
            log(limit("stress_limit_mpa")) - log(stress),
            log(limit("disp_limit_mm")) - log(displacement),
            *(margin for ratio in ratios for margin in (log(1 + error) - ratio, ratio - log(1 - error))),
        ]

    def shown(self) -> dict[str, Any]:
        """Excitation and materials as a model reads them, constants of the materials included."""
        excitation = {"frequency_hz": self.frequency_hz, "acceleration_g": self.acceleration_g}
        return {
            "excitation": {
                **{name: value for name, value in excitation.items() if value is not None},
                **{words["name"]: words["text"] for words in self.stated},
            },
            "materials": self._shown_materials(),
        }

    def range_of(self, name: str) -> tuple[float, float]:
        """Smallest and largest value of a variable, in its unit. Raises MissingVariableError for an absent range."""
        return space.range_of(self, name)

    def limit(self, name: str) -> float:
        """The value of a limit, in its unit."""
        return self.limits[name].value

    def require_complete(self) -> Setting:
        """The setting, checked: what proofs and optimizers need before they begin.

        Raises MissingVariableError for an absent range, excitation or material, InvalidValueError for a range that is
        empty or reaches values without a response, for an upper limit that is not a finite positive number and for an
        excitation that is none, UnknownMaterialError for a material outside the tables.
        """
        for name in VARIABLES:
            low, high = self.range_of(name)
            positive(f"minimum of {name}", low, zero_allowed=name == "tip_mass_g")
            if not low <= high:
                raise InvalidValueError(name, f"{name}: the minimum {low!r} is above the maximum {high!r}")
        for name in UPPER_LIMITS:
            positive(name, self.limit(name), zero_allowed=name == "freq_error_pct_limit")
        for name, material in (("piezo", self.piezo), ("substrate", self.substrate)):
            if material is None:
                raise MissingVariableError(name, f"{name} is missing: the brief withholds a material that is needed")
        setting = self.setting
        for condition in self.excitations:
            positive("frequency_hz", finite("frequency_hz", condition.frequency_hz))
            positive("acceleration_g", finite("acceleration_g", condition.acceleration_g))
        if setting["damping_ratio"] is not None:
            positive("damping_ratio", finite("damping_ratio", setting["damping_ratio"]))
        return setting

    def _shown_materials(self) -> dict[str, Any]:
        shown: dict[str, Any] = {}
        if self.piezo is not None:
            p = materials.piezo(self.piezo)
            shown["piezo"] = {
                "name": self.piezo,
                "d31_m_per_v": p.d31,
                "relative_permittivity": p.relative_permittivity,
                "youngs_modulus_gpa": p.youngs_modulus / 1e9,
                "density_kg_m3": p.density,
            }
        if self.substrate is not None:
            s = materials.substrate(self.substrate)
            shown["substrate"] = {
                "name": self.substrate,
                "youngs_modulus_gpa": s.youngs_modulus / 1e9,
                "density_kg_m3": s.density,
            }
        if self.damping_ratio is not None:
            shown["damping_ratio"] = self.damping_ratio
        return shown
