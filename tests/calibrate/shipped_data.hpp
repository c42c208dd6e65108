#pragma once
// The shipped files with their calibrations, as `predict` has them in a checkout: fitted by the first test that asks.

#include "calibrate/cache/calibration_cache.hpp"
#include "sim/formats/data_folder.hpp"

namespace ddlsim_test {

inline ddlsim::DataFolder shipped_data() {
  ddlsim::DataFolder data{DDLSIM_SOURCE_DIR};
  data.calibrations = ddlsim::fitted_calibrations({.shipped = {}, .kept = ddlsim::cache_folder(DDLSIM_SOURCE_DIR)});
  return data;
}

} // namespace ddlsim_test
