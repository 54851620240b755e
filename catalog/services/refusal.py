"""Why an operation is refused: each refusal carries its own sentence."""


class Refusal(Exception):
    """An operation that an editor asked for and did not get; nothing was changed.

    reason: why, in Polish, without a capital letter and a full stop, so that it can follow a colon.
    """

    reason: str
