#include "sim/formats/plan_request.hpp"

#include "sim/base/error.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <set>

namespace ddlsim {
namespace {

constexpr double most_evaluations_apart = 1e6; // epochs

void read_batch(const JsonNode& node, Workload& work) {
  if (node.has("batch_per_gpu") == node.has("global_batch")) {
    node.mistake("give one of \"batch_per_gpu\" (the same on every GPU) and \"global_batch\" (of all GPUs together)");
    return;
  }
  if (node.has("batch_per_gpu")) work.batch_per_gpu = node.positive("batch_per_gpu");
  if (node.has("global_batch")) work.global_batch = node.positive("global_batch");
}

void read_evaluation(const JsonNode& node, Workload& work) {
  static constexpr std::string_view known[]{"samples", "epochs_apart"};
  if (!node.is_object()) return;
  node.allow_only(known);
  work.evaluation_samples = node.positive("samples");
  if (node.has("epochs_apart")) work.epochs_per_evaluation = node.positive("epochs_apart");
  if (work.epochs_per_evaluation > most_evaluations_apart)
    node.mistake_at("epochs_apart", fmt::format("{:g} found; give 1000000 or fewer", work.epochs_per_evaluation));
}

/// Samples and epochs, tokens in their place, or the runs that tell them.
void read_length(const JsonNode& node, Workload& work) {
  if (node.has("convergence")) {
    work.convergence = node.text("convergence");
    if (node.has("samples") || node.has("epochs") || node.has("tokens"))
      node.mistake("\"convergence\" tells samples and epochs; give it alone, or those two");
  } else if (node.has("tokens")) {
    work.tokens = node.count("tokens");
    if (node.has("samples") || node.has("epochs"))
      node.mistake("\"tokens\" are those of the whole training; give them alone, or \"samples\" and \"epochs\"");
  } else {
    work.samples = node.count("samples");
    work.epochs = node.positive("epochs");
  }
  work.start_up_s = node.quantity_or("start_up", Dimension::time, 0);
}

Workload workload_from(const JsonNode& node) {
  static constexpr std::string_view known[]{"model",     "tokens",         "convergence",  "samples",
                                            "epochs",    "batch_per_gpu",  "global_batch", "evaluation",
                                            "precision", "wire_precision", "start_up",     "input"};
  Workload work;
  if (!node.is_object()) return work;
  node.allow_only(known);
  work.model = node.text("model");
  refuse_bare_model_name(node, "model", work.model);
  read_length(node, work);
  read_batch(node, work);
  if (node.has("evaluation")) read_evaluation(node.at("evaluation"), work);
  work.precision = one_of<Precision>(node, "precision");
  work.wire_precision = one_of_or(node, "wire_precision", WirePrecision::fp32, known_names_of<WirePrecision>());
  if (node.has("input")) read_input(node.at("input"), work.input, work.input_names);
  return work;
}

PlanLimits limits_from(const JsonNode& node) {
  static constexpr std::string_view known[]{"deadline", "budget", "power", "nodes", "chance"};
  constexpr double least_chance = 0.5;
  constexpr double most_chance = 0.99;
  PlanLimits limits;
  if (!node.is_object()) return limits;
  node.allow_only(known);
  limits.deadline_s = node.quantity_or("deadline", Dimension::time, 0);
  limits.budget_usd = node.quantity_or("budget", Dimension::price, 0);
  limits.power_w = node.quantity_or("power", Dimension::power, 0);
  limits.nodes = static_cast<int>(node.integer_or("nodes", 0, 1, most_ranks));
  limits.chance = node.number_or("chance", limits.chance, least_chance, most_chance);
  return limits;
}

void read_checkpoint(const JsonNode& node, FailureRules& rules) {
  constexpr double most_bytes_per_parameter = 1000;
  if (node.has("checkpoint") == node.has("storage")) {
    node.mistake("give one of \"checkpoint\" (the time to write one) and \"storage\" (the rate it is written at)");
    return;
  }
  if (node.has("checkpoint")) rules.checkpoint_s = node.quantity("checkpoint", Dimension::time);
  if (node.has("storage")) rules.storage_Bps = node.quantity("storage", Dimension::bandwidth);
  rules.bytes_per_parameter =
      node.number_or("bytes_per_parameter", rules.bytes_per_parameter, 1, most_bytes_per_parameter);
  if (node.has("checkpoint") && node.has("bytes_per_parameter"))
    node.mistake("\"bytes_per_parameter\" goes with \"storage\"; drop it, or give that in place of \"checkpoint\"");
}

FailureRules failures_from(const JsonNode& node) {
  static constexpr std::string_view known[]{"node_mtbf", "checkpoint", "storage",    "bytes_per_parameter",
                                            "restart",   "repair",     "spare_nodes"};
  FailureRules rules;
  if (!node.is_object()) return rules;
  node.allow_only(known);
  rules.node_mtbf_s = node.quantity_or("node_mtbf", Dimension::time, usual_node_mtbf_s);
  read_checkpoint(node, rules);
  if (node.has("restart")) rules.restart_s = node.quantity_or_zero("restart", Dimension::time);
  rules.repair_s = node.quantity_or("repair", Dimension::time, 0);
  rules.spare_nodes = static_cast<int>(node.integer_or("spare_nodes", 0, 0, most_ranks));
  if (node.has("spare_nodes") && !node.has("repair"))
    node.mistake("spare nodes wait while failed ones are repaired; give \"repair\", like \"24 h\"");
  return rules;
}

EnergyRules energy_from(const JsonNode& node) {
  static constexpr std::string_view known[]{"usd_per_kwh", "pue"};
  constexpr double most_pue = 10;
  constexpr double most_usd_per_kwh = 100;
  EnergyRules rules;
  if (!node.is_object()) return rules;
  node.allow_only(known);
  rules.usd_per_kwh = node.number_or("usd_per_kwh", 0, 0, most_usd_per_kwh);
  rules.pue = node.number_or("pue", rules.pue, 1, most_pue);
  return rules;
}

CandidatePrice candidate_price_from(const JsonNode& node) {
  static constexpr std::string_view rented[]{"kind", "usd_per_node_hour", "source"};
  static constexpr std::string_view bought[]{"kind", "usd_per_node", "years", "source"};
  static const std::vector<std::string> owned{"kind", "source"};
  CandidatePrice price;
  if (!node.is_object()) return price;
  const auto before = node.mistakes_so_far();
  price.kind = one_of<PriceKind>(node, "kind");
  if (node.mistakes_so_far() > before) return price;
  price.source = node.text_or("source", "");
  if (price.kind == PriceKind::owned) {
    node.allow_only(owned);
  } else if (price.kind == PriceKind::purchase) {
    node.allow_only(bought);
    price.usd = node.positive("usd_per_node");
    price.years = node.positive("years");
  } else {
    node.allow_only(rented);
    price.usd = node.positive("usd_per_node_hour");
  }
  return price;
}

PlanCandidate candidate_from(const JsonNode& node) {
  static constexpr std::string_view known[]{"name",       "cluster", "preset",        "transport", "network",
                                            "strategies", "gpus",    "batch_per_gpu", "price",     "cores_per_node"};
  PlanCandidate candidate;
  if (!node.is_object()) return candidate;
  node.allow_only(known);
  candidate.cluster = node.text("cluster");
  candidate.name = node.has("name") ? simple_name(node, "name") : candidate.cluster;
  candidate.preset = node.text("preset");
  candidate.transport = node.one_of_or("transport", transport_names(), "");
  candidate.network_Bps = node.quantity_or("network", Dimension::bandwidth, 0);
  candidate.strategies = strategies_from(node);
  if (node.has("gpus")) candidate.gpus = gpu_counts_from(node);
  if (node.has("batch_per_gpu")) candidate.batch_per_gpu = node.positive("batch_per_gpu");
  candidate.cores_per_node = static_cast<int>(node.integer_or("cores_per_node", 0, 1, most_cores_of_node));
  if (node.has("price")) candidate.price = candidate_price_from(node.at("price"));
  return candidate;
}

std::vector<PlanCandidate> candidates_from(const JsonNode& root, const Workload& work) {
  std::vector<PlanCandidate> candidates;
  std::set<std::string> names;
  const auto places = root.list("candidates");
  for (const auto& node : places) {
    candidates.push_back(candidate_from(node));
    if (candidates.back().cores_per_node > 0 && work.input_names.loader.empty())
      node.mistake_at("cores_per_node", "the workload's \"input\" names no loader; name one there, or drop this");
    const auto& name = candidates.back().name;
    if (!name.empty() && !names.insert(name).second)
      node.mistake_at("name", fmt::format("{} is there twice; give each candidate a name of its own", name));
  }
  if (root.has("candidates") && root.value()["candidates"].is_array() && places.empty())
    root.mistake_at("candidates", "no candidate found; give one or more");
  return candidates;
}

/// A time without a deadline costs least on one GPU, and money without a budget buys the fastest.
PlanGoal usual_goal(const PlanLimits& limits) {
  return limits.budget_usd > 0 && limits.deadline_s == 0 ? PlanGoal::time : PlanGoal::cost;
}

} // namespace

PlanRequest plan_request_from(const JsonNode& root) {
  static constexpr std::string_view known[]{"format",   "version", "name",       "workload", "goal",    "limits",
                                            "failures", "energy",  "candidates", "seed",     "samples", "slow_node"};
  constexpr long fewest_samples = 40;
  constexpr long most_samples = 10'000;
  PlanRequest request;
  root.allow_only(known);
  request.name = simple_name(root, "name");
  request.workload = workload_from(root.at("workload"));
  if (root.has("limits")) request.limits = limits_from(root.at("limits"));
  request.goal = one_of_or(root, "goal", usual_goal(request.limits));
  if (root.has("failures")) request.failures = failures_from(root.at("failures"));
  if (root.has("slow_node")) request.slow_node = slow_node_from(root.at("slow_node"));
  if (root.has("energy")) request.energy = energy_from(root.at("energy"));
  request.candidates = candidates_from(root, request.workload);
  for (auto& candidate : request.candidates) {
    if (request.workload.global_batch > 0 && candidate.batch_per_gpu > 0)
      root.mistake_at("candidates", fmt::format("{} has a \"batch_per_gpu\" beside the workload's \"global_batch\"; "
                                                "keep one of them",
                                                candidate.name));
    if (candidate.batch_per_gpu == 0) candidate.batch_per_gpu = request.workload.batch_per_gpu;
  }
  request.seed = static_cast<std::uint64_t>(root.integer_or("seed", 1, 0, std::numeric_limits<long>::max()));
  request.samples = static_cast<int>(root.integer_or("samples", request.samples, fewest_samples, most_samples));
  return request;
}

PlanRequest read_plan_request(const std::filesystem::path& file, const std::vector<JsonChange>& changes,
                              const std::function<void(nlohmann::json&)>& edit) {
  PlanRequest request;
  const auto change_it = [&](nlohmann::json& document) {
    for (const auto& change : changes) apply_change(document, change);
    if (edit) edit(document);
  };
  read_document(
      file, "ddlsim-plan-request", 1, [&](const JsonNode& root) { request = plan_request_from(root); }, change_it);
  return request;
}

} // namespace ddlsim
