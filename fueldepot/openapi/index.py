"""The index of the API at `/api/v1`: its resources, and the currency of the data sets."""

from typing import Any

from django.conf import settings
from django.http import HttpResponse
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.serializers import (
    BooleanField,
    CharField,
    ChoiceField,
    DateField,
    IntegerField,
    Serializer,
    URLField,
)

from catalog.api.serializers import SITE
from catalog.depots.snapshot import depots
from catalog.models import Dataset
from fueldepot.data import snapshot
from fueldepot.http.links import documentation_url, route_path, site_url
from fueldepot.http.samples import samples
from fueldepot.http.views import JSON, JsonViewSet, json_response
from fueldepot.openapi import served
from prices.snapshot import prices

SERVICE = "service"


class OperationLinkSerializer(Serializer[Any]):
    """An operation of the API."""

    operation = CharField(help_text="Its `operationId` in the description.", style={"example": "findStores"})
    method = ChoiceField(["GET", "POST"], help_text="Method of the request.", style={"example": "GET"})
    url = CharField(
        help_text="Its address as a URI template (RFC 6570).",
        style={"example": f"{SITE}/api/v1/stores{{?lat,lon,postcode,teryt,radius,fuel,limit,offset,format}}"},
    )
    summary = CharField(help_text="What it does.", style={"example": "List depots of a unit, or the nearest ones"})


class DataSetSerializer(Serializer[Any]):
    """A data set behind the answers."""

    slug = ChoiceField(Dataset.Slug.values, help_text="Identifier of the data set.", style={"example": "depots"})
    name = CharField(help_text="Its name, in Polish.", style={"example": "składy opału"})
    version = IntegerField(min_value=1, help_text="Grows with every change of the data set.", style={"example": 12})
    changed_on = DateField(help_text="Day of the last change in this service.", style={"example": "2026-11-20"})


class IndexSerializer(Serializer[Any]):
    """The service, its addresses and its data sets."""

    name = CharField(help_text="Name of the service.", style={"example": "Składy opału"})
    version = CharField(help_text="Release of the service.", style={"example": "1.1.0"})
    openapi = URLField(help_text="The description (OpenAPI 3.1).", style={"example": f"{SITE}/api/v1/openapi.json"})
    docs = URLField(help_text="The documentation to read and try.", style={"example": f"{SITE}/api/v1/docs"})
    rules = URLField(help_text="The rules of use, in Polish.", style={"example": f"{SITE}/api/"})
    operations = OperationLinkSerializer(many=True, help_text="Everything that can be asked.")
    data_sets = DataSetSerializer(many=True, help_text="The data sets that the service has, one row each.")
    demonstration = BooleanField(
        help_text="True while invented depots or prices are among the data.", style={"example": False}
    )

    def to_representation(self, instance: snapshot.State) -> dict[str, Any]:
        """Return the fields. instance: the state of the snapshots."""
        document = served.document()
        return {
            "name": settings.SITE_NAME,
            "version": document["info"]["x-release"],
            "openapi": site_url(route_path("v1:openapi")),
            "docs": site_url(route_path("v1:docs")),
            "rules": documentation_url(),
            "operations": [
                {
                    "operation": operation["operationId"],
                    "method": method.upper(),
                    "url": document["servers"][0]["url"] + path + query_template(operation),
                    "summary": operation["summary"],
                }
                for path, methods in document["paths"].items()
                for method, operation in methods.items()
            ],
            "data_sets": [
                {
                    "slug": slug.value,
                    "name": slug.label,
                    "version": int(instance.versions[slug].partition(".")[0]),
                    "changed_on": instance.changed_on(slug),
                }
                for slug in Dataset.Slug
                if slug in instance.versions
            ],
            "demonstration": depots.get().demonstration or prices.get().columns.demonstration.any().item(),
        }


def query_template(operation: dict[str, Any]) -> str:
    """Return the query of an operation as an RFC 6570 template, "" without parameters."""
    names = [one["name"] for one in operation.get("parameters", []) if one["in"] == "query"]
    return f"{{?{','.join(names)}}}" if names else ""


class IndexViewSet(JsonViewSet):
    """The entry of the API."""

    @extend_schema(
        operation_id="getIndex",
        tags=[SERVICE],
        summary="Addresses of the API, and how current its data are",
        description=(
            "Every operation as a URI template; every data set with its version and the day of its last change. The "
            "address answers with and without a slash at its end."
        ),
        responses={(200, JSON): OpenApiResponse(IndexSerializer, "The addresses and data sets.")},
        extensions=samples(("The entry", '"/api/v1"')),
    )
    def retrieve(self, request: Request) -> HttpResponse:
        """Answer GET /api/v1."""
        return json_response(IndexSerializer(snapshot.current()).data)
