"""How fast distributed deep-learning training will run on a cluster you do not have yet, and how sure that is.

    import ddlsim
    answer = ddlsim.predict(model="resnet50_v1.5", cluster="iris", gpus=[1, 8, 64], strategy="ring", batch_per_gpu=64)
    answer.fastest.samples_per_s            # the keys of `ddlsim predict --json` are attributes
    answer.to_pandas()                      # a row for each strategy and number of GPUs
    answer.plot()                           # by matplotlib; in a notebook the answer itself is a picture

Every figure is in SI units, and is the very figure that the command `ddlsim ... --json` prints. A mistake in what is asked
is raised as `ddlsim.Error` with the words of the command.
"""

from ._program import Error, UsageError, version
from ._record import Record
from .answers import Answer, Calibration, Collective, Diagnosis, Plan, Prediction, Validation
from .ask import calibrate, collective, diagnose, plan, predict, validate
from .commands import (Cluster, check, clusters, command, explain, export, gpus, models, new_cluster, new_gpu, new_scenario, presets,
                       records, schema)
from .model import Model, from_hf, from_torch, from_transformers
from .sweep import Sweep, sweep

__all__ = ["Answer", "Calibration", "Cluster", "Collective", "Diagnosis", "Error", "Model", "Plan", "Prediction", "Record", "Sweep",
           "UsageError", "Validation", "calibrate", "check", "clusters", "collective", "command", "diagnose", "explain", "export", "from_hf",
           "from_torch", "from_transformers", "gpus", "models", "new_cluster", "new_gpu", "new_scenario", "plan", "predict", "presets",
           "records", "schema", "sweep", "validate", "version"]
__version__ = version()
