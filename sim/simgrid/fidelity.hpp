#pragma once
// How closely a scenario is simulated, and by which engine.

#include <stdexcept>
#include <string>
#include <vector>

namespace ddlsim {

/// The fidelity that a user requests (`--fidelity`). By default SimGrid computes the number that is shown, in about a
/// second. `formula` uses the closed forms throughout, as the samples behind an interval and every search do. With
/// `full` SimGrid runs every rank and every message, up to about a minute.
enum class Fidelity { by_default, formula, full };

/// The engine that timed the communication: the closed forms, SimGrid with one member of each class of ranks or
/// connections that behave alike, or SimGrid with every message.
enum class Engine { formula, classes, full };

std::string to_text(Engine engine); ///< "formula", "classes", "full"

/// Thrown when a run by classes was requested where the members of a class would not behave alike, or where almost
/// every class has one member. The message is one sentence that says which.
struct NoSymmetry : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Thrown when `full` was requested for more messages than take about a minute. The message is one sentence with their
/// number.
struct TooManyMessages : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Times of several operations in seconds, and the number of messages that SimGrid ran for them.
struct SimulatedTimes {
  std::vector<double> times_s;
  double messages = 0;
};

/// The engine that runs a scenario, and how close it is to a run of every message.
struct Choice {
  Engine engine = Engine::classes;
  bool is_exact = true; ///< the time equals that of a run of every message, to 1e-6
  /// Why SimGrid did not give the number although it was requested, or what SimGrid simplifies; "" where neither is the
  /// case.
  std::string why{};
};

} // namespace ddlsim
