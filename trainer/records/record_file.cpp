#include "trainer/records/record_file.hpp"

#include "trainer/cuda/cuda_runtime.hpp"
#include "trainer/run_error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <unistd.h>

namespace ddltrain {
namespace {

double rounded(double value, int digits) {
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

/// A clock resolves nanoseconds in a time of a millisecond: six digits. More digits would be noise and use space.
double six_digits(double value) {
  return rounded(value, 6);
}

/// Rounds the time of one repetition: repetitions spread by a thousandth at least.
double four_digits(double value) {
  return rounded(value, 4);
}

void check_positive(double value, const char* what) {
  if (!std::isfinite(value) || value <= 0) throw std::logic_error(fmt::format("a record with {} {}", what, value));
}

double& figure_of(StepRecord& record) {
  return record.iteration_s;
}
double& figure_of(CollectiveRecord& record) {
  return record.time_s;
}
double& figure_of(PointToPointRecord& record) {
  return record.time_s;
}
double& figure_of(ServerRecord& record) {
  return record.rate_Bps;
}
double& figure_of(InputRecord& record) {
  return record.samples_per_s > 0 ? record.samples_per_s : record.rate_Bps;
}
double& figure_of(ddlsim::SpeedUpRecord& record) {
  return record.speed_up;
}

/// Above the largest spread that readers accept, the spread comes from a single outlier and is not stated (0); the
/// samples and the MAD in the note tell more.
double stated_spread(double relative_spread) {
  return relative_spread <= ddlsim::most_relative_spread ? relative_spread : 0;
}

void round_head(RecordHead& head) {
  head.relative_spread = six_digits(stated_spread(head.relative_spread));
  for (double& sample_s : head.samples_s) {
    check_positive(sample_s, "a sample of");
    sample_s = four_digits(sample_s);
  }
}

/// Returns the record with as many digits as its clock resolves.
template <class Kind> Kind rounded(Kind record) {
  round_head(record.head);
  double& figure = figure_of(record);
  check_positive(figure, "a value of");
  figure = six_digits(figure);
  return record;
}

/// Returns the record as it is: its times are rounded where the table is written.
LayersRecord rounded(LayersRecord record) {
  round_head(record.head);
  for (auto& timing : record.timings) {
    for (auto& [pass, times] : timing.passes) {
      for (auto& one : times) {
        check_positive(one.time_s, "a time of");
        one.relative_spread = stated_spread(one.relative_spread);
      }
    }
  }
  return record;
}

LossRecord rounded(LossRecord record) {
  round_head(record.head);
  if (!std::isfinite(record.loss)) throw std::logic_error(fmt::format("a record with a loss of {}", record.loss));
  return record;
}

} // namespace

RecordHead own_head(const std::string& series) {
  RecordHead head;
  head.series = series;
  head.origin = "run";
  head.transport = "unknown";
  head.library = "unknown";
  head.statistic = "median";
  return head;
}

StepRecord plain_step(const RecordHead& head) {
  StepRecord step;
  step.head = head;
  step.precision = ddlsim::Precision::fp32;
  step.wire_precision = ddlsim::WirePrecision::fp32;
  step.strategy.name = ddlsim::StrategyName::none;
  step.algorithm = "unknown";
  step.gpus = step.nodes = step.gpus_per_node = 1;
  step.synchronised = false;
  step.data = "synthetic";
  step.mode = ddlsim::RunMode::train;
  return step;
}

std::string record_line(const ddlsim::Record& record) {
  return std::visit([](const auto& one) { return ddlsim::to_json_line(rounded(one)); }, record);
}

namespace {

constexpr int readable_by_all = 0644;

/// Returns 0, or the errno of the failed call.
int write_all(int descriptor, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t now = ::write(descriptor, text.data() + done, text.size() - done);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) return errno;
    if (now == 0) return ENOSPC;
    done += static_cast<std::size_t>(now);
  }
  return 0;
}

/// A process with the tests' fake GPU says so in its records, whatever GPU the command line names.
ddlsim::Context honest(ddlsim::Context context) {
  if (!fake_gpu_was_opened()) return context;
  context.gpu = ddlsim::kFakeGpu;
  context.emulated = true;
  return context;
}

} // namespace

RecordFile::RecordFile(const std::filesystem::path& file, const ddlsim::Context& context, MeasuredOn on)
    : file_(file), on_(std::move(on)) {
  descriptor_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, readable_by_all);
  if (descriptor_ < 0) fail(errno);
  try {
    write_line(ddlsim::to_json_line(honest(context)));
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

RecordFile::~RecordFile() {
  ::close(descriptor_);
}

void RecordFile::add(ddlsim::Record record) {
  std::visit(
      [&](auto& one) {
        one.head.device = on_.device;
        one.head.host = on_.host;
      },
      record);
  write_line(record_line(record));
}

void RecordFile::write_line(const std::string& line) {
  const std::string text = line + "\n";
  const int error = write_all(descriptor_, text);
  if (error != 0) {
    // A pipe or device cannot be cut; nothing more can be done for its reader.
    [[maybe_unused]] const int cut = ::ftruncate(descriptor_, written_bytes_);
    fail(error);
  }
  written_bytes_ += static_cast<std::int64_t>(text.size());
}

void RecordFile::fail(int error) {
  throw RunError("cannot write " + file_.string() + ": " + std::strerror(error) +
                 (written_bytes_ > 0 ? "; the lines written before are whole" : ""));
}

} // namespace ddltrain
