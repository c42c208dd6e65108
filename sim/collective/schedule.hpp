#pragma once
// A collective as the list of every rank's messages in order, for the engine that simulates each message.

#include <vector>

namespace ddlsim {

/// A message that a rank sends. `lane` distinguishes different streams of messages between the same two ranks.
struct Send {
  int to = 0;
  int lane = 0;
  double size_bytes = 0;
  bool is_awaited = true; ///< false: the step ends without it
};

struct Receive {
  int from = 0;
  int lane = 0;
};

/// Sends and receives that start at the same time; the step ends when all are done.
struct Step {
  std::vector<Send> sends;
  std::vector<Receive> receives;
};

/// Steps of a rank, one after another. A rank may have several programs that run in parallel.
struct Program {
  int rank = 0;
  std::vector<Step> steps;
};

/// A program of the same steps `times` times, one after another; steps without messages are left out.
Program repeated(int rank, const std::vector<Step>& steps, int times);

struct Schedule {
  std::vector<Program> programs;
  /// true: a message leaves as soon as its sender has it (the receiver has a buffer for it); false: it leaves when the
  /// receiver's step has begun, too (a rendezvous).
  bool receiver_has_room = true;
};

} // namespace ddlsim
