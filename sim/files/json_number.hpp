#pragma once

namespace ddlsim {

/// The number rounded to 9 significant digits, so that a JSON writer prints those and no more: same bytes on every
/// machine.
double nine_digits(double value);

} // namespace ddlsim
