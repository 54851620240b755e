from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, str]:
    """What every template of the site may name besides its page: the site."""
    return {"site_name": settings.SITE_NAME}
