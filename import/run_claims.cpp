#include "import/run_claims.hpp"

#include "import/plain_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {

void add_line(const std::optional<StatedFact>& stated, const char* words, std::vector<Claim>& claims) {
  if (!stated) return;
  const auto what = fmt::format(fmt::runtime(words), count_text(stated->value));
  claims.push_back({stated->value, fmt::format("line {} says {}", stated->line, what)});
}

void add_stated(const RunFacts& facts, RunFact fact, const char* words, std::vector<Claim>& claims) {
  add_line(facts.last(fact), words, claims);
}

void add_given(const ImportContext& stated, const char* name, std::vector<Claim>& claims) {
  if (const double value = given_number(stated, name); value > 0)
    claims.push_back({value, fmt::format("--set {}={}", name, stated.given.at(name))});
}

double given_number(const ImportContext& stated, const std::string& name) {
  const auto given = stated.given.find(name);
  if (given == stated.given.end()) return 0;
  const auto number = parse_number(given->second);
  return number ? std::max(0.0, number->value) : 0;
}

double rate_of(const TrainingLog& log, StepUnit unit) {
  for (std::size_t i = 0; i < log.series.size(); ++i) {
    const auto& form = step_forms()[i];
    if (form.unit == unit && form.covers != Covers::part_of_step && !log.series[i].figures.empty())
      return steady_steps(log.series[i].figures).median;
  }
  return 0;
}

std::string count_text(double count) {
  if (count != std::floor(count) || count > 1e15) return fmt::format("{:.4g}", count);
  auto text = fmt::format("{:.0f}", count);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

} // namespace ddlsim
