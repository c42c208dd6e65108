#pragma once
// A diagnosis for a person and for a machine.

#include "diagnose/diagnose.hpp"

#include <string>

namespace ddlsim {

/// The first screen, 80 columns: the verdict in words, a chart of some points, causes with their chances, what to run
/// next.
std::string to_screen_text(const Diagnosis& diagnosis);

/// The same; then every point with its expected time, and every cause with where to look.
std::string to_details_text(const Diagnosis& diagnosis);

/// {"format": "ddlsim-diagnosis", "version": 2, ...}, SI units; same diagnosis, same bytes.
std::string to_json_text(const Diagnosis& diagnosis);

} // namespace ddlsim
