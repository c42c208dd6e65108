#pragma once
// Measured times of single GPUs as deviations from the kernel model.

#include "sim/compute/deviation.hpp"
#include "sim/compute/other_clusters.hpp"
#include "sim/formats/record.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// Where the records come from.
enum class Pool : std::uint8_t { own, borrowed, reference };

/// One measured time, or several that count as one.
struct OneGpuRow {
  TimedWorkload workload;
  double ln_deviation = 0; ///< ln(measured / kernel model)
  double variance = 0;     ///< of ln time: by how much a repeat of the run would differ
  double time_s = 0;
  double batch = 0;
  std::string gpu; ///< by its name in the catalogue if it has one
  Pool pool = Pool::reference;
  const StepRecord* record = nullptr; ///< the one in the middle
  double disagreement = 0;            ///< standard deviation of ln between records that contradict each other
};

/// One iteration of a model on one GPU.
struct OneGpuStep {
  const KernelWork& work;
  const std::string& model;
  const Gpu& gpu;
  Precision precision = Precision::fp32;
  Tf32Use tf32{};
  const std::string& stack;
  const std::string& site;
  double batch = 0;
  bool has_update = true; ///< the time includes the optimizer
  WorkSplit split{};
};

/// The same as the estimator compares it, and its time by the kernel model.
struct ModelledStep {
  TimedWorkload workload;
  double kernels_s = 0;
};

/// Turns iterations into workloads. Rates of a GPU are looked up once.
class WorkloadMaker {
public:
  /// The catalogue must outlive it.
  explicit WorkloadMaker(const OtherClusterTimes& catalogue) : catalogue_(catalogue) {}

  ModelledStep make(const OneGpuStep& step);

private:
  struct RatesKey {
    std::string gpu;
    Precision precision = {};
    Tf32Use tf32{};
    auto operator<=>(const RatesKey&) const = default;
  };
  struct KnownRates {
    StepRates rates;
    bool unknown_gpu = false;
  };
  const KnownRates& rates_of(const OneGpuStep& step);

  const OtherClusterTimes& catalogue_;
  NameNumbers names_;
  std::map<RatesKey, KnownRates> rates_;
};

/// Which parts of a record's run on that GPU used TF32.
Tf32Use tf32_of(const StepRecord& record, const Gpu& gpu);

/// Returns the family of a model, models whose times keep their ratio from GPU to GPU: "resnet", "vgg", ...,
/// "transformer" (with attention, other than BERT); the model's own name where it is in no family. Models with experts
/// are a family by the first word of their names: "mixture qwen3" of qwen3_30b_a3b_seq4096.
std::string family_of_model(const std::string& name, bool attends, bool mixes = false);

/// Returns the rows of records that one GPU made in training and that are not suspect. Of records that differ only in
/// series, software, data or synchronisation those with synthetic data count before real, unsynchronised ones before
/// synchronised, and those without servers before all others. Of what is left, the middle one counts on the question's
/// own cluster, and elsewhere the fastest, because a GPU is compared at the best its libraries reach. Records that name
/// no GPU count as `unnamed_gpu`'s; if that is "" they are left out. The records must outlive the rows.
std::vector<OneGpuRow> one_gpu_rows(WorkloadMaker& maker, const OtherClusterTimes& catalogue,
                                    const std::vector<StepRecord>& records, Pool pool, const std::string& unnamed_gpu,
                                    double repeat_difference);

} // namespace ddlsim
