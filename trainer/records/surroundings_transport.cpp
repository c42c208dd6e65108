#include "trainer/records/surroundings.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

namespace ddltrain {
namespace {

std::set<std::string> words_of(const ddlsim::Facts& settings, const std::string& name) {
  std::set<std::string> words;
  const auto found = settings.find(name);
  if (found == settings.end()) return words;
  std::istringstream list(found->second);
  for (std::string word; std::getline(list, word, ',');) words.insert(word);
  return words;
}

/// Returns whether the list has one of `wanted`, and otherwise only names in `allowed`. A list that begins with ^ names
/// what is excluded, so it leaves everything else possible.
bool is_only(const std::set<std::string>& list, const std::set<std::string>& wanted,
             const std::set<std::string>& allowed) {
  const auto is_in = [](const std::set<std::string>& set) {
    return [&set](const std::string& word) { return set.count(word) > 0; };
  };
  return std::any_of(list.begin(), list.end(), is_in(wanted)) &&
         std::all_of(list.begin(), list.end(),
                     [&](const std::string& word) { return wanted.count(word) > 0 || allowed.count(word) > 0; });
}

/// Returns the transport of Open MPI's own byte transfer layers. Where both are listed, shared memory has precedence
/// over TCP.
std::string transport_of_btl(const std::set<std::string>& btl, int nodes) {
  const std::set<std::string> shared = {"vader", "sm"};
  if (nodes == 1 && is_only(btl, shared, {"self", "tcp"})) return "shm";
  if (nodes > 1 && is_only(btl, {"tcp"}, {"self", "vader", "sm"})) return "mpi-tcp";
  return is_only(btl, {"tcp"}, {"self"}) ? "mpi-tcp" : "unknown";
}

std::string transport_of_ucx(const std::set<std::string>& tls, int nodes) {
  const std::set<std::string> shared = {"sm", "shm", "posix", "sysv", "cma", "knem", "xpmem", "mm"};
  std::set<std::string> beside = shared;
  beside.insert("self");
  if (nodes == 1 && is_only(tls, shared, {"self"})) return "shm";
  if (nodes > 1 && is_only(tls, {"tcp"}, beside)) return "mpi-tcp";
  const std::set<std::string> verbs = {"rc", "rc_x", "rc_v",    "rc_mlx5", "rc_verbs",
                                       "dc", "dc_x", "dc_mlx5", "ud",      "ib"};
  return nodes > 1 && is_only(tls, verbs, beside) ? "mpi-ib" : "unknown";
}

} // namespace

std::string mpi_library_name(const std::string& version_text) {
  // The text of Cray's library names the MPICH it is based on, so Cray is tested first.
  constexpr std::array<std::pair<const char*, const char*>, 5> names = {{{"CRAY MPICH", "cray-mpich"},
                                                                         {"MVAPICH", "mvapich"},
                                                                         {"Intel(R) MPI", "intel-mpi"},
                                                                         {"Open MPI", "open-mpi"},
                                                                         {"MPICH", "mpich"}}};
  for (const auto& [words, name] : names) {
    if (version_text.find(words) != std::string::npos) return name;
  }
  return "unknown";
}

std::string known_transport(const std::string& library, int nodes, const ddlsim::Facts& settings) {
  if (library != "open-mpi") return "unknown";
  const std::set<std::string> pml = words_of(settings, "OMPI_MCA_pml");
  if (pml == std::set<std::string>{"ob1"}) return transport_of_btl(words_of(settings, "OMPI_MCA_btl"), nodes);
  if (pml == std::set<std::string>{"ucx"}) return transport_of_ucx(words_of(settings, "UCX_TLS"), nodes);
  return "unknown";
}

namespace {

/// Returns the way that the text begins with; "" for none. Before NCCL 2.9 ways had other words for shared memory; the
/// name of a plugin's network may contain a space.
std::string connection_at_start(std::string_view text) {
  constexpr std::string_view network = "NET/";
  constexpr std::array<std::string_view, 5> others = {"P2P", "SHM", "direct shared memory", "COLLNET", "NVLS"};
  if (text.starts_with(network)) {
    const std::size_t end = std::min(text.find('/', network.size()), text.size());
    return end == network.size() ? "" : std::string(text.substr(0, end));
  }
  const auto found =
      std::find_if(others.begin(), others.end(), [text](auto connection) { return text.starts_with(connection); });
  return found == others.end() ? "" : std::string(*found);
}

/// Returns the way after the last " via " in the line that has one; "" for none.
std::string connection_of_line(std::string_view line) {
  constexpr std::string_view via = " via ";
  const std::size_t channel = line.find("Channel ");
  if (channel == std::string_view::npos) return "";
  line.remove_prefix(channel);
  for (std::size_t at = line.rfind(via); at != std::string_view::npos;
       at = at > 0 ? line.rfind(via, at - 1) : line.npos)
    if (const std::string connection = connection_at_start(line.substr(at + via.size())); !connection.empty())
      return connection;
  return "";
}

} // namespace

std::string nccl_connections(const std::string& log) {
  std::set<std::string> connections;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    std::string connection = connection_of_line(line);
    if (connection.empty()) continue;
    std::replace(connection.begin(), connection.end(), ' ', '_');
    connections.insert(connection == "direct_shared_memory" ? "SHM" : connection);
  }
  std::string text;
  for (const std::string& connection : connections) text += (text.empty() ? "" : " ") + connection;
  return text;
}

std::string nccl_transport(const std::vector<std::string>& connections_of_ranks) {
  std::set<std::string> networks;
  std::set<std::string> inside;
  for (const std::string& connections : connections_of_ranks) {
    std::istringstream list(connections);
    for (std::string connection; list >> connection;)
      (connection.rfind("NET/", 0) == 0 ? networks : inside).insert(connection);
  }
  if (networks == std::set<std::string>{"NET/IB"}) return "nccl-ib";
  if (networks == std::set<std::string>{"NET/Socket"}) return "nccl-tcp";
  return networks.empty() && inside == std::set<std::string>{"SHM"} ? "shm" : "unknown";
}

} // namespace ddltrain
