#pragma once
// Files and logs that the importer tests read. Every number of the logs is computed here, none is measured.

#include "import/imported.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ddlsim::test {

/// A file with that content in a folder of its own, removed with the object.
class ScratchFile {
public:
  ScratchFile(const std::string& name, const std::string& content);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
};

/// A person who says only which cluster, one with 4 GPUs a node.
ImportContext on_iris();

/// Lines of the UserError that `act` throws, file names without their folder; "" when it throws none.
std::string mistakes_of(const std::function<void()>& act);

/// What the importer of that kind makes of a file with that text.
Imported import_text(const std::string& kind, const std::string& text, const ImportContext& stated);

std::vector<CollectiveRecord> collectives_of(const Imported& imported);

/// The text with every `from` in it replaced.
std::string replaced_all(std::string text, const std::string& from, const std::string& to);

/// What read_measurements gives after the records were written to a file; checks that they were written the same way
/// again.
MeasurementFile read_back(const Imported& imported);

/// How a computed log of nccl-tests looks.
struct LogStyle {
  enum class Layout { nccl1, no_root, root } layout = Layout::root;
  std::string program = "all_reduce";
  bool names_program = true;
  double bus_factor = 1.75; ///< of all_reduce on 8 ranks: 2 x 7 / 8
  int hosts = 2;
  int gpus_per_host = 4;
  std::string redop = "sum";
  int root = -1;
  std::vector<double> sizes = {1048576, 4194304, 16777216};
  std::string prefix; ///< of every line
  bool closing = true;
};

/// Time of one operation in the computed logs: 20 us and 10 GB/s; in place half the latency.
double log_time_us(double size_bytes, bool in_place);

std::string make_log(const LogStyle& style);

} // namespace ddlsim::test
