"""UIDs of calendar events."""

import uuid

CALENDAR_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "regulations.fueldepot")


def calendar_uid(teryt: str, key: str) -> uuid.UUID:
    """Return the calendar UID of a deadline of the files, by voivodeship and key.

    It is the same in every database, so that subscribed calendars survive a new one. One that an editor enters has a
    random UID. A deadline keeps its UID when its day moves.
    """
    return uuid.uuid5(CALENDAR_NAMESPACE, f"{teryt}/{key}")
