"""Forms of Polish days and moments, on the site, in letters and at the desk; Django reads them by their names."""

DATE_FORMAT = r"j E Y \r."
DATETIME_FORMAT = f"{DATE_FORMAT}, H:i"
SHORT_DATE_FORMAT = "d.m.Y"
SHORT_DATETIME_FORMAT = f"{SHORT_DATE_FORMAT} H:i"
