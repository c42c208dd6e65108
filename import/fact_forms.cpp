#include "import/fact_forms.hpp"

#include "import/phrase_finder.hpp"
#include "import/plain_text.hpp"

#include <initializer_list>

namespace ddlsim {
namespace {

using Fact = RunFact;

constexpr auto stands_before = NumberIs::before_mark;
constexpr auto stands_after = NumberIs::after_mark;
/// dots between name and value in lists of arguments: "seq_length ....... 4096"
constexpr const char* dotted = ".....";

std::string_view behind(std::string_view text, std::string_view phrase) {
  const auto at = text.find(phrase);
  return at == std::string_view::npos ? std::string_view{} : text.substr(at + phrase.size());
}

double count_of(std::string_view text, std::string_view word) {
  double found = 0;
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

double product_of(std::string_view degrees, std::initializer_list<std::string_view> names) {
  double product = 1;
  for (const auto name : names) product *= number_at(behind(degrees, name), 0).value_or(0);
  return product;
}

/// Returns the number of GPUs of "parallelism: pp=1, dp_replicate=1, dp_shard=4, cp=1, tp=2, ep=1". Experts use the
/// same GPUs and do not count.
std::optional<double> gpus_of_degrees(std::string_view rest) {
  return product_of(rest, {" pp=", " dp_replicate=", " dp_shard=", " cp=", " tp="});
}

std::optional<double> groups_of_degrees(std::string_view rest) {
  return product_of(rest, {" dp_replicate=", " dp_shard="});
}

/// Reads "'dp', 'tp'], [4, 2]" and returns the product of the sizes whose names begin with `begin`.
double product_of_sizes(std::string_view rest, std::string_view begin) {
  auto sizes = behind(rest, "], [");
  if (sizes.empty()) return 0;
  double product = 1;
  for (auto names = rest; !sizes.empty() && !names.starts_with(']');) {
    const auto size = number_at(sizes, 0);
    const auto quote = names.find('\'');
    if (!size || quote == std::string_view::npos) break;
    if (names.substr(quote + 1).starts_with(begin)) product *= *size;
    names = behind(names.substr(quote + 1), "'");
    sizes = behind(sizes, ",");
  }
  return product;
}

std::optional<double> gpus_of_sizes(std::string_view rest) {
  return product_of_sizes(rest, "");
}

std::optional<double> groups_of_sizes(std::string_view rest) {
  return product_of_sizes(rest, "dp");
}

/// Returns the second number of "1/16".
std::optional<double> second_of_ratio(std::string_view rest) {
  return number_at(behind(rest, "/"), 0);
}

/// Returns the second factor of " 32 x 2048 = 65,536".
std::optional<double> second_of_product(std::string_view rest) {
  return number_at(behind(rest, " x "), 0);
}

/// Returns the number of entries of "0,1,2,3'".
std::optional<double> length_of_list(std::string_view rest) {
  const auto end = rest.find('\'');
  if (end == 0 || end == std::string_view::npos) return std::nullopt;
  return count_of(rest.substr(0, end), ",") + 1;
}

/// Returns the number of GPUs of " ['/gpu:0', '/gpu:1']".
std::optional<double> gpus_of_devices(std::string_view rest) {
  return count_of(rest, "gpu:") + count_of(rest, "GPU:");
}

std::optional<double> clock(std::string_view rest) {
  return seconds_at(rest, 0);
}

std::optional<double> always(std::string_view) {
  return 1;
}

/// The forms of facts, from the programs' print statements of 2026 and of earlier versions. The comment beside a form
/// names the program that prints it.
constexpr FactForm known_fact_forms[] = {
    {Fact::gpus, "using world size:"},                                                    // Megatron-LM
    {Fact::gpus, "world_size", stands_after, dotted, "config.py"},                        // Megatron-LM
    {Fact::gpus, "World size:"},                                                          // many programs
    {Fact::gpus, "dist_world_size="},                                                     // DeepSpeed's launcher
    {Fact::gpus, "Number of GPUs:"},                                                      // Horovod's examples
    {Fact::gpus, "Total img/sec on"},                                                     // Horovod's examples
    {Fact::gpus, "Num processes:"},                                                       // Accelerate
    {Fact::gpus, "Number of devices:"},                                                   // TensorFlow's strategies
    {Fact::gpus, " processes", stands_before, "Starting with"},                           // Lightning
    {Fact::gpus, " devices (GPUs", stands_before, "training on"},                         // fairseq
    {Fact::gpus, ", total ", stands_after, "device per process"},                         // timm
    {Fact::gpus, "GPU number:"},                                                          // MMEngine
    {Fact::gpus, "| num_processes "},                                                     // llm.c
    {Fact::gpus, "device mesh with parallelism:", stands_after, "", "", gpus_of_degrees}, // torchtitan
    {Fact::gpus, "device mesh with [", stands_after, "", "", gpus_of_sizes},
    {Fact::gpus, "MEMBER: ", stands_after, "GLOBAL_RANK: ", "", second_of_ratio}, // Lightning
    {Fact::nodes, "num_nodes:"},                                                  // Composer
    {Fact::gpus_of_node, "num_gpus_per_node:"},                                   // Composer
    {Fact::global_batch, "global batch size"},                                    // Megatron-LM, torchtitan
    {Fact::global_batch, "global_batch_size"},                         // Megatron-LM's arguments, NeMo, LitGPT
    {Fact::global_batch, "train_batch_size", stands_after, dotted},    // DeepSpeed's arguments
    {Fact::global_batch, "\"train_batch_size\":"},                     // DeepSpeed's configuration
    {Fact::global_batch, "distributed & accumulation) ="},             // Hugging Face
    {Fact::global_batch, "Batch size:", stands_after, " global"},      // tf_cnn_benchmarks
    {Fact::samples_of_step, "bsz=", stands_after, "wps="},             // fairseq
    {Fact::samples_of_step, "\"bsz\":", stands_after, "\"wps\""},      // fairseq's JSON
    {Fact::samples_of_step, "bsz ", stands_after, "| ups "},           // fairseq's epochs
    {Fact::batch_per_gpu, " per device", stands_before},               // tf_cnn_benchmarks
    {Fact::batch_per_gpu, "batch size per device ="},                  // Hugging Face
    {Fact::batch_of_whom, "Batch size:", stands_after, "", " global"}, // Horovod's examples, per GPU
    {Fact::batch_per_gpu, "micro_batch_size", stands_after, dotted},   // Megatron-LM's arguments
    {Fact::batch_per_gpu, "micro_batch_size=", stands_after, "global_batch_size="},   // LitGPT
    {Fact::batch_per_gpu, "train_micro_batch_size_per_gpu"},                          // DeepSpeed
    {Fact::batch_per_gpu, "local batch size"},                                        // torchtitan
    {Fact::batch_per_gpu, "micro-batch / rank:"},                                     // nanochat
    {Fact::batch_per_gpu, "micro batch size B"},                                      // llm.c
    {Fact::batch_per_gpu, "batch_size=", stands_after, "num_gpus="},                  // GluonCV
    {Fact::batch_of_rank, "batch_size=", stands_after, "kv_store="},                  // MXNet's examples
    {Fact::devices_of_rank, "gpus='", stands_after, "kv_store=", "", length_of_list}, // MXNet's examples
    {Fact::devices_of_rank, "Devices:", stands_after, "", "", gpus_of_devices},       // tf_cnn_benchmarks
    {Fact::devices_of_rank, "num_gpus=", stands_after, "Namespace("},                 // GluonCV
    {Fact::accumulation, "Gradient Accumulation steps ="},                            // Hugging Face
    {Fact::accumulation, "gradient_accumulation_steps", stands_after, ".."},          // DeepSpeed
    {Fact::accumulation, "\"gradient_accumulation_steps\":"},
    {Fact::accumulation, "gradient accumulation steps"}, // torchtitan, build-nanogpt, nanochat
    {Fact::accumulation, "grad_accum_steps="},           // llm.c
    {Fact::data_parallel, "device mesh with parallelism:", stands_after, "", "", groups_of_degrees}, // torchtitan
    {Fact::data_parallel, "device mesh with [", stands_after, "", "", groups_of_sizes},
    {Fact::data_parallel, "data-parallel size:"}, // Megatron-LM
    {Fact::data_parallel, "data-parallel-size:"},
    {Fact::data_parallel, "world_size", stands_after, "config.py"}, // DeepSpeed, without model parallelism
    {Fact::sequence_length, "seq_length", stands_after, dotted},
    {Fact::sequence_length, "sequence length"},                                              // torchtitan
    {Fact::sequence_length, "sequence length T"},                                            // llm.c
    {Fact::sequence_length, "micro-batch / rank:", stands_after, "", "", second_of_product}, // nanochat
    {Fact::sequence_length, "block_size = "},                                                // nanoGPT
    {Fact::sequence_length, "actual seqlen:"},                                               // Megatron-DeepSpeed
    {Fact::tokens_per_step, "tokens per iteration will be:"},
    {Fact::tokens_per_step, "total desired batch size:"},                      // build-nanogpt, in tokens
    {Fact::tokens_per_step, "Total batch size ", stands_after, "=> gradient"}, // nanochat, in tokens
    {Fact::tokens_per_step, "| total batch size "},                            // llm.c, in tokens
    {Fact::samples_so_far, "consumed samples:"},
    {Fact::samples_so_far, "consumed_samples"}, // NeMo
    {Fact::samples_so_far, "time/sample:"},     // Composer
    {Fact::step, "iteration ", stands_after, "consumed samples"},
    {Fact::step, "global_step", stands_after, "consumed_samples"},
    {Fact::step, "time/batch:"},
    {Fact::step, "step ", stands_after, "iter time:"}, // LitGPT
    {Fact::microstep, "iter ", stands_after, "iter time:"},
    {Fact::total_samples_per_s, "total images/sec:"},
    {Fact::total_samples_per_s, "GPU(s):", stands_after, "Total img/sec"},
    {Fact::total_samples_per_s, "CPU(s):", stands_after, "Total img/sec"},
    {Fact::run_s, "train_runtime", stands_after, "{", "", clock}, // Hugging Face
    {Fact::run_s, "train_runtime ", stands_after, "=", "", clock},
    {Fact::run_steps_per_s, "train_steps_per_second", stands_after, "{"},
    {Fact::run_steps_per_s, "train_steps_per_second ", stands_after, "="},
    {Fact::run_samples_per_s, "train_samples_per_second", stands_after, "{"},
    {Fact::run_samples_per_s, "train_samples_per_second ", stands_after, "="},
    {Fact::evaluation_s, "eval_runtime", stands_after, "{"},
    {Fact::run_begins, "***** Running training", stands_after, "", "", always},
    {Fact::run_steps, "Total optimization steps ="},
    {Fact::first_step, "Continuing training from global step"},
    {Fact::epochs_done, "'epoch':", stands_after, "train_runtime"},
    {Fact::epoch_samples, "Num examples ="},
    {Fact::epoch_samples, "Train on ", stands_after, "samples"}, // Keras
};

/// The programs' own words, with the names that `ddlsim list presets` and tables of rates use.
constexpr WordForm known_word_forms[] = {
    {RunWord::precision, "using torch.bfloat16 for parameters", "bf16"}, // Megatron-LM
    {RunWord::precision, "using torch.float16 for parameters", "fp16"},
    {RunWord::precision, "using torch.float32 for parameters", "fp32"},
    {RunWord::precision, "Mixed precision type: bf16", "bf16"}, // Accelerate
    {RunWord::precision, "Mixed precision type: fp16", "fp16"},
    {RunWord::precision, "Using bfloat16 Automatic Mixed Precision", "bf16"}, // Lightning
    {RunWord::precision, "Using 16bit Automatic Mixed Precision", "fp16"},
    {RunWord::precision, "Using 16bit native Automatic Mixed Precision", "fp16"},
    {RunWord::precision, "bfloat16_enabled ...", "bf16", "True"}, // DeepSpeed
    {RunWord::precision, "fp16_enabled ...", "fp16", "True"},
    {RunWord::precision, "precision: amp_bf16", "bf16"}, // Composer
    {RunWord::precision, "precision: amp_fp16", "fp16"},
    {RunWord::precision, "| precision             | BF16", "bf16"}, // llm.c
    {RunWord::precision, "| precision             | FP16", "fp16"},
    {RunWord::precision, "| precision             | FP32", "fp32"},
    {RunWord::precision, "dtype='float16'", "fp16", "Namespace("}, // MXNet
    {RunWord::precision, "dtype='float32'", "fp32", "Namespace("},
    {RunWord::precision, "Mixed precision compatibility check (mixed_float16)", "fp16"}, // Keras
    {RunWord::precision, "Mixed precision compatibility check (mixed_bfloat16)", "bf16"},
    {RunWord::preset, "DistributedType.MULTI_GPU", "pytorch-ddp"}, // Accelerate
    {RunWord::preset, "DistributedType.DEEPSPEED", "deepspeed"},
    {RunWord::preset, "Using native Torch DistributedDataParallel", "pytorch-ddp"}, // timm
    {RunWord::preset, "Using NVIDIA APEX DistributedDataParallel", "apex"},
    {RunWord::preset, "Applied FSDP to the model", "pytorch-fsdp2"}, // torchtitan
    {RunWord::preset, "Applied fully_shard to the model", "pytorch-fsdp2"},
    {RunWord::preset, "Applied DDP to the model", "pytorch-ddp"},
    {RunWord::preset, "[INFO] [timer.py:", "deepspeed"},
    {RunWord::preset, "kv_store='dist", "mxnet-kvstore"},
    {RunWord::preset, "kv_store='device'", "mxnet"},
    {RunWord::preset, "kv_store='local'", "mxnet"},
    {RunWord::preset, "kv_store='nccl'", "mxnet"},
    {RunWord::preset, "Variables:", "horovod", " horovod"}, // tf_cnn_benchmarks
    {RunWord::preset, "Variables:", "tf-replicated", " replicated"},
    {RunWord::servers, "Variables:", "ps", " parameter_server"},
    {RunWord::horovod, "Variables:", "horovod", " horovod"},
    {RunWord::kvstore, "kv_store='dist", "dist"},
    {RunWord::kvstore, "kvstore='dist", "dist"},
    {RunWord::kvstore, "kv_store='device'", "local"},
    {RunWord::kvstore, "kv_store='local'", "local"},
    {RunWord::kvstore, "kv_store='nccl'", "local"},
    {RunWord::data, "Dataset:", "synthetic", "(synthetic)"},
    {RunWord::no_single_training, "Variables:", "its GPUs train a model each", " independent"},
    {RunWord::no_single_training, "Mode:  ", "it runs forward only", " forward-only"},
    {RunWord::no_single_training, "Mode:  ", "it evaluates", " evaluation"},
};

} // namespace

std::span<const FactForm> fact_forms() {
  return known_fact_forms;
}

std::span<const WordForm> word_forms() {
  return known_word_forms;
}

} // namespace ddlsim
