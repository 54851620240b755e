"""Comparison of a claimant's data with the entry: hints for the editor, who decides."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from catalog.models import Depot, Submission

# Free mail providers common in Poland: their domain says nothing about a firm.
FREE_MAIL = (
    *("gmail.com", "googlemail.com", "outlook.com", "hotmail.com", "live.com", "msn.com", "yahoo.com", "yahoo.pl"),
    *("icloud.com", "me.com", "aol.com", "proton.me", "protonmail.com", "gmx.com", "gmx.net", "mail.com", "zoho.com"),
    *("tutanota.com", "wp.pl", "wp.eu", "o2.pl", "tlen.pl", "go2.pl", "onet.pl", "onet.eu", "op.pl", "vp.pl"),
    *("poczta.onet.pl", "autograf.pl", "buziaczek.pl", "amorki.pl", "interia.pl", "interia.eu", "poczta.fm"),
    *("intmail.pl", "gazeta.pl", "poczta.pl", "int.pl", "spoko.pl", "home.pl", "neostrada.pl"),
)


@dataclass(frozen=True, slots=True)
class ClaimComparison:
    """One hint. verdict: "same", "different" or "unknown".

    A number that stands in the public entry is "unknown" if it is the same: anybody could have copied it.
    """

    label: str
    said: str
    entry: str
    verdict: str
    text: str


def compare(submission: Submission) -> tuple[ClaimComparison, ...]:
    """Compare e-mail domain, telephone and NIP of a claimant with the entry; empty without an entry.

    No query if the depot is loaded.
    """
    depot = submission.depot
    if depot is None or not submission.email:
        return ()
    return _compare_domain(submission.email, depot), _compare_phone(submission, depot), _compare_nip(submission, depot)


def _compare_domain(email: str, depot: Depot) -> ClaimComparison:
    domain = email.rpartition("@")[2].lower()
    host = (urlsplit(depot.website).hostname or "").removeprefix("www.")
    if domain in FREE_MAIL:
        verdict, text = "unknown", "bezpłatna poczta: adres nie mówi nic o firmie"
    elif not host:
        verdict, text = "unknown", "wpis nie ma strony do porównania"
    elif _within(domain, host) or _within(host, domain):
        verdict, text = "same", "ta sama domena co strona wpisu"
    else:
        verdict, text = "different", "inna domena niż strona wpisu"
    return ClaimComparison("Domena adresu e-mail", domain, host, verdict, text)


def _compare_phone(submission: Submission, depot: Depot) -> ClaimComparison:
    said = _numbers(submission.claimant_phone)
    known = _numbers(depot.phone)
    if not said or not known:
        verdict, text = "unknown", "brak numeru we wpisie" if said else "zgłaszający nie podał numeru"
    elif said & known:
        verdict, text = (
            "unknown",
            "numer jest we wpisie: publiczny, więc niczego nie dowodzi, ale można zadzwonić",
        )
    else:
        verdict, text = "different", "inny numer niż we wpisie"
    return ClaimComparison("Telefon", submission.claimant_phone, depot.phone, verdict, text)


def _compare_nip(submission: Submission, depot: Depot) -> ClaimComparison:
    said, known = submission.claimant_nip, depot.nip or ""
    if not said or not known:
        verdict, text = "unknown", "brak NIP-u we wpisie" if said else "zgłaszający nie podał NIP-u"
    elif said == known:
        verdict, text = "unknown", "zgadza się z publicznym, więc niczego nie dowodzi"
    else:
        verdict, text = "different", "inny NIP niż we wpisie"
    return ClaimComparison("NIP", said, known, verdict, text)


def _within(name: str, other: str) -> bool:
    """Whether a host name equals another or is a subdomain of it."""
    return name == other or name.endswith(f".{other}")


def _numbers(phones: str) -> set[str]:
    return {number.strip() for number in phones.split(",") if number.strip()}
