#pragma once
// A diagnosis as text for people and as JSON for programs.

#include "diagnose/diagnose.hpp"
#include "sim/formats/file_formats.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Returns the first screen, 80 columns wide: the verdict in words, a chart of some points, causes with their chances,
/// what to run next.
std::string to_screen_text(const Diagnosis& diagnosis);

/// The sentences of that screen; "" where one does not apply.
struct DiagnosisScreen {
  std::string verdict;
  std::string better;   ///< what fits times that are better than expected
  std::string run_next; ///< "Run next: ...", where the cluster is not normal
};

DiagnosisScreen screen_sentences(const Diagnosis& diagnosis);

/// Returns the first screen, then every point with its expected time, and every cause with what to check.
std::string to_details_text(const Diagnosis& diagnosis);

/// JSON with the keys that `ddlsim schema diagnosis` lists, in SI units. The same diagnosis gives the same bytes.
std::string to_json_text(const Diagnosis& diagnosis);
FileFormat diagnosis_format();

} // namespace ddlsim
