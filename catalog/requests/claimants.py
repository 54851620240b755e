"""How what a claimant says of themselves compares with the entry: hints for an editor, who decides."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from catalog.models import Depot, DepotRequest

# Where anybody gets an address: the name before the @ says nothing of a firm. The usual ones in Poland.
FREE_MAIL = (
    *("gmail.com", "googlemail.com", "outlook.com", "hotmail.com", "live.com", "msn.com", "yahoo.com", "yahoo.pl"),
    *("icloud.com", "me.com", "aol.com", "proton.me", "protonmail.com", "gmx.com", "gmx.net", "mail.com", "zoho.com"),
    *("tutanota.com", "wp.pl", "wp.eu", "o2.pl", "tlen.pl", "go2.pl", "onet.pl", "onet.eu", "op.pl", "vp.pl"),
    *("poczta.onet.pl", "autograf.pl", "buziaczek.pl", "amorki.pl", "interia.pl", "interia.eu", "poczta.fm"),
    *("intmail.pl", "gazeta.pl", "poczta.pl", "int.pl", "spoko.pl", "home.pl", "neostrada.pl"),
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One hint. verdict: "same", "different" or "unknown"."""

    label: str
    said: str
    entry: str
    verdict: str
    text: str


def compare(request: DepotRequest) -> tuple[Comparison, ...]:
    """E-mail domain, telephone and NIP of a claimant beside the entry's; none where there is no entry. No query more
    than the depot, if it was not selected."""
    depot = request.depot
    if depot is None or not request.email:
        return ()
    return _compare_domain(request.email, depot), _compare_phone(request, depot), _compare_nip(request, depot)


def _compare_domain(email: str, depot: Depot) -> Comparison:
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
    return Comparison("Domena adresu e-mail", domain, host, verdict, text)


def _compare_phone(request: DepotRequest, depot: Depot) -> Comparison:
    said = _numbers(request.claimant_phone)
    known = _numbers(depot.phone)
    if not said or not known:
        verdict, text = "unknown", "brak numeru we wpisie" if said else "zgłaszający nie podał numeru"
    elif said & known:
        verdict, text = "same", "numer jest we wpisie"
    else:
        verdict, text = "different", "inny numer niż we wpisie"
    return Comparison("Telefon", request.claimant_phone, depot.phone, verdict, text)


def _compare_nip(request: DepotRequest, depot: Depot) -> Comparison:
    said, known = request.claimant_nip, depot.nip or ""
    if not said or not known:
        verdict, text = "unknown", "brak NIP-u we wpisie" if said else "zgłaszający nie podał NIP-u"
    elif said == known:
        verdict, text = "same", "ten sam NIP"
    else:
        verdict, text = "different", "inny NIP niż we wpisie"
    return Comparison("NIP", said, known, verdict, text)


def _within(name: str, other: str) -> bool:
    """Whether a host name is another or lies below it."""
    return name == other or name.endswith(f".{other}")


def _numbers(phones: str) -> set[str]:
    return {number.strip() for number in phones.split(",") if number.strip()}
