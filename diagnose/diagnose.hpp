#pragma once
// `ddlsim diagnose`: is what was measured what a healthy cluster does, and if not, what explains it best?

#include "sim/predict/collectives.hpp"
#include "sim/predict/prediction.hpp"
#include "sim/predict/scaling_curve.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

// What can make a healthy cluster slow, one row a fault: where it acts in the model, and what a person looks at.

enum class Fault { link, host, gpu, inside, latency, loader, storage, server };

/// A question with a fault in it.
struct FaultySetup {
  StepSetup setup;
  Parameters sample;
};

struct FaultKind {
  Fault fault;
  const char* name;      ///< in JSON
  const char* what;      ///< in a sentence: "the network of a node"
  const char* look_at;   ///< what to do about it
  bool slows_all_reduce; ///< of a benchmark of all-reduces, too
  /// Puts it in: what it acts on is `severity` times as slow. `healthy_sample_s`: seconds a GPU takes for one sample,
  /// likeliest.
  void (*put)(double severity, double healthy_sample_s, FaultySetup& one);
};

/// All of them, but those that cannot act: servers' without servers, a network's on one node.
std::vector<FaultKind> possible_faults(const StepSetup& setup, int largest_gpus);

enum class Observed { iteration, all_reduce };

/// What a person measured on a cluster and wants judged: the time of an iteration or of an all-reduce.
struct Observation {
  Observed what = Observed::iteration;
  int gpus = 1;
  double size_bytes = 0; ///< of an all-reduce
  double time_s = 0;
  std::string where{}; ///< file and line, or the option it was given by
};

/// One observation beside what was to be expected.
struct Judged {
  Observation observed;
  IterationTime expected; ///< with its 90 % interval
};

/// One cause, and how much slower what it acts on must be.
struct Cause {
  FaultKind kind;
  double chance = 0;   ///< of all causes here, equally likely before the measurement
  double severity = 1; ///< times as slow: the mean of ln, and 90 % of it
  double severity_low = 1;
  double severity_high = 1;
};

/// The measurement that tells two causes apart best.
struct TellingMeasurement {
  Observation point;   ///< time_s is 0: nobody measured it
  double first_s = 0;  ///< to be expected with the first cause
  double second_s = 0; ///< with the second
};

struct Diagnosis {
  std::string question; ///< scenario, strategy and transport in words
  std::vector<Judged> points;
  double chance_if_healthy = 1; ///< that a healthy cluster looks as ill as this, or worse
  bool is_normal = true;
  std::vector<Cause> causes;                    ///< the likeliest first; none where it is normal
  std::optional<TellingMeasurement> tell_apart; ///< the first two, where a measurement can
  std::vector<std::string> warnings;
};

struct DiagnosisOptions {
  double level = 0.05; ///< below this chance it is not normal: so often a healthy cluster is called ill
  std::uint64_t seed = 1;
  int healthy_draws = 999; ///< healthy observations that the evidence is compared with
};

/// What the scenario's first strategy is to do, against what was observed; several times of one point become their
/// median.
///
/// 1. Samples of the parameters, as predict draws them, say what healthy times are; what no parameter explains, and the
///    noise of a measurement, spread about them.
/// 2. Each fault is put into the same samples, at severities from 1.1 to 8, equally likely in their logarithm.
/// 3. A fault explains the observations as well as the mean likelihood over its samples and severities says. All
///    faults' together, over that of health, is the evidence of illness.
/// 4. Healthy observations drawn by 1 have such an evidence, too: the share of them that is as large is the chance.
///
/// Throws UserError without observations, or where a point cannot be.
Diagnosis diagnose(const Curve& curve, const std::vector<Observation>& observations, const DiagnosisOptions& options);

/// Of iterations and of all-reduces of 16 MiB, on one GPU, on one node and on as many GPUs as were observed: the point
/// where the two causes differ most, in standard deviations of what is not known of it; nothing where that is less than
/// one.
std::optional<TellingMeasurement> telling_measurement(const Curve& curve, const Cause& first, const Cause& second,
                                                      const std::vector<Observation>& observed);

/// The verdict, the likeliest causes where it is not normal, what to look at; then every point beside what was
/// expected.
std::string to_terminal_text(const Diagnosis& diagnosis);

/// {"format": "ddlsim-diagnosis", "version": 1, ...}, SI units; same diagnosis, same bytes.
std::string to_json_text(const Diagnosis& diagnosis);

} // namespace ddlsim
