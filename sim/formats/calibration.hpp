#pragma once
// The fitted parameters of a cluster: platforms/CLUSTER/calibration.json, written by `ddlsim calibrate`.

#include "sim/formats/batch_line.hpp"
#include "sim/formats/collective_curve.hpp"
#include "sim/formats/preset.hpp"
#include "sim/formats/prior.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

struct Cluster;

/// Version of the file format, which docs/formats.md describes. An older file is refused; the message gives the command
/// that writes it again.
inline constexpr int calibration_version = 7;

inline constexpr double ten_thousand = 1e4; ///< correlations and residuals are stored as whole numbers of 1/10,000

/// Number of posterior draws that a fit compares with the cluster's own measurements.
inline constexpr int posterior_draw_count = 128;

/// The cases to which a calibrated parameter applies; an empty text or 0 applies to all.
struct CalibrationScope {
  std::string transport;
  std::string preset;
  std::optional<Precision> precision;
  std::string model;
  double batch_per_gpu = 0;
  /// One-GPU time to which a compute factor, or the residuals of a series, belong. They do not apply to another one-GPU
  /// time.
  double one_gpu_s = 0;
  std::string evidence{}; ///< origin of the one-GPU times: the name of its prior, compute_estimated

  bool operator==(const CalibrationScope&) const = default;
};

/// True when every field that `scope` sets is the same in `asked`; one-GPU times may differ by 1e-6 of their value.
bool covers(const CalibrationScope& scope, const CalibrationScope& asked);

/// One parameter after the fit, as a z-score of its prior. The prior itself has z-score 0 with standard deviation 1.
struct CalibratedParameter {
  std::string name; ///< name in priors.json
  CalibrationScope scope;
  Prior prior;
  double z_score = 0;
  double error = 1;        ///< standard deviation of the z-score
  bool identified = false; ///< whether the evidence narrowed it
  int points = 0;          ///< measured points that may depend on it
  int borrowed_points = 0; ///< number of these points that were measured on other clusters
};

/// One point of a measured series: its residual from the fitted model. Residuals at other scales are estimated from
/// these.
struct CalibratedPoint {
  int gpus = 1;
  int nodes = 1;
  double residual = 0; ///< ln(measured / model)
  double noise = 0;    ///< standard deviation of the measurement's ln
  bool excluded = false;
};
struct CalibratedSeries {
  std::string id;
  CalibrationScope scope;
  std::string strategy;  ///< the text of to_text(Strategy), or the strategy's name
  double spread = 0;     ///< standard deviation of the part that no parameter explains
  bool borrowed = false; ///< whether the series was measured on another cluster
  std::vector<CalibratedPoint> points;
};

/// The likeliest choice, for one stack, among those that its preset leaves open.
struct CalibratedChoice {
  CalibrationScope scope;
  bool servers = false; ///< true: the rule that places tensors on servers; false: the all-reduce algorithm
  std::string name;
};

/// Evidence that was not used or contradicts itself, listed for a user to check.
struct Excluded {
  std::string what;
  std::string why;
};

/// Error of the fitted model, as |ln(model / measured)|.
struct CalibrationQuality {
  int points = 0;
  double fit_error = 0;           ///< mean over the fitted points
  double leave_one_out_error = 0; ///< mean over the points, each series from all others; 0: not computed
  int leave_one_out_points = 0;
  double unmeasured_model_error = 0; ///< root mean square over models, each predicted by a fit without its series
  int unmeasured_models = 0;         ///< number of these models; 0: fewer than two were measured here
};

struct Calibration {
  std::string cluster;
  std::string version;            ///< version of ddlsim
  std::string inputs;             ///< checksum of all that the fit read and of the model's source code
  std::vector<std::string> files; ///< measurement files, "CLUSTER/FILE fnv1a"
  std::vector<CalibratedParameter> parameters;
  /// correlations between the parameters, lower triangle by rows: row i has i entries
  std::vector<std::vector<double>> correlation;
  /// Positions, ascending, of the draws in all_posterior_draws() that the cluster's own measurements contradict.
  std::vector<int> contradicted_draws;
  std::vector<CalibratedChoice> choices;
  std::vector<CalibratedSeries> series;
  std::vector<CollectiveCurve> collectives; ///< measured all-reduces and messages over size
  std::vector<BatchLine> compute;           ///< one GPU's iteration over batch
  std::vector<Excluded> excluded;
  CalibrationQuality quality;
};

/// Throws UserError with every mistake of the file. For an older format version the message gives the command that
/// writes the file again.
Calibration read_calibration(const std::filesystem::path& file);
std::string calibration_json(const Calibration& calibration);

/// Returns the calibration as it would be read back from its file, with only the digits that calibration_json() writes.
Calibration as_written(const Calibration& calibration);

// Inputs of a calibration's fit.

/// Names the clusters whose measurements a fit reads: the cluster itself, and those from which it borrows or transfers
/// steps.
std::vector<std::string> fitted_clusters(const Cluster& cluster);

/// Returns "CLUSTER/FILE fnv1a" for a file of records.
std::string records_checksum(const std::string& cluster, const std::filesystem::path& file);

/// Removes from the calibration of cluster `fitted` what was measured on hardware that differs in `asked`, the machine
/// of a plan or a diagnosis; priors apply in its place. Each changed part removes:
///   the GPU           compute factors, and the share of forward
///   paths in a node   the paths, everything about shm, and the residuals of every series
///   a NIC, the fabric everything about the transports concerned, with their residuals
/// A borrowed point was measured on its own cluster's hardware and stays. Returns a sentence on what was removed; ""
/// when the hardware is the same.
std::string forget_other_machine(Calibration& calibration, const Cluster& fitted, const Cluster& asked);

} // namespace ddlsim
