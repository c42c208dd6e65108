#include "calibrate/cache/calibration_cache.hpp"
#include "calibrate/cache/fit_inputs.hpp"
#include "calibrate/priors/fit_priors.hpp"
#include "cli/command.hpp"
#include "sim/base/error.hpp"
#include "sim/base/text_file.hpp"
#include "sim/compute/kernels/kernel_book.hpp"
#include "sim/formats/kernel_rates.hpp"
#include "sim/formats/own_files.hpp"
#include "viewer/answers/pictures.hpp"

#include <fmt/format.h>

namespace ddlsim {

namespace {

/// Writes the content to the file, and prints it or its summary on the terminal.
void emit_both(const CommandLine& line, const std::filesystem::path& own_file, const std::string& content,
               const std::string& summary) {
  CommandLine to_file = line;
  if (to_file.output.empty()) to_file.output = own_file;
  emit(to_file, content);
  CommandLine to_terminal = line;
  to_terminal.output.clear();
  emit(to_terminal, line.json ? content : summary);
}

int run_priors(const DataFolder& data, const CommandLine& line) {
  const auto fitted = fit_priors(read_reference_data(data), all_records(data), line.threads);
  emit_both(line, data.platforms() / "priors.json", priors_json(fitted), fitted_priors_text(fitted));
  return 0;
}

int run_kernels(const DataFolder& data, const CommandLine& line) {
  std::vector<KernelFile> files;
  for (const auto& path : list_kernel_files(data)) files.push_back({path.string(), read_gpu_kernels(path)});
  const auto fitted = fit_kernel_book(files, load_gpus(data));
  emit_both(line, data.kernel_rates(), kernel_rates_json(fitted.book), kernel_book_text(fitted));
  return 0;
}

/// Finds or fits the calibration of every cluster, and writes it to the folder of --output too.
int run_all(const CommandLine& line) {
  const auto data = fitted_data(line);
  const auto& folder = line.output;
  if (!folder.empty()) std::filesystem::create_directories(folder);
  std::size_t count = 0;
  for (const auto& name : list_clusters(data)) {
    const auto calibration = load_calibration(data, name);
    if (!calibration) continue;
    ++count;
    if (!folder.empty()) write_file(folder / cached_name(name, calibration->inputs), calibration_json(*calibration));
  }
  narrate(line, fmt::format("{} calibration{}", count,
                            (count == 1 ? "" : "s") + (folder.empty() ? " kept" : " in " + folder.string())));
  return 0;
}

} // namespace

int run_calibrate(const CalibrateCommand& command, const CommandLine& line) {
  DataFolder data{line.data_folder};
  if (command.priors) return run_priors(data, line);
  if (command.kernels) return run_kernels(data, line);
  if (command.all) return run_all(line);
  std::string name = command.cluster;
  if (is_path(name)) {
    const auto folder = own_cluster_folder(name);
    data = with_own_cluster(data, folder);
    name = folder.filename().string();
  } else if (auto known = spelt_like(name, list_clusters(data)); !known.empty()) {
    name = std::move(known);
  }
  load_cluster(data, name); // this reports an unknown name before anything else
  const auto calibrated = fit_from_files(data, name, line.threads);
  write_picture(line, command.picture, [&] { return calibration_picture(calibrated); });
  emit_both(line, data.platforms_of(name) / name / "calibration.json", calibration_json(calibrated.calibration),
            calibration_summary(calibrated) + (command.details ? calibration_details(calibrated) : ""));
  return 0;
}

} // namespace ddlsim
