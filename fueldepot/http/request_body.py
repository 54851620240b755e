"""Strict reading of request bodies, and parsing of a form, multipart form or JSON object to pairs for `Query.parse`.

Django's own parsers replace invalid UTF-8, keep files and drop repeated keys; here values stay what was sent, and
anything but parameters is refused by name.
"""

import json
import re
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any, NoReturn

from django.http import HttpRequest
from django.utils.http import parse_header_parameters
from gunicorn.http.errors import ParseException

from fueldepot.http.params import NumberText, decode_pair, quote, split_pairs

MAX_BODY_BYTES = 65_536
"""Maximum of the API: all parameters with their longest values fit several times."""

MAX_FORM_BYTES = 5_000_000
"""Maximum of the site. Larger bodies are refused unread: Django would write a form to the disk."""

MAX_PARAMETERS = 1_000

Pairs = list[tuple[str, str]]


class MalformedBody(Exception):
    """The body does not match its content type."""


class UnsupportedBody(Exception):
    """The body is of a type, charset or coding that is not read. what, value: of these. advice: what to send."""

    def __init__(self, what: str, value: str, advice: str) -> None:
        super().__init__(f"The {what} is {quote(value) if value else 'missing'}; {advice}.")


class BodyTooLarge(Exception):
    """The body has more bytes than are read."""


def read_whole(request: HttpRequest, most_bytes: int) -> None:
    """Replace the server's stream by its content, if there is a body.

    Django reads nothing of a body without a length, and treats a truncated one as complete, also a multipart body
    without its closing boundary. Raises BodyTooLarge, MalformedBody or UnsupportedBody.
    """
    meta = request.META
    announced = meta.get("CONTENT_LENGTH") or ""
    if announced in {"", "0"} and "HTTP_TRANSFER_ENCODING" not in meta:
        return
    length = (int(announced[:20]) if announced.isdecimal() else 0) if announced else None  # None: chunked
    if length is not None and length > most_bytes:
        raise BodyTooLarge
    for header in ("Content-Encoding", "Transfer-Encoding"):
        coding = meta.get(f"HTTP_{header.upper().replace('-', '_')}", "").strip().lower()
        if coding not in {"", "identity", "chunked"}:
            raise UnsupportedBody(header, coding, "send the body uncompressed, without this header")
    try:
        body: bytes = meta["wsgi.input"].read(most_bytes + 1 if length is None else length)
    except OSError:
        raise MalformedBody("the connection ended before the body did") from None
    except ParseException:
        raise MalformedBody("its chunks are not what RFC 9112, section 7.1, says") from None
    if length is not None and len(body) < length:
        raise MalformedBody("the connection ended before the body did")
    if len(body) > most_bytes:
        raise BodyTooLarge
    media_type, options = parse_header_parameters(meta.get("CONTENT_TYPE", ""))
    if media_type == "multipart/form-data" and body:
        boundary = options.get("boundary", "").encode("latin-1", "replace")
        if b"--" + boundary + b"--" not in body:
            raise MalformedBody("the multipart body does not end with its boundary")
    meta["CONTENT_LENGTH"] = str(len(body))
    meta["wsgi.input"] = request._stream = BytesIO(body)


def read_pairs(content_type: str, body: bytes) -> Pairs:
    """Return names and values of a body. content_type: the header, "" if missing.

    Raises MalformedBody or UnsupportedBody. No message repeats content of the body.
    """
    media_type, options = parse_header_parameters(content_type)
    if not media_type and not body:
        return []
    if media_type not in READERS:
        raise UnsupportedBody("content type", media_type, AS_PARAMETERS)
    if (charset := options.get("charset", "utf-8")).lower() not in {"utf-8", "utf8"}:
        raise UnsupportedBody("charset", charset, AS_PARAMETERS)
    pairs = READERS[media_type](body, options)
    if len(pairs) > MAX_PARAMETERS:
        raise MalformedBody(f"the body holds more than {MAX_PARAMETERS} parameters")
    return pairs


def read_multipart(body: bytes, options: dict[str, str]) -> Pairs:
    """multipart/form-data without files."""
    boundary = options.get("boundary", "").encode("latin-1", "replace")
    if not re.fullmatch(rb"[ -~]{1,70}", boundary):
        raise MalformedBody("the content type names no boundary")
    parts = (b"\r\n" + body).split(b"\r\n--" + boundary)
    if len(parts) < 2 or not parts[-1].startswith(b"--"):
        raise MalformedBody("the multipart body does not end with its boundary")
    return [read_part(part) for part in parts[1:-1]]


DISPOSITION = re.compile(rb"(?im)^content-disposition:[ \t]*form-data\b([^\r\n]*)$")
PART_NAME = re.compile(rb'(?i);[ \t]*name="([^"\r\n]*)"')


def read_part(part: bytes) -> tuple[str, str]:
    head, blank, value = part.partition(b"\r\n\r\n")
    if not blank or not head.lstrip(b" \t").startswith(b"\r\n"):
        raise MalformedBody("a part of the multipart body has no head")
    disposition = DISPOSITION.search(head.replace(b"\r\n", b"\n"))
    name = PART_NAME.search(disposition[1]) if disposition else None
    if disposition is None or name is None:
        raise MalformedBody("a part of the multipart body has no name")
    if re.search(rb"(?i);[ \t]*filename", disposition[1]):
        raise MalformedBody("a part of the multipart body is a file; send values only")
    if re.search(rb"(?im)^content-transfer-encoding:[ \t]*+(?!7bit|8bit|binary)", head):
        raise MalformedBody("a part of the multipart body is encoded; send it as it is")
    return decode_pair(name[1], value)


def read_json(body: bytes, options: dict[str, str]) -> Pairs:
    """application/json: one object of text, numbers, true, false and null, which counts as not given."""
    try:
        content = json.loads(
            body.decode("utf-8"),
            object_pairs_hook=JsonObject,
            parse_int=NumberText,  # the readers of parameters decide, so that 1e3 stays refused
            parse_float=NumberText,
            parse_constant=refuse_constant,
        )
    except UnicodeDecodeError:
        raise MalformedBody("the body is not valid UTF-8") from None
    except (ValueError, RecursionError):
        raise MalformedBody("the body is not valid JSON") from None
    if not isinstance(content, JsonObject):
        raise MalformedBody("the JSON body must be one object")
    return list(json_pairs(content))


class JsonObject(list[tuple[str, Any]]):
    """Pairs of an object, repeated keys included."""


def refuse_constant(name: str) -> NoReturn:
    raise MalformedBody(f"the JSON body holds {name}, which is no JSON number")


NESTED = "(an array or object)"
"""Replaces nested values; no parameter accepts it."""


def json_pairs(content: JsonObject) -> Iterator[tuple[str, str]]:
    for key, value in content:
        # A lone surrogate in a value stays one, which the readers refuse with the parameter's name.
        name = key.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
        if value is None:
            yield name, ""
        elif isinstance(value, bool):
            yield name, "true" if value else "false"
        else:
            yield name, value if isinstance(value, str) else NESTED


def read_form(body: bytes, options: dict[str, str]) -> Pairs:
    """application/x-www-form-urlencoded. Many tools state this type for JSON, too, which would be an ignored name."""
    if body.lstrip().startswith(b"{"):
        raise MalformedBody("the body is JSON, but the content type is that of a form; send it as application/json")
    return list(split_pairs(body)) if body else []


READERS: dict[str, Callable[[bytes, dict[str, str]], Pairs]] = {
    "application/x-www-form-urlencoded": read_form,
    "multipart/form-data": read_multipart,
    "application/json": read_json,
}

AS_PARAMETERS = f"send the parameters in UTF-8 as one of {', '.join(READERS)}"
