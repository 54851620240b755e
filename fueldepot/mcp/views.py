"""View of the Model Context Protocol: one JSON message in, one out."""

from http import HTTPStatus

import orjson
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_variables

from fueldepot.http.cache_control import NO_STORE
from fueldepot.http.error_body import method_not_allowed
from fueldepot.http.views import JSON
from subsidy.privacy import forget_query, take_bytes

ALLOWED = "POST, OPTIONS"


@csrf_exempt
@sensitive_variables()
def mcp(request: HttpRequest) -> HttpResponse:
    """Answer a message. Without streams and sessions GET and DELETE are refused."""
    # Imported late: its types take seventeen megabytes, and few workers need them.
    from mcp_types.jsonrpc import PARSE_ERROR

    from fueldepot.mcp.protocol import handle

    if request.method == "OPTIONS":
        return HttpResponse(status=HTTPStatus.NO_CONTENT, headers={"Allow": ALLOWED})
    if request.method != "POST":
        return method_not_allowed(request, "send a JSON-RPC message by POST", {"Allow": ALLOWED})
    forget_query(request)
    try:
        message = orjson.loads(take_bytes(request))
    except orjson.JSONDecodeError:
        error = {"code": PARSE_ERROR, "message": "The body is not JSON"}
        status, body = HTTPStatus.BAD_REQUEST, {"jsonrpc": "2.0", "id": None, "error": error}
    else:
        status, body = handle(message, request.headers)  # type: ignore[assignment]
    headers = {"Cache-Control": NO_STORE}
    if body is None:
        return HttpResponse(status=status, headers=headers)
    return HttpResponse(orjson.dumps(body), status=status, headers=headers, content_type=JSON)
