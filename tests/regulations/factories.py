"""Factories of acts and deadlines; by default of a voivodeship-wide act of 2017."""

from datetime import date

import factory

from regulations import models
from tests.factories import VoivodeshipFactory

SOURCE = "Gmina Przykładowa | https://example.pl/uchwala"


class LegalStateFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = models.LegalState
        django_get_or_create = ("voivodeship",)

    voivodeship = factory.LazyFunction(VoivodeshipFactory)
    as_of = date(2026, 10, 1)
    summary = "Co i do kiedy wolno."
    sources = SOURCE


def state_of(teryt, name=None, **values):
    """The legal state of a voivodeship by its code; name: of one that `factories` does not know."""
    named = {"name": name} if name else {}
    return LegalStateFactory(voivodeship=VoivodeshipFactory(teryt=teryt, **named), **values)


class ResolutionFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = models.Resolution

    class Params:
        krakow = factory.Trait(area="listed", units=["1261011"], scope="Gmina Miejska Kraków")

    state = factory.LazyFunction(LegalStateFactory)
    title = "Uchwała o ograniczeniach"
    number = "I/1/17"
    adopted = date(2017, 1, 23)
    publication = "Dz. Urz. z 2017 r. poz. 1"
    text_url = "https://example.pl/tekst"
    in_force_from = date(2017, 7, 1)
    scope = "całe województwo"


def state_with_an_act():
    """The legal state of Małopolska, with an act of the whole voivodeship unless it has one."""
    state = LegalStateFactory()
    if not models.Resolution.objects.filter(state=state).exists():
        ResolutionFactory(state=state)
    return state


class AmendmentFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = models.Amendment

    resolution = factory.SubFactory(ResolutionFactory)
    number = "II/2/26"
    adopted = date(2026, 11, 2)
    changes = "Przesuwa termin."


class DeadlineFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = models.Deadline

    class Params:
        krakow = factory.Trait(area="listed", units=["1261011"], scope="Gmina Miejska Kraków")
        outside_krakow = factory.Trait(excluded=["1261011"], scope="województwo bez Krakowa")
        towns = factory.Trait(area="towns", scope="miasta")
        outside_towns = factory.Trait(area="outside_towns", scope="obszar poza miastami")

    state = factory.LazyFunction(state_with_an_act)
    date = date(2027, 1, 1)
    kind = "existing_boilers"
    applies_to = "kotły klasy 3 i 4"
    description = "Nie wolno ich używać."
    scope = "całe województwo"
    sources = SOURCE


class FuelBanFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = models.FuelBan

    state = factory.LazyFunction(state_with_an_act)
    fuel = "muły węglowe"
    from_date = date(2017, 7, 1)
    scope = "całe województwo"
