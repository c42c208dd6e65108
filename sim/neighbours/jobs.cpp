#include "sim/neighbours/jobs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

namespace ddlsim {
namespace {

void require(bool holds, const std::string& place, const std::string& what) {
  if (!holds) throw std::invalid_argument("neighbours: " + place + ": " + what);
}

bool is_amount(double number) {
  return std::isfinite(number) && number >= 0;
}

void require_usable_transfer(const Transfer& transfer, double edge_Bps, const std::string& place) {
  require(is_amount(transfer.ready_s) && is_amount(transfer.alone_s) && is_amount(transfer.edge_bytes), place,
          "times and bytes of a transfer must be 0 or more");
  require(transfer.rounds >= 1, place, "a transfer has at least one round");
  require(transfer.pattern >= 0, place, "patterns are counted from 0");
  require(transfer.edge_bytes <= 0 || edge_Bps > 0, place, "an edge that carries bytes needs a rate");
}

void require_usable_job(const Job& job, const std::string& place) {
  require(is_amount(job.start_s) && is_amount(job.compute_s) && is_amount(job.rest_s) && is_amount(job.edge_Bps), place,
          "times and rates must be 0 or more");
  require(std::isfinite(job.edges_apart) && job.edges_apart >= 1, place, "edges are 1 or more apart");
  double lasts_s = job.compute_s + job.rest_s;
  for (const Transfer& transfer : job.transfers) {
    require_usable_transfer(transfer, job.edge_Bps, place);
    require(transfer.pattern < job.patterns, place, "a transfer has a pattern that the job does not have");
    lasts_s += transfer.ready_s + transfer.alone_s;
  }
  require(lasts_s > 0, place, "an iteration must take some time");
}

void require_usable_link(const SharedLink& link, std::size_t jobs, const std::string& place) {
  require(std::isfinite(link.rate_Bps) && link.rate_Bps > 0, place, "a shared link needs a rate");
  require(link.flows.size() == jobs, place, "a shared link names its messages for each job");
  require(std::all_of(link.flows.begin(), link.flows.end(), [](int flows) { return flows >= 0; }), place,
          "a number of messages must be 0 or more");
}

/// Whether the jobs can fill the link together, if none of their messages is faster than without neighbours.
bool can_be_full(const SharedLink& link, const std::vector<double>& fastest_Bps) {
  double load_Bps = 0;
  int users = 0;
  for (std::size_t job = 0; job < fastest_Bps.size(); ++job) {
    load_Bps += link.flows[job] * fastest_Bps[job];
    users += link.flows[job] > 0 ? 1 : 0;
  }
  return users > 1 && load_Bps > link.rate_Bps;
}

int patterns_of(const SharedLink& link, std::size_t job) {
  return job < link.by_pattern.size() ? std::max(1, static_cast<int>(link.by_pattern[job].size())) : 1;
}

/// Whether `link` is never full before `other`: each job takes as large a share of `other`, or a larger one.
bool is_never_first(const SharedLink& link, const SharedLink& other) {
  for (std::size_t job = 0; job < link.flows.size(); ++job)
    for (int pattern = 0; pattern < patterns_of(link, job); ++pattern)
      if (flows_of(link, job, pattern) * other.rate_Bps > flows_of(other, job, pattern) * link.rate_Bps) return false;
  return true;
}

int all_flows(const SharedLink& link) {
  return std::accumulate(link.flows.begin(), link.flows.end(), 0);
}

/// Rate of a message over the edge, B/s. `flows_on` says how many messages share each link that it crosses.
template <class FlowsOn>
double edge_rate_Bps(const std::vector<SharedLink>& links, const std::vector<std::size_t>& crossed, double edge_Bps,
                     const FlowsOn& flows_on) {
  double rate_Bps = edge_Bps;
  for (const std::size_t link : crossed) rate_Bps = std::min(rate_Bps, links[link].rate_Bps / flows_on(links[link]));
  return rate_Bps;
}

} // namespace

int flows_of(const SharedLink& link, std::size_t job, int pattern) {
  if (job >= link.by_pattern.size() || link.by_pattern[job].empty()) return link.flows[job];
  return link.by_pattern[job][static_cast<std::size_t>(pattern)];
}

std::vector<double> alone_Bps_by_pattern(const std::vector<SharedLink>& links, const Job& job,
                                         std::size_t index_of_job) {
  std::vector<double> rates_Bps(static_cast<std::size_t>(job.patterns), job.edge_Bps);
  for (std::size_t pattern = 0; pattern < rates_Bps.size(); ++pattern)
    for (const SharedLink& link : links)
      if (const int flows = flows_of(link, index_of_job, static_cast<int>(pattern)); flows > 0)
        rates_Bps[pattern] = std::min(rates_Bps[pattern], link.rate_Bps / flows);
  return rates_Bps;
}

double alone_Bps(const std::vector<SharedLink>& links, const Job& job, std::size_t index_of_job) {
  double rate_Bps = job.edge_Bps;
  for (const SharedLink& link : links)
    if (link.flows[index_of_job] > 0) rate_Bps = std::min(rate_Bps, link.rate_Bps / link.flows[index_of_job]);
  return rate_Bps;
}

Rounds rounds_of(const Job& job, const Transfer& transfer, double alone_Bps, int most_rounds) {
  const double busy_s = transfer.edge_bytes > 0 ? std::min(transfer.alone_s, transfer.edge_bytes / alone_Bps) : 0;
  const bool one_of_both = busy_s <= 0 || busy_s >= transfer.alone_s;
  const int count = one_of_both ? 1 : std::min(transfer.rounds, most_rounds);
  return {count, transfer.alone_s / count, busy_s / count, busy_s * alone_Bps / count, job.edges_apart};
}

RingPace::RingPace(const Rounds& rounds, double start_s) : rounds_(rounds), start_s_(start_s) {
  sent_s_.reserve(static_cast<std::size_t>(rounds_.count));
}

/// Returns when the message left. Messages with negative numbers, before the first, left as they do without neighbours.
double RingPace::sent_s(int message) const {
  if (message >= 0) return sent_s_[static_cast<std::size_t>(message)];
  return start_s_ + message * rounds_.alone_s + rounds_.busy_s;
}

double RingPace::ready_s() const {
  const int next = static_cast<int>(sent_s_.size());
  if (is_over()) return sent_s_.back() + rounds_.alone_s - rounds_.busy_s;
  const double turn_before = next - rounds_.edges_apart;
  const double whole = std::floor(turn_before);
  const double part = turn_before - whole;
  double sent_before_s = sent_s(static_cast<int>(whole));
  if (part > 0) sent_before_s += part * (sent_s(static_cast<int>(whole) + 1) - sent_before_s);
  return sent_before_s + rounds_.edges_apart * rounds_.alone_s - rounds_.busy_s;
}

double find_edges_apart(const std::vector<SharedLink>& links, const Job& job, std::size_t index_of_job,
                        const std::vector<std::vector<std::size_t>>& links_of_edges) {
  double slowest = 1 / alone_Bps(links, job, index_of_job);
  const double alone = slowest;
  double more = 0; // delay that all edges together add, seconds for each byte
  for (const auto& crossed : links_of_edges) {
    const double own_Bps =
        edge_rate_Bps(links, crossed, job.edge_Bps, [&](const SharedLink& link) { return link.flows[index_of_job]; });
    const double among_all_Bps = edge_rate_Bps(links, crossed, job.edge_Bps, all_flows);
    slowest = std::max(slowest, 1 / among_all_Bps);
    more += 1 / among_all_Bps - 1 / own_Bps;
  }
  if (slowest <= alone || more <= 0) return 1;
  return std::max(1.0, static_cast<double>(links_of_edges.size()) * (slowest - alone) / more);
}

std::vector<SharedLink> binding_links(const std::vector<SharedLink>& links, const std::vector<Job>& jobs) {
  std::vector<double> fastest_Bps;
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    const auto rates_Bps = alone_Bps_by_pattern(links, jobs[job], job);
    fastest_Bps.push_back(*std::max_element(rates_Bps.begin(), rates_Bps.end()));
  }
  std::vector<SharedLink> kept;
  for (const SharedLink& link : links) {
    const auto before_link = [&](const SharedLink& other) { return is_never_first(link, other); };
    if (!can_be_full(link, fastest_Bps) || std::any_of(kept.begin(), kept.end(), before_link)) continue;
    std::erase_if(kept, [&](const SharedLink& other) { return is_never_first(other, link); });
    kept.push_back(link);
  }
  return kept;
}

void require_usable(const std::vector<SharedLink>& links, const std::vector<Job>& jobs, int iterations) {
  require(!jobs.empty(), "jobs", "there is none");
  require(iterations >= 1, "iterations", "at least one is needed");
  for (std::size_t i = 0; i < jobs.size(); ++i) require_usable_job(jobs[i], "job " + std::to_string(i));
  for (std::size_t i = 0; i < links.size(); ++i)
    require_usable_link(links[i], jobs.size(), "shared link " + std::to_string(i));
}

} // namespace ddlsim
