"""Addresses of the site. Lower layers link here by name."""

from django.urls import URLPattern, path

from pages import extracts, texts, views
from pages.forms import views as forms
from pages.rendering import Views, redirect_variant


def page(route: str, answers: Views, name: str) -> list[URLPattern]:
    """The address of a page, of its Markdown twin, and the twin's other customary address, which leads there."""
    return [
        path(route, answers.page, name=name),
        path(f"{route.removesuffix('/') or 'index'}.md", answers.twin, name=f"{name}-md"),
        path(f"{route}index.html.md", redirect_variant),
    ]


urlpatterns = [
    *page("", views.home, "home"),
    *page("api/", views.api_rules, "api-rules"),
    *page("dane/", views.datasets, "datasets"),
    path("dane/gminy.csv", extracts.municipalities, name="extract-municipalities"),
    path("dane/ceny-mediany.csv", extracts.medians, name="extract-medians"),
    path("dane/srednie-gus.csv", extracts.averages, name="extract-averages"),
    *page("prywatnosc/", views.privacy, "privacy"),
    *page("dotacja/", views.calculating, "subsidy"),
    path("sklady/dodaj/", forms.add, name="depot-add"),
    *page("sklady/<slug:voivodeship>/", views.voivodeship, "voivodeship"),
    *page("sklady/<slug:voivodeship>/<slug:slug>-<str:teryt>/", views.municipality, "municipality"),
    *page("przepisy/", views.regulations, "regulations"),
    *page("przepisy/<slug:voivodeship>/", views.regulation, "regulation"),
    *page("ceny/", views.prices, "prices"),
    *page("ceny/<slug:fuel>/", views.fuel_prices, "fuel-prices"),
    *page("ceny/<slug:fuel>/<slug:voivodeship>/", views.voivodeship_prices, "fuel-prices-voivodeship"),
    *page("sklad/<int:depot_id>-<slug:slug>/", views.depot, "depot"),
    path("sklad/<int:depot_id>/popraw/", forms.correct, name="depot-correct"),
    path("sklad/<int:depot_id>/przejmij/", forms.claim, name="depot-claim"),
    path("sklad/<int:depot_id>/usun/", forms.delete, name="depot-delete"),
    path("sklad/<int:depot_id>/cena/", forms.price, name="depot-price"),
    path("zgloszenia/potwierdz/", forms.confirm, name="request-confirm"),
    path("zgloszenia/<str:reference>/", forms.status, name="request-status"),
    path("sitemap.xml", texts.sitemap, name="sitemap"),
    path("sitemap-<int:part>.xml", texts.sitemap_part, name="sitemap-part"),
    path("llms.txt", texts.llms, name="llms"),
    path("llms-full.txt", texts.llms_full, name="llms-full"),
    path("robots.txt", texts.robots, name="robots"),
]
