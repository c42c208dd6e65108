#pragma once
// How closely a question is run.

#include <stdexcept>
#include <string>
#include <vector>

namespace ddlsim {

/// How communication is run. On SimGrid: full, every rank and every message; by_symmetry, what plays the same role
/// once. Without it: closed_form, formulas; reduced, own simulations of classes that share links by our own max-min
/// solver. Two more are requests: screening, the quicker of the last two, for the samples behind an interval and for
/// searches; automatic, by_symmetry where that is exact, else full where that is affordable, else by_symmetry with its
/// gap where ranks are almost alike (a double tree), else screening with its gap.
enum class Fidelity { automatic, screening, closed_form, reduced, by_symmetry, full };

std::string to_text(Fidelity fidelity); ///< "auto", "by-symmetry", "full"; "screening" for what runs without SimGrid

/// `by_symmetry` was requested where the members of a class would not behave alike, or where hardly any are alike; one
/// sentence says which.
struct NoSymmetry : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// `full` was requested where it would take hours; one sentence with the number of messages.
struct TooManyMessages : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Times of several operations, seconds, and how many messages SimGrid ran for them.
struct SimulatedTimes {
  std::vector<double> times_s;
  double messages = 0;
};

/// How a question will be run.
struct Choice {
  Fidelity fidelity = Fidelity::by_symmetry; ///< closed_form, reduced, by_symmetry or full
  /// A full run would take (1 + faster) to (1 + slower) times as long: 0 where the way chosen is exact, else measured
  /// on up to 64 ranks by the test named in the header of the formula.
  double faster = 0;
  double slower = 0;
  std::string why = {}; ///< "" on SimGrid; else why not, and what makes the formula an approximation
};

} // namespace ddlsim
