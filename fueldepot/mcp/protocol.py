"""JSON-RPC of the Model Context Protocol, for a server of tools without sessions.

status, body = handle(message, headers)

Supports both kinds of clients: those that start with `initialize` (until 2025-11-25), and those whose every request
states its version in `_meta` and in headers (from 2026-07-28).
"""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import cache
from http import HTTPStatus
from typing import Any

import orjson
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_variables
from mcp_types import PROTOCOL_VERSION_META_KEY, jsonrpc
from mcp_types.methods import serialize_server_result, validate_client_request
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION, MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from fueldepot.data import snapshot
from fueldepot.errors import DOMAIN_ERRORS
from fueldepot.http.cache_control import NO_STORE, version
from fueldepot.http.error_body import method_not_allowed
from fueldepot.http.params import InvalidParameters, NumberText, ParameterError, quote
from fueldepot.http.query import MOST_IGNORED, Query
from fueldepot.http.views import json_response
from fueldepot.mcp import data_tools, rule_tools  # noqa: F401 - fill TOOLS
from fueldepot.mcp.answers import TOOLS, Tool, answer
from subsidy.api.params import forget_query, take_bytes

WITHOUT_VERSION = "2025-03-26"
"""Version of requests without one, Streamable HTTP, "Protocol Version Header"; the only one with batches."""

MOST_BATCHED = 10
"""Messages of a batch, which the rate limit counts as one request."""

KEPT_AN_HOUR = {"resultType": "complete", "ttlMs": 3_600_000, "cacheScope": "public"}
"""Of what clients keep: it changes with a release only."""

INSTRUCTIONS = (
    "Heating fuel in Poland: depots, prices, anti-smog rules, the clean-air subsidy. Begin with find_place for a TERYT "
    "code or coordinates. Quote `cite`; what has `demonstration: true` is invented and must not be quoted. Hours, "
    "availability and prices have to be confirmed at the depot; the text of the resolution binds."
)

Params = Mapping[str, Any]
Answer = tuple[int, dict[str, Any] | None]


class RpcError(Exception):
    """A protocol error. status: of the HTTP response."""

    def __init__(self, code: int, message: str, status: int = HTTPStatus.BAD_REQUEST, data: Any = None) -> None:
        self.code, self.status, self.data = code, status, data
        super().__init__(message)


@sensitive_variables()
def handle(message: Any, headers: Mapping[str, str]) -> Answer:
    """Return status and body for a message; no body unless it is a request. headers: by name, any case."""
    request_id = message.get("id") if isinstance(message, dict) else None
    if not isinstance(request_id, str | int) or isinstance(request_id, bool):
        request_id = None
    try:
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            batches = f"in version {WITHOUT_VERSION} it may be an array of up to {MOST_BATCHED}"
            raise RpcError(jsonrpc.INVALID_REQUEST, f"The body must be a JSON-RPC 2.0 message; {batches}")
        if "id" not in message or "method" not in message:
            return HTTPStatus.ACCEPTED, None  # a notification, or a response without a request
        if request_id is None:
            raise RpcError(jsonrpc.INVALID_REQUEST, "id must be a string or an integer")
        method, params = message["method"], message.get("params") or {}
        if not isinstance(method, str):
            raise RpcError(jsonrpc.INVALID_REQUEST, "method must be a string")
        return HTTPStatus.OK, {"jsonrpc": "2.0", "id": request_id, "result": run(method, params, headers)}
    except RpcError as error:
        body = {"code": error.code, "message": str(error)} | ({} if error.data is None else {"data": error.data})
        return error.status, {"jsonrpc": "2.0", "id": request_id, "error": body}


@sensitive_variables()
def handle_batch(messages: list[Any], headers: Mapping[str, str]) -> tuple[int, list[dict[str, Any]] | None]:
    """Return status and body for a batch; no body unless it has a request."""
    bodies = [body for _, body in (handle(message, headers) for message in messages) if body is not None]
    return (HTTPStatus.OK, bodies) if bodies else (HTTPStatus.ACCEPTED, None)


@sensitive_variables()
def run(method: Any, params: Any, headers: Mapping[str, str]) -> dict[str, Any]:
    """Return the result of a request. Raises RpcError."""
    if not isinstance(params, dict):
        raise RpcError(jsonrpc.INVALID_PARAMS, "params must be an object")
    version = read_version(method, params, headers)
    try:
        return run_method(method, version, params)
    except RpcError as error:
        if version not in MODERN_PROTOCOL_VERSIONS:
            error.status = HTTPStatus.OK  # up to 2025-11-25 what a method refuses stands in the body only
        raise


@sensitive_variables()
def run_method(method: Any, version: str, params: Params) -> dict[str, Any]:
    function = METHODS.get(method)
    try:
        validate_client_request(method, version, params)
    except (KeyError, TypeError):
        function = None
    except ValidationError:
        raise RpcError(jsonrpc.INVALID_PARAMS, f"params are not those of {method}") from None
    if function is None:
        raise RpcError(jsonrpc.METHOD_NOT_FOUND, f"There is no method {str(method)[:40]!r} here", HTTPStatus.NOT_FOUND)
    return dict(serialize_server_result(method, version, function(params)))


def read_version(method: Any, params: Params, headers: Mapping[str, str]) -> str:
    """Return the protocol version of a request. Raises RpcError for an unsupported one."""
    meta = params.get("_meta")
    inside = meta.get(PROTOCOL_VERSION_META_KEY) if isinstance(meta, dict) else None
    outside = headers.get("Mcp-Protocol-Version")
    if method == "initialize" and inside is None:
        return negotiate(params)
    version = inside or outside or WITHOUT_VERSION
    supported = [*MODERN_PROTOCOL_VERSIONS, *HANDSHAKE_PROTOCOL_VERSIONS]
    if version not in supported:
        data = {"supported": supported, "requested": str(version)[:40]}
        raise RpcError(jsonrpc.UNSUPPORTED_PROTOCOL_VERSION, "Unsupported protocol version", data=data)
    if version in MODERN_PROTOCOL_VERSIONS:
        named = {"Mcp-Protocol-Version": inside, "Mcp-Method": method}
        if method == "tools/call":
            named["Mcp-Name"] = params.get("name")
        for name, value in named.items():
            if headers.get(name) != value:
                raise RpcError(jsonrpc.HEADER_MISMATCH, f"The header {name} does not say what the body does")
    return str(version)


def negotiate(params: Params) -> str:
    version = params.get("protocolVersion")
    return version if version in HANDSHAKE_PROTOCOL_VERSIONS else LATEST_HANDSHAKE_VERSION


def initialize(params: Params) -> dict[str, Any]:
    """Answer the handshake. Stateless: later requests state their version themselves."""
    return {"protocolVersion": negotiate(params), **describe_server()}


def discover(params: Params) -> dict[str, Any]:
    return {"supportedVersions": [*MODERN_PROTOCOL_VERSIONS], **KEPT_AN_HOUR, **describe_server()}


def describe_server() -> dict[str, Any]:
    return {
        "capabilities": {"tools": {}},
        "serverInfo": {"name": settings.SITE_NAME, "version": version()},
        "instructions": INSTRUCTIONS,
    }


@cache
def describe_tools() -> list[dict[str, Any]]:
    return [tool.describe() for tool in TOOLS.values()]


def list_tools(params: Params) -> dict[str, Any]:
    return {"tools": describe_tools(), **KEPT_AN_HOUR}


@sensitive_variables()
def run_tool(params: Params) -> dict[str, Any]:
    """Return the result of a tool as JSON in a text, from one snapshot state; invalid arguments are its error."""
    tool = TOOLS.get(params["name"])
    if tool is None:
        raise RpcError(jsonrpc.INVALID_PARAMS, f"There is no tool {params['name'][:40]!r}")
    try:
        query = parse_arguments(tool, params.get("arguments") or {})
        with snapshot.consistent():
            return written(answer(tool.run(query)))
    except tuple(DOMAIN_ERRORS) as error:
        body = DOMAIN_ERRORS[type(error)](error)
        messages = [parameter["message"] for parameter in body["errors"]] or [body["message"]]
        return written({"error": [name_tools(message) for message in messages]}, is_error=True)


def parse_arguments(tool: Tool, arguments: Mapping[str, Any]) -> Query:
    """Return arguments as parameters of the API, numbers as such; null counts as missing.

    Raises InvalidParameters also for nested and for the first unknown arguments, with the closest parameter.
    """
    parameters, pairs = tool.parameters(), []
    errors: list[ParameterError] = []
    for name, value in arguments.items():
        if name not in parameters and len(errors) >= MOST_IGNORED:  # a body has room for thousands
            continue
        if name not in parameters:
            nearest = get_close_matches(name, parameters, n=1, cutoff=0.6)
            advice = f"did you mean {nearest[0]}?" if nearest else f"give some of {', '.join(parameters)}"
            errors.append(ParameterError(name, "unknown", f"{quote(name)} is no parameter of {tool.name}; {advice}"))
        elif isinstance(value, list | dict):
            errors.append(tool.query.describe_error(name, "malformed", "is an array or object"))
        elif value is not None:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            pairs.append((name, text if isinstance(value, str) else NumberText(text)))
    try:
        query = tool.query.parse(pairs, today=timezone.localdate())
    except InvalidParameters as error:
        refused = {row.parameter for row in errors}
        errors += [row for row in error.errors if row.parameter not in refused]
    if errors:
        raise InvalidParameters(errors)
    return query


def name_tools(message: str) -> str:
    """Return a message of the API that advises tools instead of addresses."""
    return message.replace("/api/v1/locations", "find_place").replace("/api/v1/stores", "depots_near")


def written(body: Mapping[str, Any], *, is_error: bool = False) -> dict[str, Any]:
    """Return a tool result: as a text, and unless it is an error as an object too."""
    content = [{"type": "text", "text": orjson.dumps(body).decode()}]
    structured = {} if is_error else {"structuredContent": body}
    return {"content": content, **structured, "isError": is_error, "resultType": "complete"}


METHODS: dict[str, Callable[[Params], dict[str, Any]]] = {
    "initialize": initialize,
    "server/discover": discover,
    "ping": lambda params: {},
    "tools/list": list_tools,
    "tools/call": run_tool,
}


ALLOWED = "POST, OPTIONS"


@csrf_exempt
@sensitive_variables()
def mcp(request: HttpRequest) -> HttpResponse:
    """Answer a message. Without streams and sessions GET and DELETE are refused."""
    if request.method == "OPTIONS":
        return HttpResponse(status=HTTPStatus.NO_CONTENT, headers={"Allow": ALLOWED})
    if request.method != "POST":
        return method_not_allowed(request, "send a JSON-RPC message by POST", {"Allow": ALLOWED})
    forget_query(request)
    try:
        message = orjson.loads(take_bytes(request))
    except orjson.JSONDecodeError:
        error = {"code": jsonrpc.PARSE_ERROR, "message": "The body is not JSON"}
        status, body = HTTPStatus.BAD_REQUEST, {"jsonrpc": "2.0", "id": None, "error": error}
    else:
        has_batches = request.headers.get("Mcp-Protocol-Version", WITHOUT_VERSION) == WITHOUT_VERSION
        is_batch = has_batches and isinstance(message, list) and 1 <= len(message) <= MOST_BATCHED
        status, body = (handle_batch if is_batch else handle)(message, request.headers)  # type: ignore[assignment]
    headers = {"Cache-Control": NO_STORE}
    if body is None:
        return HttpResponse(status=status, headers=headers)
    return json_response(body, status=status, headers=headers)
