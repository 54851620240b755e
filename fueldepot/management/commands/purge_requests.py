"""The former name of `purge_submissions`, kept until 1.3.0."""

from fueldepot.management.commands.purge_submissions import Command

__all__ = ["Command"]
