"""The thermal section of a scenario: design study 0.1, 1.6 and 2.4 where no other source is given."""

from __future__ import annotations

from pydantic import Field

from mission.world.record import Built, Fraction, Positive


class ThermalSection(Built):
    """Heat of core and lab, their radiator, and the two coolant loops."""

    air_mj_k: Positive = 4.5
    """Air and equipment of core and lab together; with the shell 4.9 MJ/K, the shuttle's 602 BTU/F scaled by volume."""
    shell_mj_k: Positive = 0.4
    """Pressure shell: 440 kg of aluminium, ours."""
    inner_w_k: Positive = 3000.0
    """Between air and shell, ours: some 300 m2 at 10 W/(m2 K)."""
    loss_w_k: Positive = 60.0
    """From air to outside, through both."""
    sink_c: float = Field(default=-60.0, ge=-140, le=40)
    """Mean of what the shell sees: 12 kW that nothing takes away tend to 140 C."""
    sink_swing_k: float = Field(default=3.0, ge=0, le=60)
    """Amplitude of its day under the covering soil, ours; coldest at 6 h local time as the air is."""
    unlisted_kw: float = Field(default=2.237, ge=0)
    """Heat that is neither a load nor sensible heat of people (condensing, reactors, sun): it makes the 12 kW of the
    design study from the first watch's list; ISS gives 8.72 kW of heat for 5.31 kW of life-support power."""
    loop_kw: Positive = 6.0
    radiator_m2: Positive = 42.0
    """Ours: clean and under a clear sky it sheds at 290 K, at any hour, more than the two loops carry."""
    sky_k: Positive = 180.0
    """Under a clear sky (optical depth 0.5); dust warms it."""
    absorptance: Fraction = 0.2
    """Of a clean radiator for sunlight, ours: white paint that has aged."""
    radiator_dust: Fraction = 0.0
    """Share covered by dust at the start: 11 % doubles the absorptance. Dust settles on it a fifth as fast as on
    the array, since its panels stand upright (ours)."""
    accumulator_l: float = Field(default=8.0, ge=1e-6, le=10)
    coolant_store_l: float = Field(default=6.0, ge=0)
    """For topping up, ours."""
