"""The former name of `purge_submissions`, kept for one version."""

from fueldepot.management.commands.purge_submissions import Command

__all__ = ["Command"]
