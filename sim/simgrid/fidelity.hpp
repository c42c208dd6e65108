#pragma once
// How closely a question is run, and by which engine.

#include <stdexcept>
#include <string>
#include <vector>

namespace ddlsim {

/// What a user asks for (`--fidelity`). By default SimGrid gives the number that is shown, in about a second. `formula`
/// takes the closed forms throughout, as the samples behind an interval and every search do. `full` has SimGrid run
/// every rank and every message, up to about a minute.
enum class Fidelity { by_default, formula, full };

/// What timed the communication: the closed forms, SimGrid with one of each class of ranks or connections that behave
/// alike, or SimGrid with every message.
enum class Engine { formula, classes, full };

std::string to_text(Engine engine); ///< "formula", "classes", "full"

/// One of each class was asked for where the members of a class would not behave alike, or where hardly any are alike;
/// one sentence says which.
struct NoSymmetry : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// `full` was requested beyond what takes about a minute; one sentence with the number of messages.
struct TooManyMessages : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Times of several operations, seconds, and how many messages SimGrid ran for them.
struct SimulatedTimes {
  std::vector<double> times_s;
  double messages = 0;
};

/// Which engine runs a question.
struct Choice {
  Engine engine = Engine::classes;
  bool is_exact = true; ///< a run of every message takes as long, to 1e-6
  /// Why the number is not SimGrid's although that was asked for, or what SimGrid simplifies; "" where neither.
  std::string why{};
};

} // namespace ddlsim
