"""How fast distributed deep-learning training will run on a cluster you do not have yet, and how sure that is.

    import ddlsim
    answer = ddlsim.predict("scenarios/iris-resnet50.json", gpus=[1, 8, 64])
    answer.to_pandas()                      # a row for each strategy and number of GPUs
    answer                                  # in a notebook: the page with charts

Scenarios and requests are files or dicts; docs/formats.md says what they hold. Every figure is in SI units, and is the
very figure that the command `ddlsim ... --json` prints. A mistake in what is asked is raised as `ddlsim.Error` with the
words of the command.
"""

from ._program import Error, UsageError, version
from .answers import Answer, Calibration, Diagnosis, Plan, Prediction, Validation
from .ask import calibrate, clusters, diagnose, models, plan, predict, validate

__all__ = ["Answer", "Calibration", "Diagnosis", "Error", "Plan", "Prediction", "UsageError", "Validation", "calibrate",
           "clusters", "diagnose", "models", "plan", "predict", "validate", "version"]
__version__ = version()
