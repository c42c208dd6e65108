#pragma once
// A small invented cluster with three series measured on it, whose parameters a test may plant.

#include "calibrate/data/series.hpp"
#include "calibrate/fit/calibrate.hpp"
#include "calibrate/fit/free_parameters.hpp"
#include "sim/predict/residual_process.hpp"
#include "tests/calibrate/planted_curve.hpp"
#include "tests/formats/plain_records.hpp"

#include <Eigen/Cholesky>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace ddlsim_test {

/// `layers` equal layers with one tensor each.
inline ddlsim::Model planted_model(const std::string& name, int layers, double forward_flop_per_sample,
                                   long parameters) {
  ddlsim::Model model;
  model.name = name;
  model.parameters = static_cast<double>(parameters);
  const long parameters_of_layer = parameters / layers;
  const double size_bytes = 4.0 * static_cast<double>(parameters_of_layer);
  for (int i = 0; i < layers; ++i) {
    const std::string layer = "layer" + std::to_string(i);
    model.layers.push_back({layer,
                            "linear",
                            forward_flop_per_sample / layers,
                            1e5,
                            {{layer + ".weight", {parameters_of_layer}, size_bytes}}});
  }
  return model;
}

/// Nodes of four GPUs on one switch at 1.25 GB/s: communication is a fifth to a half of an iteration across nodes. The
/// priors are the shipped ones.
inline ddlsim::ReferenceData planted_reference() {
  ddlsim::ReferenceData reference;
  ddlsim::Gpu gpu;
  gpu.name = "G";
  gpu.peak_flop_per_s = {{ddlsim::ArithmeticUnit::fp32, 1.5e13}};
  gpu.memory_bandwidth_Bps = 9e11;
  reference.gpus = {gpu};
  ddlsim::Cluster cluster;
  cluster.name = "planted";
  cluster.gpu = "G";
  cluster.gpus_per_node = 4;
  cluster.intra = {ddlsim::IntraKind::pcie_tree, 6e9, 1e-5};
  cluster.nics = {{"nic", 1.25e9, 1}};
  cluster.fabric = {ddlsim::FabricKind::star, 0, 1, 0};
  cluster.transports = {{"nccl-ib", "nic"}, {"mpi-ib", "nic"}};
  cluster.available_nodes = 8;
  reference.clusters.emplace("planted", cluster);
  ddlsim::Preset preset;
  preset.name = "pytorch-ddp";
  preset.grouping = ddlsim::Grouping::buckets;
  preset.first_bucket_bytes = 1e6;
  preset.bucket_bytes = 25e6;
  preset.library = ddlsim::Library::nccl;
  preset.libraries = {{{ddlsim::CollectiveLibrary::nccl, 2, 3, 0}, 1}}; // rings
  preset.shardings = {{"bytes", 1}};
  preset.transports = {"nccl-ib", "mpi-ib", "shm"};
  reference.presets = {preset};
  reference.priors = ddlsim::load_priors({DDLSIM_SOURCE_DIR});
  reference.models.emplace("small", planted_model("small", 4, 4e9, 8'000'000));
  reference.models.emplace("middle", planted_model("middle", 5, 8e9, 25'000'000));
  reference.models.emplace("large", planted_model("large", 6, 1.2e10, 60'000'000));
  return reference;
}

/// The z-score where a prior ends; what lies above counts there.
inline double highest_z(const ddlsim::Prior& prior) {
  if (!prior.highest) return std::numeric_limits<double>::infinity();
  return std::log(*prior.highest / prior.median) / prior.width;
}

struct PlantedScale {
  int gpus;
  int nodes;
};
inline const std::vector<PlantedScale>& planted_scales() {
  static const std::vector<PlantedScale> scales{{1, 1}, {2, 1}, {4, 1}, {8, 2}, {16, 4}, {32, 8}};
  return scales;
}

inline ddlsim::StepRecord planted_record(const std::string& model, int gpus, int nodes, double iteration_s) {
  auto record = ddlsim::test::plain_step(model + "-ddp", gpus, nodes, iteration_s);
  record.model = model;
  return record;
}

/// One GPU without synchronisation: what compute is scaled to.
inline double planted_one_gpu_s(const std::string& model) {
  return model == "small" ? 0.05 : model == "middle" ? 0.12 : 0.2;
}

/// Records of one model at all scales; `times_s` in the order of planted_scales().
inline std::vector<ddlsim::Record> planted_records(const std::string& model, const std::vector<double>& times_s) {
  auto alone = planted_record(model, 1, 1, planted_one_gpu_s(model));
  alone.synchronised = false;
  std::vector<ddlsim::Record> records{alone};
  for (std::size_t i = 0; i < times_s.size(); ++i) {
    const auto& scale = planted_scales()[i];
    records.emplace_back(planted_record(model, scale.gpus, scale.nodes, times_s[i]));
  }
  return records;
}

inline ddlsim::MeasurementFile planted_file(std::vector<ddlsim::Record> records) {
  ddlsim::MeasurementFile file;
  file.file = "planted.jsonl";
  file.context.cluster = "planted";
  file.records = std::move(records);
  return file;
}

/// Series of the models as the fit sees them; the times are to be planted.
inline std::vector<ddlsim::SeriesData> planted_data(const ddlsim::ReferenceData& reference,
                                                    const std::vector<std::string>& models) {
  std::vector<ddlsim::SeriesData> all;
  const std::vector<double> times_s(planted_scales().size(), 1.0);
  for (const auto& model : models) {
    const std::vector<ddlsim::MeasurementFile> files{planted_file(planted_records(model, times_s))};
    const auto one_gpu_times = ddlsim::one_gpu_times_of(reference, reference.clusters.at("planted"), files);
    for (const auto& series : ddlsim::group_series(files))
      all.push_back(*ddlsim::series_data(reference, ddlsim::priors_for(reference.priors), series, *one_gpu_times));
  }
  return all;
}

/// z-scores from the priors, times from the model in that sample, off by what the residual process and the
/// measurement's own noise draw.
inline std::vector<double> plant(std::vector<ddlsim::SeriesData>& series, const ddlsim::ResidualProcess& process,
                                 Normals& normal) {
  const auto free_parameters = ddlsim::find_free_parameters(series);
  std::vector<double> truth(free_parameters.all.size());
  for (auto& z_score : truth) z_score = normal();
  for (std::size_t s = 0; s < series.size(); ++s) {
    auto& points = series[s].points;
    const auto sample = ddlsim::sample_at(free_parameters, series[s], s, truth);
    const auto count = static_cast<Eigen::Index>(points.size());
    Eigen::MatrixXd among(count, count);
    Eigen::VectorXd drawn(count);
    for (Eigen::Index i = 0; i < count; ++i) {
      const auto& a = points[static_cast<std::size_t>(i)];
      for (Eigen::Index j = 0; j < count; ++j) {
        const auto& b = points[static_cast<std::size_t>(j)];
        among(i, j) = covariance(process, {a.gpus, a.nodes}, {b.gpus, b.nodes});
      }
      among(i, i) += a.noise * a.noise;
      drawn(i) = normal();
    }
    const Eigen::LLT<Eigen::MatrixXd> factor(among);
    const Eigen::VectorXd off = factor.matrixL() * drawn;
    for (Eigen::Index i = 0; i < count; ++i) {
      auto& point = points[static_cast<std::size_t>(i)];
      point.measured_s = ddlsim::model_time_s(series[s], point, sample) * std::exp(off(i));
    }
  }
  return truth;
}

} // namespace ddlsim_test
