"""The former name of `send_pending_letters`, kept for one version."""

from catalog.management.commands.send_pending_letters import Command

__all__ = ["Command"]
