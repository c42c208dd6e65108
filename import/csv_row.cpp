#include "import/csv_row.hpp"

#include "import/plain_text.hpp"
#include "sim/base/error.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/readers.hpp"
#include "sim/formats/stand_in_preset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

/// Share within which rate and iteration_ms must agree if both are given. Printed numbers rarely have fewer than three
/// digits.
constexpr double rounding_share = 0.01;
constexpr double ms_per_s = 1000;
/// Limits beyond any machine. A figure above them is in a cell that is shifted by a column.
constexpr int most_gpus = 10'000'000;
constexpr int most_servers = 1'000'000;
constexpr double most_spread_percent = 10'000;

/// Reads the cells of one row and collects their mistakes.
class RateRow {
public:
  RateRow(const RateCells& cells, RowMistakes& mistakes) : cells_(cells), mistakes_(mistakes) {}

  bool has(const std::string& column) const { return cells_.count(column) != 0; }
  void mistake(const std::string& column, std::string what) { mistakes_.add(column, std::move(what)); }

  std::string text(const std::string& column, const std::string& fallback) const {
    const auto cell = cells_.find(column);
    return cell == cells_.end() ? fallback : cell->second;
  }

  std::string one_of(const std::string& column, const std::vector<std::string>& allowed, const std::string& fallback) {
    std::string found = lower_case(text(column, fallback));
    if (std::find(allowed.begin(), allowed.end(), found) != allowed.end()) return found;
    const auto near = nearest_name(found, allowed);
    mistake(column, fmt::format("found '{}', expected one of {}{}", text(column, fallback), join_names(allowed),
                                near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
    return fallback;
  }

  /// Returns the number in the column, which must be above `above`; 0 if it is absent. Adds a mistake if it is no such
  /// number.
  double number(const std::string& column, double above) {
    if (!has(column)) return 0;
    const std::string found = text(column, "");
    if (const auto number = parse_number(found)) {
      if (number->value > above || (above < 0 && number->value >= 0)) return number->value;
      mistake(column, fmt::format("found {}, expected a number {}", found, above < 0 ? "not below 0" : "above 0"));
    } else {
      mistake(column, fmt::format("found '{}', expected a number{}", found, number_hint(found)));
    }
    return 0;
  }

  int whole(const std::string& column) {
    const double value = number(column, 0);
    if (value == 0) return 0;
    if (value == std::floor(value) && value <= most_gpus) return static_cast<int>(value);
    mistake(column, fmt::format("found {}, expected a whole number up to {}", text(column, ""), most_gpus));
    return 0;
  }

private:
  static std::string number_hint(const std::string& found) {
    if (found.find(',') != std::string::npos)
      return "; write decimals with a point and thousands without any mark: 1734.5";
    if (!found.empty() && is_digit(found.front())) return "; write the number alone, without unit or mark";
    return "; leave the cell empty when it is not known";
  }

  const RateCells& cells_;
  RowMistakes& mistakes_;
};

std::vector<std::string> or_unknown(std::vector<std::string> names) {
  names.emplace_back("unknown");
  return names;
}

/// Returns the value that the cell names, which must not be in `without`; the fallback if the cell is empty.
template <class Name>
Name one_of(RateRow& row, const std::string& column, Name fallback, const std::vector<Name>& without = {}) {
  auto names = names_of<Name>();
  for (const Name value : without) std::erase(names, to_text(value));
  return value_named<Name>(row.one_of(column, names, to_text(fallback))).value_or(fallback);
}

ServerCount read_servers(RateRow& row) {
  const auto words = split_words(lower_case(row.text("servers", "unknown")));
  const bool per_node = words.size() == 3 && words[1] == "per" && words[2] == "node";
  if (words.size() == 1 && words[0] == "unknown") return {};
  if (words.size() == 1 && words[0] == "equal_workers") return {ServerCount::Rule::equal_workers, 0};
  const auto number = parse_number(words.empty() ? "" : words[0]);
  if (number && (words.size() == 1 || per_node) && number->value >= 1 && number->value <= most_servers &&
      number->value == std::floor(number->value))
    return {per_node ? ServerCount::Rule::per_node : ServerCount::Rule::count, static_cast<int>(number->value)};
  row.mistake("servers", fmt::format("found '{}', expected '4' (that many), '1 per node', 'equal_workers' or 'unknown'",
                                     row.text("servers", "")));
  return {};
}

Strategy read_strategy(RateRow& row) {
  Strategy strategy;
  strategy.name =
      one_of(row, "strategy", StrategyName::all_reduce, {StrategyName::automatic, StrategyName::model_parallel});
  const bool servers = is_parameter_server(strategy.name);
  for (const char* column : {"servers", "placement", "sharding"}) {
    if (!servers && row.has(column)) {
      row.mistake(column,
                  fmt::format("found '{}' beside strategy '{}', expected it with ps or ps-async only; leave it empty",
                              row.text(column, ""), to_text(strategy.name)));
    }
  }
  if (!servers) return strategy;
  strategy.servers = read_servers(row);
  strategy.placement = one_of(row, "placement", Placement::unknown);
  strategy.sharding = one_of(row, "sharding", Sharding::unknown);
  return strategy;
}

std::string read_model(RateRow& row) {
  std::string model = row.text("model", "");
  const auto variants = variants_of_bare_name(model);
  if (!variants.empty()) {
    row.mistake("model", fmt::format("found '{}', which leaves the variant open; expected one of {}", model,
                                     join_names(variants)));
  }
  return model;
}

/// Checks that every node has the same number of GPUs, where the last may have fewer.
void check_nodes(RateRow& row, const StepRecord& record, int per_node) {
  const auto full = static_cast<long>(record.nodes) * record.gpus_per_node;
  if (record.nodes > record.gpus) {
    row.mistake("nodes",
                fmt::format("found {} nodes for {} GPUs, expected no more nodes than GPUs", record.nodes, record.gpus));
  } else if (per_node > 0 && record.gpus_per_node > per_node) {
    row.mistake("gpus", fmt::format("found {} GPUs on {} nodes of {}, expected no more than {}", record.gpus,
                                    record.nodes, per_node, static_cast<long>(record.nodes) * per_node));
  } else if (record.gpus > full || record.gpus <= full - record.gpus_per_node) {
    row.mistake("gpus", fmt::format("found {} GPUs on {} nodes, expected full nodes, the last perhaps partly used; "
                                    "correct one of the two",
                                    record.gpus, record.nodes));
  }
}

/// Reads nodes and gpus_per_node as the run used them. 1 GPU is 1 node of 1 GPU.
void read_nodes(RateRow& row, int cluster_gpus_per_node, StepRecord& record) {
  const int stated_nodes = row.whole("nodes");
  int per_node = row.whole("gpus_per_node");
  if (record.gpus == 0 || (stated_nodes == 0 && row.has("nodes")) || (per_node == 0 && row.has("gpus_per_node")))
    return;
  if (stated_nodes == 0 && per_node == 0) per_node = cluster_gpus_per_node;
  if (stated_nodes == 0 && per_node == 0) {
    row.mistake("nodes", "found neither nodes nor gpus_per_node, expected one of them; add a column, or a line "
                         "'# gpus_per_node: 4' at the top, or name a cluster that has GPUs");
    return;
  }
  const int full_nodes = per_node > 0 ? (record.gpus + per_node - 1) / per_node : 0;
  record.nodes = std::max(1, stated_nodes > 0 ? stated_nodes : full_nodes);
  const int spread = (record.gpus + record.nodes - 1) / record.nodes;
  record.gpus_per_node = record.nodes == full_nodes ? std::min(record.gpus, per_node) : spread;
  check_nodes(row, record, per_node);
}

/// Returns a quantity that may be in either of two columns; 0 if both are empty.
double read_either(RateRow& row, const std::string& first, const std::string& second, double second_in_first) {
  if (row.has(first) && row.has(second))
    row.mistake(second, fmt::format("found beside {}, expected one of the two", first));
  return row.has(first) ? row.number(first, 0) : row.number(second, 0) * second_in_first;
}

/// Computes iteration_s = batch_per_gpu x gpus / rate, with the rate of all GPUs.
double read_iteration_s(RateRow& row, const StepRecord& record) {
  const double rate = read_either(row, "rate", "rate_per_gpu", record.gpus);
  const double time_s = read_either(row, "iteration_ms", "iteration_s", ms_per_s) / ms_per_s;
  const auto has_any = [&](const std::vector<std::string>& columns) {
    return std::any_of(columns.begin(), columns.end(), [&](const auto& column) { return row.has(column); });
  };
  if (!has_any({"rate", "rate_per_gpu", "iteration_ms", "iteration_s"})) {
    row.mistake("rate",
                "found neither a rate nor iteration_ms, expected one of them: images a second over all GPUs, or "
                "milliseconds of one iteration");
    return 0;
  }
  const double from_rate_s = rate > 0 ? record.batch_per_gpu * record.gpus / rate : 0;
  if (from_rate_s > 0 && time_s > 0 && std::abs(from_rate_s / time_s - 1) > rounding_share) {
    row.mistake(
        "iteration_ms",
        fmt::format(
            "found {} ms, which contradicts the rate: {} x {} / {} = {:.4g} ms; correct one, or leave one empty",
            row.text("iteration_ms", ""), row.text("batch_per_gpu", ""), row.text("gpus", ""), row.text("rate", ""),
            from_rate_s * ms_per_s));
  }
  if (!std::isfinite(from_rate_s) || !std::isfinite(time_s))
    row.mistake("rate", "found figures that make no time of an iteration; correct rate and batch_per_gpu");
  return time_s > 0 ? time_s : from_rate_s;
}

bool read_synchronised(RateRow& row, const StepRecord& record) {
  const bool alone = record.strategy.name == StrategyName::none;
  if (!row.has("synchronised")) return record.gpus > 1 && !alone;
  const auto stated = row.one_of("synchronised", {"yes", "no", "true", "false"}, "yes");
  const bool synchronised = stated == "yes" || stated == "true";
  if (synchronised && alone) {
    row.mistake("synchronised",
                fmt::format("found '{}' beside strategy none, expected no, or the strategy that ran", stated));
  }
  if (!synchronised && !alone && record.gpus > 1) {
    row.mistake("synchronised",
                fmt::format("found '{}' for {} GPUs, expected yes: GPUs that do not synchronise are not "
                            "one training run",
                            stated, record.gpus));
  }
  return synchronised;
}

void read_head(RateRow& row, RecordHead& head) {
  head.origin = row.one_of("origin", {"table", "text", "plot", "run"}, "run");
  head.transport = row.one_of("transport", or_unknown(transport_names()), "unknown");
  head.library = row.text("library", "unknown");
  head.statistic = row.one_of("statistic", {"median", "mean", "best_of", "unknown"}, "unknown");
  head.repeats = row.whole("repeats");
  head.relative_spread = row.number("spread_percent", -1) / percent;
  if (head.relative_spread * percent > most_spread_percent) {
    row.mistake("spread_percent", fmt::format("found {}, expected the standard deviation in percent of the rate",
                                              row.text("spread_percent", "")));
  }
  head.note = row.text("note", "");
}

} // namespace

const std::vector<std::string>& rate_columns() {
  static const std::vector<std::string> columns = {
      "model",     "batch_per_gpu", "gpus",           "rate",         "iteration_ms", "rate_per_gpu",  "iteration_s",
      "series",    "precision",     "wire_precision", "preset",       "strategy",     "servers",       "placement",
      "sharding",  "transport",     "library",        "algorithm",    "nodes",        "gpus_per_node", "data",
      "statistic", "repeats",       "spread_percent", "synchronised", "mode",         "origin",        "note"};
  return columns;
}

StepRecord step_record(const RateCells& cells, int cluster_gpus_per_node, RowMistakes& mistakes) {
  RateRow row(cells, mistakes);
  StepRecord record;
  for (const char* column : {"model", "batch_per_gpu", "gpus"})
    if (!row.has(column)) row.mistake(column, "found an empty cell, expected a value");
  record.model = read_model(row);
  record.batch_per_gpu = row.number("batch_per_gpu", 0);
  record.gpus = row.whole("gpus");
  record.precision = one_of(row, "precision", Precision::fp32);
  record.wire_precision = one_of(row, "wire_precision", WirePrecision::unknown);
  record.preset = row.text("preset", unnamed_framework);
  record.strategy = read_strategy(row);
  record.algorithm = row.text("algorithm", "unknown");
  record.data = row.one_of("data", {"synthetic", "real", "unknown"}, "unknown");
  record.mode = one_of(row, "mode", RunMode::train);
  read_nodes(row, cluster_gpus_per_node, record);
  record.iteration_s = read_iteration_s(row, record);
  record.synchronised = read_synchronised(row, record);
  if (record.strategy.name == StrategyName::none && record.gpus > 1 && record.mode == RunMode::train) {
    row.mistake(
        "strategy",
        fmt::format("found none for {} GPUs, expected how they synchronise; none is for one GPU alone", record.gpus));
  }
  read_head(row, record.head);
  record.head.series = row.text("series", series_name(record));
  return record;
}

std::string series_name(const StepRecord& record) {
  std::string name = fmt::format("{}-bs{:g}-{}-{}", record.model, record.batch_per_gpu, to_text(record.precision),
                                 to_text(record.strategy.name));
  for (const auto& part :
       {to_text(record.wire_precision), to_text(record.strategy.placement), to_text(record.strategy.sharding),
        record.preset, record.head.transport, record.head.library, record.algorithm, record.data})
    if (!part.empty() && part != "unknown" && part != unnamed_framework) name += "-" + part;
  if (record.mode == RunMode::forward) name += "-forward";
  return name;
}

} // namespace ddlsim
