"""Addresses of the site. Lower layers link here by name."""

from django.urls import path

from pages import extracts, views

urlpatterns = [
    path("", views.home, name="home"),
    path("api/", views.api_rules, name="api-rules"),
    path("dotacja/", views.subsidy, name="subsidy"),
    path("sklady/<slug:voivodeship>/", views.voivodeship, name="voivodeship"),
    path("sklady/<slug:voivodeship>/<slug:slug>-<str:teryt>/", views.municipality, name="municipality"),
    path("przepisy/", views.regulations, name="regulations"),
    path("przepisy/<slug:voivodeship>/", views.regulation, name="regulation"),
    path("ceny/", views.prices, name="prices"),
    path("ceny/<slug:fuel>/", views.fuel_prices, name="fuel-prices"),
    path("ceny/<slug:fuel>/<slug:voivodeship>/", views.voivodeship_prices, name="fuel-prices-voivodeship"),
    path("dane/gminy.csv", extracts.municipalities, name="extract-municipalities"),
    path("dane/ceny-mediany.csv", extracts.medians, name="extract-medians"),
    path("dane/srednie-gus.csv", extracts.averages, name="extract-averages"),
    path("sklad/<int:depot_id>-<slug:slug>/", views.depot, name="depot"),
]
