#pragma once
// Requests to the fork server, encoded as numbers and decoded again.

#include "sim/base/child_process.hpp"
#include "sim/collective/collective.hpp"
#include "sim/neighbours/jobs.hpp"
#include "sim/parameter_server/async.hpp"
#include "sim/parameter_server/exchange.hpp"
#include "sim/simgrid/fidelity.hpp"

#include <cstddef>
#include <vector>

namespace ddlsim {

/// Encodes a request as numbers; a list is preceded by its length. RequestReader reads back exactly what was added.
class RequestWriter {
public:
  void add(double number) { numbers_.push_back(number); }
  void add(const std::vector<double>& list);
  void add(const Machine& machine);
  void add(const PlacedFabric& placed);
  void add(const ServerMachine& servers);
  void add(const ServerExchange& exchange);
  void add(const AsyncExchange& async);
  void add(const std::vector<PathMessage>& messages);

  const Numbers& numbers() const { return numbers_; }

private:
  Numbers numbers_;
};

/// Reads a request in the order in which it was written.
class RequestReader {
public:
  explicit RequestReader(const Numbers& numbers) : numbers_(numbers) {}

  double number() { return numbers_.at(next_++); }
  int integer() { return static_cast<int>(number()); }
  std::vector<double> list();
  Machine machine();
  PlacedFabric placed_fabric();
  ServerMachine servers();
  ServerExchange exchange();
  AsyncExchange async();
  std::vector<PathMessage> messages();

private:
  const Numbers& numbers_;
  std::size_t next_ = 0;
};

// Jobs and their shared links, encoded as numbers. The fork server receives these and returns the results.

void add_jobs(RequestWriter& writer, const std::vector<Job>& jobs);
std::vector<Job> read_jobs(RequestReader& reader); ///< reads the jobs that add_jobs() wrote

void add_shared_links(RequestWriter& writer, const std::vector<SharedLink>& links);
std::vector<SharedLink> read_shared_links(RequestReader& reader);

/// Encodes times, with the number of messages as the last number.
Numbers numbers_of(SharedTimes times);
SharedTimes shared_times_of(Numbers numbers);

} // namespace ddlsim
