#include "sim/iteration/collective_times.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace ddlsim {
namespace {

/// Collectives of one kind that cross the same links, by their numbers in a list.
struct SameLinks {
  Machine links;
  CollectiveKind collective{};
  std::vector<double> sizes_bytes{}; ///< the sizes that differ
  /// for each collective, its number in the list and its index in sizes_bytes
  std::vector<std::pair<std::size_t, std::size_t>> runs{};
};

bool have_same_links(const CollectiveRun& one, const CollectiveRun& other) {
  CollectiveRun as_large = other;
  as_large.cost.wire_bytes = one.cost.wire_bytes;
  return one == as_large;
}

std::size_t place_of(double size_bytes, std::vector<double>& sizes_bytes) {
  const auto found = std::find(sizes_bytes.begin(), sizes_bytes.end(), size_bytes);
  if (found != sizes_bytes.end()) return static_cast<std::size_t>(found - sizes_bytes.begin());
  sizes_bytes.push_back(size_bytes);
  return sizes_bytes.size() - 1;
}

std::vector<SameLinks> by_links(const std::vector<CollectiveRun>& collectives) {
  std::vector<SameLinks> all;
  std::vector<const CollectiveRun*> firsts;
  for (std::size_t i = 0; i < collectives.size(); ++i) {
    const auto& one = collectives[i];
    const auto found =
        std::find_if(firsts.begin(), firsts.end(), [&](const auto* first) { return have_same_links(*first, one); });
    const auto group = static_cast<std::size_t>(found - firsts.begin());
    if (found == firsts.end()) {
      firsts.push_back(&one);
      all.push_back({links_of(*one.machine, one.cost), one.cost.collective});
    }
    all[group].runs.emplace_back(i, place_of(one.cost.wire_bytes, all[group].sizes_bytes));
  }
  return all;
}

/// Keeps in `all` the choice that is farthest from a run of every message.
void add(const Choice& more, Choice& all) {
  const auto closeness = [](const Choice& one) { return std::tuple(one.engine != Engine::formula, one.is_exact); };
  const bool is_exact = all.is_exact && more.is_exact;
  const bool is_full_too = closeness(more) == closeness(all) && more.engine == Engine::full;
  if (closeness(more) < closeness(all) || is_full_too) all = more;
  all.is_exact = is_exact;
}

/// Takes the known times of a group's collectives that the executor ran before, and removes these from the group.
void use_timed(const TimedCollectives& timed, const Executor& executor, const std::vector<CollectiveRun>& collectives,
               SameLinks& group, std::vector<double>& times_s) {
  std::vector<double> left_bytes;
  std::vector<std::pair<std::size_t, std::size_t>> left;
  for (const auto& [number, place] : group.runs) {
    const auto known = std::find_if(timed.begin(), timed.end(), [&](const TimedCollective& one) {
      return one.executor == &executor && one.run == collectives[number];
    });
    if (known == timed.end())
      left.emplace_back(number, place_of(group.sizes_bytes[place], left_bytes));
    else
      times_s[number] = known->time_s;
  }
  group.sizes_bytes = std::move(left_bytes);
  group.runs = std::move(left);
}

} // namespace

SimulatedTimes time_collectives(const std::vector<CollectiveRun>& collectives, const ExecutorOf& executor_of,
                                TimedCollectives* timed) {
  SimulatedTimes all{std::vector<double>(collectives.size()), 0};
  for (auto& group : by_links(collectives)) {
    const double size_bytes = std::accumulate(group.sizes_bytes.begin(), group.sizes_bytes.end(), 0.0);
    const auto operations = static_cast<int>(group.sizes_bytes.size());
    const auto& executor = executor_of(group.links, group.collective, size_bytes, operations);
    if (timed) use_timed(*timed, executor, collectives, group, all.times_s);
    const auto simulated = executor.collectives(group.links, group.sizes_bytes, group.collective);
    all.messages += simulated.messages;
    for (const auto& [number, place] : group.runs) {
      all.times_s[number] = simulated.times_s[place];
      if (timed && simulated.messages > 0) timed->push_back({collectives[number], &executor, all.times_s[number]});
    }
  }
  return all;
}

SimulatedTimes time_collectives(const std::vector<CollectiveRun>& collectives, Fidelity requested, Choice& choice,
                                TimedCollectives* timed) {
  std::map<CollectiveKind, double> messages_before; // messages that a full run of all collectives up to here would have
  return time_collectives(
      collectives,
      [&](const Machine& links, const CollectiveKind& collective, double size_bytes,
          int operations) -> const Executor& {
        double& before = messages_before[collective];
        const auto chosen = choose_collective(links, collective, size_bytes, operations, requested, before);
        before += messages_of_collective(links, collective, size_bytes, operations);
        add(chosen, choice);
        return executor_of(chosen.engine);
      },
      timed);
}

Choice choose_formula(const std::vector<CollectiveRun>& collectives) {
  const auto is_exact = [](const CollectiveRun& one) {
    const Machine& machine = *one.machine;
    if (machine.ranks <= 1) return true;
    constexpr int operations = 1;
    return choose_collective(machine, one.cost.collective, one.cost.wire_bytes, operations, Fidelity::formula).is_exact;
  };
  const auto different = [](const CollectiveRun& one, const CollectiveRun& other) {
    return one.machine != other.machine || one.cost.collective != other.cost.collective;
  };
  Choice choice{Engine::formula};
  for (std::size_t i = 0; i < collectives.size(); ++i)
    if (i == 0 || different(collectives[i - 1], collectives[i])) choice.is_exact &= is_exact(collectives[i]);
  return choice;
}

CollectiveClock clock_by_formula() {
  struct Timed {
    CollectiveRun run;
    double time_s = 0;
  };
  // Gathers and scatters of equal layers take turns, so the last two times are mostly enough.
  return [before = Timed{}, last = Timed{}](std::size_t, const CollectiveRun& one) mutable {
    if (one == last.run) return last.time_s;
    if (one != before.run) before = {one, formula_s(*one.machine, one.cost)};
    std::swap(before, last);
    return last.time_s;
  };
}

CollectiveClock clock_by(const Executor& executor, double& messages) {
  return [&](std::size_t, const CollectiveRun& one) {
    const auto simulated =
        executor.collectives(links_of(*one.machine, one.cost), {one.cost.wire_bytes}, one.cost.collective);
    messages += simulated.messages;
    return simulated.times_s.front();
  };
}

CollectiveClock clock_of(std::vector<CollectiveRun> collectives, std::vector<double> times_s) {
  if (times_s.empty()) return clock_by_formula();
  return [collectives = std::move(collectives), times_s = std::move(times_s)](std::size_t number,
                                                                              const CollectiveRun& one) {
    const std::size_t place = std::min(number, times_s.size() - 1);
    const auto& timed = collectives[place];
    if (one == timed) return times_s[place];
    const double timed_by_formula_s = formula_s(*timed.machine, timed.cost);
    const double ratio = timed_by_formula_s > 0 ? times_s[place] / timed_by_formula_s : 1;
    return ratio * formula_s(*one.machine, one.cost);
  };
}

} // namespace ddlsim
