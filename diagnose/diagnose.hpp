#pragma once
// `ddlsim diagnose`: is what was measured what a healthy cluster does, and if not, what explains it best?

#include "diagnose/fault.hpp"
#include "diagnose/observation.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// One observation beside what was to be expected.
struct Judged {
  Observation observed;
  IterationTime expected; ///< with its 90 % interval
};

/// One cause, and how much slower what it acts on must be.
struct Cause {
  FaultRow row;
  double chance = 0;   ///< of all causes here, "none of these" among them
  double severity = 1; ///< the median, and 90 % of it; 1 where the fault is there or is not
  double severity_low = 1;
  double severity_high = 1;
  const Curve* curve = nullptr; ///< as in FaultKind
};

/// The measurement that tells two causes apart best.
struct TellingMeasurement {
  Observation point; ///< time_s is 0: nobody measured it
  std::string first; ///< names of the causes
  std::string second;
  double first_s = 0;  ///< to be expected with the first cause
  double second_s = 0; ///< with the second
};

enum class Verdict { normal, better, ill };

struct Diagnosis {
  std::string headline; ///< what was run, on what
  std::string question; ///< strategy, cluster, preset and transport by name
  std::vector<Judged> points;
  double chance_if_healthy = 1; ///< that a healthy cluster looks as ill as this, or worse
  Verdict verdict = Verdict::normal;
  std::vector<Cause> causes;                    ///< the likeliest first, where it is ill; else all the same
  std::optional<Cause> gain;                    ///< what explains better times than expected, where something does
  std::optional<TellingMeasurement> tell_apart; ///< the first two, where a measurement can
  std::vector<std::string> warnings;
};

struct DiagnosisOptions {
  double level = 0.05; ///< below this chance it is not normal: so often a healthy cluster is called ill
  std::uint64_t seed = 1;
  int healthy_draws = 999; ///< healthy observations that the evidence is compared with
};

/// One time for each point: the median where there are several.
std::vector<Observation> merged(const std::vector<Observation>& observations);

/// What the scenario's first strategy is to do, against what was observed.
///
/// 1. Samples of the parameters, as predict draws them, say what healthy times are; what no parameter explains, and the
///    noise of a measurement, spread about them, with heavy tails.
/// 2. Each fault is put into the same samples, at all its severities, equally likely in their logarithm.
/// 3. A fault explains the observations as well as the mean likelihood over its samples and severities says. "None of
///    these", where each time has a factor of its own, is one of them. All together, over that of health, are the
///    evidence of illness.
/// 4. Healthy observations drawn by 1 have such an evidence, too: the share of them that is as large is the chance.
///    Times below the usual one count as usual there: faster is normal.
///
/// Throws UserError without observations, or where a point cannot be.
Diagnosis diagnose(const Curve& curve, const std::vector<Observation>& observations, const DiagnosisOptions& options,
                   const OtherCurves& others = {});

/// Of iterations and of all-reduces of 16 MiB, on one GPU, on one node and on as many GPUs as were observed: the point
/// where the two causes differ most, in standard deviations of what is not known of it; nothing where that is less than
/// one.
std::optional<TellingMeasurement> telling_measurement(const Curve& curve, const Cause& first, const Cause& second,
                                                      const std::vector<Observation>& observed);

/// The first screen, 80 columns: the verdict in words, a chart of some points, causes with their chances, what to run
/// next. `not_normal`: exit code that it mentions.
std::string to_screen_text(const Diagnosis& diagnosis);

/// The same, then every point beside what was expected, and every cause with where to look.
std::string to_details_text(const Diagnosis& diagnosis);

/// {"format": "ddlsim-diagnosis", "version": 2, ...}, SI units; same diagnosis, same bytes.
std::string to_json_text(const Diagnosis& diagnosis);

} // namespace ddlsim
