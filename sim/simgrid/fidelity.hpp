#pragma once
// How closely a question is run.

#include <stdexcept>
#include <string>

namespace ddlsim {

/// closed_form: formulas, exact where nothing contends; folded: what plays the same role is simulated once; full: every
/// rank and every message a SimGrid activity. Wishes beside them: automatic (exact and cheap first, then full where
/// that is affordable, else a formula whose gap is told) and quick (automatic that never runs full: for the worlds
/// behind an interval).
enum class Fidelity { automatic, quick, closed_form, folded, full };

std::string to_text(Fidelity fidelity); ///< "auto", "quick", "closed-form", "folded", "full"

/// Somebody asked for `folded` where the members of a class would not behave alike; one sentence says which do not.
struct CannotFold : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Somebody asked for `full` where it would take hours; one sentence says how many messages there are.
struct TooManyMessages : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// How a question will be run.
struct Choice {
  Fidelity fidelity = Fidelity::closed_form; ///< closed_form, folded or full
  /// A full run would take (1 + faster) to (1 + slower) times as long: 0 where the way chosen is exact, else measured
  /// on up to 64 ranks by the test named in the header of the formula.
  double faster = 0;
  double slower = 0;
  std::string why = {}; ///< "" where exact; else what makes the formula an approximation
};

} // namespace ddlsim
