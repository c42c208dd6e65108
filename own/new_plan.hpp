#pragma once
// Makes a plan request from the words of a command line, for `ddlsim plan MODEL --on CLUSTER` and `ddlsim new plan`.

#include "sim/base/json.hpp"
#include "sim/formats/data_folder.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

/// What a buyer says of a training and of machines. Quantities are texts as they were typed: "300B", "90 d", "3M USD".
struct PlanWords {
  std::filesystem::path file; ///< output file; its name without .json is the plan's name
  std::string model;          ///< shipped name, or path of a layer table
  /// machines: shipped names, paths of own clusters, or words of a machine, "64 x 8 x H100, 8x400 Gb/s IB"
  std::vector<std::string> machines;
  std::string tokens;   ///< of the whole training; "": samples and epochs are given
  std::string samples;  ///< of the data set
  double epochs = 0;    ///< 0: one
  std::string deadline; ///< "": not limited, as are the next two
  std::string budget;   ///< a number alone is in US dollars
  std::string power;
  double chance = 0;               ///< probability with which deadline and budget must be met; 0: the usual
  double global_batch = 0;         ///< samples of an iteration on all GPUs; 0: a usual one
  double batch_per_gpu = 0;        ///< samples of a GPU in an iteration; 0: global_batch
  std::string precision;           ///< "": bf16 for language models, else fp32
  std::string preset;              ///< "": megatron-lm for language models, else pytorch-ddp
  std::vector<int> gpus;           ///< numbers of GPUs to try; empty: doubled up to what a cluster may have
  std::vector<std::string> prices; ///< texts MACHINE=USD of a node-hour, as typed
};

struct NewPlan {
  std::string text;               ///< text of the request, which read_plan_request() takes
  std::vector<std::string> notes; ///< sentences on what was assumed
};

/// A machine that is stated in words and not by a file.
struct MachineWords {
  int nodes = 0;
  int gpus_per_node = 0;
  std::string gpu;
  std::string network; ///< in the form of network_in(); "": a single node
};

/// Splits the values of --on at commas. Words of a machine keep the comma before their network.
std::vector<std::string> split_machines(const std::vector<std::string>& typed);

/// Whether the text is words of a machine, which begin with "NODES x GPUS x".
bool is_machine_words(const std::string& text);

/// Reads "64 x 8 x H100, 8x400 Gb/s IB". Throws UserError that shows the form.
MachineWords machine_words(const std::string& text);

/// Notes, under its option, each of the words that is missing, contradicts another, or is no quantity. The machines and
/// their prices are not looked up.
void check_plan_words(const PlanWords& words, Mistakes& mistakes);

/// Makes the request. A language model gets the best layout of each scale, other models the library's all-reduce.
/// Throws UserError with the mistakes of check_plan_words(), or those of the prices.
NewPlan new_plan(const PlanWords& words, const DataFolder& data);

} // namespace ddlsim
