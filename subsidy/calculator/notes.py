"""Notes of a result: assumptions made, items left out, numbers that no official text confirms."""

from collections.abc import Iterator

from subsidy.application import DOCUMENTS, Application, Heating, Item, Level, ProjectType
from subsidy.calculator.levels import UPPER
from subsidy.calculator.money import format_amount
from subsidy.calculator.result import Variant
from subsidy.calculator.rows import ENVELOPE_TABLE
from subsidy.rules import NotInForce, RulesAt


def make_notes(application: Application, shown: Variant, rules: RulesAt) -> tuple[str, ...]:
    """Return the sentences without repetitions, the most important first."""
    found = (
        *about_level(application, shown, rules),
        *about_rows(application, shown, rules),
        *about_sums(shown, rules),
        *about_values(application, shown, rules),
    )
    return tuple(dict.fromkeys(found))


def about_level(application: Application, shown: Variant, rules: RulesAt) -> Iterator[str]:
    yield shown.reason
    if application.project_type is None:
        yield rules.text("note_variants", type=int(shown.project_type))
        yield rules.text("note_type_of_variant")
    if application.business and shown.level in UPPER:
        yield rules.text("note_business_spouse")
    if application.benefit and shown.level is Level.ELEVATED:
        edge = rules.number("project_types/heating_demand", "type_2_to")
        yield rules.text("note_benefit_inferred", eu=format_amount(edge))


def about_rows(application: Application, shown: Variant, rules: RulesAt) -> Iterator[str]:
    yield from (
        rules.text("note_not_eligible", name=row.name, reason=row.reason) for row in shown.rows if not row.eligible
    )
    refused = {row.item for row in shown.rows if not row.eligible}
    granted = shown.level is not Level.NONE
    if granted and not shown.rows:
        yield rules.text("note_no_works")
    if granted and Item.CENTRAL_HEATING_DHW in refused:
        yield rules.text("note_installation_inferred")
    if granted and application.heating is not Heating.SOLID_FUEL:
        if application.heating is Heating.OTHER:
            yield rules.text("note_heating_inferred")
        if shown.project_type is ProjectType.LOW:
            yield rules.text("note_type_1_efficient")
    paid = {row.item for row in shown.rows if row.eligible}
    if Item.VENTILATION in paid and not application.has_envelope:
        yield rules.text("note_ventilation_inferred")
    if granted and refused.intersection(DOCUMENTS):
        yield rules.text("note_documents_inferred")
    if shown.rows and all(row.item in DOCUMENTS for row in shown.rows):
        yield rules.text("note_documents_alone")
    if ignored := [item for item in Item if item in application.costs and item not in application.quantities]:
        yield rules.text("note_cost_ignored", items=", ".join(rules.items[item].name for item in ignored))


def about_sums(shown: Variant, rules: RulesAt) -> Iterator[str]:
    if shown.table_3_sum_pln > shown.table_3_limit_pln:
        yield rules.text(
            "note_table_3_cut", sum=format_amount(shown.table_3_sum_pln), limit=format_amount(shown.table_3_limit_pln)
        )
    if any(row.eligible and row.net_cost_pln is None for row in shown.rows):
        yield rules.text("note_without_costs")
    if any(row.eligible for row in shown.rows):
        yield rules.text("note_vat")
        yield rules.text("note_rounding")


def about_values(application: Application, shown: Variant, rules: RulesAt) -> Iterator[str]:
    """Yield the notes of the rule file entries used: what is inferred or unconfirmed."""
    names = list(rules.edition.notes)
    for row in shown.rows:
        if row.limit is not None:
            names += row.limit.notes
        elif shown.level is not Level.NONE:
            names += rules.ended[f"items/{row.item}", shown.level].notes
    if shown.table_3_limit is not None and any(row.table == ENVELOPE_TABLE for row in shown.rows):
        names += shown.table_3_limit.notes
    if application.business and shown.level in UPPER:
        try:
            names += rules.value("levels/minimum_wage", "monthly").notes
        except NotInForce as error:
            names += error.entry.notes if error.entry else ()
    yield from (rules.text(name) for name in dict.fromkeys(names))
