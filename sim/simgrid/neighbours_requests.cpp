#include "sim/simgrid/neighbours_requests.hpp"

#include <utility>

namespace ddlsim {
namespace {

void add_transfer(RequestWriter& writer, const Transfer& transfer) {
  const auto& [ready_s, alone_s, edge_bytes, rounds, pattern, continues] = transfer; // a new field does not compile
  for (const double number : {ready_s, alone_s, edge_bytes}) writer.add(number);     // until it is sent too
  writer.add(rounds);
  writer.add(pattern);
  writer.add(continues ? 1 : 0);
}

Transfer read_transfer(RequestReader& reader) {
  Transfer transfer;
  for (double* number : {&transfer.ready_s, &transfer.alone_s, &transfer.edge_bytes}) *number = reader.number();
  transfer.rounds = reader.integer();
  transfer.pattern = reader.integer();
  transfer.continues = reader.integer() != 0;
  return transfer;
}

} // namespace

void add_jobs(RequestWriter& writer, const std::vector<Job>& jobs) {
  writer.add(static_cast<double>(jobs.size()));
  for (const Job& job : jobs) {
    const auto& [start_s, compute_s, rest_s, edge_Bps, transfers, edges_apart, patterns] = job;
    for (const double number : {start_s, compute_s, rest_s, edge_Bps, edges_apart}) writer.add(number);
    writer.add(patterns);
    writer.add(static_cast<double>(transfers.size()));
    for (const Transfer& transfer : transfers) add_transfer(writer, transfer);
  }
}

std::vector<Job> read_jobs(RequestReader& reader) {
  std::vector<Job> jobs(static_cast<std::size_t>(reader.number()));
  for (Job& job : jobs) {
    for (double* number : {&job.start_s, &job.compute_s, &job.rest_s, &job.edge_Bps, &job.edges_apart})
      *number = reader.number();
    job.patterns = reader.integer();
    job.transfers.resize(static_cast<std::size_t>(reader.number()));
    for (Transfer& transfer : job.transfers) transfer = read_transfer(reader);
  }
  return jobs;
}

void add_shared_links(RequestWriter& writer, const std::vector<SharedLink>& links) {
  writer.add(static_cast<double>(links.size()));
  for (const SharedLink& link : links) {
    writer.add(link.rate_Bps);
    writer.add(std::vector<double>(link.flows.begin(), link.flows.end()));
    writer.add(static_cast<double>(link.by_pattern.size()));
    for (const auto& of_job : link.by_pattern) writer.add(std::vector<double>(of_job.begin(), of_job.end()));
  }
}

std::vector<SharedLink> read_shared_links(RequestReader& reader) {
  std::vector<SharedLink> links(static_cast<std::size_t>(reader.number()));
  for (SharedLink& link : links) {
    link.rate_Bps = reader.number();
    for (const double flows : reader.list()) link.flows.push_back(static_cast<int>(flows));
    link.by_pattern.resize(static_cast<std::size_t>(reader.number()));
    for (auto& of_job : link.by_pattern)
      for (const double flows : reader.list()) of_job.push_back(static_cast<int>(flows));
  }
  return links;
}

Numbers numbers_of(SharedTimes times) {
  times.iterations_s.push_back(times.messages);
  return std::move(times.iterations_s);
}

SharedTimes shared_times_of(Numbers numbers) {
  SharedTimes times{std::move(numbers), 0};
  times.messages = times.iterations_s.back();
  times.iterations_s.pop_back();
  return times;
}

} // namespace ddlsim
