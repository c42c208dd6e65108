#pragma once
// Small valid files of every format, ways to spoil them, and a folder to put them in.

#include "sim/base/error.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ddlsim_test {

/// A folder that is gone with its content when the test ends.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Writes a file, making the folders on its way.
  std::filesystem::path write(const std::string& name, const std::string& content) const;

private:
  std::filesystem::path path_;
};

nlohmann::json sample_model();    ///< two layers, one without tensors
nlohmann::json sample_gpus();     ///< V100-SXM2-16GB (alias V100), K80
nlohmann::json sample_cluster();  ///< "iris": 4 V100 a node, EDR, fat-tree
nlohmann::json sample_scenario(); ///< asks about the two above
nlohmann::json sample_presets();  ///< pytorch-ddp, horovod, mxnet-kvstore, tf-ps
nlohmann::json sample_priors();
nlohmann::json sample_context();
nlohmann::json sample_record(const std::string& kind);
/// Context and one record of each kind.
std::string sample_measurements();
/// platforms/ and scenarios/ with all of them.
void write_sample_data(const TemporaryFolder& folder);

/// Lines of what(), without the file's name in front; empty when nothing was thrown.
std::vector<std::string> mistakes_of(const std::filesystem::path& file, const std::function<void()>& read);

/// One spoilt place: the value at `pointer` replaced, added, or removed when `value` is "".
struct Spoilt {
  std::string pointer;
  std::string value; ///< JSON
  std::string says;  ///< the one mistake, "path: what"
};

/// Reads `good` as it is (no mistake), then each spoilt copy, and checks that its one mistake is the one told.
void check_spoilt(const nlohmann::json& good, const std::vector<Spoilt>& spoilt,
                  const std::function<void(const std::filesystem::path&)>& read);

nlohmann::json spoil(nlohmann::json good, const Spoilt& spoilt);

} // namespace ddlsim_test
