#pragma once
// A collective as every rank's messages in order, for the engine that simulates each of them.

#include <vector>

namespace ddlsim {

/// `lane` tells messages of the same two ranks apart that belong to different streams.
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

/// Sends and receives that go together; the step ends when all are done.
struct Step {
  std::vector<Send> sends;
  std::vector<Receive> receives;
};

/// Steps of a rank one after another. A rank may have several programs that run beside each other.
struct Program {
  int rank = 0;
  std::vector<Step> steps;
};

/// The same steps so many times, one after another; steps without messages are left out.
Program repeated(int rank, const std::vector<Step>& steps, int times);

struct Schedule {
  std::vector<Program> programs;
  /// true: a message flows as soon as its sender has it (the receiver keeps room for it); false: when the receiver's
  /// step has begun too (a rendezvous).
  bool receiver_has_room = true;
};

} // namespace ddlsim
