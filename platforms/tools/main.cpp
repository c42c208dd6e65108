// ddlsim-prior-widths: how wide the priors of a one-GPU time in platforms/priors.json should be, from the shipped
// records; and how well the program knows a GPU that nobody measured.

#include "platforms/tools/one_gpu_score.hpp"
#include "platforms/tools/prior_widths.hpp"
#include "sim/base/error.hpp"

#include <CLI/CLI.hpp>

#include <iostream>

namespace {

void show_hidden(const ddlsim::ComputeRecords& records, const std::vector<ddlsim::Prior>& priors,
                 ddlsim::Estimator estimator, bool as_csv) {
  const auto times = hide_each_gpu(records, priors, ddlsim::Hidden::gpu, estimator);
  if (as_csv) {
    std::cout << to_csv(times);
    return;
  }
  std::cout << "Every record of the GPU is hidden\n"
            << to_text(times) << "\nSo are those of all GPUs of its compute capability\n"
            << to_text(hide_each_gpu(records, priors, ddlsim::Hidden::architecture, estimator));
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app("Measure, by leaving one out over the shipped one-GPU records, how wide the priors of a one-GPU time "
               "should be");
  std::string folder = ".";
  bool single_gpu_only = false;
  app.add_option("--data", folder, "Folder with platforms/ and scenarios/")->capture_default_str();
  app.add_flag("--single-gpu-only", single_gpu_only,
               "Only records of single-GPU benchmarks, which no validation asks for");
  bool hide_gpus = false;
  bool as_csv = false;
  bool best_single = false;
  app.add_flag("--hide-gpus", hide_gpus,
               "Instead: hide each GPU's records in turn, and estimate its times as ddlsim predict does");
  app.add_flag("--csv", as_csv, "With --hide-gpus: every time")->needs("--hide-gpus");
  app.add_flag("--best-single", best_single, "With --hide-gpus: by the best single record, without blending")
      ->needs("--hide-gpus");
  CLI11_PARSE(app, argc, argv);
  try {
    const auto records = ddlsim::read_compute_records(ddlsim::DataFolder{folder}, single_gpu_only);
    if (hide_gpus) {
      show_hidden(records, priors_for(load_priors(ddlsim::DataFolder{folder})),
                  best_single ? ddlsim::Estimator::best_single : ddlsim::Estimator::predict, as_csv);
      return 0;
    }
    std::cout << to_text(measure_evidence(records.one_gpu)) << '\n' << to_text(transfer_between_gpus(records.one_gpu));
    return 0;
  } catch (const ddlsim::UserError& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
