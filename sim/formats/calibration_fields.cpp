#include "sim/formats/calibration_fields.hpp"

#include "sim/base/statistics.hpp"
#include "sim/formats/prior_fields.hpp"

#include <cmath>

namespace ddlsim {
namespace {

constexpr long most_points = 1'000'000;
constexpr double farthest = 50; ///< largest z-score, in standard deviations of the prior

// The scope, which rows of three tables have.

/// The rows of a stack and a model; `scope_of` returns the scope of an owner.
template <class Owner, class ScopeOf> std::vector<Field<Owner>> scope_rows(ScopeOf scope_of) {
  const auto in_scope = [&](auto member) {
    return [=](auto& owner) -> auto& {
      return scope_of(owner).*member;
    };
  };
  const auto batch = rounded_type();
  return {optional_row<Owner, std::string>("transport", in_scope(&CalibrationScope::transport),
                                           word_type(transport_names()), "holds for all if not given")
              .shared(),
          optional_row<Owner, std::string>("preset", in_scope(&CalibrationScope::preset), any_text_type(),
                                           "holds for all if not given")
              .shared(),
          optional_row<Owner, std::optional<Precision>>("precision", in_scope(&CalibrationScope::precision),
                                                        optional_type(name_of_type<Precision>()),
                                                        "holds for all if not given")
              .shared(),
          optional_row<Owner, std::string>("model", in_scope(&CalibrationScope::model), any_text_type(),
                                           "holds for all if not given")
              .shared(),
          optional_row<Owner, double>("batch_per_gpu", in_scope(&CalibrationScope::batch_per_gpu), batch,
                                      "holds for all if not given")};
}

/// The rows of a one-GPU time.
template <class Owner, class ScopeOf> std::vector<Field<Owner>> one_gpu_rows(ScopeOf scope_of) {
  const auto in_scope = [&](auto member) {
    return [=](auto& owner) -> auto& {
      return scope_of(owner).*member;
    };
  };
  return {optional_row<Owner, double>("one_gpu_s", in_scope(&CalibrationScope::one_gpu_s), rounded_type(),
                                      "the one-GPU time to which it belongs"),
          optional_row<Owner, std::string>("evidence", in_scope(&CalibrationScope::evidence), any_text_type(),
                                           "where one-GPU times come from: the name of their prior")
              .shared()};
}

const auto scope_of_owner = [](auto& owner) -> auto& {
  return owner.scope;
};

// Parameters.

FieldTable<Prior> fitted_prior_fields() {
  return {distribution_rows(rounded_type(-unbounded, unbounded)),
          [](const JsonNode& object, Prior& prior) { check_distribution(object, prior); }};
}

/// The parameter's value at a z-score, in four digits. It is computed from written digits, so that rewriting a file
/// changes nothing.
double value_for_people(const CalibratedParameter& one, double z_score) {
  constexpr int digits = 4;
  Prior prior = one.prior;
  prior.median = nine_digits(prior.median);
  prior.width = nine_digits(prior.width);
  if (prior.highest) prior.highest = nine_digits(*prior.highest);
  return rounded_to(prior_value(prior, z_score), digits);
}

/// A row of the value that lies `errors` standard deviations above the mean. z_score has the same information.
Field<CalibratedParameter> value_row(const char* name, double errors, const char* meaning) {
  return computed<CalibratedParameter>(
      name,
      [=](const CalibratedParameter& one) {
        return value_for_people(one, four_decimals(one.z_score) + errors * four_decimals(one.error));
      },
      any_number_type(), meaning);
}

std::vector<Field<CalibratedParameter>> value_rows_of_parameter() {
  constexpr double upper_95 = 1.6448536269514722; // 95 % of a standard normal lie below it
  return {value_row("value", 0, "after the fit, for people"), value_row("low", -upper_95, "5 % lie below"),
          value_row("high", upper_95, "5 % lie above")};
}

std::vector<Field<CalibratedParameter>> evidence_rows() {
  using One = CalibratedParameter;
  return {required("z_score", &One::z_score, four_decimal_type(number_type(-farthest, farthest)),
                   "of its prior, after the fit"),
          required("error", &One::error, four_decimal_type(number_type(0, farthest)),
                   "standard deviation of the z-score; 1 is nothing learnt"),
          required("points", &One::points, whole_type(0, most_points), "measured points that bear on it"),
          optional("identified", &One::identified, boolean_type(), "the evidence narrowed it; false if not given"),
          optional("borrowed_points", &One::borrowed_points, whole_type(0, most_points),
                   "of another cluster; 0 if not given")};
}

FieldTable<CalibratedParameter> calibrated_parameter_fields() {
  using One = CalibratedParameter;
  std::vector<Field<One>> rows{
      required("name", &One::name, text_type(), "what priors.json calls it").shared(),
      required("prior", &One::prior, object_type(fitted_prior_fields()), "the distribution before the fit")
          .expects("the distribution before the fit: median, width and scale")
          .shared(),
      required("unit", within(&One::prior, &Prior::unit), text_type(), "of the value").shared()};
  add_to(rows, value_rows_of_parameter());
  add_to(rows, evidence_rows());
  add_to(rows, scope_rows<One>(scope_of_owner));
  add_to(rows, one_gpu_rows<One>(scope_of_owner));
  return {std::move(rows), [](const JsonNode&, One& one) { one.prior.parameter = one.name; }};
}

// Choices.

/// A row of one of the two kinds of choices.
Field<CalibratedChoice> choice_row(const char* name, bool of_servers, const char* meaning) {
  return {{name, Presence::optional, text_type().shape, meaning},
          [=](const JsonNode& place, CalibratedChoice& one) {
            one.servers = of_servers;
            one.name = place.as_text();
          },
          [=](const CalibratedChoice& one, nlohmann::ordered_json& object) {
            if (one.servers == of_servers) object[name] = one.name;
          }};
}

FieldTable<CalibratedChoice> calibrated_choice_fields() {
  std::vector<Field<CalibratedChoice>> rows{choice_row("sharding", true, "how tensors are placed on servers"),
                                            choice_row("all_reduce", false, "which all-reduce runs")};
  add_to(rows, scope_rows<CalibratedChoice>(scope_of_owner));
  return {std::move(rows), [](const JsonNode& object, CalibratedChoice&) {
            if (object.has("sharding") == object.has("all_reduce"))
              object.mistake_at("all_reduce", object.has("sharding") ? "found beside \"sharding\"; give one of the two"
                                                                     : "missing; give it, or \"sharding\"");
          }};
}

// Series.

/// A point with its noise, where that is not the usual one of its series.
struct PointRow {
  CalibratedPoint point;
  std::optional<double> noise;
};

/// A series as a file stores it.
struct SeriesRow {
  std::string file; ///< "CLUSTER/FILE"; "" if the series has none
  std::string name;
  double usual_noise = 0;
  CalibratedSeries series; ///< without its points
  std::vector<PointRow> points;
};

/// A number that a file has in whole 1/10,000.
ValueType<double> ten_thousandths_type(const ValueType<double>& type) {
  return {type.shape, [read = type.read](const JsonNode& place) { return read(place) / ten_thousand; },
          [](const double& value) { return nlohmann::ordered_json(ten_thousandths(value)); }};
}

FieldTable<PointRow> point_row_fields() {
  const auto of = [](auto member) { return within(&PointRow::point, member); };
  return {{required("gpus", of(&CalibratedPoint::gpus), whole_type(1, most_points), "of the point"),
           required("nodes", of(&CalibratedPoint::nodes), whole_type(1, most_points), "of the point"),
           required("residual_ten_thousandths", of(&CalibratedPoint::residual), ten_thousandths_type(any_number_type()),
                    "ln(measured / model)"),
           optional("noise_ten_thousandths", &PointRow::noise, optional_type(ten_thousandths_type(not_negative_type())),
                    "its series' if not given")}};
}

FieldTable<SeriesRow> series_row_fields() {
  using Row = SeriesRow;
  const auto of = [](auto member) { return within(&Row::series, member); };
  const auto scope_of = [](auto& row) -> auto& {
    return row.series.scope;
  };
  const auto share = ten_thousandths_type(not_negative_type());
  std::vector<Field<Row>> rows{
      optional("file", &Row::file, text_type(), "of the records: CLUSTER/FILE").shared(),
      required("name", &Row::name, text_type(), "of the series in its file"),
      required("strategy", of(&CalibratedSeries::strategy), text_type(), "that ran").shared(),
      required("spread_ten_thousandths", of(&CalibratedSeries::spread), share, "of what no parameter explains"),
      required("noise_ten_thousandths", &Row::usual_noise, share, "of a point that states none"),
      required("points", &Row::points, list_type(object_type(point_row_fields())), "one for each scale")};
  add_to(rows, scope_rows<Row>(scope_of));
  add_to(rows, one_gpu_rows<Row>(scope_of));
  rows.push_back(optional("borrowed", of(&CalibratedSeries::borrowed), boolean_type(),
                          "measured on another cluster; false if not given"));
  return {std::move(rows)};
}

/// Position of the name in an id CLUSTER/FILE/NAME; many series come from one file.
std::size_t begin_of_name(const std::string& id) {
  const auto file = id.find('/');
  const auto name = file == std::string::npos ? file : id.find('/', file + 1);
  return name == std::string::npos ? 0 : name + 1;
}

/// The usual noise is that of the first point. Only points with another noise repeat theirs.
SeriesRow row_of_series(const CalibratedSeries& series) {
  SeriesRow row;
  const auto name = begin_of_name(series.id);
  row.name = series.id.substr(name);
  if (name > 0) row.file = series.id.substr(0, name - 1);
  row.usual_noise = series.points.empty() ? 0 : series.points.front().noise;
  for (const auto& point : series.points) {
    const bool is_usual = ten_thousandths(point.noise) == ten_thousandths(row.usual_noise);
    row.points.push_back({point, is_usual ? std::nullopt : std::optional(point.noise)});
  }
  row.series = series;
  return row;
}

CalibratedSeries series_of_row(const SeriesRow& row) {
  auto series = row.series;
  series.id = row.file.empty() ? row.name : row.file + "/" + row.name;
  for (const auto& [point, noise] : row.points) {
    series.points.push_back(point);
    series.points.back().noise = noise.value_or(row.usual_noise);
  }
  return series;
}

} // namespace

long ten_thousandths(double value) {
  return std::lround(value * ten_thousand);
}

double four_decimals(double value) {
  constexpr double unsigned_zero = 0.0; // -0.0 + 0.0 is 0.0; the sign would depend on the last bit of a sum
  return std::round(value * ten_thousand) / ten_thousand + unsigned_zero;
}

ValueType<double> four_decimal_type(ValueType<double> type) {
  return written_as<double>(std::move(type), four_decimals);
}

ValueType<CalibratedParameter> calibrated_parameter_type() {
  return object_type(calibrated_parameter_fields());
}

ValueType<CalibratedChoice> calibrated_choice_type() {
  return object_type(calibrated_choice_fields());
}

ValueType<CalibratedSeries> calibrated_series_type() {
  return stored_as<CalibratedSeries, SeriesRow>(object_type(series_row_fields()), series_of_row, row_of_series);
}

} // namespace ddlsim
