"""Templates of the site: names, routes, escaping, compilation at the start, macros, non-breaking spaces."""

import re
from dataclasses import fields, replace
from functools import cache
from unittest.mock import Mock

import pytest
from django.conf import settings
from django.http import HttpResponse
from django.template import TemplateDoesNotExist, engines
from django.template.loader import get_template
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from jinja2 import UndefinedError, meta, nodes

from pages import fuel_prices, rendering, urls
from pages.page import Page
from pages.polish import NO_BREAK, tie, tie_html
from pages.svg.maps import DepotMap, Ground, Name
from pages.svg.scales_and_outlines import Box, Dot, Frame, ScaleBar
from prices import medians
from tests import factories
from tests.pages.reading import KRAKOW, missing


@pytest.fixture
def env():
    return engines["jinja2"].env


def sort_of(template):
    return type(get_template(template)).__module__.rpartition(".")[2]


def render(source, **values):
    return engines["jinja2"].from_string(source).render(values)


def test_a_route_is_its_address_and_an_unknown_one_an_error():
    assert render('{{ "api-rules"|route }}') == reverse("api-rules")
    assert render('{{ "v1:locations"|route }}') == "/api/v1/locations"
    assert render('{{ "voivodeship"|route("slaskie") }}') == "/sklady/slaskie/"
    assert render('{{ url("depot-correct", 12) }}') == "/sklad/12/popraw/"
    for source in ('{{ "nowhere"|route }}', '{{ url("depot-correct", "x") }}'):
        with pytest.raises(NoReverseMatch):
            render(source)


def test_the_site_and_the_desk_have_an_engine_each():
    assert sort_of("base.html") == sort_of("mail/letter.txt") == "jinja2"
    assert sort_of("admin/base_site.html") == sort_of("admin/catalog/depot/page.html") == "django"
    with pytest.raises(TemplateDoesNotExist):
        get_template("pages/nowhere.html")


def test_a_misspelt_name_is_an_error():
    for source in ("{{ pgae }}", "{{ page.titel }}", "{% if page.titel %}a{% endif %}", "{{ page.a.b }}"):
        page = Page(title="a", description="b", path="/")
        with pytest.raises(UndefinedError):
            render(source, page=page)


def test_html_is_escaped_and_nothing_else(env):
    escaping = {name for name in env.list_templates() if env.autoescape(name)}
    assert escaping == {name for name in env.list_templates() if name.endswith(".html")}
    assert {name.rpartition(".")[2] for name in env.list_templates()} == {"html", "md", "txt"}
    assert render("{{ a }}", a="<") == "&lt;"
    for name in env.list_templates():
        assert not [found for found in parsed(env, name).find_all(nodes.Filter) if found.name in {"safe", "markup"}]


def test_every_template_is_compiled_before_it_is_asked_for(env, monkeypatch):
    rendering.warm_up()
    monkeypatch.setattr(env, "compile", Mock(side_effect=AssertionError("a template is compiled in a request")))
    for name in env.list_templates():
        assert env.get_template(name).name == name


def test_templates_ask_pages_for_what_they_have(env):
    names = [name for name in env.list_templates() if {"title", "breadcrumbs"} <= attributes(env, name, "page")]
    assert len(names) > 50
    for name in names:
        asked = attributes(env, name, "page")
        assert asked <= {*dir(Page), *(field.name for field in fields(Page))}, name
        assert not [one for one in asked if callable(getattr(Page, one, None))], name


def test_texts_follow_the_limits_that_they_name(db, client, env, monkeypatch):
    factories.DepotPriceFactory(day=timezone.localdate())
    country, area = ("/ceny/pellet/", "/ceny/pellet.md"), ("/ceny/pellet/malopolskie/", "/ceny/pellet/malopolskie.md")
    for name in ("FEWEST_FOR_FENCES", "WINDOW_MONTHS"):
        monkeypatch.setattr(medians, name, 5)
    monkeypatch.setattr(fuel_prices, "FEWEST_FOR_MEDIAN", 5)
    for text, paths in (
        ("co najmniej 5.", country + area),
        ("Gdy cen jest mniej niż 5,", country),
        ("5&nbsp;miesięcy", ["/ceny/"]),
        ("z 5 miesięcy", ["/ceny.md"]),
    ):
        assert [path for path in paths if text not in client.get(path).content.decode()] == []
    for name in ("shortest_query", "longest_query"):
        monkeypatch.setitem(env.globals, name, 5)
    assert ' minlength="5" maxlength="5"' in client.get("/ceny/porownanie/").content.decode()


def test_templates_name_what_their_page_gives(db, client, env, monkeypatch):
    checked = []

    def check(request, template, page, *, twin, status, **content):
        for ending in (".html", ".md"):
            name = template.replace(".html", ending)
            assert undeclared(env, name) <= {*content, "page", "twin", *env.globals}, name
        checked.append(template)
        return HttpResponse()

    monkeypatch.setattr(rendering, "render_page", check)
    factories.krakow()
    plain = [route.name for route in urls.urlpatterns if route.name and not route.pattern.converters]
    paths = [reverse(name) for name in plain if f"{name}-md" in plain]
    paths += ["/sklady/malopolskie/", "/przepisy/malopolskie/"]
    assert all(client.get(path).status_code == 200 for path in paths)
    assert len(checked) > 13


@cache
def parsed(env, name):
    return env.parse(env.loader.get_source(env, name)[0])


@cache
def attributes(env, name, variable):
    """Return the attributes of a variable used by a template and those it extends or includes."""
    tree = parsed(env, name)
    asked = {found.attr for found in tree.find_all(nodes.Getattr) if found.node == nodes.Name(variable, "load")}
    for other in tree.find_all((nodes.Extends, nodes.Include)):
        asked = asked | attributes(env, other.template.value, variable)
    return asked


@cache
def undeclared(env, name):
    """Return the names that a template, and those it extends or includes, take from outside."""
    tree = parsed(env, name)
    names = meta.find_undeclared_variables(tree)
    for other in tree.find_all((nodes.Extends, nodes.Include)):
        names = names | undeclared(env, other.template.value)
    own = [name.name for name in tree.find_all(nodes.Name) if name.ctx == "param"]  # of `with`
    own += [name for line in tree.find_all(nodes.FromImport) for name in line.names]
    return names.difference(own, (macro.name for macro in tree.find_all(nodes.Macro)))


def macro(template, name):
    return getattr(engines["jinja2"].env.get_template(template).module, name)


EMPTY = DepotMap(
    frame=Frame(0.0, 0.0, 10.0, 360.0, 200.0),
    scale=ScaleBar(50.0, "500 m"),
    approximate=False,
    ground=Ground("", "", "", False, ()),
    names=(),
    dots=(),
    origin=None,
    credit_osm=False,
)


def drawn(**what):
    return macro("pages/svg/depot_map.html", "depot_map")(replace(EMPTY, **what), "gmina <b>")


def test_names_of_others_on_maps_and_what_is_kept_together_are_escaped():
    picture = drawn(names=(Name("<i>", 1.5, 2.0, Box(0, 0, 1, 1)),))
    assert '<text class="name" x="1.5" y="2.0" dy="3.4">&lt;i&gt;</text>' in picture
    assert "Mapa: gmina &lt;b&gt;</title>" in picture
    assert render("{{ a|unbroken }}", a="otwarte do <12:00>, potem 13:00–16:00") == (
        '<span class="together">otwarte do &lt;12:00&gt;,</span> <span class="together">potem 13:00–16:00</span>'
    )


def test_a_dot_that_moved_is_led_to_its_place_and_a_group_is_a_square_with_a_letter():
    here, group = Dot("1", 10.0, 20.0, 10.0, 20.0, False, (1,)), Dot("A", 1.0, 2.0, 1.0, 2.0, False, (1, 2))
    picture = drawn(dots=(here, Dot("128", 30.0, 20.5, 10.0, 20.0, True, (128,)), group))
    assert not missing(
        picture,
        '<g class="dot" transform="translate(10.0 20.0)"><circle r="8.5"/><text y="3.6">1</text></g>'
        '<g class="dot" transform="translate(30.0 20.5)"><circle r="8.5"/><text class="long" y="3.6">128</text></g>',
        '<path class="leader" d="M30.0 20.5L10.0 20.0"/><circle class="place" cx="10.0" cy="20.0" r="2"/>',
        '<g class="dot group" transform="translate(1.0 2.0)"><rect x="-8.5" y="-8.5" width="17" height="17"/>'
        '<text y="3.6">A</text></g>',
    )
    assert picture.count('class="leader"') == 1


TEMPLATES = sorted((settings.BASE_DIR / "templates").rglob("*.html"))


def shown(text):
    return text.replace(NO_BREAK, "~")


def test_what_belongs_together_is_tied():
    tied = {
        "Mapa z granicami": "Mapa z~granicami",
        "W Polsce i w Czechach": "W~Polsce i~w~Czechach",
        "pod adresem\n  (w gminie)": "pod adresem\n  (w~gminie)",
        "„O katalogu”": "„O~katalogu”",
        "klasa A i B": "klasa A~i~B",
        "strefy A, B i C": "strefy A, B i~C",
        "raz na dzień": "raz na dzień",
        "z": "z",
        "koniec z ": "koniec z ",
        "od 1 lipca 2026 r. do 40 zł": "od 1~lipca 2026~r. do 40~zł",
        "do 15 km, 12,5 kg i 5 mm": "do 15~km, 12,5~kg i~5~mm",
        "15,5 MJ/kg przy 55/45 °C": "15,5~MJ/kg przy 55/45~°C",
        "Dz. Urz. z 2017 r. poz. 787, nr 4 rury": "Dz. Urz. z~2017~r. poz.~787, nr~4 rury",
        "kod 30-001 – Kraków": "kod 30-001~– Kraków",
        "1 tona i 30 metrów": "1 tona i~30 metrów",
        "przy ul. Długiej 5 i os. Zielonym": "przy ul.~Długiej 5 i~os.~Zielonym",
    }
    assert {written: shown(tie(written)) for written in tied} == tied


QUOTED = '<b class="{% if i > 1 %}o p{% endif %} w x">'


def test_only_texts_of_a_template_are_tied():
    for written, tied in (
        ("<p>Mediana z {{ n }} cen</p>", "<p>Mediana z~{{ n }} cen</p>"),
        ("<p>{{ n }} km – <b>{{ m }}</b> – {{ k }} t</p>", "<p>{{ n }}~km~– <b>{{ m }}</b>~– {{ k }}~t</p>"),
        ("<title>{% block title %}{% endblock %} – {{ name }}</title>",) * 2,
        ("składy w\n  <a href='/'>gminie</a>", "składy w~<a href='/'>gminie</a>"),
        ('<a title="raz w roku" data-i="a b">w domu</a>', '<a title="raz w roku" data-i="a b">w~domu</a>'),
        ("{% if a > b or i %}a{% endif %}",) * 2,
        (f"{QUOTED}i tak</b>", f"{QUOTED}i~tak</b>"),
        ('{# a i b #}{{ a|default:"w i" }}',) * 2,
    ):
        assert shown(tie_html(written)) == tied


def test_nothing_but_spaces_changes():
    for path in TEMPLATES:
        source = path.read_text()
        tied = tie_html(source)
        assert re.sub(r"\s+", " ", tied) == re.sub(r"\s+", " ", source), path
        assert re.findall(r"<[^>]*>|\{%.*?%\}", tied) == re.findall(r"<[^>]*>|\{%.*?%\}", source), path


def test_pages_are_tied_and_their_markdown_is_not(db, client, depot):
    assert f"API i{NO_BREAK}zasady" in client.get(KRAKOW).content.decode()
    assert NO_BREAK not in client.get(f"{KRAKOW[:-1]}.md").content.decode()
