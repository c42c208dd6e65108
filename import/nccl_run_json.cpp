// Reads JSON of nccl-tests (-J FILE, since 2025). Fields are those of NVIDIA/nccl-tests src/util.cu, file versions 1 to
// 3. Fields that are not needed are ignored, so that newer versions of this foreign format can be read.
#include "import/nccl_run.hpp"
#include "import/plain_text.hpp"
#include "sim/base/json.hpp"
#include "sim/formats/readers.hpp"
#include "sim/formats/record.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <limits>

namespace ddlsim {
namespace {

using nlohmann::json;

/// Half a unit of the last decimal, of which the file prints six.
constexpr double json_half_step = 0.5e-6;

/// Returns the number of ranks. The device list has one "Rank" line for each process, and a process runs nthreads x
/// ngpus ranks.
int count_ranks(const JsonNode& config, std::size_t entries) {
  const long per_process = config.integer("nthreads", 1, 1'000'000) * config.integer("ngpus", 1, 1'000'000);
  const double ranks = static_cast<double>(per_process) * static_cast<double>(entries);
  if (ranks > most_ranks) config.mistake("found more than 10 million ranks, expected nthreads x ngpus x devices");
  return ranks > most_ranks ? 0 : static_cast<int>(ranks);
}

void read_config(const JsonNode& root, NcclTable& table) {
  if (!root.has("config")) return root.mistake("found no config, expected nthreads, ngpus and devices");
  const auto config = root.at("config");
  if (!config.is_object()) return;
  const auto devices = config.list("devices");
  for (const auto& device : devices) {
    if (!device.is_object()) continue;
    table.devices.push_back({static_cast<int>(device.integer_or("rank", 0, 0, most_ranks)),
                             static_cast<int>(device.integer_or("group", 0, 0, most_ranks)),
                             device.text_or("hostname", ""),
                             static_cast<int>(device.integer_or("device", 0, 0, most_ranks)),
                             device.text_or("device_hex", ""), device.text_or("device_info", "")});
  }
  table.ranks = count_ranks(config, devices.size());
  table.iterations = static_cast<int>(config.integer_or("iterations", 0, 0, 1'000'000'000));
}

std::optional<NcclTiming> read_timing(const JsonNode& row, const std::string& key) {
  if (!row.has(key) || row.at(key).value().is_null()) return std::nullopt;
  const auto half = row.at(key);
  if (!half.is_object()) return std::nullopt;
  if (half.has("cpu_time")) {
    half.mistake("found cpu_time (option -C), which times the CPU; expected time: run without -C");
    return std::nullopt;
  }
  const double most = std::numeric_limits<double>::max();
  NcclTiming timing;
  timing.time_us = {half.number("time", 0, most), json_half_step};
  timing.algbw_GBps = {half.number("alg_bw", 0, most), json_half_step};
  timing.busbw_GBps = {half.number("bus_bw", 0, most), json_half_step};
  if (half.has("nwrong") && !half.at("nwrong").value().is_null()) timing.wrong = half.number("nwrong", 0, most) > 0;
  if (row.has(key + "_per_iter") && row.at(key + "_per_iter").is_object())
    timing.relative_spread =
        row.at(key + "_per_iter").number_or("cv_pct", 0, 0, most_relative_spread * percent) / percent;
  return timing;
}

NcclRow read_row(const JsonNode& node, const std::string& where) {
  NcclRow row;
  row.where = where;
  row.path = node.path();
  row.size_bytes = node.number("size", 0, std::numeric_limits<double>::max());
  row.type = node.text("type");
  row.redop = node.text_or("redop", "none");
  if (node.has("root") && node.at("root").value().is_string()) {
    const auto root = parse_number(trim(node.at("root").value().get<std::string>()));
    if (!root) {
      node.mistake_at("root", "found no number, expected a rank or -1");
    } else {
      row.root = static_cast<int>(root->value);
    }
  }
  row.out_of_place = read_timing(node, "out_of_place");
  row.in_place = read_timing(node, "in_place");
  return row;
}

/// Takes the program from the command line, and NCCL_ALGO from the environment. Nothing else of either is kept.
void read_command(const JsonNode& root, NcclTable& table) {
  const std::string algorithm = "NCCL_ALGO=";
  if (root.has("args") && root.at("args").value().is_array()) {
    const nlohmann::json& words = root.value().at("args");
    for (const auto& word : words)
      if (word.is_string() && table.program.empty()) table.program = nccl_program(word.get<std::string>());
  }
  if (root.has("env") && root.at("env").value().is_array()) {
    const nlohmann::json& settings = root.value().at("env");
    for (const auto& setting : settings) {
      if (setting.is_string() && setting.get<std::string>().rfind(algorithm, 0) == 0)
        table.algorithm = nccl_algorithm(setting.get<std::string>().substr(algorithm.size()));
    }
  }
}

void read_root(const JsonNode& root, const std::string& where, NcclTable& table) {
  if (!root.is_object()) return;
  read_command(root, table);
  read_config(root, table);
  const long version = root.integer_or("nccl_version", 0, 0, 100'000'000);
  if (version > 0) table.nccl_version = nccl_version_text(version);
  constexpr std::size_t date_letters = 10; // length of the date in "2025-08-01 12:00:00"
  table.date = root.text_or("start_time", "").substr(0, date_letters);
  table.complete = root.has("out_of_bounds");
  for (const auto& row : root.list("results"))
    if (row.is_object()) table.rows.push_back(read_row(row, where));
}

} // namespace

std::vector<NcclTable> parse_nccl_json(const std::string& text, const std::filesystem::path& file,
                                       std::vector<Mistake>& mistakes) {
  const auto document = parse_json(text, file.string());
  Mistakes found(file.string());
  NcclTable table;
  table.where = file.string();
  table.has_redop = table.has_root = true;
  read_root(JsonNode(document, "", found), file.string(), table);
  mistakes.insert(mistakes.end(), found.list().begin(), found.list().end());
  return {table};
}

} // namespace ddlsim
