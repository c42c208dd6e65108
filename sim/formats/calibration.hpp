#pragma once
// What measurements taught of a cluster: platforms/CLUSTER/calibration.json, written by `ddlsim calibrate`.

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

/// Of the file's format; docs/formats.md describes it. An older file is refused with the command that writes it again.
inline constexpr int calibration_version = 7;

inline constexpr double ten_thousand = 1e4; ///< a file states correlations and residuals in whole numbers, so many to 1

/// Draws of the parameters behind an interval that a fit holds against the cluster's own measurements.
inline constexpr int posterior_draw_count = 128;

/// What a calibrated parameter holds for; an empty text or 0 holds for all.
struct CalibrationScope {
  std::string transport;
  std::string preset;
  std::optional<Precision> precision;
  std::string model;
  double batch_per_gpu = 0;
  /// The one-GPU time that a compute factor multiplies, and that a series' residuals go with: on another it says
  /// nothing.
  double one_gpu_s = 0;
  std::string evidence{}; ///< what one-GPU times come from: the name of its prior, compute_other_gpus

  bool operator==(const CalibrationScope&) const = default;
};

/// True where every field that `scope` names is the same in `asked`; one-GPU times to 1e-6 of them.
bool covers(const CalibrationScope& scope, const CalibrationScope& asked);

/// One parameter after the fit, as a z-score of its prior: the prior is 0 with error 1.
struct CalibratedParameter {
  std::string name; ///< as in priors.json
  CalibrationScope scope;
  Prior prior;
  double z_score = 0;
  double error = 1;        ///< standard deviation of the z-score
  bool identified = false; ///< the evidence narrowed it
  int points = 0;          ///< measured points that may depend on it
  int borrowed_points = 0; ///< of them, measured on other clusters
};

/// One measured series: how far its points are from the fitted model, from which other scales are estimated.
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
  std::string strategy;  ///< as to_text(Strategy) writes it, or the strategy's name
  double spread = 0;     ///< standard deviation of what no parameter explains
  bool borrowed = false; ///< measured on another cluster
  std::vector<CalibratedPoint> points;
};

/// What a stack's library does, of the things its preset allows: the likeliest.
struct CalibratedChoice {
  CalibrationScope scope;
  bool servers = false; ///< how tensors are placed on servers; else which all-reduce runs
  std::string name;
};

/// Evidence that was not used, or that contradicts itself, for a person to look at.
struct Excluded {
  std::string what;
  std::string why;
};

/// How far the fitted model is off, as |ln(model / measured)|.
struct CalibrationQuality {
  int points = 0;
  double fit_error = 0;           ///< mean of the fitted points
  double leave_one_out_error = 0; ///< mean of each series' points, predicted from all other series; 0: not computed
  int leave_one_out_points = 0;
  double unmeasured_model_error = 0; ///< root mean square over models, each predicted by a fit without its series
  int unmeasured_models = 0;         ///< so many; 0 where fewer than two were measured here
};

struct Calibration {
  std::string cluster;
  std::string version;            ///< of ddlsim
  std::string inputs;             ///< checksum of all that the fit read, and of the model's sources
  std::vector<std::string> files; ///< measurement files, "CLUSTER/FILE fnv1a"
  std::vector<CalibratedParameter> parameters;
  std::vector<std::vector<double>> correlation; ///< of the parameters, lower triangle by rows: row i has i entries
  /// Of posterior_draws(), by position in ascending order: those that the cluster's own measurements contradict.
  std::vector<int> contradicted_draws;
  std::vector<CalibratedChoice> choices;
  std::vector<CalibratedSeries> series;
  std::vector<CollectiveCurve> collectives; ///< measured all-reduces and messages over size
  std::vector<BatchLine> compute;           ///< one GPU's iteration over batch
  std::vector<Excluded> excluded;
  CalibrationQuality quality;
};

/// Throws UserError with every mistake of the file; of an older format version, with the command that writes it anew.
Calibration read_calibration(const std::filesystem::path& file);
std::string calibration_json(const Calibration& calibration);

/// The calibration as its file says it: with the digits that calibration_json() writes and no more.
Calibration as_written(const Calibration& calibration);

// What a calibration was fitted on.

/// Whose measurements a fit of the cluster reads: its own, and those of the clusters that it borrows steps or transfers
/// from; by name.
std::vector<std::string> fitted_clusters(const Cluster& cluster);

/// "CLUSTER/FILE fnv1a" of one file of records.
std::string records_checksum(const std::string& cluster, const std::filesystem::path& file);

/// Takes out of a calibration of the cluster `fitted` what was measured on a machine that is another one in `asked`, as
/// a plan or a diagnosis asks for one: priors hold for it.
///   the GPU       compute factors, and the share of forward
///   inside a node the paths there, all that was learnt of shm, and every series' residuals
///   a NIC, or the fabric: all that was learnt over the transports concerned, with their residuals
/// A borrowed point is measured on its own cluster's machine, and stays.
/// Returns a sentence on what was taken out; "" where the machine is the same.
std::string forget_other_machine(Calibration& calibration, const Cluster& fitted, const Cluster& asked);

} // namespace ddlsim
