#include "sim/base/json.hpp"
#include "sim/formats/question_fields.hpp"
#include "sim/formats/strategy_fields.hpp"
#include "sim/predict/point_fields.hpp"
#include "sim/predict/predict.hpp"
#include "sim/predict/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ddlsim {
namespace {

/// Version of the format. 2: largest_efficient_*, bottleneck_there; fidelities "reduced" and "screening". 3: fidelities
/// "classes", "full" and "formula".
constexpr int prediction_version = 3;
constexpr int predictions_version = 1;

FieldTable<OneGpuRate> one_gpu_fields() {
  return {{required("samples_per_s", &OneGpuRate::samples_per_s, rounded_type(), "without synchronisation"),
           required("evidence", &OneGpuRate::evidence, name_of_type<EvidenceLabel>(), "for this rate"),
           required("text", &OneGpuRate::text, text_type(), "where the rate comes from")}};
}

/// How the all-reduce that the benchmark has to time runs.
std::vector<Field<MeasureNext>> benchmark_rows() {
  return {required("algorithm", &MeasureNext::algorithm, text_type(), "of the library"),
          required("protocol", &MeasureNext::protocol, text_type(), "of NCCL"),
          required("size_bytes", &MeasureNext::all_reduce_bytes, rounded_positive_type(), "of one GPU's vector")};
}

FieldTable<MeasureNext> measure_next_fields() {
  const auto has_protocol = [](const MeasureNext& next) { return !next.protocol.empty(); };
  return {{required("parameter", &MeasureNext::parameter, any_text_type(), "as in the priors; empty: none"),
           required("what", &MeasureNext::what, any_text_type(), "to run, in words"),
           required("at_gpus", &MeasureNext::at_gpus, number_of_things(), "the scale whose interval it narrows"),
           required("half_width_now", &MeasureNext::interval_now, rounded_type(), "of ln of the iteration time"),
           required("half_width_then", &MeasureNext::interval_then, rounded_type(),
                    "the same if that parameter were known"),
           computed_where<MeasureNext>(has_protocol, "run_as", std::identity{}, answer_object(benchmark_rows()),
                                       "how the all-reduces run that decide, and so the benchmark")}};
}

std::vector<Field<StrategyAnswer>> largest_scale_rows() {
  using Answer = StrategyAnswer;
  const auto of = [](auto member) { return within(&Answer::largest_scale, member); };
  return {required("largest_efficient_gpus", of(&LargestEfficientScale::gpus), number_of_things(),
                   "of the largest scale, in whole nodes, whose efficiency reaches the bound"),
          required("largest_efficient_gpus_low", of(&LargestEfficientScale::gpus_low), number_of_things(),
                   "5 % of the samples are below"),
          required("largest_efficient_gpus_high", of(&LargestEfficientScale::gpus_high), number_of_things(),
                   "5 % of the samples are above"),
          required("largest_efficient_beyond_growth", of(&LargestEfficientScale::beyond_growth), boolean_type(),
                   "efficiency stays above the bound up to the cluster's growth"),
          required("bottleneck_there", of(&LargestEfficientScale::bottleneck), any_text_type(),
                   "the largest part beside compute at that scale")};
}

/// What the answer adds where there is something to say.
std::vector<Field<StrategyAnswer>> remark_rows() {
  using Answer = StrategyAnswer;
  const auto has_library = [](const Answer& answer) { return !answer.library.empty(); };
  const auto has_note = [](const Answer& answer) { return !answer.strategy.note.empty(); };
  const auto leaves_open = [](const Answer& answer) { return !answer.left_open.empty(); };
  const auto note = [](const Answer& answer) { return answer.strategy.note; };
  return {optional("library", &Answer::library, text_type(), "of the all-reduces, with its version"),
          computed_where<Answer>(has_library, "library_stated", &Answer::library_stated, boolean_type(),
                                 "false: the preset's likeliest library is assumed"),
          computed_where<Answer>(has_note, "note", note, text_type(), "the user's"),
          optional("why", &Answer::why, list_type(text_type()),
                   "with `--why`: sentences on what the number at the largest scale rests on, and what makes its "
                   "interval"),
          optional("left_open", &Answer::left_open, list_type(text_type()), "the keys that the strategy leaves open"),
          computed_where<Answer>(leaves_open, "taken", &Answer::taken, answer_object(strategy_answer_fields()),
                                 "the strategy with what the preset has for them")};
}

FieldTable<StrategyAnswer> strategy_rows_of_answer() {
  using Answer = StrategyAnswer;
  FieldTable<Answer> table{
      {required("strategy", &Answer::strategy, answer_object(strategy_answer_fields()), "as the scenario has it"),
       required("preset", &Answer::preset, text_type(), "the strategy's own, or the scenario's"),
       required("transport", &Answer::transport, any_text_type(), "the strategy's own, or the scenario's"),
       required("one_gpu", &Answer::one_gpu, answer_object(one_gpu_fields()), "one GPU with that preset")}};
  add_to(table.fields, largest_scale_rows());
  table.fields.push_back(required("measure_next", &Answer::measure_next, answer_object(measure_next_fields()),
                                  "the measurement that would narrow the interval most"));
  add_to(table.fields, remark_rows());
  return table;
}

FieldTable<UsedFile> used_file_fields() {
  return {{required("file", &UsedFile::name, text_type(), "its path"),
           required("fnv1a", &UsedFile::fnv1a, pattern_type("^[0-9a-f]{16}$"), "64-bit FNV-1a of its bytes")}};
}

std::vector<Field<Prediction>> provenance_rows() {
  using One = Prediction;
  return {computed<One>(
              "ddlsim", [](const One&) { return version(); }, text_type(), "version of the program"),
          computed<One>(
              "simgrid", [](const One&) { return simgrid_version(); }, text_type(), "version of the library"),
          required("seed", within(&One::scenario, &Scenario::seed), seed_type(), "of all random draws"),
          required("samples", within(&One::scenario, &Scenario::samples), number_of_things(1), "behind an interval"),
          required("files", &One::files, list_type(answer_object(used_file_fields())), "on which the answer depends")};
}

std::vector<Field<Prediction>> question_rows() {
  using One = Prediction;
  const auto of = [](auto member) { return within(&One::scenario, member); };
  return {required("scenario", of(&Scenario::name), any_text_type(), "its name"),
          required("model", of(&Scenario::model), text_type(), "of the scenario"),
          required("cluster", of(&Scenario::cluster), text_type(), "of the scenario"),
          required("gpu", &One::gpu, any_text_type(), "of the cluster's nodes, or the scenario's"),
          required("preset", of(&Scenario::preset), text_type(), "of the scenario"),
          required("precision", of(&Scenario::precision), name_of_type<Precision>(), "of the scenario"),
          required("batch_per_gpu", of(&Scenario::batch_per_gpu), positive_type(), "samples of an iteration"),
          required("efficiency_bound", of(&Scenario::efficiency_bound), positive_type(),
                   "which the largest efficient scale still reaches"),
          required("one_gpu", &One::one_gpu, answer_object(one_gpu_fields()),
                   "one GPU with the scenario's preset, without synchronisation")};
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
    add_to(rows, {computed<One>("points", points_of, list_type(answered_point_type()),
                                "one for each strategy and number of GPUs"),
                  required("strategies", &One::strategies, list_type(answer_object(strategy_rows_of_answer())),
                           "what follows from the points of each strategy"),
                  computed<One>("produced_by", std::identity{}, answer_object(provenance_rows()),
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
  return {{required("scenario", &SweepError::scenario, text_type(), "its name"),
           required("error", &SweepError::error, text_type(), "why there is no answer")}};
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
