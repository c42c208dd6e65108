#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/formats/answer_types.hpp"
#include "sim/predict/collectives.hpp"

#include <nlohmann/json.hpp>

namespace ddlsim {
namespace {

/// The rows "time_s", "time_s_low" and "time_s_high".
std::vector<Field<PredictedAllReduce>> all_reduce_time_rows() {
  using Point = PredictedAllReduce;
  return {required("time_s", within(&Point::time, &IterationTime::s), rounded_type(), "of one all-reduce"),
          required("time_s_low", within(&Point::time, &IterationTime::s_low), rounded_type(),
                   "5 % of the samples take less"),
          required("time_s_high", within(&Point::time, &IterationTime::s_high), rounded_type(),
                   "5 % of the samples take more")};
}

FieldTable<PredictedAllReduce> all_reduce_fields() {
  using Point = PredictedAllReduce;
  FieldTable<Point> table{{required("gpus", &Point::gpus, number_of_things(1), "that take part"),
                           required("nodes", &Point::nodes, number_of_things(1), "that take part"),
                           required("size_bytes", &Point::size_bytes, rounded_type(), "of one GPU's vector")}};
  add_to(table.fields, all_reduce_time_rows());
  add_to<Point>(table.fields, {required("bus_Bps", &Point::bus_Bps, rounded_type(),
                                        "bus bandwidth: `size_bytes` x 2 (n - 1) / n over `time_s`, with n `gpus`"),
                               required("bus_Bps_low", &Point::bus_Bps_low, rounded_type(), "of `time_s_high`"),
                               required("bus_Bps_high", &Point::bus_Bps_high, rounded_type(), "of `time_s_low`"),
                               required("algorithm", &Point::algorithm, any_text_type(), "that the library chooses"),
                               optional("protocol", &Point::protocol, any_text_type(), "of NCCL")});
  return table;
}

FieldTable<Scale> measured_scale_fields() {
  return {{required("gpus", &Scale::gpus, number_of_things(2), "of the measurement"),
           required("nodes", &Scale::nodes, number_of_things(1), "of the measurement")}};
}

FieldTable<CollectiveAnswer> collective_answer_fields() {
  using Answer = CollectiveAnswer;
  const auto strategy = [](const Answer& answer) { return to_text(answer.strategy); };
  const auto has_measured = [](const Answer& answer) { return !answer.measured.empty(); };
  return {{computed<Answer>("strategy", strategy, text_type(), "of the scenario"),
           required("preset", &Answer::preset, any_text_type(), "of the strategy"),
           required("transport", &Answer::transport, any_text_type(), "of the strategy"),
           required("library", &Answer::library, any_text_type(), "with its version"),
           required("library_stated", &Answer::library_stated, boolean_type(),
                    "false: the preset's usual library is assumed"),
           required("points", &Answer::points, list_type(object_type(all_reduce_fields())),
                    "by number of GPUs, then by size"),
           computed_where<Answer>(has_measured, "measured", &Answer::measured,
                                  list_type(object_type(measured_scale_fields())),
                                  "scales of all-reduces measured on this cluster, which correct the answer"),
           optional("errors", &Answer::errors, list_type(any_text_type()), "why a scale is impossible")}};
}

const FieldTable<CollectivePrediction>& collective_prediction_fields() {
  using Prediction = CollectivePrediction;
  const auto name = [](const Prediction& one) { return one.scenario.name; };
  const auto cluster = [](const Prediction& one) { return one.scenario.cluster; };
  const auto operation = [](const Prediction&) { return std::string("all_reduce"); };
  const auto version_now = [](const Prediction&) { return std::string(version()); };
  static const auto table = document<Prediction>(
      "ddlsim-collective-prediction", 1,
      {computed<Prediction>("scenario", name, text_type(), "the question's name"),
       computed<Prediction>("cluster", cluster, text_type(), "of the question"),
       computed<Prediction>("operation", operation, word_type({"all_reduce"}), "that all GPUs do together"),
       computed<Prediction>("ddlsim", version_now, text_type(), "version of the program"),
       required("answers", &Prediction::answers, list_type(object_type(collective_answer_fields())),
                "one for each strategy that uses all-reduces"),
       optional("warnings", &Prediction::warnings, list_type(any_text_type()), "sentences for the reader")});
  return table;
}

} // namespace

FileFormat collective_prediction_format() {
  return {"collective-prediction", "Prediction of all-reduces alone",
          "What `ddlsim predict --collective all-reduce --json` prints, in SI units",
          collective_prediction_fields().shape(), true};
}

std::string to_json_text(const CollectivePrediction& prediction) {
  return json_text(write_fields(collective_prediction_fields(), prediction), 1) + "\n";
}

} // namespace ddlsim
