#include "sim/formats/parameter_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ddlsim {
namespace {

/// The meaning of a number without unit.
enum class Number { share, factor };

struct WordsOfParameter {
  std::string_view name;
  std::string_view words; ///< at most 24 characters, because the words fill a column of a table
  Number number = Number::share;
};

constexpr std::array<WordsOfParameter, 23> all_words{{
    {"compute_stack", "a GPU's time, of a stack", Number::factor},
    {"compute_model", "a GPU's time, of a model", Number::factor},
    {"compute_factor", "a GPU's time, of a batch", Number::factor},
    {"forward_share", "forward's share"},
    {"interference", "slowdown beside traffic"},
    {"nic_efficiency", "network rate reached"},
    {"socket_rate", "rate of a host's copies"},
    {"net_latency", "latency of a message"},
    {"link_spread", "spread of link rates"},
    {"intra_efficiency", "rate reached in a node"},
    {"intra_latency_factor", "latency in a node", Number::factor},
    {"operation_cost", "cost of a collective"},
    {"tensor_cost", "cost of a tensor"},
    {"tensor_cost_slope", "tensor cost's growth"},
    {"sync_on", "syncing switched on"},
    {"sync_share", "lost by syncing"},
    {"second_node_jump", "second node's loss"},
    {"step_spread", "spread of step times"},
    {"server_process_rate", "rate of a server"},
    {"server_connection_rate", "rate of a connection"},
    {"server_duplex", "rate left both ways"},
    {"server_message_cost", "cost of a message"},
    {"model_discrepancy", "what nothing explains", Number::factor},
}};

const WordsOfParameter* words_of_parameter(std::string_view name) {
  const auto found =
      std::find_if(all_words.begin(), all_words.end(), [&](const auto& one) { return one.name == name; });
  return found == all_words.end() ? nullptr : &*found;
}

/// The factor for a shown value, and the text that follows it.
struct Shown {
  double times = 1;
  std::string before{};
  std::string after{};
};

Shown shown_as(std::string_view name, const std::string& unit, double value) {
  constexpr double ms = 1e-3;
  if (unit == "s" && std::abs(value) < ms) return {1e6, "", " us"};
  if (unit == "s") return std::abs(value) < 1 ? Shown{1e3, "", " ms"} : Shown{1, "", " s"};
  if (unit == "B/s") return {1e-9, "", " GB/s"};
  const auto* words = words_of_parameter(name);
  if (words != nullptr && words->number == Number::share) return {100, "", " %"};
  return {1, "x ", ""};
}

} // namespace

std::string parameter_words(std::string_view name) {
  if (const auto* found = words_of_parameter(name)) return std::string(found->words);
  std::string words(name);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string parameter_value(std::string_view name, const std::string& unit, double value) {
  const auto shown = shown_as(name, unit, value);
  return fmt::format("{}{:.3g}{}", shown.before, shown.times * value, shown.after);
}

std::string parameter_interval(std::string_view name, const std::string& unit, double value, double low, double high) {
  const double times = shown_as(name, unit, value).times;
  return fmt::format("{} ({:.3g}..{:.3g})", parameter_value(name, unit, value), times * low, times * high);
}

} // namespace ddlsim
