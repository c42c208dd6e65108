#include "own/network_words.hpp"

#include "import/plain_text.hpp"
#include "sim/base/error.hpp"
#include "sim/base/spelling.hpp"
#include "sim/base/units.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace ddlsim {
namespace {

constexpr double most_ports = 1024;
constexpr const char* example_network = "give PORTSxRATE KIND, like \"8x400 Gbps ib\" or \"8xNDR\"";

constexpr OtherWord kind_words[] = {
    {"infiniband", "ib"},     {"ib", "ib"},        {"roce", "roce"},    {"rocev1", "roce"},
    {"rocev2", "roce"},       {"efa", "efa"},      {"efav2", "efa"},    {"efav3", "efa"},
    {"ethernet", "ethernet"}, {"eth", "ethernet"}, {"tcp", "ethernet"}, {"sockets", "ethernet"},
};

/// Rates of ports with four lanes by InfiniBand's names: data rates of the InfiniBand Trade Association's roadmap.
/// QDR's is the rate after coding (8 of 10 bits). FDR is sold as 56, although 54.5 are data.
constexpr OtherWord rate_words[] = {
    {"qdr", "32 Gbps"},     {"fdr", "56 Gbps"},     {"edr", "100 Gbps"}, {"hdr100", "100 Gbps"}, {"hdr", "200 Gbps"},
    {"hdr200", "200 Gbps"}, {"ndr200", "200 Gbps"}, {"ndr", "400 Gbps"}, {"ndr400", "400 Gbps"}, {"xdr", "800 Gbps"},
};

template <std::size_t count> std::string canonical_word(const OtherWord (&words)[count], const std::string& written) {
  for (const auto& one : words)
    if (folded(written) == one.word) return std::string(one.name);
  return "";
}

[[noreturn]] void refuse_network(const std::string& text) {
  throw UserError("", "", fmt::format("{} found; {}", in_quotes(text), example_network));
}

/// Removes "8x" or "8 x " from the front and returns the number of ports.
int ports_before(std::string& rest, const std::string& text) {
  const auto cross = rest.find_first_of("xX");
  const auto before = trim(std::string_view(rest).substr(0, std::min(cross, rest.size())));
  const bool has_digits = !before.empty() && is_digit(before.front());
  const bool is_count = cross != std::string::npos && before.find_first_not_of("0123456789") == std::string_view::npos;
  if (!is_count) {
    const bool is_odd = cross != std::string::npos && cross > 0 && (has_digits || before.starts_with('-')) &&
                        before.find(' ') == std::string_view::npos;
    if (is_odd) refuse_network(text);
    return 1;
  }
  const auto number = parse_number(before);
  if (!number || number->value < 1 || number->value > most_ports)
    throw UserError("", "",
                    fmt::format("{} found before the x, 1 to {:g} ports expected; {}", in_quotes(before), most_ports,
                                example_network));
  rest = trim(std::string_view(rest).substr(cross + 1));
  return static_cast<int>(number->value);
}

/// Removes the words for the kind from the end, and the name of a rate that stands beside a rate, as in "400 Gbps NDR
/// InfiniBand".
std::string kind_behind(std::string& rest) {
  std::string kind;
  for (auto words = split_words(rest); words.size() > 1; words = split_words(rest)) {
    const auto named = canonical_word(kind_words, words.back());
    const bool repeats_rate = !canonical_word(rate_words, words.back()).empty() && is_digit(words.front().front());
    if (named.empty() && !repeats_rate) break;
    if (kind.empty()) kind = named;
    if (kind.empty() && repeats_rate) kind = "ib";
    words.pop_back();
    rest = join_names(words, " ");
  }
  return kind;
}

/// Returns the rate in the form of cluster files: "400 Gbps" for "400", "400G" and "400 Gbps". It also reads "25GbE".
std::string rate_of(const std::string& rest, NodeNetwork& network, std::vector<std::string>& notes) {
  if (const auto named = canonical_word(rate_words, rest); !named.empty()) {
    if (network.kind.empty()) network.kind = "ib";
    return named;
  }
  const auto digits = std::min(rest.find_first_not_of("0123456789."), rest.size());
  const auto unit = folded(rest.substr(digits));
  const bool is_ethernet = unit == "gbe" || unit == "ge";
  if (digits > 0 && (unit.empty() || rest.substr(digits) == "G" || is_ethernet)) {
    if (is_ethernet && network.kind.empty()) network.kind = "ethernet";
    if (unit.empty()) notes.push_back(fmt::format("a port's rate of {0} has no unit: {0} Gb/s is taken", rest));
    return rest.substr(0, digits) + " Gbps";
  }
  return rest;
}

} // namespace

const std::vector<std::string>& network_kinds() {
  static const std::vector<std::string> kinds{"ib", "roce", "efa", "ethernet"};
  return kinds;
}

NodeNetwork network_in(const std::string& text, std::vector<std::string>& notes) {
  constexpr double fast_Bps = 12.5e9;        // 100 Gb/s; no training cluster of today has slower ports with RDMA
  constexpr double fastest_port_Bps = 200e9; // 1600 Gb/s, which is GDR, the next rate on InfiniBand's roadmap
  constexpr double bits_a_byte = 8;
  constexpr double giga = 1e9;
  NodeNetwork network;
  std::string rest(trim(text));
  network.ports = ports_before(rest, text);
  network.kind = kind_behind(rest);
  if (rest.empty()) refuse_network(text);
  if (const auto alone = canonical_word(kind_words, rest); !alone.empty()) refuse_network(text);
  const auto words = split_words(rest);
  if (words.size() > 2) // the last word is not a kind
    throw UserError("", "", unknown_name_text("kind of network", words.back(), network_kinds(), network_kinds()));
  network.rate = rate_of(rest, network, notes);
  const double rate_Bps = parse_quantity(network.rate, Dimension::bandwidth);
  const double rate_Gbps = rate_Bps * bits_a_byte / giga;
  if (rate_Bps > fastest_port_Bps && network.rate.find('B') != std::string::npos)
    notes.push_back(
        fmt::format("a port of {} has {:g} Gb/s; rates of ports are usually in Gb/s", network.rate, rate_Gbps));
  network.rate = fmt::format("{:.10g} Gbps", rate_Gbps);
  if (!network.kind.empty()) return network;
  if (rate_Bps < fast_Bps)
    throw UserError("", "", fmt::format("{} has no kind; add one of {}", in_quotes(text), join_names(network_kinds())));
  network.kind = "ib";
  notes.push_back(fmt::format("{} has no kind of network: ib is assumed; roce, efa or ethernet behind it say another",
                              in_quotes(text)));
  return network;
}

} // namespace ddlsim
