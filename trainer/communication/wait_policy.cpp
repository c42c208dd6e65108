#include "trainer/communication/wait_policy.hpp"

#include "trainer/records/statistics.hpp"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <map>
#include <sched.h>
#include <sstream>
#include <thread>
#include <utility>

namespace ddltrain {

WaitPolicy training_wait_policy(const CoreDemand& demand) {
  return demand.threads > demand.cores ? WaitPolicy::share_cores : WaitPolicy::in_mpi;
}

namespace {

double threads_a_core(const CoreDemand& demand) {
  return static_cast<double>(demand.threads) / demand.cores;
}

CoreDemand demand_of(const RankOnCores& rank) {
  return {rank.threads, static_cast<int>(rank.cores.size())};
}

/// Returns an id that changes with every start of the kernel, and is the same in all its namespaces.
std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  return file >> id ? id : "unknown";
}

std::set<int> affinity() {
  cpu_set_t mask;
  std::set<int> cores;
  if (::sched_getaffinity(0, sizeof mask, &mask) == 0) {
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(core, &mask)) cores.insert(core);
    }
  }
  for (int core = 0; cores.empty() && core < static_cast<int>(std::thread::hardware_concurrency()); ++core) {
    cores.insert(core); // there are more cores than the mask has room for
  }
  return cores;
}

} // namespace

CoreDemand busiest(const std::vector<RankOnCores>& ranks) {
  std::map<std::string, RankOnCores> machines;
  CoreDemand most = demand_of(ranks.front());
  const auto consider = [&most](const RankOnCores& one) {
    if (threads_a_core(demand_of(one)) > threads_a_core(most)) most = demand_of(one);
  };
  for (const RankOnCores& rank : ranks) {
    consider(rank);
    RankOnCores& machine = machines.try_emplace(rank.machine, RankOnCores{rank.machine, 0, {}}).first->second;
    machine.threads += rank.threads;
    machine.cores.insert(rank.cores.begin(), rank.cores.end());
  }
  for (const auto& [name, machine] : machines) consider(machine);
  return most;
}

RankOnCores this_rank_on_cores(int threads) {
  return {boot_id(), threads, affinity()};
}

std::string to_text(const RankOnCores& rank) {
  std::string text = fmt::format("{} {}", rank.machine, rank.threads);
  for (const int core : rank.cores) text += fmt::format(" {}", core);
  return text;
}

RankOnCores rank_on_cores(const std::string& text) {
  std::istringstream words(text);
  RankOnCores rank;
  words >> rank.machine >> rank.threads;
  for (int core = 0; words >> core;) rank.cores.insert(core);
  return rank;
}

std::string text_of(WaitPolicy policy) {
  if (policy == WaitPolicy::in_mpi) return "waits inside MPI";
  return fmt::format("asks MPI for {:.0f} ms, then sleeps {:.0f} us between questions", 1e3 * spin_s, 1e6 * sleep_s);
}

WaitClock machine_wait_clock() {
  return {now_s, [](double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }};
}

WaitPause::WaitPause(WaitPolicy policy, WaitClock clock) : policy_(policy), clock_(std::move(clock)) {}

void WaitPause::found() {
  idle_since_s_ = -1;
}

void WaitPause::found_nothing() {
  if (policy_ == WaitPolicy::in_mpi) return;
  const double time_s = clock_.now_s();
  if (idle_since_s_ < 0) idle_since_s_ = time_s;
  if (time_s - idle_since_s_ >= spin_s) clock_.sleep(sleep_s);
}

} // namespace ddltrain
