#include "sim/base/json.hpp"
#include "sim/formats/question_fields.hpp"
#include "sim/formats/strategy_fields.hpp"
#include "sim/predict/asked_machine.hpp"
#include "sim/predict/at_hand.hpp"
#include "sim/predict/point_fields.hpp"
#include "sim/predict/predict.hpp"
#include "sim/predict/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ddlsim {
namespace {

/// Version of the format. Version 2 has largest_efficient_*, bottleneck_there, and the fidelities "reduced" and
/// "screening"; version 3 the fidelities "classes", "full" and "formula".
constexpr int prediction_version = 3;
constexpr int predictions_version = 1;

FieldTable<OneGpuRate> one_gpu_fields() {
  return {{answered<OneGpuRate>("samples_per_s", &OneGpuRate::samples_per_s, rounded_type(), "without synchronisation"),
           answered<OneGpuRate>("evidence", &OneGpuRate::evidence, name_of_type<EvidenceLabel>(), "for this rate"),
           answered<OneGpuRate>("text", &OneGpuRate::text, text_type(), "where the rate comes from")}};
}

/// How the all-reduce that the benchmark has to time runs.
std::vector<Field<MeasureNext>> benchmark_rows() {
  return {answered<MeasureNext>("algorithm", &MeasureNext::algorithm, text_type(), "of the library"),
          answered<MeasureNext>("protocol", &MeasureNext::protocol, text_type(), "of NCCL"),
          answered<MeasureNext>("size_bytes", &MeasureNext::all_reduce_bytes, rounded_positive_type(),
                                "of one GPU's vector")};
}

FieldTable<MeasureNext> measure_next_fields() {
  const auto has_protocol = [](const MeasureNext& next) { return !next.protocol.empty(); };
  return {
      {answered<MeasureNext>("parameter", &MeasureNext::parameter, any_text_type(), "as in the priors; empty: none"),
       answered<MeasureNext>("what", &MeasureNext::what, any_text_type(), "to run, in words"),
       answered<MeasureNext>("at_gpus", &MeasureNext::at_gpus, number_of_things(),
                             "the scale whose interval it narrows"),
       answered<MeasureNext>("half_width_now", &MeasureNext::interval_now, rounded_type(),
                             "of ln of the iteration time"),
       answered<MeasureNext>("half_width_then", &MeasureNext::interval_then, rounded_type(),
                             "the same if that parameter were known"),
       answered_where<MeasureNext>(has_protocol, "run_as", std::identity{}, answer_object(benchmark_rows()),
                                   "how the all-reduces run that decide, and so the benchmark")}};
}

std::vector<Field<StrategyAnswer>> largest_scale_rows() {
  using Answer = StrategyAnswer;
  const auto of = [](auto member) { return within(&Answer::largest_scale, member); };
  return {answered<Answer>("largest_efficient_gpus", of(&LargestEfficientScale::gpus), number_of_things(),
                           "of the largest scale, in whole nodes, whose efficiency reaches the bound"),
          answered<Answer>("largest_efficient_gpus_low", of(&LargestEfficientScale::gpus_low), number_of_things(),
                           "5 % of the samples are below"),
          answered<Answer>("largest_efficient_gpus_high", of(&LargestEfficientScale::gpus_high), number_of_things(),
                           "5 % of the samples are above"),
          answered<Answer>("largest_efficient_beyond_growth", of(&LargestEfficientScale::beyond_growth), boolean_type(),
                           "efficiency stays above the bound up to the cluster's growth"),
          answered<Answer>("efficient_against_gpus", &Answer::efficient_against_gpus, number_of_things(),
                           "with how many GPUs that efficiency is compared: 1, or those at hand where no single GPU "
                           "holds the model"),
          answered<Answer>("bottleneck_there", of(&LargestEfficientScale::bottleneck), any_text_type(),
                           "the largest part beside compute at that scale")};
}

FieldTable<AtHand> at_hand_fields() {
  return {{answered<AtHand>("gpus", &AtHand::gpus, number_of_things(),
                            "the largest scale asked for that is possible and that the cluster has today, else the "
                            "smallest possible; 0: none is possible"),
           answered<AtHand>("equally_fast", &AtHand::equally_fast, boolean_type(),
                            "it is the fastest there, or nothing tells it from the fastest"),
           answered<AtHand>("chance_slower", &AtHand::chance_slower, rounded_type(0, 1),
                            "share of the samples in which it is slower than the fastest there; 0 for that one"),
           answered<AtHand>("measure_next", &AtHand::measure_next, answer_object(measure_next_fields()),
                            "what would narrow the interval at these GPUs most")}};
}

FieldTable<MeasuredReach> measured_reach_fields() {
  using Reach = MeasuredReach;
  return {{answered<Reach>("gpus", &Reach::gpus, number_of_things(), "most GPUs of a run of this stack here; 0: none"),
           answered<Reach>("nodes", &Reach::nodes, number_of_things(),
                           "most nodes of a run here with this transport and kind of strategy"),
           answered<Reach>("nodes_elsewhere", &Reach::nodes_elsewhere, number_of_things(),
                           "the same of clusters that lend their records")}};
}

/// How the strategy compares with the others, and what it rests on.
std::vector<Field<StrategyAnswer>> comparison_rows() {
  using Answer = StrategyAnswer;
  return {answered<Answer>("in_words", strategy_in_words, text_type(), "how it synchronises, in plain words"),
          answered<Answer>("at_hand", &Answer::at_hand, answer_object(at_hand_fields()),
                           "how it compares at the GPUs at hand"),
          answered<Answer>("measured", &Answer::measured, answer_object(measured_reach_fields()),
                           "the runs that it was learnt from")};
}

/// What the answer adds where there is something to say.
std::vector<Field<StrategyAnswer>> remark_rows() {
  using Answer = StrategyAnswer;
  const auto has_library = [](const Answer& answer) { return !answer.library.empty(); };
  const auto has_note = [](const Answer& answer) { return !answer.strategy.note.empty(); };
  const auto leaves_open = [](const Answer& answer) { return !answer.left_open.empty(); };
  const auto note = [](const Answer& answer) { return answer.strategy.note; };
  return {optional("library", &Answer::library, text_type(), "of the all-reduces, with its version"),
          answered_where<Answer>(has_library, "library_stated", &Answer::library_stated, boolean_type(),
                                 "false: the preset's likeliest library is assumed"),
          answered_where<Answer>(has_note, "note", note, text_type(), "the user's"),
          optional("why", &Answer::why, list_type(text_type()),
                   "with `--why`: sentences on what the number at the largest scale rests on, and what makes its "
                   "interval"),
          optional("left_open", &Answer::left_open, list_type(text_type()), "the keys that the strategy leaves open"),
          answered_where<Answer>(leaves_open, "taken", &Answer::taken, answer_object(strategy_answer_fields()),
                                 "the strategy with what the preset has for them")};
}

FieldTable<StrategyAnswer> strategy_rows_of_answer() {
  using Answer = StrategyAnswer;
  FieldTable<Answer> table{
      {answered<Answer>("strategy", &Answer::strategy, answer_object(strategy_answer_fields()),
                        "as the scenario has it"),
       answered<Answer>("preset", &Answer::preset, text_type(), "the strategy's own, or the scenario's"),
       answered<Answer>("transport", &Answer::transport, any_text_type(), "the strategy's own, or the scenario's"),
       answered<Answer>("one_gpu", &Answer::one_gpu, answer_object(one_gpu_fields()), "one GPU with that preset")}};
  add_to(table.fields, largest_scale_rows());
  table.fields.push_back(answered<Answer>("measure_next", &Answer::measure_next, answer_object(measure_next_fields()),
                                          "the measurement that would narrow the interval most"));
  add_to(table.fields, comparison_rows());
  add_to(table.fields, remark_rows());
  return table;
}

FieldTable<UsedFile> used_file_fields() {
  return {
      {answered<UsedFile>("file", &UsedFile::name, text_type(), "its path"),
       answered<UsedFile>("fnv1a", &UsedFile::fnv1a, pattern_type("^[0-9a-f]{16}$"), "64-bit FNV-1a of its bytes")}};
}

std::vector<Field<Prediction>> provenance_rows() {
  using One = Prediction;
  return {
      answered<One>(
          "ddlsim", [](const One&) { return version(); }, text_type(), "version of the program"),
      answered<One>(
          "simgrid", [](const One&) { return simgrid_version(); }, text_type(), "version of the library"),
      answered<One>("seed", within(&One::scenario, &Scenario::seed), seed_type(), "of all random draws"),
      answered<One>("samples", within(&One::scenario, &Scenario::samples), number_of_things(1), "behind an interval"),
      answered<One>("files", &One::files, answer_list(answer_object(used_file_fields())),
                    "on which the answer depends")};
}

std::vector<Field<Prediction>> question_rows() {
  using One = Prediction;
  const auto of = [](auto member) { return within(&One::scenario, member); };
  return {answered<One>("scenario", of(&Scenario::name), any_text_type(), "its name"),
          answered<One>("model", of(&Scenario::model), text_type(), "of the scenario"),
          answered<One>("cluster", of(&Scenario::cluster), text_type(), "of the scenario"),
          answered<One>("gpu", &One::gpu, any_text_type(), "of the cluster's nodes, or the scenario's"),
          answered<One>("preset", of(&Scenario::preset), text_type(), "of the scenario"),
          answered<One>("precision", of(&Scenario::precision), name_of_type<Precision>(), "of the scenario"),
          optional("batch_per_gpu", of(&Scenario::batch_per_gpu), positive_type(), "samples of an iteration"),
          optional("global_batch", of(&Scenario::global_batch), positive_type(),
                   "samples of all GPUs together, if the scenario states it"),
          optional("global_batch_tokens", of(&Scenario::global_batch_tokens), positive_type(),
                   "the same in tokens, if the scenario states it"),
          optional("micro_batch", of(&Scenario::micro_batch), positive_type(),
                   "samples that a replica computes at the same time, if the scenario states it"),
          answered<One>("efficiency_bound", of(&Scenario::efficiency_bound), positive_type(),
                        "which the largest efficient scale still reaches"),
          answered<One>("one_gpu", &One::one_gpu, answer_object(one_gpu_fields()),
                        "one GPU with the scenario's preset, without synchronisation")};
}

FieldTable<AskedMachine> machine_fields() {
  using One = AskedMachine;
  const auto has_memory = [](const One& one) { return one.gpu_memory_bytes > 0; };
  return {{answered<One>("gpus_per_node", &One::gpus_per_node, number_of_things(), "that ranks use"),
           answered_where<One>(has_memory, "gpu_memory_bytes", &One::gpu_memory_bytes, rounded_positive_type(),
                               "that a GPU has, where it is known"),
           answered<One>("node", &One::node, text_type(), "in words"),
           answered<One>("network", &One::network, any_text_type(),
                         "ports of a node, their rate and the transport in words; empty inside a node")}};
}

/// What stands behind the names, and how large the cluster is.
std::vector<Field<Prediction>> scale_rows() {
  using One = Prediction;
  const auto has_tokens = [](const One& one) { return one.machine.tokens_per_sample > 0; };
  const auto of = [](auto member) { return within(&One::machine, member); };
  return {answered<One>("unit", of(&AskedMachine::unit), word_type({"images", "sequences", "samples"}),
                        "what the samples are"),
          answered_where<One>(has_tokens, "tokens_per_sample", of(&AskedMachine::tokens_per_sample),
                              rounded_positive_type(), "the length of a sequence"),
          answered<One>("available_gpus", &One::available_gpus, number_of_things(), "that the cluster has today"),
          answered<One>("growth_gpus", &One::growth_gpus, number_of_things(), "to which it may grow"),
          answered<One>(
              "at_hand_gpus", [](const One& one) { return gpus_at_hand(one); }, number_of_things(),
              "at which strategies are compared"),
          answered<One>("machine", &One::machine, answer_object(machine_fields()), "node and network")};
}

std::vector<AnsweredPoint> points_of(const Prediction& prediction) {
  std::vector<AnsweredPoint> points;
  for (const auto& answer : prediction.strategies)
    for (const auto& point : answer.points) points.push_back({&answer, &point});
  return points;
}

const FieldTable<Prediction>& answer_to_scenario_fields() {
  using One = Prediction;
  static const auto table = [] {
    auto rows = question_rows();
    add_to(rows, scale_rows());
    add_to(rows, {answered<One>("points", points_of, answer_list(answered_point_type()),
                                "one for each strategy and number of GPUs"),
                  answered<One>("strategies", &One::strategies, answer_list(answer_object(strategy_rows_of_answer())),
                                "what follows from the points of each strategy"),
                  answered<One>("produced_by", std::identity{}, answer_object(provenance_rows()),
                                "what the answer can be repeated with"),
                  optional("warnings", &One::warnings, list_type(text_type()),
                           "a calibration that does not hold for this machine, a NIC whose rate is assumed, and the "
                           "like")});
    return document<One>("ddlsim-prediction", prediction_version, rows);
  }();
  return table;
}

/// A scenario of a sweep that has no answer.
struct SweepError {
  std::string scenario;
  std::string error;
};

FieldTable<SweepError> sweep_error_fields() {
  return {{answered<SweepError>("scenario", &SweepError::scenario, text_type(), "its name"),
           answered<SweepError>("error", &SweepError::error, text_type(), "why there is no answer")}};
}

} // namespace

FileFormat prediction_format() {
  return {"prediction", "Prediction of a scenario",
          "What `ddlsim predict --json` prints, in SI units with nine significant digits. The same input and seed give "
          "the same bytes",
          answer_to_scenario_fields().shape(), true};
}

FileFormat predictions_format() {
  ValueShape one{ValueKind::either};
  one.parts = {answer_to_scenario_fields().shape(), sweep_error_fields().shape()};
  ValueShape list{ValueKind::list};
  list.parts = {one};
  auto shape = document<SweepError>("ddlsim-predictions", predictions_version, {}).shape();
  shape.fields.push_back({"predictions", Presence::required, list, "one for each scenario, in the order of the sweep"});
  return {"predictions", "Predictions of a sweep", "What `ddlsim predict --json` prints for several scenarios", shape,
          true};
}

std::string to_json_text(const Prediction& prediction) {
  return json_text(write_fields(answer_to_scenario_fields(), prediction), 1) + "\n";
}

std::string to_json_error(const std::string& scenario, const std::string& error) {
  return json_text(write_fields(sweep_error_fields(), {scenario, error}), 1) + "\n";
}

std::string to_json_list(const std::vector<std::string>& predictions) {
  auto text = fmt::format("{{\n \"format\": \"ddlsim-predictions\",\n \"version\": {},\n \"predictions\": [\n",
                          predictions_version);
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    text += predictions[i];
    if (text.back() == '\n') text.pop_back();
    text += i + 1 < predictions.size() ? ",\n" : "\n";
  }
  return text + " ]\n}\n";
}

} // namespace ddlsim
