#include "sim/base/json.hpp"
#include "sim/formats/answer_types.hpp"
#include "validate/report.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace ddlsim {
namespace {

constexpr int validation_version = 2;

/// The figure, or nothing where it is not known.
std::optional<double> figure_if(bool known, double figure) {
  if (!known) return {};
  return figure;
}

ValueType<std::optional<double>> figure_or_null() {
  return or_null(rounded_type());
}

ValueType<Range> range_type() {
  ValueShape shape{ValueKind::list};
  shape.parts = {rounded_type(-unbounded).shape};
  shape.fewest_items = 2;
  shape.most_items = 2;
  return {shape, {}, [](const Range& range) {
            return nlohmann::ordered_json::array({nine_digits(range.low), nine_digits(range.high)});
          }};
}

ValueType<std::string> noise_class_type() {
  return word_type({"A", "B", "C"});
}

std::vector<Field<Score>> count_rows() {
  return {answered<Score>("points", &Score::points, number_of_things(), "answered or refused"),
          answered<Score>("refused", &Score::refused, number_of_things(), "of these"),
          answered<Score>("series", &Score::series, number_of_things(), "that the points belong to"),
          answered<Score>("clusters", &Score::clusters, number_of_things(), "or sites, in splits of a new site"),
          answered<Score>("sites", &Score::sites, number_of_things(), "that a resample draws from")};
}

std::vector<Field<Score>> point_error_rows() {
  const auto of_answers = [](double Score::*figure) {
    return [figure](const Score& score) { return figure_if(score.points > 0, score.*figure); };
  };
  const auto type = figure_or_null();
  return {answered<Score>("mean_error", of_answers(&Score::mean_error), type,
                          "mean of |ln(predicted / measured)|, over clusters"),
          answered<Score>("median_error", of_answers(&Score::median_error), type, "over the points"),
          answered<Score>("worst_error", of_answers(&Score::worst_error), type, "over the points")};
}

std::vector<Field<Score>> interval_score_rows() {
  const auto of_intervals = [](double Score::*figure) {
    return [figure](const Score& score) { return figure_if(score.points_with_interval > 0, score.*figure); };
  };
  const auto type = figure_or_null();
  return {answered<Score>("points_with_interval", &Score::points_with_interval, number_of_things(),
                          "the next three figures are over these"),
          answered<Score>("coverage", of_intervals(&Score::coverage), type,
                          "share of measured times inside their 90 % interval"),
          answered<Score>("half_width", of_intervals(&Score::half_width), type, "half of ln(high / low)"),
          answered<Score>("interval_score", of_intervals(&Score::interval_score), type,
                          "of ln time, 90 % (Gneiting and Raftery 2007, equation 43)")};
}

FieldTable<Score> score_fields() {
  FieldTable<Score> table{count_rows()};
  add_to(table.fields, point_error_rows());
  add_to(table.fields, interval_score_rows());
  add_to(table.fields, {answered<Score>("mean_error_range", &Score::mean_error_range, or_null(range_type()),
                                        "90 % by bootstrap over sites; null: too few sites"),
                        answered<Score>("coverage_range", &Score::coverage_range, or_null(range_type()), "the same")});
  return table;
}

/// What a scenario's JSON text says, as an object.
ValueType<std::string> scenario_text_type() {
  return {{ValueKind::any}, {}, [](const std::string& text) { return nlohmann::ordered_json::parse(text); }};
}

FieldTable<Forecast> forecast_fields() {
  const auto bound = [](double Forecast::*bound_s) {
    return [bound_s](const Forecast& forecast) { return figure_if(forecast.low_s > 0, forecast.*bound_s); };
  };
  return {{answered<Forecast>("predicted_s", &Forecast::predicted_s, rounded_type(), "of an iteration"),
           answered<Forecast>("low_s", bound(&Forecast::low_s), figure_or_null(), "5 %; null: no interval"),
           answered<Forecast>("high_s", bound(&Forecast::high_s), figure_or_null(), "95 %; null: no interval"),
           optional("scenario", &Forecast::scenario, scenario_text_type(),
                    "what `ddlsim predict` answers with the same digits")}};
}

std::vector<Field<ScoredPoint>> target_rows() {
  using One = ScoredPoint;
  return {answered<One>("series", &One::series, text_type(), "that the point belongs to"),
          answered<One>("cluster", &One::cluster, text_type(), "of the series"),
          answered<One>("group", &One::group, any_text_type(), "its cluster or site; means are over groups"),
          answered<One>("model", &One::model, text_type(), "of the series"),
          answered<One>("strategy", &One::strategy, text_type(), "of the point"),
          answered<One>("preset", &One::preset, any_text_type(), "of the series"),
          answered<One>("transport", &One::transport, any_text_type(), "of the series"),
          answered<One>("gpus", &One::gpus, number_of_things(1), "of the workers"),
          answered<One>("nodes", &One::nodes, number_of_things(1), "of the workers")};
}

FieldTable<ScoredPoint> scored_point_fields() {
  using One = ScoredPoint;
  const auto grade = [](const One& one) { return std::string(1, one.grade); };
  FieldTable<One> table{target_rows()};
  add_to(table.fields, {answered<One>("split", &One::split, text_type(), "that hides the point"),
                        answered<One>("left_out", &One::left_out, any_text_type(),
                                      "model family, schedule or cluster; empty for a tier"),
                        answered<One>("class", grade, noise_class_type(), "of noise"),
                        answered<One>("measured_s", &One::measured_s, rounded_type(), "of an iteration"),
                        answered<One>("methods", &One::forecasts, map_type(answer_object(forecast_fields())),
                                      "the answers by method"),
                        answered<One>("refusals", &One::refusals, text_map_type(), "why a method refused, by method")});
  return table;
}

FieldTable<PairedDifference> difference_fields() {
  using One = PairedDifference;
  return {{answered<One>("split", &One::split, text_type(), "of the points"),
           answered<One>("method", &One::method, text_type(), "that is compared"),
           answered<One>("baseline", &One::baseline, text_type(), "with which"),
           answered<One>("points", &One::points, number_of_things(), "that both answered"),
           answered<One>("clusters", &One::clusters, number_of_things(), "of these points"),
           answered<One>("difference", &One::difference, rounded_type(-unbounded),
                         "of mean errors; negative: the method's are smaller"),
           answered<One>("range", &One::range, range_type(), "90 %, by bootstrap over clusters")}};
}

FieldTable<RankingScore> ranking_fields() {
  using One = RankingScore;
  const auto of_pairs = [](double One::*share) {
    return [share](const One& one) { return figure_if(one.pairs > 0, one.*share); };
  };
  return {{answered<One>("split", &One::split, text_type(), "of the points"),
           answered<One>("method", &One::method, text_type(), "that is scored"),
           answered<One>("pairs", &One::pairs, number_of_things(), "of schedules that the method answered both"),
           answered<One>("right", of_pairs(&One::right), figure_or_null(), "share put in the measured order"),
           answered<One>("persistence", of_pairs(&One::persistence), figure_or_null(),
                         "the same if the order at the largest visible scale is kept")}};
}

FieldTable<SeriesSummary> series_fields() {
  using One = SeriesSummary;
  const auto grade = [](const One& one) { return std::string(1, one.noise.grade); };
  const auto noise = [](const One& one) { return figure_if(one.noise.relative > 0, one.noise.relative); };
  return {{answered<One>("series", &One::id, text_type(), "its file and name"),
           answered<One>("cluster", &One::cluster, text_type(), "of its records"),
           answered<One>("model", &One::model, text_type(), "of its records"),
           answered<One>("strategy", &One::strategy, text_type(), "of its records"),
           answered<One>("preset", &One::preset, any_text_type(), "of its records"),
           answered<One>("transport", &One::transport, any_text_type(), "of its records"),
           answered<One>("scales", &One::scales, number_of_things(), "that were measured"),
           answered<One>("multi_node_scales", &One::multi_node_scales, number_of_things(), "of these on several nodes"),
           answered<One>("class", grade, noise_class_type(), "of noise"),
           answered<One>("noise", noise, figure_or_null(), "standard deviation of ln of the time; null: not known"),
           answered<One>("noise_basis", within(&One::noise, &Noise::basis), any_text_type(), "how it is known"),
           answered<One>("splits", &One::splits, list_type(text_type()), "that it takes part in")}};
}

FieldTable<ForecastParts> parts_fields() {
  using One = ForecastParts;
  const auto time = rounded_type();
  const auto part = rounded_type(-unbounded);
  return {
      {answered<One>("gpus", &One::gpus, number_of_things(1), "of the workers"),
       answered<One>("measured_s", &One::measured_s, time, "of an iteration"),
       answered<One>("predicted_s", &One::predicted_s, time, "the sum of the next six"),
       answered<One>("compute_s", &One::compute_s, part, "part of it"),
       answered<One>("communication_s", &One::communication_s, part, "part of it, beyond compute"),
       answered<One>("synchronisation_s", &One::synchronisation_s, part, "part of it"),
       answered<One>("straggling_s", &One::straggling_s, part, "part of it"),
       answered<One>("input_s", &One::input_s, part, "part of it"),
       answered<One>("unexplained_s", &One::unexplained_s, part, "part of it, from the residual factor"),
       answered<One>("bottleneck", &One::bottleneck, any_text_type(), "the largest part"),
       answered<One>("residual_factor", &One::residual_factor, part, "from residuals at the series' smaller scales")}};
}

FieldTable<ParameterExplanation> explanation_fields() {
  using One = ParameterExplanation;
  const auto figure = rounded_type(-unbounded);
  return {{answered<One>("parameter", &One::parameter, text_type(), "as in the priors"),
           answered<One>("unit", &One::unit, any_text_type(), "of its values"),
           answered<One>("fitted", &One::fitted, figure, "its value in the prediction, in SI units"),
           answered<One>("fitted_at", &One::fitted_at, figure, "the same in widths of its prior, from the median"),
           answered<One>("needed", &One::needed, figure, "the value with the least mean error"),
           answered<One>("needed_at", &One::needed_at, figure, "the same in widths of its prior, from the median"),
           answered<One>("remaining_error", &One::remaining_error, figure, "mean error with that value")}};
}

FieldTable<ExplainedSeries> explained_fields() {
  using One = ExplainedSeries;
  const auto explanation = [](const One& one) -> std::optional<ParameterExplanation> {
    if (one.why.explanation.parameter.empty()) return {};
    return one.why.explanation;
  };
  return {{answered<One>("split", &One::split, text_type(), "that hides its points"),
           answered<One>("series", &One::series, text_type(), "its file and name"),
           answered<One>("cluster", &One::cluster, text_type(), "of its records"),
           answered<One>("method", &One::method, text_type(), "that predicts it"),
           answered<One>("mean_error", &One::mean_error, rounded_type(), "of the method"),
           answered<One>("points", within(&One::why, &Explanation::points), answer_list(answer_object(parts_fields())),
                         "the hidden ones, by number of GPUs"),
           answered<One>("explanation", explanation, or_null(answer_object(explanation_fields())),
                         "the parameter that alone reduces the error most; null: none does")}};
}

/// An object by split, of objects by method, of what `part_of` returns of a score.
template <class Part, class PartOf>
ValueType<std::vector<SplitScore>> by_split_and_method(PartOf part_of, const ValueType<Part>& type) {
  ValueShape by_method{ValueKind::map};
  by_method.parts = {type.shape};
  ValueShape by_split{ValueKind::map};
  by_split.parts = {by_method};
  return {by_split, {}, [part_of, write = type.write](const std::vector<SplitScore>& scores) {
            auto object = nlohmann::ordered_json::object();
            for (const auto& score : scores) object[score.split][score.method] = write(std::invoke(part_of, score));
            return object;
          }};
}

std::map<std::string, Score> scores_by_class(const SplitScore& score) {
  std::map<std::string, Score> scores;
  for (const auto& [grade, of_class] : score.by_class) scores[std::string(1, grade)] = of_class;
  return scores;
}

std::vector<Field<ValidationResult>> score_rows() {
  using One = ValidationResult;
  const auto score = answer_object(score_fields());
  const auto scores = &One::scores;
  return {
      answered<One>("overall", scores, by_split_and_method(&SplitScore::overall, score), "scores by split and method"),
      answered<One>("classes_a_b", scores, by_split_and_method(&SplitScore::classes_a_b, score),
                    "the same over classes A and B of noise"),
      answered<One>("by_class", scores, by_split_and_method(scores_by_class, map_type(score)),
                    "the same by class of noise"),
      answered<One>("by_cluster", scores, by_split_and_method(&SplitScore::by_cluster, map_type(score)),
                    "the same by cluster, or by site in splits of a new site")};
}

const FieldTable<ValidationResult>& validation_fields() {
  using One = ValidationResult;
  static const auto table = [] {
    std::vector<Field<One>> rows{
        answered<One>("methods", &One::methods, list_type(text_type(), 1), "in the order given"),
        answered<One>("points", &One::points, answer_list(answer_object(scored_point_fields())),
                      "by split, then series, then number of GPUs")};
    add_to(rows, score_rows());
    add_to(rows,
           {answered<One>("differences", &One::differences, answer_list(answer_object(difference_fields())),
                          "the reference against each other method, by split"),
            answered<One>("ranking", &One::rankings, answer_list(answer_object(ranking_fields())),
                          "how often a method orders two schedules as they were measured"),
            answered<One>("series", &One::series, answer_list(answer_object(series_fields())), "that were validated"),
            answered<One>("explained", &One::explained, answer_list(answer_object(explained_fields())),
                          "series with large errors, by split, the largest error first")});
    return document<One>("ddlsim-validation", validation_version, rows);
  }();
  return table;
}

} // namespace

FileFormat validation_format() {
  return {"validation", "Scores of a validation",
          "What `ddlsim validate --json` prints: seconds, errors as shares, nine significant digits",
          validation_fields().shape(), true};
}

std::string validation_json(const ValidationResult& result) {
  return json_text(write_fields(validation_fields(), result), 1) + "\n";
}

} // namespace ddlsim
