#include "sim/iteration/collective_times.hpp"

#include <catch2/catch.hpp>

#include <vector>

namespace ddlsim {
namespace {

Machine four_nodes() {
  Machine machine;
  machine.ranks = 4;
  machine.ranks_per_node = 1;
  machine.nic_Bps = 1e9;
  machine.net_latency_s = 1e-5;
  return machine;
}

CollectiveRun ring_of(const Machine& machine, double size_bytes) {
  CollectiveRun run{&machine, {}};
  run.cost.wire_bytes = size_bytes;
  run.cost.net_latency_s = machine.net_latency_s;
  return run;
}

} // namespace

TEST_CASE("what SimGrid timed in one pass is not run in the next") {
  const auto machine = four_nodes();
  std::vector<CollectiveRun> runs{ring_of(machine, 1e6), ring_of(machine, 2e6)};
  TimedCollectives timed;
  Choice choice;
  const auto first = time_collectives(runs, Fidelity::full, choice, &timed);
  CHECK(timed.size() == 2);
  CHECK(first.times_s[0] == Approx(6 * (2.5e5 / 1e9 + 1e-5))); // 2 (N - 1) steps of a quarter

  runs.push_back(ring_of(machine, 3e6));
  runs.push_back(runs[0]);
  const auto more = time_collectives(runs, Fidelity::full, choice, &timed);
  const auto alone = time_collectives({runs[2]}, Fidelity::full, choice);
  CHECK(more.messages == alone.messages);
  CHECK(more.times_s == std::vector<double>{first.times_s[0], first.times_s[1], alone.times_s[0], first.times_s[0]});
  CHECK(choice.engine == Engine::full);
  CHECK(timed.size() == 3);

  SECTION("another engine runs it again") {
    choice = {};
    CHECK(time_collectives(runs, Fidelity::by_default, choice, &timed).messages > 0);
    CHECK(choice.engine == Engine::classes);
    CHECK(timed.size() == 7);
  }
  SECTION("formulas leave nothing behind") {
    const auto by_formula = time_collectives(runs, Fidelity::formula, choice, &timed);
    CHECK(timed.size() == 3);
    for (std::size_t i = 0; i < runs.size(); ++i)
      CHECK(by_formula.times_s[i] == formula_s(*runs[i].machine, runs[i].cost));
  }
}

TEST_CASE("the clock of formulas gives each collective its own time, in whatever order they come") {
  const auto machine = four_nodes();
  const auto clock = clock_by_formula();
  std::size_t number = 0;
  for (const double size_bytes : {1e6, 1e6, 2e6, 1e6, 2e6, 3e6, 1e6, 3e6, 3e6, 2e6}) {
    const auto run = ring_of(machine, size_bytes);
    CHECK(clock(number++, run) == formula_s(machine, run.cost));
  }
}

} // namespace ddlsim
