"""Price lists that an owner uploads by the link: preview, what is left out, publication."""

from decimal import Decimal

from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.pages.forms.conftest import OWNER, hidden, prices_of_today
from tests.pages.reading import expect, text_of


def upload(stranger, link, text):
    return stranger.owner(link, plik="1", import_file=SimpleUploadedFile("cennik.csv", text.encode()))


def test_a_price_list_is_uploaded_previewed_and_published(client, stranger, priced, link, branch):
    text = f"paliwo;cena;numer składu\nPellet;1 700;\nbrykiet;1350,50;{branch.pk}\nEkogroszek;16;\nwęgiel;1500;123\n"
    preview = upload(stranger, link, text)
    skipped = (
        "Wiersz 4: Ekogroszek 16 zł/t – poza wiarygodnym przedziałem",
        "Wiersz 5: nie ma Twojego składu o numerze 123",
    )
    expect(preview, "Do wczytania: 2 ceny. Pominiemy 2 wiersze.", *skipped)
    assert not prices_of_today().exists()
    fields = {name: hidden(preview.content.decode(), name)[0] for name in ("packed", "seen", "odnosnik")}
    assert stranger.send(OWNER, fields | {"wczytaj": "1"}).status_code == 302
    today = prices_of_today().approved().order_by("fuel")
    assert [(row.depot_id, row.fuel, row.price) for row in today] == [
        (branch.pk, "brykiet", Decimal("1350.50")),
        (priced.pk, "pellet", Decimal(1700)),
    ]
    assert "cennik" not in mail.outbox[-1].subject
    assert "1 700 zł/t" in mail.outbox[-1].body.replace("\xa0", " ")
    # The same file once more replaces nothing and is no change.
    assert "Niczego nie zmieniono" in text_of(stranger.send(OWNER, fields | {"wczytaj": "1"}))


def test_a_price_list_of_a_merchant_is_read_and_what_is_not_is_named(client, stranger, priced, link):
    text = (
        "Cennik opału\nLp.;Nazwa;J.m.;Cena brutto;Z dnia\n1;Ekogroszek worek 25 kg;;41,-;\n2;eko-groszek;t;1640,-;\n"
        "3;Pellet paleta 975 kg;;1700,-;\n4;Drewno kominkowe;m3;400;\n5;pelet;tona;1700 zł/t;{day}\n"
    )
    preview = upload(stranger, link, text.format(day=f"{stranger.clock.now:%d.%m.%Y} r."))
    expect(
        preview,
        "Do wczytania: 2 ceny. Pominiemy 3 wiersze.",
        "Tych kolumn nie czytamy: „lp.”.",
        "Ekogroszek 1 640 zł/t",
        "Pellet 1 700 zł/t",
        "Wiersz 3: Ekogroszek 41 zł/t – poza wiarygodnym przedziałem",
        "Wiersz 5: „Pellet paleta 975 kg” to inna ilość niż tona",
        "Wiersz 6: Drewno kominkowe: jednostką jest mp, nie m3; cen nie przeliczamy",
    )


def test_the_weight_of_a_bag_may_stand_beside_its_price(stranger, priced, link):
    preview = upload(stranger, link, "opał;cena za worek\nEkogroszek 25 kg;41,00\npellet;27\n")
    expect(
        preview, "Ekogroszek 1 640 zł/t worek 25 kg: 41 zł", "Wiersz 3: do ceny worka podaj jego wagę, a do wagi cenę"
    )
    preview = upload(stranger, link, "opał;cena za worek 20 kg\nEkogroszek 25 kg;41,00\nekogroszek;33\n")
    expect(preview, "Ekogroszek 1 650 zł/t worek 20 kg: 33 zł", "Wiersz 2: do ceny worka podaj jego wagę")


def test_the_unit_in_the_header_holds_for_every_row(stranger, priced, link):
    preview = upload(stranger, link, "paliwo;cena zł/t\npellet;1700\ndrewno;400\n")
    expect(
        preview, "Do wczytania: 1 cena.", "Wiersz 3: Drewno kominkowe: jednostką jest mp, nie t; cen nie przeliczamy"
    )


def test_a_file_that_is_no_price_list_is_refused_in_words(stranger, priced, link):
    columns = "Brak kolumn: paliwo, cena. Pierwszy wiersz to nazwy kolumn. Potrzebne są: paliwo i"
    for text, words in (
        ("pellet;1500\nbrykiet;1400\n", columns),
        ("paliwo;cena\n" + "pellet;1500\n" * 501, "więcej niż 500 wierszy"),
        ("paliwo;cena\n" + "pellet;1500" + " " * 600_000, "więcej niż 600000 bajtów"),
        ("\xd0\xcf\x11\xe0", "nie ma ani jednego wiersza"),
    ):
        expect(upload(stranger, link, text), words, status=400)
    assert not prices_of_today().exists()


def test_a_forged_preview_and_a_list_without_a_link_are_refused(stranger, priced, link):
    assert "Podgląd wygasł." in text_of(stranger.owner(link, wczytaj="1", packed="x:y:z", seen=""))
    assert upload(stranger, "?odnosnik=x", "paliwo;cena\npellet;1500\n").status_code == 404
    assert not prices_of_today().exists()
