"""The former name of `send_pending_letters`, kept for one version."""

from fueldepot.management.commands.send_pending_letters import Command

__all__ = ["Command"]
