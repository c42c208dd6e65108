#include "sim/collective/schedule.hpp"

namespace ddlsim {

Program repeated(int rank, const std::vector<Step>& steps, int times) {
  Program program{rank, {}};
  for (int i = 0; i < times; ++i)
    for (const Step& step : steps)
      if (!step.sends.empty() || !step.receives.empty()) program.steps.push_back(step);
  return program;
}

} // namespace ddlsim
