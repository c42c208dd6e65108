#include "trainer/launch/cluster_facts.hpp"

#include "trainer/files/error.hpp"
#include "trainer/launch/json_object.hpp"

#include <map>
#include <sstream>

namespace ddltrain {

double parse_rate_Bps(const std::string& text) {
  static const std::map<std::string, double> units = {{"bps", 1.0 / 8},  {"kbps", 1e3 / 8}, {"Mbps", 1e6 / 8},
                                                      {"Gbps", 1e9 / 8}, {"B/s", 1},        {"kB/s", 1e3},
                                                      {"MB/s", 1e6},     {"GB/s", 1e9}};
  std::istringstream stream(text);
  double number = 0;
  std::string unit;
  if (!(stream >> number >> unit) || number <= 0 || units.count(unit) == 0) {
    throw UsageError("\"" + text +
                     "\" is no rate; expected a number and bps, kbps, Mbps, Gbps, B/s, kB/s, MB/s or GB/s");
  }
  return number * units.at(unit);
}

ClusterFacts read_cluster_facts(const std::string& data_folder, const std::string& cluster) {
  const std::string file = data_folder + "/platforms/" + cluster + "/cluster.json";
  const nlohmann::json json = read_json(file);
  ClusterFacts facts;
  try {
    const nlohmann::json& node = json.at("node");
    facts.has_gpus = !node.value("gpu", std::string()).empty();
    facts.ranks_per_node = node.value("gpus", std::int64_t{1});
    if (node.contains("nics") && !node.at("nics").empty()) {
      facts.nic_Bps = parse_rate_Bps(node.at("nics").at(0).at("bandwidth").get<std::string>());
    }
    const std::int64_t available = json.value("/available/nodes"_json_pointer, std::int64_t{0});
    facts.most_nodes = json.value("/growth/max_nodes"_json_pointer, available);
  } catch (const nlohmann::json::exception& error) {
    throw UsageError(file + ": not a cluster file (`ddlsim check` says more): " + error.what());
  }
  return facts;
}

} // namespace ddltrain
