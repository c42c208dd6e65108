#include "calibrate/cache/calibration_cache.hpp"

#include "calibrate/cache/fit_inputs.hpp"
#include "sim/base/error.hpp"
#include "sim/base/text_file.hpp"
#include "sim/predict/predict.hpp"

#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <map>
#include <memory>
#include <mutex>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace ddlsim {
namespace {

namespace fs = std::filesystem;

/// The cluster and the checksum of its inputs, by which a calibration is looked up.
struct FitQuery {
  std::string cluster;
  std::string inputs;
};

/// The result of looking into a folder: a calibration, or the reason why its file cannot be used. Both are empty if
/// there is no file.
struct KeptFit {
  std::optional<Calibration> calibration;
  std::string why_not;
};

/// Reads a file. A file that belongs to older inputs is no error: the cluster is then fitted again.
KeptFit look_into(const fs::path& file, const FitQuery& query) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return {};
  try {
    auto calibration = read_calibration(file);
    if (calibration.cluster != query.cluster) return {{}, "is of another cluster"};
    if (calibration.inputs != query.inputs) return {{}, "was fitted to other files, or by another model"};
    return {std::move(calibration), ""};
  } catch (const UserError&) {
    return {{}, "is damaged, or of another version"};
  }
}

/// Sets the file's modification time to now, which shows when it was last used.
void mark_used(const fs::path& file) {
  std::error_code ignored;
  fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
}

/// Whether the name is cached_name() of this cluster. Another cluster's name may begin with the same words.
bool is_kept_of(const std::string& name, const std::string& cluster) {
  return name.starts_with(cluster) && name.size() == cached_name(cluster, Fnv1a().text()).size();
}

void forget_unused(const fs::path& folder, const std::string& cluster) {
  std::vector<std::pair<fs::file_time_type, fs::path>> kept;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (is_kept_of(it->path().filename().string(), cluster))
      kept.emplace_back(fs::last_write_time(it->path(), ignored), it->path());
  }
  std::sort(kept.rbegin(), kept.rend());
  for (std::size_t i = most_cached; i < kept.size(); ++i) fs::remove(kept[i].second, error);
}

bool can_be_written(const fs::path& folder) {
  if (folder.empty()) return false;
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  return ::access(folder.c_str(), W_OK | X_OK) == 0;
}

/// A lock that lets one process at a time fit a cluster. Where file locks do not work, several processes fit it.
class FitLock {
public:
  FitLock(const fs::path& folder, const std::string& cluster)
      : descriptor_(::open((folder / ("." + cluster + ".lock")).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (descriptor_ >= 0) ::flock(descriptor_, LOCK_EX);
  }
  ~FitLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  FitLock(const FitLock&) = delete;
  FitLock& operator=(const FitLock&) = delete;

private:
  int descriptor_;
};

/// The calibrations that were found or made so far, by file name.
struct FitMemory {
  std::mutex mutex;
  std::map<std::string, std::optional<Calibration>> all;
};

void narrate_line(const CalibrationCache& cache, const std::string& text) {
  if (cache.narrate) cache.narrate(text);
}

/// The message before a fit. `why_not` is the reason why an existing file cannot be used; "" if there is none.
std::string fit_text(const CalibrationCache& cache, const FitQuery& query, std::size_t records, bool writes,
                     const std::string& why_not) {
  const auto where = writes               ? fmt::format("kept in {}", cache.kept.string())
                     : cache.kept.empty() ? "kept nowhere"
                                          : fmt::format("and not kept: {} cannot be written", cache.kept.string());
  return fmt::format("fitting {} to its {} record{}, {}{}", query.cluster, records, records == 1 ? "" : "s", where,
                     why_not.empty() ? "" : "; " + why_not);
}

/// Fits the cluster. If no record can be fitted, the calibration is empty. It is kept too, so that the records are not
/// read again.
Calibration fitted(const CalibrationCache& cache, const DataFolder& data, const FitQuery& query) {
  Calibration nothing;
  nothing.cluster = query.cluster;
  nothing.version = version();
  nothing.inputs = query.inputs;
  try {
    return as_written(fit_from_files(data, query.cluster, cache.threads).calibration);
  } catch (const NothingToFit& why) {
    if (why.all_left_out) narrate_line(cache, to_text(why.mistakes().front()));
    return nothing;
  }
}

void keep(const fs::path& folder, const Calibration& calibration) {
  write_file(folder / cached_name(calibration.cluster, calibration.inputs), calibration_json(calibration));
  forget_unused(folder, calibration.cluster);
}

bool says_something(const Calibration& calibration) {
  return !calibration.parameters.empty() || !calibration.series.empty() || !calibration.collectives.empty() ||
         !calibration.compute.empty();
}

/// Whether any file may hold records to fit. It reads no file, because it runs for every answer.
bool has_records(const DataFolder& data, const std::string& cluster) {
  std::error_code ignored;
  if (!fs::exists(data.platforms_of(cluster) / cluster / "cluster.json", ignored)) return false;
  const auto from = fitted_clusters(load_cluster(data, cluster));
  return std::any_of(from.begin(), from.end(),
                     [&](const auto& name) { return !measurement_files(data.platforms_of(name), name).empty(); });
}

std::optional<Calibration> fit_and_keep(const CalibrationCache& cache, const DataFolder& data, const FitQuery& query,
                                        const std::string& why_not) {
  const auto records = count_fitted_records(data, query.cluster);
  if (records == 0) return {};
  const bool writes = can_be_written(cache.kept);
  std::unique_ptr<const FitLock> lock;
  if (writes) {
    lock = std::make_unique<const FitLock>(cache.kept, query.cluster);
    if (auto meanwhile = look_into(cache.kept / cached_name(query.cluster, query.inputs), query).calibration)
      return meanwhile;
  }
  narrate_line(cache, fit_text(cache, query, records, writes, why_not));
  auto calibration = fitted(cache, data, query);
  try {
    if (writes) keep(cache.kept, calibration);
  } catch (const UserError& error) {
    narrate_line(cache, error.what());
  }
  return calibration;
}

std::string name_not_used(const fs::path& file, const KeptFit& found) {
  return found.why_not.empty() ? "" : fmt::format("{} {}", file.string(), found.why_not);
}

/// Looks for a kept calibration, and fits the cluster if there is none.
std::optional<Calibration> kept_or_fitted(const CalibrationCache& cache, const DataFolder& data,
                                          const FitQuery& query) {
  const auto written = data.platforms_of(query.cluster) / query.cluster / "calibration.json";
  const auto of_user = look_into(written, query);
  if (of_user.calibration) return of_user.calibration;
  auto why_not = name_not_used(written, of_user);
  for (const auto& folder : {cache.shipped, cache.kept}) {
    if (folder.empty()) continue;
    const auto file = folder / cached_name(query.cluster, query.inputs);
    auto found = look_into(file, query);
    if (found.calibration) {
      if (folder == cache.kept) mark_used(file);
      if (!why_not.empty()) narrate_line(cache, why_not + "; a newer fit takes its place");
      return found.calibration;
    }
    if (why_not.empty()) why_not = name_not_used(file, found);
  }
  return fit_and_keep(cache, data, query, why_not);
}

std::optional<Calibration> find_calibration(const CalibrationCache& cache, FitMemory& remembered,
                                            const DataFolder& target, const std::string& cluster) {
  const auto data = data_of_fit(target, cluster);
  if (!has_records(data, cluster)) return {};
  const FitQuery query{cluster, fit_inputs(data, cluster)};
  const std::lock_guard hold(remembered.mutex);
  const auto name = cached_name(cluster, query.inputs);
  auto known = remembered.all.find(name);
  if (known == remembered.all.end()) {
    auto found = kept_or_fitted(cache, data, query);
    if (found && !says_something(*found)) found.reset();
    known = remembered.all.emplace(name, std::move(found)).first;
  }
  return known->second;
}

fs::path folder_from(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? fs::path{} : fs::path(value);
}

} // namespace

std::string cached_name(const std::string& cluster, const std::string& inputs) {
  return fmt::format("{}-{}.json", cluster, inputs);
}

fs::path cache_folder(const fs::path& checkout) {
  if (auto stated = folder_from("DDLSIM_CACHE"); !stated.empty()) return stated;
  if (!checkout.empty()) return checkout / "build" / "calibrations";
  if (const auto cache = folder_from("XDG_CACHE_HOME"); !cache.empty()) return cache / "ddlsim";
  const auto home = folder_from("HOME");
  return home.empty() ? home : home / ".cache" / "ddlsim";
}

CalibrationSource fitted_calibrations(CalibrationCache cache) {
  return [cache = std::move(cache), remembered = std::make_shared<FitMemory>()](const DataFolder& data,
                                                                                const std::string& cluster) { //
    return find_calibration(cache, *remembered, data, cluster);
  };
}

} // namespace ddlsim
