#include "sim/predict/point_fields.hpp"

#include "sim/formats/strategy_fields.hpp"
#include "sim/iteration/host_offload.hpp"
#include "sim/predict/measured.hpp"

namespace ddlsim {
namespace {

using Point = PredictedPoint;

const Point& point_of(const AnsweredPoint& one) {
  return *one.point;
}

const Strategy& strategy_of(const AnsweredPoint& one) {
  return one.point->strategy ? *one.point->strategy : one.answer->strategy;
}

bool is_in_stages(const AnsweredPoint& one) {
  return is_model_parallel(strategy_of(one).name);
}

std::vector<Field<Point>> scale_rows(int fewest_nodes) {
  return {answered<Point>("gpus", &Point::gpus, number_of_things(1), "of the workers"),
          answered<Point>("nodes", &Point::nodes, number_of_things(fewest_nodes), "of the workers"),
          answered<Point>("server_nodes", &Point::server_nodes, number_of_things(), "bought for servers alone"),
          optional("batch_per_gpu", &Point::batch_per_gpu, rounded_positive_type(),
                   "samples of an iteration, where a global batch is asked")};
}

std::vector<Field<Point>> figure_rows() {
  const auto positive = rounded_positive_type();
  const auto share = rounded_type();
  auto rows = interval_rows<Point, double>("iteration_s", &Point::iteration_s, &Point::iteration_s_low,
                                           &Point::iteration_s_high, positive, "of one iteration");
  add_to(rows, interval_rows<Point, double>("samples_per_s", &Point::samples_per_s, &Point::samples_per_s_low,
                                            &Point::samples_per_s_high, positive, "of all GPUs together"));
  add_to(rows, interval_rows<Point, double>(
                   "efficiency", &Point::efficiency, &Point::efficiency_low, &Point::efficiency_high, share,
                   "`samples_per_s` over `gpus` times what one GPU does without synchronisation on the same input"));
  add_to(rows, interval_rows<Point, double>(
                   "efficiency_per_gpu_bought", &Point::efficiency_per_gpu_bought,
                   &Point::efficiency_per_gpu_bought_low, &Point::efficiency_per_gpu_bought_high, share,
                   "the same over `gpus` and the GPUs of `server_nodes`, each of which is taken to have as many GPUs "
                   "as a worker's node"));
  add_to(rows, interval_rows<Point, double>("samples_per_s_per_node_bought", &Point::samples_per_s_per_node_bought,
                                            &Point::samples_per_s_per_node_bought_low,
                                            &Point::samples_per_s_per_node_bought_high, positive,
                                            "`samples_per_s` over `nodes` and `server_nodes` together"));
  return rows;
}

std::vector<Field<AnsweredPoint>> part_rows() {
  std::vector<Field<AnsweredPoint>> rows;
  for (const auto& part : named_parts) {
    const auto value = [seconds = part.seconds](const AnsweredPoint& one) { return one.point->parts.*seconds; };
    const double least = part.seconds == &IterationParts::unexplained_s ? -unbounded : 0;
    rows.push_back(part.seconds == &IterationParts::bubble_s
                       ? answered_where<AnsweredPoint>(is_in_stages, part.key, value, rounded_type(), part.meaning)
                       : answered<AnsweredPoint>(part.key, value, rounded_type(least), part.meaning));
  }
  const auto exposed = [](const AnsweredPoint& one) {
    return ExposedOfStrategy{one.point->parts.exposed, strategy_of(one).parallel.context != 1};
  };
  add_to(rows, rows_of_part<AnsweredPoint>(exposed, exposed_rows(), std::function(is_in_stages)));
  return rows;
}

/// A figure in proportion to samples_per_s with the ends of its interval, where it is known.
std::vector<Field<Point>> proportional_rows(const std::string& name, double Point::*figure,
                                            const std::string& meaning) {
  const auto is_known = [figure](const Point& point) { return point.*figure > 0; };
  const auto end = [figure](double Point::*rate) {
    return [figure, rate](const Point& point) { return point.*figure * (point.*rate / point.samples_per_s); };
  };
  const auto type = rounded_positive_type();
  return {answered_where<Point>(is_known, name, figure, type, meaning),
          answered_where<Point>(is_known, name + "_low", end(&Point::samples_per_s_low), type,
                                "5 % of the samples are below"),
          answered_where<Point>(is_known, name + "_high", end(&Point::samples_per_s_high), type,
                                "5 % of the samples are above")};
}

std::vector<Field<Point>> use_rows() {
  auto rows = proportional_rows("tokens_per_s", &Point::tokens_per_s,
                                "`samples_per_s` times the tokens of a sample, if it is a sequence");
  add_to(rows, proportional_rows("flop_utilisation", &Point::flop_utilisation,
                                 "MFU: the model's own FLOP (three forward passes a sample, nothing that is computed "
                                 "again, every query with every key) over the GPUs' peak in the precision, if the "
                                 "catalogue has one"));
  const auto has_attention = [](const Point& point) { return point.flop_utilisation_causal < point.flop_utilisation; };
  rows.push_back(answered_where<Point>(
      has_attention, "flop_utilisation_causal", &Point::flop_utilisation_causal, rounded_positive_type(),
      "the same with half the FLOP of attention's products, which a causal mask leaves"));
  rows.push_back(answered_if_any<Point>("memory", &Point::memory, answer_object(memory_fields()),
                                        "the most that a GPU has at the same time"));
  return rows;
}

std::vector<Field<AnsweredPoint>> offload_rows() {
  const auto is_used = [](const AnsweredPoint& one) { return is_offloaded(strategy_of(one)); };
  return {answered_where<AnsweredPoint>(
              is_used, "least_host_memory_bytes",
              [](const AnsweredPoint& one) { return one.point->least_host_memory_bytes; }, rounded_positive_type(),
              "with `offload`: what a node's host needs at least for it"),
          answered_where<AnsweredPoint>(
              is_used, "exposed_offload_s", [](const AnsweredPoint& one) { return one.point->parts.exposed.offload_s; },
              rounded_type(-unbounded),
              "with `offload`: what of `exposed_communication_s` copies and the host's update add")};
}

std::vector<Field<AnsweredPoint>> staleness_rows() {
  return {answered_where<AnsweredPoint>(
      [](const AnsweredPoint& one) { return strategy_of(one).name == StrategyName::ps_async; }, "mean_staleness",
      [](const AnsweredPoint& one) { return one.point->mean_staleness; }, rounded_type(),
      "ps-async: updates by other workers between a worker's pull and its push")};
}

std::vector<Field<Point>> cause_rows() {
  return {answered<Point>("bottleneck", &Point::bottleneck, text_type(), "the largest part beside compute"),
          answered_if_any<Point>("unsplit_tensor", &Point::unsplit_tensor, answer_object(tensor_fields()),
                                 "the one tensor that lies on a server as a whole and decides how long servers take, "
                                 "where they cost more than all else but compute"),
          answered_if_any<Point>("best_layout", &Point::best_layout, answer_object(found_layout_fields()),
                                 "where a degree of model-parallel is `best`: what was found for this scale"),
          answered_if_any<Point>("best_servers", &Point::best_servers, answer_object(found_servers_fields()),
                                 "where `servers` are `best` and servers run: what was found for this scale")};
}

std::vector<Field<Point>> evidence_rows() {
  const auto has_sum = [](const Point& point) { return !point.algorithm.empty(); };
  return {answered<Point>("evidence", &Point::evidence, name_of_type<EvidenceLabel>(),
                          "the weakest among what decides the number"),
          answered<Point>("extrapolated", &Point::extrapolated, boolean_type(),
                          "the point has more nodes than the measurements behind it"),
          answered<Point>("fidelity", &Point::fidelity, word_type({"classes", "full", "formula"}),
                          "how the communication was computed"),
          answered<Point>("simgrid_messages", &Point::simgrid_messages, number_type(0, unbounded),
                          "that were simulated for the number shown"),
          answered_where<Point>(has_sum, "largest_sum", std::identity{}, answer_object(largest_sum_rows()),
                                "the iteration's largest all-reduce, as the library runs it there"),
          optional("fidelity_note", &Point::fidelity_note, text_type(), "why the fidelity is an approximation")};
}

/// What stands beside the parts: other times of the same point, and input.
std::vector<Field<Point>> comparison_rows() {
  const auto has_measured = [](const Point& point) { return point.measured.has_value(); };
  return {answered_if_any<Point>("without_neighbours", &Point::alone, answer_object(alone_fields()),
                                 "the time if the scenario's other jobs did not run"),
          answered_where<Point>(has_measured, "measured", std::identity{}, answer_object(measured_rows()),
                                "what records of the cluster say that asked the same")};
}

std::vector<Field<Point>> need_rows() {
  const auto has_input = [](const Point& point) { return point.input.has_value(); };
  return {answered_where<Point>(has_input, "input", std::identity{}, answer_object(input_rows()),
                                "where the scenario has input: what keeps the GPUs busy")};
}

Field<AnsweredPoint> strategy_row() {
  return answered<AnsweredPoint>("strategy", strategy_of, answer_object(strategy_answer_fields()),
                                 "as the scenario has it");
}

/// The rows of every point. An impossible one may have 0 nodes.
std::vector<Field<AnsweredPoint>> head_rows(int fewest_nodes) {
  std::vector<Field<AnsweredPoint>> rows{strategy_row()};
  add_to(rows, rows_of_part<AnsweredPoint>(point_of, scale_rows(fewest_nodes)));
  return rows;
}

FieldTable<AnsweredPoint> predicted_fields() {
  auto rows = head_rows(1);
  const auto add = [&](const std::vector<Field<Point>>& more) {
    add_to(rows, rows_of_part<AnsweredPoint>(point_of, more));
  };
  add(figure_rows());
  add_to(rows, part_rows());
  add(use_rows());
  add_to(rows, offload_rows());
  add(comparison_rows());
  add_to(rows, staleness_rows());
  add(need_rows());
  add(cause_rows());
  add(evidence_rows());
  return {rows};
}

FieldTable<AnsweredPoint> impossible_fields() {
  auto rows = head_rows(0);
  rows.push_back(answered<AnsweredPoint>(
      "error", [](const AnsweredPoint& one) { return one.point->error; }, text_type(),
      "why the point is impossible; only the keys before `iteration_s` are beside it"));
  return {rows};
}

} // namespace

ValueType<AnsweredPoint> answered_point_type() {
  const auto predicted = predicted_fields();
  const auto impossible = impossible_fields();
  ValueShape shape{ValueKind::either};
  shape.parts = {predicted.shape(), impossible.shape()};
  return {shape, {}, [=](const AnsweredPoint& one) {
            return write_fields(one.point->error.empty() ? predicted : impossible, one);
          }};
}

} // namespace ddlsim
