"""What a letter looks like: text and HTML with the same content, from templates `templates/site/mail/<name>.txt`.

Anybody can enter anybody's address into a form, so the letter with the link contains only data of the catalog: the
depot and the kind of submission. Submitted values and texts of editors go to confirmed addresses only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from django.core.mail import EmailMultiAlternatives
from django.template import engines
from django.template.backends.jinja2 import Jinja2
from django.template.loader import render_to_string

from catalog.links import depot_url
from catalog.models import Depot
from catalog.text import one_line, wrapped

LONGEST_SUBJECT_NAME = 60
"""Maximum length of a depot's name in a subject, so that the rest is visible in a mailbox."""

Part = tuple[str, dict[str, Any]]
"""A template of `mail/` and its values."""


@dataclass(frozen=True, slots=True)
class Block:
    """What a letter says about one depot. depot: None for none. status: URL of the page of the submission, or ""."""

    depot: Depot | None
    parts: Sequence[Part]
    status: str = ""


def compose(email: str, depot: Depot | None, *parts: Part, status: str = "") -> EmailMultiAlternatives:
    return compose_blocks(email, [Block(depot, parts, status)])


def compose_blocks(email: str, blocks: Sequence[Block]) -> EmailMultiAlternatives:
    """Return a letter about one or more depots, each with one or more parts.

    Templates set `about` (beginning of the subject without a depot), `outcome` (its end), `opening`, `closing`
    (paragraphs), `action` (label of the link whose URL is the value `link`) and `sections`: (heading, values, label of
    the new value beside the former one).
    """
    engine = engines["jinja2"]
    assert isinstance(engine, Jinja2)  # noqa: S101 - by its name
    texts: list[list[Any]] = [
        [engine.env.get_template(f"mail/{part}.txt").make_module(values) for part, values in block.parts]
        for block in blocks
    ]
    every = list(chain.from_iterable(texts))
    # Each paragraph once, where several parts say the same: at the end of the letter if all blocks do.
    closings = [
        dict.fromkeys(paragraph for text in modules for paragraph in paragraphs(getattr(text, "closing", "")))
        for modules in texts
    ]
    shared = [paragraph for paragraph in closings[0] if all(paragraph in closing for closing in closings)]
    context = {
        "blocks": [
            _block_context(block, modules) | {"closing": [text for text in closing if text not in shared]}
            for block, modules, closing in zip(blocks, texts, closings, strict=True)
        ],
        "closing": shared,
    }
    short = _depot_name(blocks[0].depot) or getattr(every[0], "about", "Brakujący skład")
    more = f" i jeszcze {len(blocks) - 1}" if len(blocks) > 1 else ""
    if len(short) > LONGEST_SUBJECT_NAME:
        short = short[: LONGEST_SUBJECT_NAME - 1].rstrip() + "…"
    subject = f"{short}{more}: {', '.join(dict.fromkeys(text.outcome for text in every))}"
    message = EmailMultiAlternatives(
        subject=subject,
        body=wrapped(render_to_string("mail/letter.txt", context)),
        to=[email],
        headers={"Auto-Submitted": "auto-generated"},
    )
    message.attach_alternative(render_to_string("mail/letter.html", context | {"subject": subject}), "text/html")
    return message


def _block_context(block: Block, texts: Sequence[Any]) -> dict[str, Any]:
    depot = block.depot
    published = depot is not None and depot.publication == Depot.Publication.PUBLISHED
    links = [
        (values["link"], text.action) for (_, values), text in zip(block.parts, texts, strict=True) if "link" in values
    ]
    return {
        "contents": [
            {"opening": paragraphs(text.opening), "sections": getattr(text, "sections", ())} for text in texts
        ],
        "link": links[0] if links else None,
        "depot_name": _depot_name(depot),
        "depot_address": depot.address if depot is not None and published else "",
        "depot_url": depot_url(depot.pk, depot.name) if depot is not None and published else "",
        "status_url": block.status,
    }


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, which blank lines separate; other line breaks are those of the template."""
    return [paragraph.replace("\n", " ") for paragraph in text.strip().split("\n\n") if paragraph]


def _depot_name(depot: Depot | None) -> str:
    """Return the name of a depot, "" for a missing depot or a name that may be a private person's."""
    if depot is None:
        return ""
    if depot.removal_reason == Depot.RemovalReason.PRIVATE_PERSON or depot.publication == Depot.Publication.HELD:
        return f"wpis nr {depot.pk}"
    return one_line(depot.name)
