// ddlsim-prior-widths: how wide the priors of a one-GPU time in platforms/priors.json should be, from the shipped
// records.

#include "platforms/tools/prior_widths.hpp"
#include "sim/base/error.hpp"

#include <CLI/CLI.hpp>

#include <iostream>

int main(int argc, char** argv) {
  CLI::App app("Measure, by leaving one out over the shipped one-GPU records, how wide the priors of a one-GPU time "
               "should be");
  std::string folder = ".";
  bool single_gpu_only = false;
  app.add_option("--data", folder, "Folder with platforms/ and scenarios/")->capture_default_str();
  app.add_flag("--single-gpu-only", single_gpu_only,
               "Only records of single-GPU benchmarks, which no validation asks for");
  CLI11_PARSE(app, argc, argv);
  try {
    const auto records = ddlsim::read_compute_records(ddlsim::DataFolder{folder}, single_gpu_only);
    std::cout << to_text(measure_evidence(records.material)) << '\n'
              << to_text(transfer_between_gpus(records.material));
    return 0;
  } catch (const ddlsim::UserError& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
