#include "sim/formats/calibration.hpp"

#include "sim/base/error.hpp"
#include "sim/base/text_file.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/parameters.hpp"
#include "sim/formats/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace ddlsim {
namespace {

/// Whether two one-GPU times are the same within the nine digits that a file has.
bool allows(double named_s, double asked_s) {
  constexpr double rounding = 1e-6;
  return named_s == 0 || std::abs(named_s - asked_s) <= rounding * named_s;
}

bool allows(const std::string& named, const std::string& asked) {
  return named.empty() || named == asked;
}

namespace fs = std::filesystem;

bool is_fitted(RecordKind kind) {
  return kind == RecordKind::step || kind == RecordKind::collective || kind == RecordKind::point_to_point ||
         kind == RecordKind::server;
}

std::string nic_text(const Nic& nic) {
  const auto way = nic.path == NicPath::virtual_switch ? " through a " : " by the path ";
  return fmt::format("{} x {:.9g} B/s{}", nic.count, nic.bandwidth_Bps, nic.path ? way + to_text(nic.path) : "");
}

/// The parts of a cluster file that a fit reads, in words. Titles, sources, and existing or possible nodes are not
/// among them.
struct FittedMachine {
  std::string gpu;                               ///< the GPU
  std::string node;                              ///< GPUs of a node and the paths between them
  std::map<std::string, std::string> transports; ///< transport's name -> its NIC, and the fabric
};

/// The hardware in which a machine differs from the one that was measured.
struct Changes {
  bool gpu = false;
  bool node = false;
  std::set<std::string> transports;
};

Changes changes_between(const FittedMachine& was, const FittedMachine& is) {
  Changes changes{was.gpu != is.gpu, was.node != is.node, {}};
  for (const auto& [name, text] : was.transports) {
    const auto now = is.transports.find(name);
    if (now == is.transports.end() || now->second != text) changes.transports.insert(name);
  }
  return changes;
}

bool touches(const Changes& changes, const std::string& transport) {
  return changes.transports.count(transport) > 0 || (changes.node && carrier_of(transport) == Carrier::shm);
}

NodePart part_of(const std::string& parameter) {
  for (const auto& field : parameter_fields())
    if (parameter == field.name) return field.part;
  return NodePart::none;
}

bool touches(const Changes& changes, const CalibratedParameter& one) {
  const auto part = part_of(one.name);
  return (changes.gpu && part == NodePart::gpu) || (changes.node && part == NodePart::paths) ||
         touches(changes, one.scope.transport);
}

bool is_forgotten(const Changes& changes, const CalibratedParameter& one) {
  return one.points > one.borrowed_points && touches(changes, one);
}

bool is_forgotten(const Changes& changes, const CalibratedSeries& one) {
  return !one.borrowed && (changes.node || touches(changes, one.scope.transport));
}

/// Removes a parameter, with its row and column of correlations. The others keep their joint distribution, but their
/// draws change.
void erase_parameter(Calibration& calibration, std::size_t at) {
  calibration.parameters.erase(calibration.parameters.begin() + static_cast<std::ptrdiff_t>(at));
  auto& rows = calibration.correlation;
  rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(at));
  for (auto& row : rows)
    if (row.size() > at) row.erase(row.begin() + static_cast<std::ptrdiff_t>(at));
  calibration.contradicted_draws.clear();
}

struct Forgotten {
  std::size_t parameters = 0;
  std::size_t series = 0;
};

Forgotten forget(Calibration& calibration, const Changes& changes) {
  const auto parameters = calibration.parameters.size();
  for (std::size_t i = parameters; i-- > 0;)
    if (is_forgotten(changes, calibration.parameters[i])) erase_parameter(calibration, i);
  std::erase_if(calibration.choices,
                [&](const CalibratedChoice& one) { return touches(changes, one.scope.transport); });
  const auto series = std::erase_if(calibration.series, [&](const auto& one) { return is_forgotten(changes, one); });
  return {parameters - calibration.parameters.size(), series};
}

/// Describes each change: "the GPU of iris was V100-SXM2-16GB, is K80".
std::vector<std::string> describe_changes(const std::string& name, const FittedMachine& was, const FittedMachine& is) {
  std::vector<std::string> texts;
  const auto add = [&](const std::string& what, const std::string& before, const std::string& now) {
    if (before != now)
      texts.push_back(fmt::format("{} of {} was {}, is {}", what, name, before.empty() ? "not named" : before,
                                  now.empty() ? "not there" : now));
  };
  add("the GPU", was.gpu, is.gpu);
  add("the inside of a node", was.node, is.node);
  for (const auto& [transport, text] : was.transports) {
    const auto now = is.transports.find(transport);
    add("the network of " + transport, text, now == is.transports.end() ? "" : now->second);
  }
  return texts;
}

/// Removes what depends on the changed hardware, and returns a sentence that says how much that was.
std::string consequence(Calibration& calibration, const Changes& changes) {
  const auto parameters = calibration.parameters.size();
  const auto series = calibration.series.size();
  const auto gone = forget(calibration, changes);
  if (gone.parameters + gone.series == 0) return "Nothing that it learnt depends on that";
  return fmt::format(
      "{} of its {} parameters and {} of its {} series do not hold for this one, and priors stand in for "
      "them",
      gone.parameters, parameters, gone.series, series);
}

FittedMachine fitted_machine(const Cluster& cluster) {
  FittedMachine machine;
  machine.gpu = cluster.gpu;
  const auto& intra = cluster.intra;
  machine.node = fmt::format("{} x {}, {:.9g} B/s, {:.9g} s", cluster.gpus_per_node, to_text(intra.kind),
                             intra.bandwidth_Bps, intra.latency_s);
  if (intra.domain_nodes > 1) machine.node += fmt::format(", domains of {} nodes", intra.domain_nodes);
  for (const auto& transport : cluster.transports)
    machine.transports[transport.name] =
        transport.nic.empty() ? "inside a node"
                              : nic_text(find_nic(cluster, transport.nic)) + ", " + describe(cluster.fabric);
  return machine;
}

} // namespace

bool covers(const CalibrationScope& scope, const CalibrationScope& asked) {
  return allows(scope.transport, asked.transport) && allows(scope.preset, asked.preset) &&
         (!scope.precision || scope.precision == asked.precision) && allows(scope.model, asked.model) &&
         (scope.batch_per_gpu == 0 || scope.batch_per_gpu == asked.batch_per_gpu) &&
         allows(scope.one_gpu_s, asked.one_gpu_s) && allows(scope.evidence, asked.evidence);
}

std::vector<std::string> fitted_clusters(const Cluster& cluster) {
  std::vector<std::string> names{cluster.name};
  for (const auto& borrow : cluster.borrows)
    if (std::any_of(borrow.kinds.begin(), borrow.kinds.end(), is_fitted)) names.push_back(borrow.cluster);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string records_checksum(const std::string& cluster, const fs::path& file) {
  return fmt::format("{}/{} {}", cluster, file.filename().string(), fnv1a_of_file(file));
}

std::string forget_other_machine(Calibration& calibration, const Cluster& fitted, const Cluster& asked) {
  const auto was = fitted_machine(fitted);
  const auto is = fitted_machine(asked);
  const auto texts = describe_changes(fitted.name, was, is);
  if (texts.empty()) return "";
  return fmt::format("{} was calibrated on another machine: {}. {}", asked.name, join_names(texts, "; "),
                     consequence(calibration, changes_between(was, is)));
}

} // namespace ddlsim
