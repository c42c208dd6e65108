#include "import/nccl_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace ddlsim {
std::string nccl_program(std::string_view command) {
  static const std::array<std::string_view, 11> programs = {"all_reduce", "all_gather", "reduce_scatter", "broadcast",
                                                            "alltoall",   "alltoallv",  "reduce",         "gather",
                                                            "scatter",    "sendrecv",   "hypercube"};
  const auto slash = command.rfind('/');
  if (slash != std::string_view::npos) command.remove_prefix(slash + 1);
  for (const auto& program : programs) {
    for (const std::string_view ending : {"_perf", "_perf_mpi"})
      if (command == std::string(program) + std::string(ending)) return std::string(program);
  }
  return "";
}

std::string nccl_version_text(long code) {
  // The first code of the new numbering. NCCL 2.9 changed a version's code from 1000 x major + 100 x minor + patch to
  // 10000 x major + 100 x minor + patch.
  constexpr long first_new_code = 10000;
  const long major_step = code < first_new_code ? 1000 : 10000;
  return fmt::format("{}.{}.{}", code / major_step, code % major_step / 100, code % 100);
}

std::string nccl_algorithm(std::string_view setting) {
  const auto name = lower_case(setting);
  return name == "ring" || name == "tree" ? name : "unknown";
}

namespace {

/// Returns the name of an algorithm in records for NCCL's name.
std::string algorithm_named(const std::string& name, int nodes) {
  if (name == "RING" || name == "TREE") return lower_case(name);
  if (name == "NVLS") return nodes > 1 ? "nvls-sharp" : "nvls"; // between nodes the switches sum too
  if (name == "NVLS_TREE") return "nvls";
  return name.starts_with("COLLNET") ? "collnet" : "unknown";
}

/// Bytes per microsecond in one GB/s.
constexpr double B_per_us_per_GBps = 1e3;
/// Share by which a number halfway between two printed ones may be off. Double precision may round it either way.
constexpr double tie_share = 1e-6;
constexpr double most_disagreement = 0.05; ///< share by which statements of one log may differ
constexpr double printed_GBps = 0.01;      ///< last digit of the rows' bandwidths

struct PrintedRange {
  double low = 0;
  double high = 0;
};

PrintedRange printed(const PrintedNumber& number) {
  const double slack = tie_share * number.value;
  return {std::max(0.0, number.value - number.half_step - slack), number.value + number.half_step + slack};
}

bool overlap(const PrintedRange& a, const PrintedRange& b) {
  return a.low <= b.high && b.low <= a.high;
}

PrintedRange bandwidth_range(double size_bytes, const PrintedNumber& time_us) {
  const auto time = printed(time_us);
  const double top = time.low > 0 ? size_bytes / time.low : std::numeric_limits<double>::infinity();
  return {size_bytes / time.high / B_per_us_per_GBps, top / B_per_us_per_GBps};
}

std::string factor_text(const NcclOperation& operation, int ranks) {
  if (operation.whole) return "1";
  return fmt::format("{}({}-1)/{}", operation.turns == 1 ? "" : fmt::format("{} x ", operation.turns), ranks, ranks);
}

bool columns_allow(const NcclTable& table, const NcclOperation& operation) {
  if (!table.has_root && table.has_redop != operation.reduces) return false;
  return std::all_of(table.rows.begin(), table.rows.end(), [&](const NcclRow& row) {
    return (row.redop != "none") == operation.reduces && (row.root >= 0) == operation.has_root;
  });
}

bool bandwidths_allow(const NcclTable& table, const NcclOperation& operation, int ranks) {
  return std::all_of(table.rows.begin(), table.rows.end(), [&](const NcclRow& row) {
    for (const auto* half : {&row.out_of_place, &row.in_place})
      if (*half && !bandwidth_conflict(**half, row.size_bytes, operation, ranks).empty()) return false;
    return true;
  });
}

} // namespace

const std::vector<NcclOperation>& nccl_operations() {
  static const std::vector<NcclOperation> operations = {
      {"all_reduce", "all_reduce", true, false, 2, false}, {"reduce_scatter", "reduce_scatter", true, false, 1, false},
      {"reduce", "reduce", true, true, 1, true},           {"all_gather", "all_gather", false, false, 1, false},
      {"alltoall", "all_to_all", false, false, 1, false},  {"broadcast", "broadcast", false, true, 1, true}};
  return operations;
}

const NcclOperation& nccl_exchange() {
  static const NcclOperation exchange{"sendrecv", "send_receive", false, false, 1, true};
  return exchange;
}

double bus_factor(const NcclOperation& operation, int ranks) {
  return operation.whole ? 1 : static_cast<double>(operation.turns) * (ranks - 1) / ranks;
}

std::string bandwidth_conflict(const NcclTiming& timing, double size_bytes, const NcclOperation& operation, int ranks) {
  const auto algbw = printed(timing.algbw_GBps);
  if (!overlap(bandwidth_range(size_bytes, timing.time_us), algbw)) {
    return fmt::format("algbw {} GB/s contradicts size / time = {:.0f} B / {} us = {:.4g} GB/s",
                       timing.algbw_GBps.value, size_bytes, timing.time_us.value,
                       size_bytes / timing.time_us.value / B_per_us_per_GBps);
  }
  const double factor = bus_factor(operation, ranks);
  if (!overlap({algbw.low * factor, algbw.high * factor}, printed(timing.busbw_GBps))) {
    return fmt::format("busbw {} GB/s contradicts algbw x {} = {:.4g} GB/s, as {} on {} ranks has it",
                       timing.busbw_GBps.value, factor_text(operation, ranks), timing.algbw_GBps.value * factor,
                       operation.name, ranks);
  }
  return "";
}

std::string nccl_algorithm_of(const NcclTable& table, int nodes) {
  if (table.algorithm != "unknown" || table.rows.empty()) return table.algorithm;
  const auto& first = table.rows.front().algorithm;
  const bool is_one =
      std::all_of(table.rows.begin(), table.rows.end(), [&](const NcclRow& row) { return row.algorithm == first; });
  return is_one ? algorithm_named(first, nodes) : "unknown";
}

std::string average_conflict(const NcclTable& table) {
  double sum_GBps = 0;
  int halves = 0;
  for (const auto& row : table.rows) {
    for (const auto* half : {&row.out_of_place, &row.in_place}) {
      if (!*half) continue;
      sum_GBps += (*half)->busbw_GBps.value;
      ++halves;
    }
  }
  const double mean_GBps = sum_GBps / std::max(1, halves);
  if (table.bus_GBps == 0 || table.rows_left_out > 0 ||
      std::abs(mean_GBps - table.bus_GBps) <= most_disagreement * table.bus_GBps + printed_GBps)
    return "";
  return fmt::format("the closing line states an average bus bandwidth of {:g} GB/s, but the rows make {:.4g} GB/s; "
                     "import a log that is whole",
                     table.bus_GBps, mean_GBps);
}

std::vector<NcclOperation> possible_operations(const NcclTable& table, int ranks) {
  std::vector<NcclOperation> possible;
  for (const auto& operation : nccl_operations())
    if (columns_allow(table, operation) && bandwidths_allow(table, operation, ranks)) possible.push_back(operation);
  return possible;
}

} // namespace ddlsim
