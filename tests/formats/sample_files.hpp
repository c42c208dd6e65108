#pragma once
// Small valid files of every format, and ways to spoil them.

#include "tests/base/temporary_folder.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ddlsim_test {

nlohmann::json sample_model();          ///< two layers, one without tensors
nlohmann::json sample_repeated_model(); ///< "tiny": a layer, and two layers three times from number 1
nlohmann::json sample_gpus();           ///< V100-SXM2-16GB (alias V100), K80
nlohmann::json sample_kernels();        ///< of that V100: products in fp32, attention
nlohmann::json sample_kernel_rates();   ///< of both
nlohmann::json sample_cluster();        ///< "iris": 4 V100 a node, EDR, fat-tree
nlohmann::json sample_scenario();       ///< asks about the two above
nlohmann::json sample_fine_tuning();    ///< the same; adapters, a global batch, and an optimizer by name
nlohmann::json sample_hybrid_shards();  ///< the same; state of fsdp in groups, and on the host
nlohmann::json sample_best_layout();    ///< the same question; degrees of model parallelism that predict searches
nlohmann::json sample_best_servers();   ///< the same question; servers that predict searches
nlohmann::json sample_two_stacks();     ///< the same question; strategies with presets and transports of their own
nlohmann::json sample_convergence();
nlohmann::json sample_inputs();       ///< a disk, NFS; files, packed; loaders by core and by GPU
nlohmann::json sample_named_input();  ///< the same question, from that NFS
nlohmann::json sample_plan_request(); ///< three ways to have the same machine
nlohmann::json sample_presets();      ///< pytorch-ddp, horovod, mxnet-kvstore, tf-ps
nlohmann::json sample_priors();
nlohmann::json sample_context();
nlohmann::json sample_record(const std::string& kind); ///< also "layer", the old form of "layers"
nlohmann::json sample_server_in_training();            ///< a second record of kind server
/// Context and one record of each kind.
std::string sample_measurements();
/// platforms/ and scenarios/ with all of them.
void write_sample_data(const TemporaryFolder& folder);

/// One spoilt place: the value at `pointer` replaced, added, or removed when `value` is "".
struct BrokenFile {
  std::string pointer;
  std::string value; ///< JSON
  std::string says;  ///< the one mistake, "path: what"
};

/// Reads `good` as it is (no mistake), then each spoilt copy, and checks that its one mistake is the one reported.
void check_spoilt(const nlohmann::json& good, const std::vector<BrokenFile>& spoilt,
                  const std::function<void(const std::filesystem::path&)>& read);

nlohmann::json spoil(nlohmann::json good, const BrokenFile& spoilt);

} // namespace ddlsim_test
