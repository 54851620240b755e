"""Routes and URLs on pages."""

import pytest
from django.template import engines
from django.urls import NoReverseMatch, reverse
from whitenoise.storage import CompressedManifestStaticFilesStorage


def render(source):
    return engines["jinja2"].from_string(source).render()


def test_a_route_is_its_address():
    assert render('{{ "api-rules"|route }}') == reverse("api-rules")
    assert render('{{ "v1:locations"|route }}') == "/api/v1/locations"
    assert render('{{ "voivodeship"|route("slaskie") }}') == "/sklady/slaskie/"
    assert render('{{ url("depot-correct", 12) }}') == "/sklad/12/popraw/"


def test_an_unknown_route_is_an_error():
    with pytest.raises(NoReverseMatch):
        render('{{ "nowhere"|route }}')
    with pytest.raises(NoReverseMatch):
        render('{{ url("depot-correct", "x") }}')


def test_a_static_file_is_named_as_the_manifest_says(settings, tmp_path):
    settings.DEBUG = False
    (tmp_path / "staticfiles.json").write_text('{"version": "1.1", "paths": {"a.css": "a.0123.css"}, "hash": ""}')
    files = CompressedManifestStaticFilesStorage(location=tmp_path, base_url="/static/")
    assert [files.url("a.css"), files.url("a.css")] == ["/static/a.0123.css"] * 2
    with pytest.raises(ValueError, match="Missing staticfiles manifest entry"):
        files.url("b.css")
