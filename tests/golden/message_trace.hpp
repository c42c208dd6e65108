#pragma once
// Every message of a full run: what a timeline shows, and what a check of the simulation by hand needs. And links that
// are narrower than the rest of the program knows.

#include "sim/parameter_server/exchange.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// One message. Ranks are numbered from 0; in an exchange worker nodes are numbered from 0, and server p is nodes + p.
struct MessageSpan {
  int from = 0;
  int to = 0;
  double start_s = 0; ///< its first byte leaves
  double end_s = 0;   ///< its last byte has left; the receiver has it a latency later
};

/// The messages of one ring all-reduce, in order of their start, then of sender and receiver. Throws std::runtime_error
/// when the simulation fails.
std::vector<MessageSpan> ring_messages(const Machine& machine, double size_bytes);

/// The messages of one exchange with parameter servers, in the same order: the k-th from one to another is the k-th
/// shard of that server.
std::vector<MessageSpan> server_messages(const Machine& machine, const ServerMachine& servers,
                                         const ServerExchange& exchange);

// Changes the platforms of SimGrid behind the back of everything else.

/// While this lives, links of SimGrid's platforms whose name begins so are created with that share of their capacity.
/// Nothing else knows of it. One at a time.
class NarrowedLinks {
public:
  NarrowedLinks(std::string beginning, double share);
  ~NarrowedLinks();
  NarrowedLinks(const NarrowedLinks&) = delete;
  NarrowedLinks& operator=(const NarrowedLinks&) = delete;

  const std::string& beginning() const { return beginning_; }
  double share() const { return share_; }

private:
  std::string beginning_;
  double share_;
};

} // namespace ddlsim
