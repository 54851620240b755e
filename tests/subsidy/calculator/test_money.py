"""Amounts: truncation, rounding, Polish notation."""

from decimal import Decimal

from subsidy import item_rows


def test_amounts_are_written_as_polish_sentences_have_them():
    text = {
        "0": "0",
        "140": "140",
        "0.5": "0,50",
        "1500.50": "1\N{NO-BREAK SPACE}500,50",
        "135000.00": "135\N{NO-BREAK SPACE}000",
        "1234567.89": "1\N{NO-BREAK SPACE}234\N{NO-BREAK SPACE}567,89",
    }
    assert {amount: item_rows.format_amount(Decimal(amount)) for amount in text} == text


def test_subsidies_are_cut_and_contributions_rounded():
    assert [item_rows.truncate_to_grosz(Decimal(amount)) for amount in ("1.019", "1.011")] == [Decimal("1.01")] * 2
    assert [str(item_rows.round_to_grosz(Decimal(amount))) for amount in ("1.015", "1.0149")] == ["1.02", "1.01"]
