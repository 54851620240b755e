"""Routes of the site. Lower layers link to them by name."""

import unicodedata

from django.urls import URLPattern, path, register_converter

from catalog.api.params import VOIVODESHIP_PATTERN
from catalog.text import voivodeship_slug
from pages import csv_export, embeds, feed, machine_files, views
from pages.forms import alerts
from pages.forms import owner as owners
from pages.forms import views as forms
from pages.forms.base_and_prices import PriceForm
from pages.forms.depot import ClaimForm, CorrectForm, DeleteForm
from pages.rendering import PageViews, redirect_variant


class VoivodeshipConverter:
    """Matches a voivodeship by slug or name; views redirect a name to the slug."""

    regex = "[^/.]+"

    def to_python(self, value: str) -> str:
        """Return the slug. Raises ValueError, which becomes 404, for an impossible name."""
        if not VOIVODESHIP_PATTERN.fullmatch(unicodedata.normalize("NFC", value)):
            raise ValueError(value)
        return voivodeship_slug(value)

    def to_url(self, value: str) -> str:
        return value


register_converter(VoivodeshipConverter, "voivodeship")


def page(route: str, answers: PageViews, name: str) -> list[URLPattern]:
    """Return the routes of a page, of its Markdown twin, and of `index.html.md`, which redirects to the twin."""
    return [
        path(route, answers.page, name=name),
        path(f"{route.removesuffix('/') or 'index'}.md", answers.twin, name=f"{name}-md"),
        path(f"{route}index.html.md", redirect_variant),
    ]


urlpatterns = [
    # First, as it is asked for most, and routes are tried in their order.
    *page("sklady/<voivodeship:voivodeship>/<slug:slug>-<str:teryt>/", views.municipality, "municipality"),
    *page("", views.home, "home"),
    *page("api/", views.api_rules, "api-rules"),
    *page("dane/", views.datasets, "datasets"),
    path("dane/gminy.csv", csv_export.municipalities, name="extract-municipalities"),
    path("dane/ceny-mediany.csv", csv_export.medians, name="extract-medians"),
    path("dane/srednie-gus.csv", csv_export.averages, name="extract-averages"),
    *page("prywatnosc/", views.privacy, "privacy"),
    *page("en/", views.english, "english"),
    *page("dla-wlascicieli/", views.for_owners, "for-owners"),
    path("osadz/gmina/<str:teryt>/", embeds.municipality, name="embed-municipality"),
    path("osadz/sklad/<int:depot_id>/", embeds.depot, name="embed-depot"),
    path("osadz/ceny/<slug:fuel>/", embeds.prices, name="embed-prices"),
    *page("dotacja/", views.calculating, "subsidy"),
    path("sklady/dodaj/", forms.add, name="depot-add"),
    *page("sklady/<voivodeship:voivodeship>/", views.voivodeship, "voivodeship"),
    path(
        "sklady/<voivodeship:voivodeship>/<slug:slug>-<str:teryt>/granice.geojson",
        views.surroundings,
        name="surroundings",
    ),
    *page("przepisy/", views.regulations, "regulations"),
    *page("przepisy/sprawdz/", views.stove_check, "stove-check"),
    *page("przepisy/<voivodeship:voivodeship>/", views.regulation, "regulation"),
    *page("ceny/", views.prices, "prices"),
    path("ceny/gus.csv", csv_export.averages, name="official-prices-csv"),
    path("ceny/porownanie.csv", csv_export.heating_costs, name="heating-costs-csv"),
    *page("ceny/porownanie/", views.heating_costs, "heating-costs"),
    *page("ceny/gus/", views.official_prices, "official-prices"),
    path("ceny/<slug:fuel>.csv", csv_export.fuel_medians, name="fuel-prices-csv"),
    path("ceny/<slug:fuel>/<voivodeship:voivodeship>.csv", csv_export.fuel_medians, name="fuel-prices-voivodeship-csv"),
    path("ceny/<slug:fuel>.svg", views.chart, name="fuel-prices-svg"),
    path("ceny/<slug:fuel>/<voivodeship:voivodeship>.svg", views.chart, name="fuel-prices-voivodeship-svg"),
    *page("ceny/<slug:fuel>/", views.fuel_prices, "fuel-prices"),
    *page("ceny/<slug:fuel>/<voivodeship:voivodeship>/", views.voivodeship_prices, "fuel-prices-voivodeship"),
    *page("sklad/<int:depot_id>-<slug:slug>/", views.depot, "depot"),
    path("sklad/<int:depot_id>/", views.depot.page, {"slug": ""}),  # what is left when an address is cut
    path("sklad/<int:depot_id>.md", views.depot.twin, {"slug": ""}),
    path("sklad/<int:depot_id>/popraw/", forms.submit, {"form_class": CorrectForm}, name="depot-correct"),
    path("sklad/<int:depot_id>/przejmij/", forms.submit, {"form_class": ClaimForm}, name="depot-claim"),
    path("sklad/<int:depot_id>/usun/", forms.submit, {"form_class": DeleteForm}, name="depot-delete"),
    path("sklad/<int:depot_id>/cena/", forms.submit, {"form_class": PriceForm}, name="depot-price"),
    path("sklad/<int:depot_id>/zglos/", forms.gone, name="depot-gone"),
    path("sklad/<int:depot_id>/odnosnik/", owners.renew, name="owner-renew"),
    path("powiadomienia/", alerts.ask, name="alerts"),
    path("powiadomienia/potwierdz/", alerts.confirm, name="alerts-confirm"),
    path("powiadomienia/moje/", alerts.mine, name="alerts-mine"),
    path("powiadomienia/koniec/", alerts.end, name="alerts-end"),
    path("zgloszenia/moj-sklad/", owners.owner, name="owner"),
    path("zgloszenia/moj-sklad/inne/", owners.claim_branches, name="owner-branches"),
    path("zgloszenia/cofnij/", owners.undo, name="owner-undo"),
    path("zgloszenia/przywroc/", owners.restore, name="submission-restore"),
    path("zgloszenia/sprzeciw/", owners.object_to_claim, name="owner-object"),
    path("zgloszenia/odpowiedz/", forms.answer, name="submission-answer"),
    path("zgloszenia/potwierdz/", forms.confirm, name="submission-confirm"),
    path("zgloszenia/stan/", forms.status, name="submission-status"),
    path("zmiany.atom", feed.changes, name="changes"),
    path("sitemap.xml", machine_files.sitemap, name="sitemap"),
    path("sitemap-<int:part>.xml", machine_files.sitemap_part, name="sitemap-part"),
    path("llms.txt", machine_files.llms, name="llms"),
    path("llms-full.txt", machine_files.llms_full, name="llms-full"),
    path("manifest.webmanifest", machine_files.manifest, name="manifest"),
    path("robots.txt", machine_files.robots, name="robots"),
]
