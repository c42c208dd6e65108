// The words for what would let a plan keep its limits.

#include "plan/report.hpp"
#include "sim/base/error.hpp"
#include "sim/base/plain_number.hpp"
#include "sim/base/units.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

/// What there would have to be more of; "" where the relief is none of these.
std::string more_in_words(const Relief& relief) {
  switch (relief.remedy) {
  case Remedy::time:
  case Remedy::money:
  case Remedy::time_and_money: {
    std::vector<std::string> limits;
    if (relief.deadline_s > 0) limits.push_back(plain_time(relief.deadline_s));
    if (relief.budget_usd > 0) limits.push_back(with_commas(relief.budget_usd) + " USD");
    return join_names(limits, " and ");
  }
  case Remedy::nodes:
    return fmt::format("{} nodes", with_commas(relief.nodes));
  case Remedy::power:
    return print_quantity(relief.power_w, Dimension::power);
  case Remedy::gpus:
  case Remedy::memory:
    break;
  }
  return "";
}

} // namespace

std::string would_keep_sentence(const Plan& plan) {
  std::string ways;
  std::string others;
  for (const auto& relief : plan.reliefs) {
    if (const auto more = more_in_words(relief); !more.empty())
      ways += fmt::format("{}{} of {} would do with {}", ways.empty() ? " " : "; ", gpus_in_words(relief.gpus),
                          relief.candidate, more);
    if (relief.remedy == Remedy::gpus)
      others += fmt::format(" At most {} of {} were asked about.", gpus_in_words(relief.gpus), relief.candidate);
  }
  const auto text = (ways.empty() ? "" : ways + ".") + others;
  return text.empty() ? text : text.substr(1);
}

std::string would_fit_sentence(const Plan& plan) {
  for (const auto& relief : plan.reliefs)
    if (relief.remedy == Remedy::memory && !relief.would_fit.empty())
      return fmt::format("{} of {} lack{} memory; {} would fit.", gpus_in_words(relief.gpus), relief.candidate,
                         relief.gpus == 1 ? "s" : "", relief.would_fit.substr(0, relief.would_fit.find(" or ")));
  return "";
}

} // namespace ddlsim
