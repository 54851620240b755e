"""The arithmetic of heating costs, on worked examples, and the file of defaults."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from catalog.depots import fuels
from fueldepot.data.yaml_reader import InvalidYaml, read_yaml
from prices import heating_costs
from prices.heating_costs import DefaultsFile, Estimate, group_overlapping, heat_cost, heat_sources
from prices.medians import rounded
from prices.official_series import BY_SLUG

TODAY = date(2026, 11, 24)
SOURCES = {source.slug: source for source in heat_sources(TODAY)}
YEAR = Decimal(21_000)


def test_worked_examples():
    for slug, price, energy, efficiency, per_kwh, per_year, amount in (
        ("pellet", "1640", "4.6", "0.85", "0.419", 8_808, "5.37"),
        ("pellet", "1640", "4.9", "0.85", "0.394", 8_269, "5.04"),
        ("pellet", "1640", "4.8", "0.85", "0.402", 8_441, "5.15"),
        ("pellet", "1640", "4.8", None, "0.402", 8_441, "5.15"),
        ("ekogroszek_class_5", "1450", "25.8", None, "0.253", 5_311, "3.66"),
        ("orzech_hand_fed", "1550", "25.8", None, "0.360", 7_570, "4.88"),
        ("kostka_hand_fed", "1900", "23", "0.60", "0.496", 10_409, "5.48"),
        ("briquette", "1500", "4.3055555556", "0.65", "0.536", 11_256, "7.50"),
        ("beech_gasification", "560", "1850", None, "0.378", 7_946, "14.19"),
        ("pine_fireplace", "400", "1530", "0.65", "0.402", 8_446, "21.12"),
        ("electric", "1.10", None, None, "1.100", 23_100, "21000.00"),
        ("heat_pump_air", "1.10", None, None, "0.367", 7_700, "7000.00"),
        ("heat_pump_ground", "1.10", None, None, "0.275", 5_775, "5250.00"),
    ):
        source = SOURCES[slug]
        if energy:
            source = replace(source, energy=replace(source.energy, span=Estimate(*[Decimal(energy)] * 3)))
        cost = heat_cost(source, Decimal(price), demand=YEAR, efficiency=efficiency and Decimal(efficiency))
        found = f"{cost.per_kwh.middle:.3f}", round(cost.per_year.middle), f"{cost.amount:.2f}"
        assert found == (per_kwh, per_year, amount), slug


def test_an_efficiency_of_ones_own_leaves_the_range_of_the_energy():
    cost = heat_cost(SOURCES["pellet"], Decimal(1640), demand=YEAR, efficiency=Decimal("0.9"))
    assert [f"{end:.3f}" for end in cost.per_kwh] == ["0.372", "0.380", "0.396"]


def test_a_half_is_rounded_up():
    for slug, price, demand, per_kwh, per_year in (
        ("pellet", 1610, 20_400, "0.39", 8_100),  # 8050 zł
        ("ekogroszek_class_5", 2494, YEAR, "0.44", 9_100),  # 0.435 zł
        ("ekogroszek_class_5", 2580, YEAR, "0.45", 9_500),  # 9450 zł
    ):
        cost = heat_cost(SOURCES[slug], Decimal(price), demand=Decimal(demand))
        assert str(rounded(cost.per_kwh.middle)) == per_kwh
        assert heating_costs.rounded_year(cost.per_year.middle) == per_year


def test_carbon_dioxide_is_counted_of_coal_and_electricity_only():
    cost = {slug: heat_cost(source, None, demand=YEAR).co2 for slug, source in SOURCES.items()}
    assert f"{cost['ekogroszek_class_5']:.3f}" == f"{0.0036 * 94.6 / 0.8:.3f}"
    assert f"{cost['heat_pump_air']:.3f}" == f"{0.553 / 3:.3f}"
    assert {slug for slug, kg in cost.items() if kg is None} == {
        slug for slug, source in SOURCES.items() if source.fuel not in fuels.COALS and source.series != "prad-g11"
    }


def estimate(low, high):
    return Estimate(Decimal(low), Decimal(low), Decimal(high))


def test_what_overlaps_is_one_group():
    spans = [estimate(4, 5), estimate(1, 3), estimate(2, 2), estimate(3, 3), estimate("3.5", "4.5"), estimate(9, 9)]
    assert group_overlapping(spans) == [2, 1, 1, 1, 2, 3]
    assert group_overlapping([]) == []


def test_defaults_change_on_their_day():
    before, after = (
        {source.slug: source for source in heat_sources(day)}["kostka_hand_fed"].energy.span.low
        for day in (date(2027, 6, 30), date(2027, 7, 1))
    )
    assert (before, after) == (23, 24)
    assert heat_sources(date(2020, 1, 1)) == heat_sources(TODAY)


def test_sources_name_fuels_and_series_that_exist_and_what_has_no_source_is_not_shown():
    for source in SOURCES.values():
        assert not source.fuel or fuels.BY_SLUG[source.fuel].unit == source.unit
        assert not source.series or BY_SLUG[source.series].unit == f"zł/{source.unit}"
    assert {source.fuel for source in SOURCES.values()}.isdisjoint({"mial-weglowy", "wegiel"})
    assert {source.series for source in SOURCES.values()} <= {"", "prad-g11"}


def test_a_mistake_in_the_file_is_named(tmp_path):
    for old, new, mistake in (
        *(('low: "4.6"', f'low: "{low}"', "must be positive and ascend") for low in ("0", "4.85")),
        ("valid_from: 2027-07-01", "valid_from: 2026-11-23", "valid_from must ascend"),
        ("efficiency: pellet_boiler,", "efficiency: condensing_boiler,", "is of another basis than the energy"),
        ("energy: pellet,", "energy: straw,", "names 'straw', which is not in the file"),
        ("fuel: pellet, unit: t", "fuel: pellet, unit: mp", "is 'mp', which does not fit the energy"),
        ("origin: pellet}", "origin: hearsay}", "names the origin 'hearsay', which is not in the file"),
    ):
        text = heating_costs.FILE.read_text(encoding="utf-8")
        assert old in text, old
        path = tmp_path / "heating_costs.yaml"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        with pytest.raises(InvalidYaml, match=mistake):
            read_yaml(path, DefaultsFile, heating_costs.check_defaults)
