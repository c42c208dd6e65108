#include "sim/formats/calibration.hpp"

#include "sim/base/error.hpp"
#include "sim/base/text_file.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/parameters.hpp"
#include "sim/formats/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

namespace ddlsim {
namespace {

/// A file has nine digits of a time.
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

/// What is another in a machine than it was.
struct Changes {
  bool gpu = false;
  bool node = false;
  std::set<std::string> transports;
};

void add_changes(Changes& changes, const FittedMachine& was, const FittedMachine& is) {
  changes.gpu = changes.gpu || was.gpu != is.gpu;
  changes.node = changes.node || was.node != is.node;
  for (const auto& [name, text] : was.transports) {
    const auto now = is.transports.find(name);
    if (now == is.transports.end() || now->second != text) changes.transports.insert(name);
  }
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

/// Changes of the cluster's own machine, and of those that it borrowed from.
struct AllChanges {
  Changes own;
  Changes donors;
};

bool is_forgotten(const AllChanges& changes, const CalibratedParameter& one) {
  const bool measured_here = one.points > one.borrowed_points;
  return (measured_here && touches(changes.own, one)) || (one.borrowed_points > 0 && touches(changes.donors, one));
}

bool is_forgotten(const AllChanges& changes, const CalibratedSeries& one) {
  const auto& of = one.borrowed ? changes.donors : changes.own;
  return of.node || touches(of, one.scope.transport);
}

/// The others keep their joint distribution: row and column of the parameter go. Draws without it are others.
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

Forgotten forget(Calibration& calibration, const AllChanges& changes) {
  const auto parameters = calibration.parameters.size();
  for (std::size_t i = parameters; i-- > 0;)
    if (is_forgotten(changes, calibration.parameters[i])) erase_parameter(calibration, i);
  std::erase_if(calibration.choices, [&](const CalibratedChoice& one) {
    return touches(changes.own, one.scope.transport) || touches(changes.donors, one.scope.transport);
  });
  const auto series = std::erase_if(calibration.series, [&](const auto& one) { return is_forgotten(changes, one); });
  return {parameters - calibration.parameters.size(), series};
}

/// A text a change: "the GPU of iris was V100-SXM2-16GB, is K80".
void describe_changes(std::vector<std::string>& texts, const std::string& name, const FittedMachine& was,
                      const FittedMachine& is) {
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
}

std::string command_text(const std::string& cluster) {
  return fmt::format("run `ddlsim calibrate --cluster {}`", cluster);
}

/// Forgets what changed, and says how much that was.
std::string consequence(Calibration& calibration, const AllChanges& changes) {
  const auto parameters = calibration.parameters.size();
  const auto series = calibration.series.size();
  const auto gone = forget(calibration, changes);
  if (gone.parameters + gone.series == 0) return "Nothing that it learnt depends on that";
  return fmt::format(
      "{} of its {} parameters and {} of its {} series do not hold for this one, and priors stand in for "
      "them",
      gone.parameters, parameters, gone.series, series);
}

std::vector<std::string> forget_other_machines(Calibration& calibration, const Cluster& cluster,
                                               const DataFolder& data) {
  AllChanges changes;
  std::vector<std::string> texts;
  for (const auto& [name, was] : calibration.machines) {
    FittedMachine is;
    if (name == calibration.cluster)
      is = fitted_machine(cluster);
    else if (fs::exists(data.platforms_of(name) / name / "cluster.json"))
      is = fitted_machine(load_cluster(data, name));
    add_changes(name == calibration.cluster ? changes.own : changes.donors, was, is);
    describe_changes(texts, name, was, is);
  }
  if (texts.empty()) return {};
  return {fmt::format("{} was calibrated on another machine: {}. {}; {}", cluster.name, join_names(texts, "; "),
                      consequence(calibration, changes), command_text(cluster.name))};
}

std::string name_of(const std::string& checksum) {
  return checksum.substr(0, checksum.find_last_of(' '));
}

std::vector<std::string> changed_records(const Calibration& calibration, const Cluster& cluster,
                                         const DataFolder& data) {
  std::vector<std::string> now;
  for (const auto& name : fitted_clusters(cluster))
    for (const auto& file : measurement_files(data.platforms_of(name), name))
      now.push_back(records_checksum(name, file));
  auto then = calibration.files;
  std::sort(now.begin(), now.end());
  std::sort(then.begin(), then.end());
  std::vector<std::string> differ;
  std::set_symmetric_difference(now.begin(), now.end(), then.begin(), then.end(), std::back_inserter(differ));
  std::set<std::string> names;
  for (const auto& one : differ) names.insert(name_of(one));
  return {names.begin(), names.end()};
}

/// "a, b, c and 4 more".
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 3;
  const std::vector<std::string> first(names.begin(),
                                       names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size())));
  return join_names(first) + (names.size() > most ? fmt::format(" and {} more", names.size() - most) : "");
}

} // namespace

bool covers(const CalibrationScope& scope, const CalibrationScope& asked) {
  return allows(scope.transport, asked.transport) && allows(scope.preset, asked.preset) &&
         (!scope.precision || scope.precision == asked.precision) && allows(scope.model, asked.model) &&
         (scope.batch_per_gpu == 0 || scope.batch_per_gpu == asked.batch_per_gpu) &&
         allows(scope.one_gpu_s, asked.one_gpu_s) && allows(scope.evidence, asked.evidence);
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

std::vector<std::string> forget_what_changed(Calibration& calibration, const Cluster& cluster, const DataFolder& data) {
  if (calibration.machines.empty())
    return {fmt::format("the calibration of {} does not say what it was fitted on, and may be older than its files; {}",
                        cluster.name, command_text(cluster.name))};
  auto sentences = forget_other_machines(calibration, cluster, data);
  const auto changed = changed_records(calibration, cluster, data);
  if (!changed.empty())
    sentences.push_back(fmt::format("the calibration of {} is older than its records ({} changed, came or went), which "
                                    "count in one-GPU times alone; {}",
                                    cluster.name, some_of(changed), command_text(cluster.name)));
  return sentences;
}

} // namespace ddlsim
