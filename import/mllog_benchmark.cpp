// The rules are those of mlcommons/logging mlperf_logging/compliance_checker. Other events that are printed are those
// of the submissions' code in mlcommons/training_results_* and of the references in mlcommons/training and
// mlcommons/hpc.
#include "import/mllog_benchmark.hpp"

namespace ddlsim {
namespace {

constexpr const char* of_games = "minigo counts games and moves, which are no samples of a fixed size";
constexpr const char* of_words = "its batch counts words, its epochs sentences";

constexpr MlBenchmark ml_benchmarks[] = {
    {"resnet", "images", MlCount::epochs, false, false, ""},
    {"ssd", "images", MlCount::epochs, false, false, ""},
    {"retinanet", "images", MlCount::epochs, false, false, ""},
    {"maskrcnn", "images", MlCount::epochs, false, false, ""},
    {"unet3d", "volumes", MlCount::epochs_or_samples, false, false, ""},
    {"bert", "sequences", MlCount::samples, false, false, ""},
    {"gpt3", "sequences", MlCount::tokens, true, true, ""},
    {"llama2_70b_lora", "sequences", MlCount::samples, false, false, ""},
    {"llama31_8b", "sequences", MlCount::samples, false, false, ""},
    {"llama31_405b", "sequences", MlCount::samples, false, false, ""},
    {"gpt_oss_20b", "sequences", MlCount::samples, false, false, ""},
    {"deepseekv3_671b", "sequences", MlCount::samples, false, false, ""},
    {"stable_diffusion", "images", MlCount::samples, false, false, ""},
    {"flux1", "images", MlCount::samples, false, false, ""},
    {"dlrm", "clicks", MlCount::share_of_epoch, false, true, ""},
    {"dlrm_dcnv2", "clicks", MlCount::share_of_epoch, false, true, ""},
    {"gnn", "nodes", MlCount::share_of_epoch, false, false, ""},
    {"rgat", "nodes", MlCount::share_of_epoch, false, false, ""},
    {"rnnt", "utterances", MlCount::epochs, false, false, ""},
    {"ncf", "pairs of user and item", MlCount::epochs, false, false, ""},
    {"gnmt", "sentences", MlCount::epochs, false, false, ""},
    {"transformer", "sentences", MlCount::epochs, false, false, of_words},
    {"minigo", "moves", MlCount::epochs, false, false, of_games},
    {"cosmoflow", "volumes", MlCount::epochs, false, false, ""},
    {"deepcam", "images", MlCount::epochs, false, false, ""},
    {"oc20", "structures", MlCount::epochs, false, false, ""},
    {"openfold", "proteins", MlCount::epochs, false, false, ""},
};

constexpr MlBenchmark any_benchmark{"", "samples", MlCount::epochs, false, false, ""};

} // namespace

const MlBenchmark& ml_benchmark(std::string_view name) {
  for (const auto& row : ml_benchmarks)
    if (name == row.name) return row;
  return any_benchmark;
}

} // namespace ddlsim
