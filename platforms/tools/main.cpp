// ddlsim-compute-deviations: how much measured one-GPU times deviate from the kernel model, learnt from the shipped
// records; and how well the program knows a time that nobody measured.

#include "platforms/tools/deviation_fit.hpp"
#include "platforms/tools/hidden_times.hpp"
#include "sim/base/error.hpp"

#include <CLI/CLI.hpp>

#include <iostream>

namespace {

void show_learnt(const ddlsim::ShippedTimes& shipped) {
  ddlsim::WorkloadMaker maker(shipped.catalogue);
  const auto rows = one_gpu_rows(maker, shipped.catalogue, shipped.records, ddlsim::Pool::reference, "", 0);
  const ddlsim::DeviationSizes now;
  const auto learnt = likeliest_sizes(rows);
  std::cout << rows.size() << " times; ln posterior now " << ln_posterior(now, rows) << ", at the likeliest sizes "
            << ln_posterior(learnt, rows) << '\n'
            << to_text(learnt);
}

void show_hidden(const ddlsim::ShippedTimes& shipped) {
  using ddlsim::Hidden;
  const std::pair<const char*, Hidden> kinds[]{{"a GPU", Hidden::gpu},
                                               {"a compute capability", Hidden::architecture},
                                               {"a stack on a GPU", Hidden::stack_on_gpu},
                                               {"a model of a site that has others", Hidden::model},
                                               {"a batch of a model that has others", Hidden::batch}};
  for (const auto& [text, hidden] : kinds)
    std::cout << "Hidden together: " << text << '\n' << to_text(hide_each(shipped, hidden)) << '\n';
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app("Learn from the shipped one-GPU times how large their deviations from the kernel model are");
  std::string folder = ".";
  bool hide = false;
  app.add_option("--data", folder, "Folder with platforms/ and scenarios/")->capture_default_str();
  app.add_flag("--hide", hide, "Instead: hide groups of times in turn, and estimate them as ddlsim predict does");
  CLI11_PARSE(app, argc, argv);
  try {
    const auto shipped = ddlsim::read_shipped_times(ddlsim::DataFolder{folder});
    hide ? show_hidden(shipped) : show_learnt(shipped);
    return 0;
  } catch (const ddlsim::UserError& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
