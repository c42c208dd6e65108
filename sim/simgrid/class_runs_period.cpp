#include "sim/simgrid/class_runs.hpp"
#include "sim/simgrid/ring_run.hpp"
#include "sim/simgrid/simgrid_settings.hpp"

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace ddlsim {
namespace {

/// Returns the edges of a period. A single edge is doubled, because a single rank would send to itself.
std::vector<PeriodEdge> two_at_least(std::vector<PeriodEdge> edges) {
  if (edges.size() == 1) edges.push_back(edges.front());
  return edges;
}

/// Returns the time that the last turn added, if it was the same for every rank; else a negative number.
double steady_turn_s(const RingRun& run) {
  constexpr double same = 1e-9;
  constexpr double clock_s = 1e-12; // precision of SimGrid's clock
  double shortest_s = run.end_s.front() - run.early_s.front();
  double longest_s = shortest_s;
  for (std::size_t rank = 1; rank < run.end_s.size(); ++rank) {
    const double turn_s = run.end_s[rank] - run.early_s[rank];
    shortest_s = std::min(shortest_s, turn_s);
    longest_s = std::max(longest_s, turn_s);
  }
  const double rounding_s = same * longest_s + 2 * clock_s * static_cast<double>(run.end_s.size());
  return longest_s - shortest_s <= rounding_s ? longest_s : -1;
}

/// Returns the time that the last turn of all phases added together; negative if a phase was not steady.
double steady_turns_s(const std::vector<RingRun>& phases) {
  double sum_s = 0;
  for (const RingRun& phase : phases) {
    const double turn_s = steady_turn_s(phase);
    if (turn_s < 0) return turn_s;
    sum_s += turn_s;
  }
  return sum_s;
}

/// 1. Runs a few turns, and as many further steps as leave whole turns. With f messages in flight a chunk returns
///    after f times as many steps.
/// 2. If the last turn was steady, adds the time of the rest; else runs twice as many turns.
double run_steps(const std::vector<RingRank>& ranks, const PeriodSteps& all, double& messages) {
  const int turn = static_cast<int>(ranks.size()) * all.in_flight;
  for (int turns = 4;; turns *= 2) {
    const int steps = std::min(all.steps, turns * turn + all.steps % turn);
    const auto phases =
        run_ring(ranks, {steps, std::max(1, steps - turn), all.in_flight, all.phases}, all.message_bytes);
    messages += static_cast<double>(steps) * all.phases * static_cast<double>(ranks.size());
    const double end_s = *std::max_element(phases.back().end_s.begin(), phases.back().end_s.end());
    if (steps == all.steps) return end_s;
    const double turn_s = steady_turns_s(phases);
    const int turns_left = (all.steps - steps) / turn;
    if (turn_s >= 0) return end_s + turn_s * turns_left;
  }
}

} // namespace

SimulatedTimes simulate_periods(const std::vector<std::vector<PeriodSteps>>& collectives) {
  start_simgrid();
  simgrid::s4u::NetZone& zone = make_star_zone("period");
  std::vector<std::vector<RingRank>> ranks; // ranks for each kind of step
  for (const PeriodSteps& some : collectives.front()) {
    const std::string name = "steps" + std::to_string(ranks.size()) + "-";
    ranks.push_back(make_ring_ranks(zone, name, two_at_least(some.edges)));
  }
  zone.seal();
  SimulatedTimes simulated;
  for (const auto& collective : collectives) {
    double time_s = 0;
    for (std::size_t i = 0; i < collective.size(); ++i)
      if (collective[i].steps > 0) time_s += run_steps(ranks[i], collective[i], simulated.messages);
    simulated.times_s.push_back(time_s);
  }
  return simulated;
}

} // namespace ddlsim
