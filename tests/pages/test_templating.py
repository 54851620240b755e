"""Templates of the site: undefined names, escaping, compilation at the start."""

from dataclasses import fields
from unittest.mock import Mock

import pytest
from django.http import HttpResponse
from django.template import TemplateDoesNotExist, engines
from django.template.loader import get_template
from django.urls import reverse
from jinja2 import UndefinedError, meta, nodes

from pages import rendering, urls
from pages.page import Page
from tests import factories


@pytest.fixture
def env():
    return engines["jinja2"].env


def sort_of(template):
    return type(get_template(template)).__module__.rpartition(".")[2]


def test_the_site_and_the_desk_have_an_engine_each():
    assert sort_of("base.html") == sort_of("mail/letter.txt") == "jinja2"
    assert sort_of("admin/base_site.html") == sort_of("admin/catalog/depot/page.html") == "django"
    with pytest.raises(TemplateDoesNotExist):
        get_template("pages/nowhere.html")


def test_a_misspelt_name_is_an_error():
    for source in ("{{ pgae }}", "{{ page.titel }}", "{% if page.titel %}a{% endif %}", "{{ page.a.b }}"):
        page = Page(title="a", description="b", path="/")
        with pytest.raises(UndefinedError):
            engines["jinja2"].from_string(source).render({"page": page})


def test_html_is_escaped_and_nothing_else(env):
    escaping = {name for name in env.list_templates() if env.autoescape(name)}
    assert escaping == {name for name in env.list_templates() if name.endswith(".html")}
    assert {name.rpartition(".")[2] for name in env.list_templates()} == {"html", "md", "txt"}
    assert engines["jinja2"].from_string("{{ a }}").render({"a": "<"}) == "&lt;"
    for name in env.list_templates():
        tree = env.parse(env.loader.get_source(env, name)[0])
        assert not [found for found in tree.find_all(nodes.Filter) if found.name in {"safe", "markup"}]


def test_every_template_is_compiled_before_it_is_asked_for(env, monkeypatch):
    rendering.warm_up()
    monkeypatch.setattr(env, "compile", Mock(side_effect=AssertionError("a template is compiled in a request")))
    for name in env.list_templates():
        assert env.get_template(name).name == name


def test_templates_ask_pages_for_what_they_have(env):
    """Also in branches without tests. Callables are not values."""
    names = [name for name in env.list_templates() if {"title", "breadcrumbs"} <= attributes(env, name, "page")]
    assert len(names) > 50
    for name in names:
        asked = attributes(env, name, "page")
        assert asked <= {*dir(Page), *(field.name for field in fields(Page))}, name
        assert not [one for one in asked if callable(getattr(Page, one, None))], name


@pytest.mark.django_db
def test_templates_name_what_their_page_gives(client, env, monkeypatch):
    """Also in branches without tests."""
    checked = []

    def check(request, template, page, *, twin, status, **content):
        for ending in (".html", ".md"):
            name = template.replace(".html", ending)
            assert undeclared(env, name) <= {*content, *rendering.site(request), "page", "twin", *env.globals}, name
        checked.append(template)
        return HttpResponse()

    monkeypatch.setattr(rendering, "render_page", check)
    factories.krakow()
    plain = [route.name for route in urls.urlpatterns if route.name and not route.pattern.converters]
    paths = [reverse(name) for name in plain if f"{name}-md" in plain]
    paths += ["/sklady/malopolskie/", "/przepisy/malopolskie/"]
    assert all(client.get(path).status_code == 200 for path in paths)
    assert len(checked) > 13


def attributes(env, name, variable):
    """Return the attributes of a variable used by a template and those it extends or includes."""
    tree = env.parse(env.loader.get_source(env, name)[0])
    asked = {found.attr for found in tree.find_all(nodes.Getattr) if found.node == nodes.Name(variable, "load")}
    for other in tree.find_all((nodes.Extends, nodes.Include)):
        asked |= attributes(env, other.template.value, variable)
    return asked


def undeclared(env, name):
    """Return the names that a template, and those it extends or includes, take from outside."""
    tree = env.parse(env.loader.get_source(env, name)[0])
    names = meta.find_undeclared_variables(tree)
    for other in tree.find_all((nodes.Extends, nodes.Include)):
        names |= undeclared(env, other.template.value)
    own = [name.name for name in tree.find_all(nodes.Name) if name.ctx == "param"]  # of `with`
    own += [name for line in tree.find_all(nodes.FromImport) for name in line.names]
    return names.difference(own, (macro.name for macro in tree.find_all(nodes.Macro)))
