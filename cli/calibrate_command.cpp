#include "calibrate/fit/calibrate.hpp"
#include "cli/commands.hpp"
#include "sim/base/error.hpp"
#include "sim/base/names.hpp"
#include "sim/formats/data_folder.hpp"

#include <fmt/format.h>

namespace ddlsim {

namespace {

std::vector<MeasurementFile> all_records(const DataFolder& data) {
  std::vector<MeasurementFile> files;
  for (const auto& cluster : list_clusters(data))
    for (auto& file : read_cluster_measurements(data.platforms(), cluster)) files.push_back(std::move(file));
  return files;
}

} // namespace

int run_calibrate(const CalibrateCommand& command, const CommandLine& line) {
  const DataFolder data{line.data_folder};
  load_cluster(data, command.cluster); // an unknown name is reported before anything else
  const auto reference = read_reference_data(data);
  const auto calibrated = calibrate(reference, command.cluster, all_records(data));
  CommandLine to_file = line;
  if (to_file.output.empty()) to_file.output = data.platforms() / command.cluster / "calibration.json";
  emit(to_file, calibration_json(calibrated.calibration));
  CommandLine to_terminal = line;
  to_terminal.output.clear();
  emit(to_terminal, line.json ? calibration_json(calibrated.calibration) : calibration_text(calibrated));
  return 0;
}

} // namespace ddlsim
