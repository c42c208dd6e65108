// The words for what would let a plan keep its limits.

#include "plan/report.hpp"
#include "sim/base/plain_number.hpp"
#include "sim/base/units.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

/// How the option of a relief would keep the limits.
std::string relief_in_words(const Relief& relief) {
  const auto option = fmt::format("{} GPUs of {}", with_commas(relief.gpus), relief.candidate);
  switch (relief.remedy) {
  case Remedy::time:
    return fmt::format("{} within {}", option, plain_time(relief.deadline_s));
  case Remedy::money:
    return fmt::format("{} for {} USD", option, with_commas(relief.budget_usd));
  case Remedy::time_and_money:
    return fmt::format("{} within {} for {} USD", option, plain_time(relief.deadline_s),
                       with_commas(relief.budget_usd));
  case Remedy::nodes:
    return fmt::format("{} on {} nodes", option, with_commas(relief.nodes));
  case Remedy::power:
    return fmt::format("{} with {}", option, print_quantity(relief.power_w, Dimension::power));
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
    if (const auto words = relief_in_words(relief); !words.empty()) ways += (ways.empty() ? "" : "; ") + words;
    if (relief.remedy == Remedy::gpus)
      others +=
          fmt::format(" More than {} GPUs of {} were not asked about.", with_commas(relief.gpus), relief.candidate);
    if (relief.remedy == Remedy::memory && !relief.would_fit.empty())
      others += fmt::format(" {} GPUs of {} lack memory; {} would fit.", with_commas(relief.gpus), relief.candidate,
                            relief.would_fit.substr(0, relief.would_fit.find(" or ")));
  }
  auto text = (ways.empty() ? "" : " These would keep them: " + ways + ".") + others;
  return text.empty() ? text : text.substr(1);
}

} // namespace ddlsim
