"""Paths and packages of the project, and the path of the publishers' files."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
APPS = ("fueldepot", "catalog", "prices", "regulations", "subsidy", "pages")
