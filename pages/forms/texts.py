"""Texts of the forms by kind of submission."""

from dataclasses import dataclass

from catalog.models import Submission


@dataclass(frozen=True, slots=True)
class FormTexts:
    """Texts of the form of a kind of submission. route: name of its route."""

    route: str
    title: str
    intro: str
    button: str


KINDS = {
    Submission.Kind.CORRECT: FormTexts(
        "depot-correct",
        "Popraw dane składu",
        "Zmień to, co się nie zgadza, a resztę zostaw. Redakcja sprawdzi zmiany i wpisze je do katalogu.",
        "Wyślij poprawki",
    ),
    Submission.Kind.CLAIM: FormTexts(
        "depot-claim",
        "To mój skład",
        "Popraw dane, wpisz ceny i potwierdź wpis w imieniu firmy: wszystko w jednym formularzu i jednej wiadomości. "
        "Po decyzji redakcji wpis dostanie status „potwierdzone przez właściciela”, a automatyczna aktualizacja go nie "
        "zmieni.",
        "Wyślij",
    ),
    Submission.Kind.DELETE: FormTexts(
        "depot-delete",
        "Usuń wpis",
        "Wpis usuwamy na wniosek firmy, której dotyczy. Zniknie z katalogu, z API i z wyników wyszukiwania, a "
        "automatyczna aktualizacja go nie przywróci. Jeśli coś tylko się nie zgadza, lepiej popraw dane.",
        "Wyślij wniosek o usunięcie",
    ),
    Submission.Kind.PRICE: FormTexts(
        "depot-price",
        "Podaj ceny",
        "Napisz, ile kosztuje opał w tym składzie, na podstawie cennika, paragonu albo rozmowy. Ceny liczą się do "
        "mediany po sprawdzeniu przez redakcję.",
        "Wyślij ceny",
    ),
    Submission.Kind.ADD: FormTexts(
        "depot-add",
        "Dodaj brakujący skład",
        "Opisz skład, którego nie ma w katalogu. Publikujemy tylko firmy, nie osoby prywatne. Wpis doda redakcja.",
        "Wyślij",
    ),
}

DEMONSTRATION = (
    "Ten skład jest zmyślony: możesz na nim wypróbować formularz i całą drogę zgłoszenia. Wpis demonstracyjny nie ma "
    "NIP-u, telefonu ani strony, więc tych pól tu brakuje."
)
