#pragma once
// A diagnosis for a person and for a machine.

#include "diagnose/diagnose.hpp"

#include <string>

namespace ddlsim {

/// The verdict, the likeliest causes where it is not normal, what to look at; then every point beside what was expected.
std::string to_terminal_text(const Diagnosis& diagnosis);

/// {"format": "ddlsim-diagnosis", "version": 1, ...}, SI units; same diagnosis, same bytes.
std::string to_json_text(const Diagnosis& diagnosis);

} // namespace ddlsim
