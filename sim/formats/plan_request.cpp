#include "sim/formats/plan_request.hpp"

#include "sim/base/error.hpp"
#include "sim/formats/file_formats.hpp"
#include "sim/formats/question_fields.hpp"
#include "sim/formats/strategy_fields.hpp"
#include "sim/formats/trained_part_fields.hpp"

#include <fmt/format.h>

#include <set>

namespace ddlsim {
namespace {

/// Checks that the length of the training is given once: as samples and epochs, as tokens, or as convergence data.
void check_length(const JsonNode& node) {
  const bool has_samples = node.has("samples") || node.has("epochs");
  if (node.has("convergence") && (has_samples || node.has("tokens")))
    node.mistake("\"convergence\" gives samples and epochs; give it alone, or those two");
  else if (node.has("tokens") && has_samples)
    node.mistake("\"tokens\" are those of the whole training; give them alone, or \"samples\" and \"epochs\"");
  if (node.has("convergence") || node.has("tokens")) return;
  if (!node.has("samples"))
    node.mistake_at("samples", "missing; give a number above 0, or \"tokens\" or a \"convergence\"");
  if (!node.has("epochs"))
    node.mistake_at("epochs", "missing; give a number above 0, or \"tokens\" or a \"convergence\"");
}

void check_workload(const JsonNode& node, Workload& work) {
  refuse_bare_model_name(node, "model", work.model);
  check_length(node);
  if (node.has("batch_per_gpu") == node.has("global_batch"))
    node.mistake("give one of \"batch_per_gpu\" (the same on every GPU) and \"global_batch\" (of all GPUs together)");
}

FieldTable<Workload> evaluation_fields() {
  constexpr double most_epochs_apart = 1e6;
  return {{required("samples", &Workload::evaluation_samples, positive_type(), "that one evaluation reads"),
           optional("epochs_apart", &Workload::epochs_per_evaluation, positive_type(most_epochs_apart),
                    "from one evaluation to the next; 1 if not given")}};
}

FieldTable<Workload> workload_fields() {
  return {{required("model", &Workload::model, text_type(), "a shipped model's name, or the path of a model's file"),
           optional("tokens", &Workload::tokens, count_type(),
                    "of the whole training, of a model whose sample is a sequence of tokens"),
           optional("samples", &Workload::samples, count_type(), "of the data set: an epoch"),
           optional("epochs", &Workload::epochs, positive_type(), "of the training"),
           optional("convergence", &Workload::convergence, text_type(),
                    "of scenarios/convergence/: runs that say samples and epochs by the global batch"),
           optional("batch_per_gpu", &Workload::batch_per_gpu, positive_type(), "the same on every GPU"),
           optional("global_batch", &Workload::global_batch, positive_type(), "of all GPUs together"),
           optional("micro_batch", &Workload::micro_batch, positive_type(), "as of a scenario"),
           optional("train", &Workload::train, trained_part_type(), "as of a scenario; all if not given"),
           optional("optimizer", &Workload::optimizer, optional_name_type<Optimizer>(), "as of a scenario"),
           optional_group("evaluation", evaluation_fields(), "none if not given"),
           required("precision", &Workload::precision, name_of_type<Precision>(), "of arithmetic"),
           optional("wire_precision", &Workload::wire_precision,
                    name_of_type<WirePrecision>(known_names_of<WirePrecision>()),
                    "of gradients on their way; fp32 if not given"),
           optional("cross_entropy", &Workload::cross_entropy, optional_name_type<CrossEntropy>(),
                    "how the loss of logits is computed, which decides what of them is in memory; the preset's if not "
                    "given"),
           optional("start_up", &Workload::start_up_s, quantity_type(Dimension::time),
                    "from the start of the job until the first iteration"),
           optional_group("input", input_fields_of<Workload>(&Workload::input, &Workload::input_names),
                          "as of a scenario; reading the data is not in the time if not given")},
          check_workload};
}

FieldTable<PlanLimits> limits_fields() {
  constexpr double least_chance = 0.5;
  constexpr double most_chance = 0.99;
  return {{optional("deadline", &PlanLimits::deadline_s, quantity_type(Dimension::time), "until the training ends"),
           optional("budget", &PlanLimits::budget_usd, quantity_type(Dimension::price), "for the whole training"),
           optional("power", &PlanLimits::power_w, quantity_type(Dimension::power),
                    "of all nodes, cooling included; never exceeded"),
           optional("nodes", &PlanLimits::nodes, whole_type(1, most_ranks), "never exceeded"),
           optional("chance", &PlanLimits::chance, number_type(least_chance, most_chance),
                    "with which deadline and budget must be met; 0.9 if not given")}};
}

void check_failures(const JsonNode& node, FailureRules& rules) {
  if (!node.has("node_mtbf")) rules.node_mtbf_s = usual_node_mtbf_s;
  if (node.has("checkpoint") == node.has("storage"))
    node.mistake("give one of \"checkpoint\" (the time to write one) and \"storage\" (the rate it is written at)");
  else if (node.has("checkpoint") && node.has("bytes_per_parameter"))
    node.mistake("\"bytes_per_parameter\" goes with \"storage\"; drop it, or give that in place of \"checkpoint\"");
  if (node.has("spare_nodes") && !node.has("repair"))
    node.mistake("spare nodes wait while failed ones are repaired; give \"repair\", like \"24 h\"");
}

FieldTable<FailureRules> failures_fields() {
  constexpr double most_bytes_per_parameter = 1000;
  const auto time = quantity_type(Dimension::time);
  return {{optional("node_mtbf", &FailureRules::node_mtbf_s, time,
                    "mean time between failures of one node; 6335 h if not given, as Llama 3 was interrupted"),
           optional("checkpoint", &FailureRules::checkpoint_s, time, "to write one; or give storage"),
           optional("storage", &FailureRules::storage_Bps, quantity_type(Dimension::bandwidth),
                    "at which a checkpoint is written; or give checkpoint"),
           optional("bytes_per_parameter", &FailureRules::bytes_per_parameter, number_type(1, most_bytes_per_parameter),
                    "of a checkpoint; 12 if not given: Adam's fp32 weights and two moments"),
           optional("restart", &FailureRules::restart_s, quantity_or_zero_type(Dimension::time),
                    "from a failure until training goes on"),
           optional("repair", &FailureRules::repair_s, time, "of a failed node; another is there at once if not given"),
           optional("spare_nodes", &FailureRules::spare_nodes, whole_type(0, most_ranks),
                    "that wait, paid for, to take the place of failed ones")},
          check_failures};
}

FieldTable<EnergyRules> energy_fields() {
  constexpr double most_pue = 10;
  constexpr double most_usd_per_kwh = 100;
  return {{optional("usd_per_kwh", &EnergyRules::usd_per_kwh, number_type(0, most_usd_per_kwh), "0 if not given"),
           optional("pue", &EnergyRules::pue, number_type(1, most_pue),
                    "power usage effectiveness: energy of the room over that of its nodes; 1.58 if not given")}};
}

FieldTable<CandidatePrice> candidate_price_fields() {
  const std::vector<std::string> rented{to_text(PriceKind::on_demand), to_text(PriceKind::reserved)};
  const std::string bought = to_text(PriceKind::purchase);
  return {
      {required("kind", &CandidatePrice::kind, name_of_type<PriceKind>(),
                "how it is paid; owned: for nothing but energy"),
       required("usd_per_node_hour", &CandidatePrice::usd, positive_type(), "US dollars").only_where("kind", rented),
       required("usd_per_node", &CandidatePrice::usd, positive_type(), "US dollars").only_where("kind", {bought}),
       required("years", &CandidatePrice::years, positive_type(), "over which the purchase is written off")
           .only_where("kind", {bought}),
       optional("source", &CandidatePrice::source, any_text_type(), "where the price stands, with its date")}};
}

/// The candidate's price, which replaces the one in its cluster's file.
ValueType<std::optional<CandidatePrice>> candidate_price_type() {
  return stored_as<std::optional<CandidatePrice>, CandidatePrice>(
      object_type(candidate_price_fields()), [](const CandidatePrice& price) { return price; },
      [](const std::optional<CandidatePrice>& price) { return price.value_or(CandidatePrice{}); });
}

FieldTable<PlanCandidate> candidate_fields() {
  return {{optional("name", &PlanCandidate::name, name_type(), "the cluster's if not given"),
           required("cluster", &PlanCandidate::cluster, text_type(), "a shipped cluster's name, or a folder's path"),
           required("preset", &PlanCandidate::preset, text_type(), "what the framework does with gradients"),
           optional("transport", &PlanCandidate::transport, word_type(transport_names()),
                    "shm on a single machine, else the preset's first that the cluster has, if not given"),
           optional("network", &PlanCandidate::network_Bps, quantity_type(Dimension::bandwidth),
                    "line rate of each NIC in place of the cluster's"),
           required("strategies", &PlanCandidate::strategies, strategies_type(MicroBatches::may_follow), "to compare"),
           optional("gpus", &PlanCandidate::gpus, gpu_counts_type(),
                    "ascending; one, then doubling up to what growth and limits allow, if not given"),
           optional("batch_per_gpu", &PlanCandidate::batch_per_gpu, positive_type(), "in place of the workload's"),
           optional("cores_per_node", &PlanCandidate::cores_per_node, whole_type(1, most_cores_of_node),
                    "that decode, in place of the input's"),
           optional("price", &PlanCandidate::price, candidate_price_type(),
                    "of one whole node; the newest on-demand price of the cluster's file if not given")}};
}

/// Checks rules between a candidate and the workload.
void check_candidate(const JsonNode& node, const PlanCandidate& candidate, const Workload& work) {
  if (candidate.cores_per_node > 0 && work.input_names.loader.empty())
    node.mistake_at("cores_per_node", "the workload's \"input\" names no loader; name one there, or drop this");
  const auto places = node.list("strategies");
  for (std::size_t i = 0; i < places.size() && i < candidate.strategies.size(); ++i)
    check_micro_batch(places[i], candidate.strategies[i], work.micro_batch > 0);
  check_optimizer(places, candidate.strategies, work.optimizer);
  if (work.global_batch > 0 && candidate.batch_per_gpu > 0)
    node.mistake_at("batch_per_gpu", "found beside the workload's \"global_batch\"; keep one of them");
}

void check_request(const JsonNode& root, PlanRequest& request) {
  std::set<std::string> names;
  const auto places = root.list("candidates");
  for (std::size_t i = 0; i < places.size(); ++i) {
    auto& candidate = request.candidates[i];
    check_candidate(places[i], candidate, request.workload);
    if (candidate.name.empty()) candidate.name = candidate.cluster;
    if (candidate.batch_per_gpu == 0) candidate.batch_per_gpu = request.workload.batch_per_gpu;
    if (!names.insert(candidate.name).second)
      places[i].mistake_at("name",
                           fmt::format("{} is there twice; give each candidate a name of its own", candidate.name));
  }
  // Without a deadline the lowest cost is one GPU; without a budget the shortest time is the largest machine.
  const bool has_budget_alone = request.limits.budget_usd > 0 && request.limits.deadline_s == 0;
  if (!root.has("goal")) request.goal = has_budget_alone ? PlanGoal::time : PlanGoal::cost;
}

const FieldTable<PlanRequest>& request_fields() {
  constexpr long fewest_samples = 40;
  constexpr long most_samples = 10'000;
  static const auto table = document<PlanRequest>(
      "ddlsim-plan-request", 1,
      {required("name", &PlanRequest::name, name_type(), "of the request"),
       required("workload", &PlanRequest::workload, object_type(workload_fields()), "the training"),
       optional("goal", &PlanRequest::goal, name_of_type<PlanGoal>(),
                "what is least; time where only a budget is given, else cost, if not given"),
       optional("limits", &PlanRequest::limits, object_type(limits_fields()), "what may be spent"),
       optional("failures", &PlanRequest::failures, object_type(failures_fields()), "of nodes; none if not given"),
       optional("energy", &PlanRequest::energy, object_type(energy_fields()), "what it costs"),
       optional("slow_node", &PlanRequest::slow_node, slow_node_type(),
                "one node of every job on two nodes or more; none is slow if not given"),
       required("candidates", &PlanRequest::candidates, list_type(object_type(candidate_fields()), 1),
                "machines that could be had, and how each would be used"),
       optional("seed", &PlanRequest::seed, seed_type(), "of the draws; 1 if not given"),
       optional("samples", &PlanRequest::samples, whole_type(fewest_samples, most_samples),
                "draws of the parameters behind every chance and interval; 200 if not given")},
      check_request);
  return table;
}

} // namespace

PlanRequest plan_request_from(const JsonNode& root) {
  return read_object(root, request_fields());
}

FileFormat plan_request_format() {
  return {"plan-request", "What a buyer asks", "scenarios/plans/NAME.json", request_fields().shape()};
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
