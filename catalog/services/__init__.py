"""Operations on depots, shared by admin, forms and commands. Each is one transaction; `Refusal` says why it is refused.

`moderation`: verify, remove, restore. `publishing`: publish, offers, end of the demonstration. `editing`: edit, add,
drafts. `merging`: merge or mark as distinct, with what follows. `journal`: records each decision, and undoes it with
the handlers of `undoing`. `editors`: who works on what. `second_factor`: of the login. Accepted submissions make the
same changes: `catalog.submissions`.
"""


class Refusal(Exception):
    """An operation that somebody asked for and did not get; nothing was changed. Subclasses are told from others.

    reason: why, in Polish; of the class, or of the case. For editors without a capital letter and a full stop, so that
    it can follow a colon; for readers and owners in sentences, on a page with `title` and the HTTP status `status`.

    onward: where that page leads: "form" or "status" of the submission, "claim" or "renew" of the depot, whose id is
    then the first argument of the exception, or "owner", whose token is; "alerts"; "" for the home page. onward_label:
    of the link.
    """

    status = 409
    title = ""
    reason = ""
    onward, onward_label = "", ""

    def __init__(self, *args: object, reason: str = "") -> None:
        super().__init__(*(args or [reason]))
        self.reason = reason or self.reason
