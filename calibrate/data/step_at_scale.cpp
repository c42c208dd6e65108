#include "calibrate/data/fit_data.hpp"
#include "calibrate/data/transfer_series.hpp"

namespace ddlsim {

CachedStep::CachedStep(const SeriesData& fit_data, const DataPoint& point)
    : setup_(setup_at(fit_data, point)), measured_(fit_data.measured), point_(point) {}

double CachedStep::time_s(const Parameters& sample) {
  memory_.stores = true;
  return run(sample);
}

double CachedStep::time_without_caching_s(const Parameters& sample) {
  memory_.stores = false;
  return run(sample);
}

double CachedStep::run(const Parameters& sample) {
  if (measured_ != Measured::step) return transfer_time_s(measured_, setup_, point_, sample);
  return time_step(setup_, sample, Fidelity::screening, memory_).iteration_s;
}

double shown_over_screened(const SeriesData& fit_data, const DataPoint& point, const Parameters& sample) {
  if (fit_data.measured != Measured::step) return 1;
  const auto setup = setup_at(fit_data, point);
  const auto screened = time_step(setup, sample, Fidelity::screening);
  const bool is_exact = screened.choice.faster == 0 && screened.choice.slower == 0;
  return is_exact ? 1 : time_step(setup, sample, Fidelity::automatic).iteration_s / screened.iteration_s;
}

} // namespace ddlsim
