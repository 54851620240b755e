import pytest
from django.forms import ValidationError

from catalog.models import Submission
from pages.forms.fields import DepotText
from tests import factories, texts
from tests.pages.reading import text_of

FORMS = {
    "popraw": ("/sklad/{}/popraw/", {}),
    "przejmij": ("/sklad/{}/przejmij/", {"role": "owner", "claimant_nip": "526-025-02-74", "agreed": "on"}),
    "dodaj": ("/sklady/dodaj/", {"name": "Opał", "place": "Kraków", "lat": "50,0617", "lon": "19,9373"}),
}


@pytest.mark.parametrize("name", texts.LIMITS)
@pytest.mark.parametrize("form", FORMS)
def test_every_text_may_be_as_long_as_its_column_and_no_longer(stranger, nowak, form, name):
    factories.PostcodeFactory()
    path, filled = FORMS[form]
    too_long = texts.too_long_week() if name == "opening_hours" else {name: texts.too_long(name)}
    answer = stranger.fill(path.format(nowak.pk), **{**filled, **too_long})
    assert answer.status_code == 400
    assert [field.name for field in answer.context["form"].mistakes] == [*too_long][:1]
    assert not Submission.objects.exists()
    longest = texts.longest_week() if name == "opening_hours" else {name: texts.longest(name)}
    assert stranger.fill(path.format(nowak.pk), **{**filled, "phone": "", **longest}).status_code == 302
    proposed = Submission.objects.get(kind__in=["correct", "add"]).proposed
    assert proposed.get(name, nowak.postcode) == texts.longest(name)


def test_a_week_longer_than_its_column_is_refused_with_the_limit(stranger, nowak):
    answer = stranger.fill(f"/sklad/{nowak.pk}/popraw/", **texts.too_long_week())
    assert "Godziny całego tygodnia zajmują 301 znaków, a mieści się 300." in text_of(answer)


def test_hours_that_a_source_wrote_shorter_do_not_bar_another_correction(stranger, nowak):
    text = texts.too_long("opening_hours").replace(" 0", " ").replace("-0", "-")
    nowak.opening_hours, nowak.hours = text, dict.fromkeys(texts.too_long_week(), "")
    nowak.save()
    assert stranger.fill(f"/sklad/{nowak.pk}/popraw/", phone="").status_code == 302
    assert Submission.objects.get().proposed == {"phone": ""}


def test_too_many_telephones():
    numbers = [f"+48 60{number} 234 567" for number in range(9)]
    field = DepotText("phone", required=False)
    assert field.clean(", ".join(numbers[:5])).count(",") == 4
    with pytest.raises(ValidationError, match="Podaj najwyżej pięć numerów"):
        field.clean(", ".join(numbers))


def test_a_map_stands_only_where_it_has_something_to_show(client, nowak):
    """Without tiles a map shows the borders around an entry; a depot to be added has none."""
    correcting, adding = (
        client.get(path).content.decode() for path in (f"/sklad/{nowak.pk}/popraw/", "/sklady/dodaj/")
    )
    for sign in ("live-map", "Znacznik na mapie", "pages/map."):
        assert sign in correcting
        assert sign not in adding
    assert "użyj swojej pozycji albo wpisz współrzędne" in adding
    assert 'class="trail"' in correcting  # a list without a class is as narrow as a column of text
