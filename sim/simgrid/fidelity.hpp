#pragma once
// How closely a question is run.

#include <stdexcept>
#include <string>

namespace ddlsim {

/// How communication is run: closed_form by formulas, exact where nothing contends; reduced: what plays the same role
/// is simulated once; full: every rank and every message is a SimGrid activity. Two more are requests: automatic (exact
/// and cheap first, then full where that is affordable, else a formula with its gap) and screening (automatic that
/// never runs full: for the samples behind an interval).
enum class Fidelity { automatic, screening, closed_form, reduced, full };

std::string to_text(Fidelity fidelity); ///< "auto", "screening", "closed-form", "reduced", "full"

/// `reduced` was requested where the members of a class would not behave alike; one sentence names those that do not.
struct CannotReduce : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// `full` was requested where it would take hours; one sentence with the number of messages.
struct TooManyMessages : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// How a question will be run.
struct Choice {
  Fidelity fidelity = Fidelity::closed_form; ///< closed_form, reduced or full
  /// A full run would take (1 + faster) to (1 + slower) times as long: 0 where the way chosen is exact, else measured
  /// on up to 64 ranks by the test named in the header of the formula.
  double faster = 0;
  double slower = 0;
  std::string why = {}; ///< "" where exact; else what makes the formula an approximation
};

} // namespace ddlsim
