#include "diagnose/possible_faults.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

constexpr double least_severity = 1.1;
/// ratio of neighbouring severities; those between are interpolated in the logarithm
constexpr double severity_step = 1.75;

/// Returns severities from the smallest to `most`, at equal distances in the logarithm.
std::vector<double> factors_up_to(double most) {
  const int steps = static_cast<int>(std::ceil(std::log(most / least_severity) / std::log(severity_step)));
  std::vector<double> all;
  for (int i = 0; i <= steps; ++i)
    all.push_back(least_severity * std::pow(most / least_severity, static_cast<double>(i) / steps));
  return all;
}

std::vector<double> severities_of(const FaultRow& row) {
  return row.severity == Severity::factor ? factors_up_to(row.most) : std::vector<double>{1};
}

/// The traits of a job that decide which faults can act on it.
struct JobTraits {
  bool several_nodes = false;
  bool several_scales_of_nodes = false;
  bool several_gpus_of_a_node = false;
  bool library_chooses = false; ///< whether NCCL chooses between algorithms and protocols
  bool all_reduces = false;
  bool reads_shared_storage = false;
  bool names_input = false;
};

JobTraits job_of(const Curve& curve, const Scales& observed) {
  const auto& setup = curve.setup;
  const auto& input = setup.input;
  const int per_node = curve.gpus_per_full_node * domain_nodes(setup.cluster, setup.transport);
  const bool nccl = library_of(setup, curve.median).library == CollectiveLibrary::nccl;
  const auto name = setup.strategy.name;
  const int largest_gpus = observed.empty() ? 1 : *observed.rbegin();
  const auto across = std::count_if(observed.begin(), observed.end(), [&](int gpus) { return gpus > per_node; });
  return {across > 0 && !setup.transport.nic.empty(),
          across > 1 && !setup.transport.nic.empty(),
          per_node > 1 && largest_gpus > 1,
          nccl && (name == StrategyName::automatic || name == StrategyName::all_reduce),
          family_of(name) == StrategyFamily::all_reduce,
          input.shared_read_Bps > 0,
          input.loader_samples_per_s > 0 || input.core_samples_per_s > 0 || input.gpu_samples_per_s > 0 ||
              input.bytes_per_sample > 0};
}

bool over_verbs(const StepSetup& setup) {
  return setup.transport.name == "nccl-ib";
}

bool is_possible(Fault fault, const Curve& curve, const JobTraits& job, const OtherCurves& others) {
  switch (fault) {
  case Fault::sockets:
    return job.several_nodes && others.sockets != nullptr;
  case Fault::gpudirect:
    return job.several_nodes && over_verbs(curve.setup);
  case Fault::contention: // at a single number of nodes a slow link looks the same
    return job.several_scales_of_nodes;
  case Fault::link:
  case Fault::host:
  case Fault::latency:
  case Fault::stragglers:
    return job.several_nodes;
  case Fault::pcie:
    return job.several_gpus_of_a_node && others.pcie != nullptr;
  case Fault::inside:
    return job.several_gpus_of_a_node && curve.setup.cluster.intra.kind != IntraKind::none;
  case Fault::ring:
  case Fault::tree:
  case Fault::low_latency_protocol:
  case Fault::simple_protocol:
    return job.library_chooses && (job.several_nodes || job.several_gpus_of_a_node);
  case Fault::buckets:
    return job.all_reduces && curve.setup.preset.bucket_bytes > 0 && (job.several_nodes || job.several_gpus_of_a_node);
  case Fault::storage:
    return job.several_nodes && job.reads_shared_storage;
  case Fault::server:
    return is_parameter_server(curve.setup.strategy.name) && (job.several_nodes || job.several_gpus_of_a_node);
  case Fault::gpu:
  case Fault::loader:
    return true;
  case Fault::none_of_these:
    break;
  }
  return false;
}

/// Prior weight of a fault, which is an expert's estimate. Rows that lead to the same check share the weight of one. At
/// a single number of nodes uneven links look like one slow link, which is more common. A fault of data loading is less
/// likely in a scenario that does not mention it.
double weight_of(Fault fault, const JobTraits& job) {
  constexpr double one_of_four = 0.25;
  constexpr double uneven_links = 0.5;
  constexpr double unnamed_input = 0.125;
  switch (fault) {
  case Fault::ring:
  case Fault::tree:
  case Fault::low_latency_protocol:
  case Fault::simple_protocol:
    return one_of_four;
  case Fault::contention:
    return uneven_links;
  case Fault::loader:
    return job.names_input ? 1 : unnamed_input;
  default:
    return 1;
  }
}

const Curve* curve_of(Fault fault, const OtherCurves& others) {
  if (fault == Fault::sockets) return others.sockets.get();
  return fault == Fault::pcie ? others.pcie.get() : nullptr;
}

void fast_gpus(double severity, FaultySetup& one) {
  one.sample.compute_factor /= severity;
}

void fast_network(double severity, FaultySetup& one) {
  one.sample.nic_efficiency *= severity;
  one.sample.socket_Bps *= severity;
}

void fast_inside(double severity, FaultySetup& one) {
  one.sample.intra_efficiency *= severity;
}

constexpr double most_gain = 8;

constexpr FaultRow all_gains[] = {
    {Fault::none_of_these, "verbs", "InfiniBand or RoCE verbs in place of TCP sockets", "", true, Severity::none, 1,
     nullptr},
    {Fault::none_of_these, "faster-gpu", "faster GPUs or software than the scenario says", "", false, Severity::factor,
     most_gain, fast_gpus},
    {Fault::none_of_these, "faster-network", "a faster network than the cluster's file says", "", true,
     Severity::factor, most_gain, fast_network},
    {Fault::none_of_these, "faster-inside", "a faster path between the GPUs of a node than the cluster's file says", "",
     true, Severity::factor, most_gain, fast_inside}};

} // namespace

std::vector<FaultKind> possible_faults(const Curve& curve, const Scales& observed, bool only_collectives,
                                       const OtherCurves& others) {
  const auto job = job_of(curve, observed);
  std::vector<FaultKind> possible;
  for (const auto& row : fault_rows()) {
    if (only_collectives && !row.slows_collectives) continue;
    if (!is_possible(row.fault, curve, job, others)) continue;
    possible.push_back({row, severities_of(row), weight_of(row.fault, job), curve_of(row.fault, others)});
  }
  return possible;
}

std::string to_text(Untimed untimed) {
  switch (untimed) {
  case Untimed::iterations:
    return "iterations";
  case Untimed::other_nodes:
    return "other-nodes";
  case Untimed::several_nodes:
    return "several-nodes";
  case Untimed::several_gpus:
    break;
  }
  return "several-gpus";
}

std::vector<UntestedFault> untested_faults(const Curve& curve, const Scales& observed, bool only_collectives,
                                           const OtherCurves& others) {
  const int of_node = curve.gpus_per_full_node * domain_nodes(curve.setup.cluster, curve.setup.transport);
  Scales all{1, of_node};
  for (const int nodes : {2, 4})
    if (nodes * of_node <= curve.growth_gpus) all.insert(nodes * of_node);
  const auto seen = job_of(curve, observed);
  const auto ideal = job_of(curve, all);
  auto across = seen;
  across.several_nodes = ideal.several_nodes;
  std::vector<UntestedFault> untested;
  for (const auto& row : fault_rows()) {
    if (!is_possible(row.fault, curve, ideal, others)) continue;
    if (only_collectives && !row.slows_collectives)
      untested.push_back({row, Untimed::iterations});
    else if (is_possible(row.fault, curve, seen, others))
      continue;
    else if (row.fault == Fault::contention && seen.several_nodes)
      untested.push_back({row, Untimed::other_nodes});
    else
      untested.push_back({row, is_possible(row.fault, curve, across, others) || row.fault == Fault::contention
                                   ? Untimed::several_nodes
                                   : Untimed::several_gpus});
  }
  return untested;
}

std::vector<FaultKind> possible_gains(const Curve& curve, const Scales& observed, bool only_collectives,
                                      const OtherCurves& others) {
  const auto job = job_of(curve, observed);
  std::vector<FaultKind> possible;
  for (const auto& row : all_gains) {
    const bool is_verbs = row.apply == nullptr;
    if (is_verbs && (others.verbs == nullptr || !job.several_nodes)) continue;
    if (only_collectives && !row.slows_collectives) continue;
    if (row.apply == fast_network && !job.several_nodes) continue;
    if (row.apply == fast_inside && !job.several_gpus_of_a_node) continue;
    possible.push_back({row, severities_of(row), 1, is_verbs ? others.verbs.get() : nullptr});
  }
  return possible;
}

} // namespace ddlsim
