"""`python -m fueldepot` replaces manage.py where the project is installed as a wheel."""

from fueldepot.command_line import main

main()
