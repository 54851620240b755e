"""The application that gunicorn serves. Settings come from the environment alone."""

import os

from django.core.wsgi import get_wsgi_application
from django.db import connection

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fueldepot.settings")
application = get_wsgi_application()

LIMITS = {
    "statement_timeout": "10s",
    # A frozen worker must not hold locks for ever.
    "idle_in_transaction_session_timeout": "60s",
    # Nobody reads what a statement finds whose client has gone.
    "client_connection_check_interval": "1s",
}
"""What PostgreSQL limits for requests; commands and imports take as long as they need."""

options = connection.settings_dict["OPTIONS"]
# What the operator has put into the address counts: it comes last.
options["options"] = " ".join([*(f"-c {name}={value}" for name, value in LIMITS.items()), options.get("options", "")])
