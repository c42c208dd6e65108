#include "sim/compute/other_clusters.hpp"

#include "sim/base/json.hpp"
#include "sim/formats/record_reader.hpp"

#include <algorithm>
#include <string_view>

namespace ddlsim {
namespace {

namespace fs = std::filesystem;

/// Returns whether a file has step records. Kernel tables are large and have none.
bool has_steps(const fs::path& file) {
  return read_text_file(file).find("\"step\"") != std::string::npos;
}

/// Returns whether the number that follows a key is a whole number other than 1. The JSON reader decides about other
/// spellings of a number.
bool is_followed_by_several(std::string_view text) {
  constexpr std::string_view digits = "0123456789";
  constexpr std::string_view blanks = " \t";
  const auto colon = text.find_first_not_of(blanks);
  if (colon == std::string_view::npos || text[colon] != ':') return false;
  const auto first = text.find_first_not_of(blanks, colon + 1);
  const auto end = first == std::string_view::npos ? first : text.find_first_not_of(digits, first);
  if (end == std::string_view::npos || text[end] != ',') return false;
  return end > first && text[first] != '0' && text.substr(first, end - first) != "1";
}

/// Returns whether the line names a strategy whose runs can be read back.
bool names_spread_strategy(const std::string& line) {
  const auto names = {StrategyName::zero_1, StrategyName::zero_2, StrategyName::fsdp};
  return std::any_of(names.begin(), names.end(),
                     [&](StrategyName name) { return line.find('"' + to_text(name) + '"') != std::string::npos; });
}

/// Returns whether a line can be skipped: it is complete, and holds no step, or a step on several GPUs that cannot be
/// read back. Most lines do, and parsing them would take a third of a prediction. A line with a backslash is always
/// parsed, because it may spell a name in another form.
bool cannot_matter(const std::string& line) {
  constexpr std::string_view gpus = "\"gpus\"";
  const bool is_whole = line.back() == '}' && line.find('\\') == std::string::npos;
  if (!is_whole || line.find("\"context\"") != std::string::npos) return false;
  if (line.find("\"step\"") == std::string::npos) return true;
  if (names_spread_strategy(line)) return false;
  auto at = line.find(gpus);
  const bool any = at != std::string::npos;
  for (; at != std::string::npos; at = line.find(gpus, at + gpus.size()))
    if (!is_followed_by_several(std::string_view(line).substr(at + gpus.size()))) return false;
  return any;
}

bool offers_steps(const Borrow& borrow) {
  return std::find(borrow.kinds.begin(), borrow.kinds.end(), RecordKind::step) != borrow.kinds.end();
}

bool is_borrowed(const Cluster& cluster, const std::string& name) {
  return std::any_of(cluster.borrows.begin(), cluster.borrows.end(),
                     [&](const Borrow& borrow) { return borrow.cluster == name && offers_steps(borrow); });
}

/// Notes the site on records of one of its clusters.
void set_site(std::vector<StepRecord>& records, const std::string& site) {
  for (auto& record : records) record.site = site;
}

} // namespace

std::string catalogue_name(const std::vector<Gpu>& gpus, const std::string& name) {
  for (const auto& gpu : gpus)
    if (std::find(gpu.aliases.begin(), gpu.aliases.end(), name) != gpu.aliases.end()) return gpu.name;
  return name;
}

bool is_one_gpu_training(const StepRecord& record) {
  return record.gpus == 1 && trains_whole_model(record) && !record.head.suspect;
}

bool has_server(const StepRecord& record) {
  return is_parameter_server(record.strategy.name);
}

bool has_server_elsewhere(const StepRecord& record) {
  return record.synchronised && has_server(record) && record.strategy.placement == Placement::dedicated;
}

std::vector<StepRecord> borrowed_steps(const DataFolder& data, const Cluster& cluster) {
  std::vector<StepRecord> records;
  for (const auto& borrow : cluster.borrows) {
    if (!offers_steps(borrow)) continue;
    auto of_cluster =
        records_of<StepRecord>(read_cluster_measurements(data.platforms_of(borrow.cluster), borrow.cluster));
    set_site(of_cluster, load_cluster(data, borrow.cluster).site);
    records.insert(records.end(), of_cluster.begin(), of_cluster.end());
  }
  return records;
}

ModelSizes read_model_sizes(const DataFolder& data) {
  ModelSizes sizes;
  for (const auto& name : list_models(data)) sizes.emplace(name, size_of(load_model(data, name)));
  return sizes;
}

bool can_be_read_back(const StepRecord& record) {
  const bool may_be = is_sharded(record.strategy.name) || deals_experts(record.strategy);
  return record.gpus > 1 && may_be && record.mode == RunMode::train && trains_whole_model(record) &&
         !record.head.suspect;
}

MeasuredTimes read_measured_times(const DataFolder& data) {
  MeasuredTimes measured{{}, load_gpus(data), read_model_sizes(data), load_kernel_rates(data)};
  const LineChecks checks{{}, {}, cannot_matter};
  for (const auto& name : list_clusters(data)) {
    auto& records = measured.of_clusters[name];
    for (const auto& file : measurement_files(data.platforms_of(name), name)) {
      if (!has_steps(file)) continue;
      for (const auto& record : records_of<StepRecord>({read_measurements(file, checks)})) {
        if (is_one_gpu_training(record)) records.push_back(record);
        if (can_be_read_back(record)) measured.spread_on[name].push_back(record);
      }
    }
    if (!records.empty()) set_site(records, load_cluster(data, name).site);
  }
  return measured;
}

OtherClusterTimes other_cluster_times(const MeasuredTimes& measured, const Cluster& cluster) {
  OtherClusterTimes others{{}, measured.gpus, measured.models, measured.kernels};
  for (const auto& [name, records] : measured.of_clusters)
    if (name != cluster.name && !is_borrowed(cluster, name))
      others.records.insert(others.records.end(), records.begin(), records.end());
  return others;
}

} // namespace ddlsim
