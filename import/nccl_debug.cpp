// The forms of the lines are those of NVIDIA/nccl src/debug.cc, init.cc, enqueue.cc and transport/*.cc. RCCL prints the
// same.
#include "import/nccl_debug.hpp"

#include "import/plain_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <vector>

namespace ddlsim {
namespace {

/// A phrase of NCCL, and what it means in records.
struct NcclPhrase {
  std::string_view printed;
  std::string_view meaning;
};

/// The algorithms for the numbers that NCCL 2.4 to 2.24 print.
constexpr std::array<std::string_view, 7> numbered_algorithms = {
    "TREE", "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS", "NVLS_TREE", "PAT"};
constexpr std::array<std::string_view, 3> numbered_protocols = {"LL", "LL128", "SIMPLE"};

/// Returns the place of "HOST" in a "HOST:PID:TID [GPU] " that ends at `end`; npos if there is none.
std::size_t host_before(std::string_view line, std::size_t end) {
  const auto gpu = line.substr(0, end).rfind(" [");
  if (gpu == std::string_view::npos) return gpu;
  std::size_t at = gpu;
  for (int numbers = 0; numbers < 2; ++numbers) {
    const auto last = at;
    while (at > 0 && is_digit(line[at - 1])) --at;
    if (at == last || at == 0 || line[at - 1] != ':') return std::string_view::npos;
    --at;
  }
  const auto blank = line.substr(0, at).find_last_of(" \t]");
  return blank == std::string_view::npos ? 0 : blank + 1;
}

/// Returns the length of a row's last word if NCCL's host name follows without a blank, as "-1" in "-1node-3".
std::size_t cell_before_host(std::string_view word, const HostNames& hosts) {
  std::size_t longest = 0;
  for (const auto& host : hosts)
    if (word.ends_with(host)) longest = std::max(longest, host.size());
  if (longest > 0) return word.size() - longest;
  if (word.starts_with("N/A")) return 3;
  std::size_t digits = word.starts_with('-') ? 1 : 0;
  while (digits < word.size() && is_digit(word[digits])) ++digits;
  return digits < word.size() ? digits : 0;
}

/// Returns the text without the time that NCCL prints before the host, "[2026-01-31 10:00:00] ".
std::string_view without_time_of_nccl(std::string_view before) {
  const auto open = before.rfind('[');
  const bool is_time = open != std::string_view::npos && trim(before).ends_with(']') &&
                       before.substr(open).find(':') != std::string_view::npos;
  return is_time ? before.substr(0, open) : before;
}

/// Returns the whole number above 0 after the word `key` in upper or lower case.
std::optional<int> count_behind(const std::vector<std::string>& words, std::string_view key) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (lower_case(words[i]) != key) continue;
    int value = 0;
    const auto& word = words[i + 1];
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error == std::errc{} && end == word.data() + word.size() && value > 0) return value;
  }
  return std::nullopt;
}

template <std::size_t Count>
std::string printed_name(const std::string& word, const std::array<std::string_view, Count>& numbered) {
  const bool is_number = word.size() == 1 && is_digit(word.front());
  const auto number = static_cast<std::size_t>(word.front() - '0');
  if (is_number && number < Count) return std::string(numbered.at(number));
  std::string upper(word);
  for (char& letter : upper)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  return is_number ? "" : upper;
}

/// Reads "AllReduce: 4096 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..7}".
void read_algorithm_and_protocol(const std::vector<std::string>& words, NcclDebug& debug) {
  for (std::size_t i = 0; i + 3 < words.size(); ++i) {
    if (words[i] != "Algo" || words[i + 2] != "proto") continue;
    const auto bytes = std::find(words.begin(), words.end(), "Bytes");
    const auto number = bytes == words.begin() || bytes == words.end() ? std::nullopt : parse_number(*std::prev(bytes));
    debug.bytes_by_algorithm = number ? number->value : 0;
    debug.algorithm = printed_name(words[i + 1], numbered_algorithms);
    debug.protocol = printed_name(words[i + 3], numbered_protocols);
  }
}

/// Returns what the first phrase means with which the text begins; "" if there is none.
std::string_view begin_of(std::string_view text, std::initializer_list<NcclPhrase> phrases) {
  for (const auto& phrase : phrases)
    if (text.starts_with(phrase.printed)) return phrase.meaning;
  return "";
}

/// Returns the text after `phrase`; nothing if it does not occur.
std::optional<std::string_view> text_behind(std::string_view text, std::string_view phrase) {
  const auto at = text.find(phrase);
  return at == std::string_view::npos ? std::nullopt : std::optional(text.substr(at + phrase.size()));
}

/// Reads how two ranks are connected from "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM".
void read_connection(std::string_view connection, NcclDebug& debug) {
  const auto network = begin_of(connection, {{"NET/IB", "nccl-ib"}, {"NET/Socket", "nccl-tcp"}, {"NET/", "unknown"}});
  const auto inside = begin_of(connection, {{"P2P", "P2P"}, {"SHM", "SHM"}, {"direct shared", "SHM"}});
  if (!network.empty()) debug.transport = network;
  if (!inside.empty()) debug.inside = inside;
}

/// Reads the network that NCCL uses ("Using network Socket"). The interfaces that NCCL lists before ("NET/IB : Using
/// ...") may not be used.
void read_network(std::string_view text, NcclDebug& debug) {
  for (const std::string_view taken : {"Using network ", "Assigned NET plugin "}) {
    if (const auto name = text_behind(text, taken)) {
      const auto network = begin_of(*name, {{"IB", "nccl-ib"}, {"Socket", "nccl-tcp"}});
      debug.transport = network.empty() ? "unknown" : network;
    }
  }
  if (debug.transport != "unknown") return;
  if (text.find("NET/IB : Using") != std::string_view::npos) debug.transport = "nccl-ib";
  if (text.find("NET/Socket : Using") != std::string_view::npos) debug.transport = "nccl-tcp";
}

} // namespace

LineWithDebug without_nccl_debug(std::string_view line, HostNames& hosts) {
  const auto mark = line.find("NCCL ");
  const auto rest = mark == std::string_view::npos ? "" : line.substr(mark + 5);
  if (!rest.starts_with("INFO") && !rest.starts_with("WARN") && !rest.starts_with("TRACE") && !rest.starts_with("CALL"))
    return {line, ""};
  const auto debug = line.substr(mark);
  const auto host_at = host_before(line, mark);
  if (host_at == std::string_view::npos) return {line.substr(0, mark), debug};
  const auto word = line.substr(host_at, line.find(':', host_at) - host_at);
  if (trim(without_time_of_nccl(line.substr(0, host_at))).empty()) {
    if (!hosts.contains(word)) hosts.emplace(word);
    return {"", debug};
  }
  const auto before = without_time_of_nccl(line.substr(0, host_at));
  if (before.size() < host_at) return {before, debug}; // a time stands between the row and the host
  return {line.substr(0, host_at + cell_before_host(word, hosts)), debug};
}

void read_nccl_debug(std::string_view text, NcclDebug& debug) {
  if (const auto connection = text_behind(text, " via ")) return read_connection(*connection, debug);
  if (text.find("Algo ") != std::string_view::npos) return read_algorithm_and_protocol(split_words(text), debug);
  if (text.find("Using ") != std::string_view::npos || text.find("plugin ") != std::string_view::npos)
    return read_network(text, debug);
  if (text.find("anks ") == std::string_view::npos) return;
  const auto words = split_words(text);
  debug.ranks = count_behind(words, "nranks").value_or(debug.ranks);
  debug.nodes = count_behind(words, "nnodes").value_or(debug.nodes);
}

} // namespace ddlsim
