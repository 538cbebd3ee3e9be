"""The harvester as a distributed beam in several modes: a reference solution beside the oracle's lumped one.

It judges nothing in the benchmark. Labels and scores rest on `cantilever`; this says how far that is from the beam
theory which it simplifies. Read `modes` (the bare beam), `section` (its layers), `beam` (the response), `harvester`
(the oracle's own designs), `first_mode` (the same by one mode, for searches).
"""

from vehbench_oracle.veh.distributed.beam import BeamResponse, beam_response
from vehbench_oracle.veh.distributed.first_mode import respond_first_mode
from vehbench_oracle.veh.distributed.harvester import Distributed, respond_distributed
from vehbench_oracle.veh.distributed.modes import Modes, modes
from vehbench_oracle.veh.distributed.section import Section, bimorph, unimorph

__all__ = [
    "BeamResponse",
    "Distributed",
    "Modes",
    "Section",
    "beam_response",
    "bimorph",
    "modes",
    "respond_distributed",
    "respond_first_mode",
    "unimorph",
]
