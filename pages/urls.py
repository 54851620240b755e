"""Addresses of the site. Lower layers link here by name."""

from django.urls import path

from pages import views
from pages.forms import views as forms

urlpatterns = [
    path("", views.home, name="home"),
    path("api/", views.api_rules, name="api-rules"),
    path("dotacja/", views.subsidy, name="subsidy"),
    path("sklady/dodaj/", forms.add, name="depot-add"),
    path("sklady/<slug:voivodeship>/", views.voivodeship, name="voivodeship"),
    path("sklady/<slug:voivodeship>/<slug:slug>-<str:teryt>/", views.municipality, name="municipality"),
    path("przepisy/", views.regulations, name="regulations"),
    path("przepisy/<slug:voivodeship>/", views.regulation, name="regulation"),
    path("ceny/", views.prices, name="prices"),
    path("ceny/<slug:fuel>/", views.fuel_prices, name="fuel-prices"),
    path("ceny/<slug:fuel>/<slug:voivodeship>/", views.voivodeship_prices, name="fuel-prices-voivodeship"),
    path("sklad/<int:depot_id>-<slug:slug>/", views.depot, name="depot"),
    path("sklad/<int:depot_id>/popraw/", forms.correct, name="depot-correct"),
    path("sklad/<int:depot_id>/przejmij/", forms.claim, name="depot-claim"),
    path("sklad/<int:depot_id>/usun/", forms.delete, name="depot-delete"),
    path("sklad/<int:depot_id>/cena/", forms.price, name="depot-price"),
    path("zgloszenia/potwierdz/", forms.confirm, name="request-confirm"),
    path("zgloszenia/<str:reference>/", forms.status, name="request-status"),
]
