#include "trainer/timing/measure_options.hpp"

#include "trainer/records/machine.hpp"

namespace ddltrain {

ContextRecord context_of(const MeasureOptions& options, const std::string& title, const std::string& software) {
  ContextRecord context;
  context.cluster = options.cluster;
  context.gpu = options.gpu;
  context.machine = machine_text(this_machine(), !options.anonymous);
  const std::string driver = nvidia_driver_version();
  context.software = join_parts({software, driver.empty() ? "" : "NVIDIA driver " + driver});
  context.date = today();
  context.title = title;
  return context;
}

std::string records_path(const MeasureOptions& options) {
  return options.output_file.empty() ? "/dev/stdout" : options.output_file;
}

double put_samples(RecordHead& head, const std::vector<double>& samples_s, const MeasureOptions& options) {
  const Summary summary = summarise(samples_s);
  head.statistic = "median";
  head.repeats = summary.count;
  head.relative_spread = summary.standard_deviation / summary.median;
  head.note = join_parts({head.note, spread_text(summary)});
  if (options.samples) head.samples_s = samples_s;
  return summary.median;
}

} // namespace ddltrain
