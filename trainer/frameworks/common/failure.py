"""What goes wrong, in one message; it knows no framework."""
import os
import sys
import time
import traceback

OTHERS_FIRST_S = 4  # longer than the starter lets a rank wait with what all ranks meet at once (mpi_session.cpp)


class Failure(Exception):
    """status: 1 when the run failed, 2 when it was asked for wrongly."""

    def __init__(self, message, status=1):
        super().__init__(message)
        self.status = status


def end_at_once(status):
    """Ends the process without what the interpreter does at its end."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # a framework's threads may wait for other ranks for ever


def end_on_failure(name, body):
    """Runs `body`; a failure becomes one line on standard error and the exit status."""
    try:
        body()
    except Failure as failure:
        print(f"{name}: {failure}", file=sys.stderr)
        end_at_once(failure.status)
    except Exception as error:  # a framework's own, whose place matters too
        if "DDLTRAIN_JOB" in os.environ:
            time.sleep(OTHERS_FIRST_S)  # mostly that another rank has died, whose own message tells why
        place = traceback.extract_tb(error.__traceback__)[-1]
        words = " ".join(str(error).split())
        print(f"{name}: {type(error).__name__}: {words} ({place.filename}:{place.lineno})", file=sys.stderr)
        end_at_once(1)
