// calibration
