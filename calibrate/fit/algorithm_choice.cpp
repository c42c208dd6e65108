#include "calibrate/fit/algorithm_choice.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

/// Of a difference of costs: points that miss for a reason of their own take sides too, and with one multi-node scale
/// they took the wrong one (DLPerf, double tree) by a cost of some units. A power posterior.
constexpr double believed_share = 0.25;

bool tells(const SeriesEvidence& series) {
  if (series.measured != Measured::step && series.measured != Measured::all_reduce) return false;
  return std::any_of(series.points.begin(), series.points.end(),
                     [](const EvidencePoint& point) { return point.gpus > 1; });
}

bool same(const std::vector<LikelyChoice>& a, const std::vector<LikelyChoice>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const LikelyChoice& x, const LikelyChoice& y) {
    return x.name == y.name && x.weight == y.weight;
  });
}

} // namespace

Forms::Forms(const std::vector<SeriesEvidence>& series) : draws_of_(series.size(), -1) {
  for (std::size_t s = 0; s < series.size(); ++s) {
    const bool servers = is_parameter_server(series[s].setup.strategy);
    const auto& choices = servers ? series[s].setup.preset.shardings : series[s].setup.preset.all_reduce;
    if (choices.size() < 2 || !tells(series[s])) continue;
    const CalibrationScope scope{series[s].scope.transport, "", "", "", 0};
    const auto known = std::find_if(forms_.begin(), forms_.end(), [&](const Form& form) {
      return form.servers == servers && form.scope == scope && same(form.choices, choices);
    });
    draws_of_[s] = static_cast<int>(known - forms_.begin());
    if (known == forms_.end()) forms_.push_back({scope, servers, choices, std::vector<double>(choices.size(), -1), 0});
  }
}

double Forms::middle(const Form& form) {
  double reached = 0;
  for (std::size_t i = 0; i < form.chosen; ++i) reached += form.choices[i].weight;
  return reached + 0.5 * form.choices[form.chosen].weight;
}

double Forms::weight(std::size_t form, std::size_t choice) const {
  const auto& costs = forms_[form].costs;
  if (costs[choice] < 0) return 0;
  double least = costs[choice];
  for (const double cost : costs)
    if (cost >= 0) least = std::min(least, cost);
  return forms_[form].choices[choice].weight * std::exp(believed_share * (least - costs[choice]));
}

std::vector<CalibratedForm> Forms::calibrated() const {
  std::vector<CalibratedForm> all;
  for (std::size_t f = 0; f < forms_.size(); ++f) {
    CalibratedForm one{forms_[f].scope, forms_[f].servers, {}};
    double sum = 0;
    for (std::size_t c = 0; c < forms_[f].choices.size(); ++c) sum += weight(f, c);
    if (!(sum > 0)) continue;
    for (std::size_t c = 0; c < forms_[f].choices.size(); ++c)
      one.choices.push_back({forms_[f].choices[c].name, weight(f, c) / sum});
    std::sort(one.choices.begin(), one.choices.end(), [](const auto& a, const auto& b) {
      return a.weight != b.weight ? a.weight > b.weight : a.name < b.name; // as the file gives them back
    });
    all.push_back(one);
  }
  return all;
}

} // namespace ddlsim
