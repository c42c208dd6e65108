#include "trainer/launch/part.hpp"

#include <cctype>

namespace ddltrain {
namespace {

struct Combination {
  std::string name; ///< "-ring-512"
  std::vector<std::string> arguments;
};

std::string fit_for_a_file(const std::string& value) {
  std::string text;
  for (const char c : value) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_';
    text += plain ? c : '-';
  }
  return text;
}

std::vector<Combination> combinations(const std::vector<Variation>& each) {
  std::vector<Combination> all = {{}};
  for (const Variation& variation : each) {
    std::vector<Combination> longer;
    for (const Combination& shorter : all) {
      for (const std::string& value : variation.values) {
        longer.push_back(shorter);
        longer.back().name += "-" + fit_for_a_file(value);
        longer.back().arguments.insert(longer.back().arguments.end(), {variation.option, value});
      }
    }
    all = std::move(longer);
  }
  return all;
}

/// "{nodes}" in an argument is the part's node count ("--servers {nodes}").
std::string filled(std::string argument, std::int64_t nodes) {
  const std::string place = "{nodes}";
  if (const std::size_t at = argument.find(place); at != std::string::npos) {
    argument.replace(at, place.size(), std::to_string(nodes));
  }
  return argument;
}

Part part_of(const Campaign& campaign, const CampaignRun& run, const Combination& combination, std::int64_t nodes,
             std::int64_t repeat) {
  Part part;
  part.run = run.name;
  part.name = run.name + combination.name + "-n" + std::to_string(nodes) + "-r" + std::to_string(repeat);
  part.command = run.command;
  part.arguments = {run.command};
  part.arguments.insert(part.arguments.end(), run.arguments.begin(), run.arguments.end());
  part.arguments.insert(part.arguments.end(), combination.arguments.begin(), combination.arguments.end());
  for (std::string& argument : part.arguments) {
    argument = filled(argument, nodes);
  }
  part.arguments.insert(part.arguments.end(), {"--cluster", campaign.cluster});
  part.nodes = nodes;
  part.ranks_per_node = run.ranks_per_node;
  part.time_limit_s = run.time_limit_s;
  part.rate_Bps = run.rate_Bps;
  return part;
}

} // namespace

std::vector<Part> parts_of(const Campaign& campaign) {
  std::vector<Part> parts;
  for (const CampaignRun& run : campaign.runs) {
    for (std::int64_t repeat = 1; repeat <= run.repeats; ++repeat) {
      for (const std::int64_t nodes : run.nodes) {
        for (const Combination& combination : combinations(run.each)) {
          parts.push_back(part_of(campaign, run, combination, nodes, repeat));
        }
      }
    }
  }
  return parts;
}

} // namespace ddltrain
