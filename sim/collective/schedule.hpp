#pragma once
// A collective as the list of every rank's messages in order, for the engine that simulates each message.

#include <vector>

namespace ddlsim {

/// A message that a rank sends. `lane` separates streams of messages between the same two ranks.
struct Send {
  int to = 0;
  int lane = 0;
  double size_bytes = 0;
  bool is_awaited = true; ///< whether the step ends only when this message has arrived
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

/// The steps of a rank, one after another. A rank may have several programs, which run in parallel.
struct Program {
  int rank = 0;
  std::vector<Step> steps;
};

/// A program that runs the same steps `times` times. Steps without messages are left out.
Program repeated(int rank, const std::vector<Step>& steps, int times);

struct Schedule {
  std::vector<Program> programs;
  /// True: a message leaves as soon as its sender has it, because the receiver has a buffer for it. False: it also
  /// waits until the receiver's step has begun (a rendezvous).
  bool receiver_has_room = true;
};

} // namespace ddlsim
