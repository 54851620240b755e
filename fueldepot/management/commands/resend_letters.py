"""The former name of `send_pending_letters`, kept until 1.3.0."""

from fueldepot.management.commands.send_pending_letters import Command

__all__ = ["Command"]
