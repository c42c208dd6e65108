#include "sim/base/plain_number.hpp"
#include "viewer/answers/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

std::string at_z_score(const CalibratedParameter& one, double z_score) {
  return value_text(prior_value(one.prior, z_score), one.prior.unit);
}

std::string about_z_score(const CalibratedParameter& one, double z_score, double error) {
  return fmt::format("{} ({} to {})", at_z_score(one, z_score), at_z_score(one, z_score - upper_95 * error),
                     at_z_score(one, z_score + upper_95 * error));
}

/// The parameters that were learnt, beside their priors, in standard deviations of these.
Chart parameters_chart(const Calibration& calibration) {
  constexpr double most = 4; // standard deviations; what lies beyond stands at the edge
  Chart chart;
  chart.name = "parameters";
  chart.title = "Learnt parameters against what was expected";
  chart.note = "bar: 90 % after the measurements; dashed: 90 % before";
  chart.x = {"standard deviations of the prior", AxisScale::linear, AxisUnit::number, -most, most};
  chart.y.scale = AxisScale::names;
  for (const auto& one : calibration.parameters) {
    if (!one.identified) continue;
    const auto row = static_cast<double>(chart.y.names.size());
    chart.y.names.push_back(one.name + ", " + scope_text(one.scope));
    chart.marks.push_back(
        {.x = one.z_score,
         .y = row,
         .x_low = one.z_score - upper_95 * one.error,
         .x_high = one.z_score + upper_95 * one.error,
         .y_low = row,
         .y_high = row,
         .readout = fmt::format("{}: expected {}, learnt {}", chart.y.names.back(), about_z_score(one, 0, 1),
                                about_z_score(one, one.z_score, one.error))});
  }
  chart.rules = {{true, 0, "expected", "expected"}, {true, -upper_95, "", "", true}, {true, upper_95, "", "", true}};
  return chart;
}

/// Every measured point over the fitted model.
Chart residuals_chart(const Calibration& calibration) {
  Chart chart;
  chart.name = "fit";
  chart.title = "Measured times against the fitted model";
  chart.note = "rings: borrowed from other clusters, or left out";
  chart.x = {"number of GPUs", AxisScale::logarithmic, AxisUnit::count};
  chart.y = {"measured longer than the model by", AxisScale::linear, AxisUnit::percent};
  std::vector<double> x;
  double farthest = 0.01;
  for (const auto& series : calibration.series)
    for (const auto& point : series.points) {
      const double off = std::exp(point.residual) - 1;
      const bool is_own = !series.borrowed && !point.excluded;
      chart.marks.push_back(
          {.x = static_cast<double>(point.gpus),
           .y = off,
           .glyph = is_own ? Glyph::dot : Glyph::ring,
           .strong = is_own,
           .readout = fmt::format("{}, {}: {:+.1f} %", series.id, gpus_in_words(point.gpus), 100 * off)});
      x.push_back(point.gpus);
      farthest = std::max(farthest, std::abs(off));
    }
  span_axis(chart.x, x);
  chart.x.low /= 1.1;
  chart.x.high *= 1.1;
  chart.y.low = -1.05 * farthest;
  chart.y.high = 1.05 * farthest;
  chart.rules = {{false, 0, "as the model says", "model"}};
  return chart;
}

std::vector<std::string> calibration_sentences(const Calibrated& calibrated) {
  const auto& calibration = calibrated.calibration;
  const auto& quality = calibration.quality;
  std::vector<std::string> sentences;
  if (quality.leave_one_out_points > 0)
    sentences.push_back(
        fmt::format("A series that the fit did not see is {:.1f} % off.", 100 * quality.leave_one_out_error));
  if (quality.unmeasured_models > 0)
    sentences.push_back(fmt::format("A model that it did not see is {:.1f} % off (root mean square).",
                                    100 * quality.unmeasured_model_error));
  const auto learnt = std::count_if(calibration.parameters.begin(), calibration.parameters.end(),
                                    [](const CalibratedParameter& one) { return one.identified; });
  sentences.push_back(fmt::format("{} of {} parameters were learnt; the others stay at their priors.", learnt,
                                  calibration.parameters.size()));
  const auto borrowed = std::count_if(calibration.series.begin(), calibration.series.end(),
                                      [](const CalibratedSeries& one) { return one.borrowed; });
  if (borrowed > 0) sentences.push_back(fmt::format("{} series are borrowed from other clusters.", borrowed));
  return sentences;
}

PageNote next_note(const Calibrated& calibrated) {
  PageNote note{"next", "Measure next", {}};
  for (const auto& next : calibrated.next)
    note.paragraphs.push_back(fmt::format("{}. {} is then known to +-{:.0f} %, now +-{:.0f} %.", next.run,
                                          next.predicted, 100 * next.then, 100 * next.now));
  if (note.paragraphs.empty()) note.paragraphs = {"No single run would narrow a prediction by 1 % or more."};
  return note;
}

PageNote doubts_note(const Calibration& calibration) {
  PageNote note{"doubts", "Look at again", {}};
  constexpr std::size_t most = 3;
  for (std::size_t i = 0; i < std::min(most, calibration.excluded.size()); ++i)
    note.paragraphs.push_back(calibration.excluded[i].what + ": " + calibration.excluded[i].why);
  if (calibration.excluded.size() > most)
    note.paragraphs.push_back(fmt::format("{} more below.", calibration.excluded.size() - most));
  return note;
}

} // namespace

Picture calibration_picture(const Calibrated& calibrated) {
  const auto& calibration = calibrated.calibration;
  const auto& quality = calibration.quality;
  Picture picture;
  picture.title = "Calibration of " + calibration.cluster;
  picture.figure = fmt::format("{:.1f} %", 100 * quality.fit_error);
  picture.heading = fmt::format("Fitted to {} points of {} series: simulated and measured times are {} apart.",
                                quality.points, calibration.series.size(), picture.figure);
  picture.sentences = calibration_sentences(calibrated);
  picture.charts = {residuals_chart(calibration), parameters_chart(calibration)};
  if (quality.points == 0) {
    picture.figure.clear();
    picture.heading = "No time on several GPUs is known: one GPU's times are used as they are.";
    picture.charts = {parameters_chart(calibration)};
  }
  picture.notes = {next_note(calibrated)};
  if (!calibration.excluded.empty()) picture.notes.push_back(doubts_note(calibration));
  picture.folded = {{"files", "Files with their checksums", calibration.files}};
  picture.json = calibration_json(calibration);
  return picture;
}

} // namespace ddlsim
