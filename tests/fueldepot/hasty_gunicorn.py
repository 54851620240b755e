"""The service's configuration of gunicorn, with less patience: a test of slow callers has to wait for its end."""

from fueldepot import worker
from fueldepot.gunicorn import *  # noqa: F403 - gunicorn reads every name of the file

READ_LIMIT_S = 2.0

worker.READ_LIMIT_S = READ_LIMIT_S
