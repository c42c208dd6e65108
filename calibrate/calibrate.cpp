#include "calibrate/calibrate.hpp"

#include "calibrate/contradiction.hpp"
#include "calibrate/series.hpp"
#include "sim/answer/checksum.hpp"
#include "sim/files/error.hpp"

#include <fmt/format.h>

namespace ddlsim {

Calibration calibrate(const Shelf& shelf, const std::string& cluster, const std::vector<MeasurementFile>& files,
                      const std::vector<MeasurementFile>& others) {
  const auto priors = priors_without(shelf.priors, cluster);
  std::vector<SeriesEvidence> all;
  std::vector<SetAside> aside;
  auto everywhere = group_series(files);
  const auto own = everywhere.size();
  const auto elsewhere = group_series(others);
  everywhere.insert(everywhere.end(), elsewhere.begin(), elsewhere.end());
  const auto contradictions = same_on_two_fabrics(everywhere, shelf);
  everywhere.resize(own);
  for (const auto& series : everywhere) {
    auto one = series_evidence(shelf, priors, series);
    if (!one) {
      aside.push_back({series.id, "the simulator cannot time it: no layer table of the model, or a GPU or precision "
                                  "that the catalogue does not have"});
    } else if (!one->points.empty()) {
      if (const auto told = contradictions.find(series.id); told != contradictions.end()) {
        aside.push_back({series.id, told->second});
        one->set_aside = told->second;
      }
      all.push_back(std::move(*one));
    }
  }
  if (all.empty())
    throw UserError(cluster, "",
                    "no step record on more than one GPU that the simulator can time; measure some with ddltrain, or "
                    "import a table with `ddlsim import`");
  auto calibration = fit_steps(all, {});
  calibration.cluster = cluster;
  calibration.set_aside = aside;
  for (const auto& file : files)
    calibration.files.push_back(fmt::format("{} {}", file.file.filename().string(), fnv1a_of_file(file.file)));
  return calibration;
}

} // namespace ddlsim
