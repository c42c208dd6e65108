// Properties of names (is it a parameter server, which algorithm, which carrier, 16-bit values), the names of a layer's
// passes, and names that are not enumerators.

#include "sim/base/error.hpp"
#include "sim/formats/names.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace ddlsim {

std::string to_text(LayerPass value) {
  switch (value) {
  case LayerPass::forward:
    return "forward";
  case LayerPass::backward:
    return "backward";
  case LayerPass::backward_data:
    return "backward-data";
  case LayerPass::backward_weights:
    return "backward-weights";
  case LayerPass::optimizer:
    return "optimizer";
  }
  return "";
}

namespace {

// Spellings of PyTorch, TensorFlow, Lightning, Hugging Face and Composer.
constexpr OtherWord precision_words[] = {
    {"float32", "fp32"},       {"single", "fp32"},      {"32", "fp32"},
    {"32true", "fp32"},        {"f32", "fp32"},         {"tensorfloat32", "tf32"},
    {"float16", "fp16"},       {"half", "fp16"},        {"f16", "fp16"},
    {"16true", "fp16"},        {"bfloat16", "bf16"},    {"bf16true", "bf16"},
    {"bf16mixed", "bf16"},     {"ampbf16", "bf16"},     {"mixedbfloat16", "bf16"},
    {"bfloat16mixed", "bf16"}, {"mixed", "amp"},        {"16mixed", "amp"},
    {"fp16mixed", "amp"},      {"mixedfp16", "amp"},    {"ampfp16", "amp"},
    {"fp16amp", "amp"},        {"mixedfloat16", "amp"}, {"float16mixed", "amp"},
    {"mixedprecision", "amp"}, {"float8", "fp8"},       {"ampfp8", "fp8"},
    {"fp8mixed", "fp8"},       {"fp8rowwise", "fp8"},   {"fp8cs", "fp8"},
    {"fp8mx", "mxfp8"},        {"fp4", "nvfp4"},
};

constexpr OtherWord strategy_words[] = {
    {"zero1", "zero-1"},   {"zero2", "zero-2"},   {"zero3", "fsdp"},         {"fullyshardeddataparallel", "fsdp"},
    {"fsdp2", "fsdp"},     {"ddp", "all-reduce"}, {"parameterserver", "ps"}, {"parameterservers", "ps"},
    {"automatic", "auto"},
};

} // namespace

std::span<const OtherWord> other_words_of(Precision) {
  return precision_words;
}

std::span<const OtherWord> other_words_of(WirePrecision) {
  return precision_words; // other words for names that are no wire precision are ignored
}

std::span<const OtherWord> other_words_of(StrategyName) {
  return strategy_words;
}

StrategyFamily family_of(StrategyName strategy) {
  switch (strategy) {
  case StrategyName::none:
    return StrategyFamily::none;
#define DDLSIM_ALL_REDUCE(algorithm, text) case StrategyName::algorithm:
#include "sim/formats/collectives.def"
  case StrategyName::all_reduce:
  case StrategyName::automatic:
    return StrategyFamily::all_reduce;
  case StrategyName::ps:
  case StrategyName::ps_async:
    return StrategyFamily::servers;
  case StrategyName::zero_1:
  case StrategyName::zero_2:
  case StrategyName::fsdp:
    return StrategyFamily::sharded;
  case StrategyName::model_parallel:
    return StrategyFamily::model_parallel;
  }
  return StrategyFamily::none;
}

bool is_parameter_server(StrategyName strategy) {
  return family_of(strategy) == StrategyFamily::servers;
}

bool is_sharded(StrategyName strategy) {
  return family_of(strategy) == StrategyFamily::sharded;
}

bool is_model_parallel(StrategyName strategy) {
  return family_of(strategy) == StrategyFamily::model_parallel;
}

bool shares_update(StrategyName strategy) {
  return is_sharded(strategy) || is_model_parallel(strategy);
}

std::optional<Algorithm> algorithm_of(StrategyName strategy) {
  switch (strategy) {
#define DDLSIM_ALL_REDUCE(algorithm, text)                                                                             \
  case StrategyName::algorithm:                                                                                        \
    return Algorithm::algorithm;
#include "sim/formats/collectives.def"
  case StrategyName::none:
  case StrategyName::ps:
  case StrategyName::ps_async:
  case StrategyName::all_reduce:
  case StrategyName::automatic:
  case StrategyName::zero_1:
  case StrategyName::zero_2:
  case StrategyName::fsdp:
  case StrategyName::model_parallel:
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<StrategyName> strategy_name_in(std::string_view strategy_text) {
  return value_named<StrategyName>(strategy_text.substr(0, strategy_text.find('(')));
}

namespace {

constexpr std::pair<const char*, Carrier> transports[] = {
    {"nccl-ib", Carrier::nccl},  {"nccl-tcp", Carrier::nccl}, {"mpi-ib", Carrier::mpi}, {"mpi-tcp", Carrier::mpi},
    {"gloo-tcp", Carrier::gloo}, {"grpc", Carrier::grpc},     {"shm", Carrier::shm},
};

} // namespace

const std::vector<std::string>& transport_names() {
  static const auto names = [] {
    std::vector<std::string> all;
    for (const auto& [name, carrier] : transports) all.emplace_back(name);
    return all;
  }();
  return names;
}

std::optional<Carrier> carrier_of(std::string_view transport) {
  for (const auto& [name, carrier] : transports)
    if (transport == name) return carrier;
  return std::nullopt;
}

bool has_16_bit_values(Precision precision) {
  switch (precision) {
  case Precision::amp:
  case Precision::bf16:
  case Precision::fp16:
  case Precision::fp8:
  case Precision::fp8_block:
  case Precision::mxfp8:
  case Precision::nvfp4:
    return true;
  case Precision::fp32:
  case Precision::tf32:
    return false;
  }
  return false;
}

bool has_narrow_products(Precision precision) {
  return precision == Precision::fp8 || precision == Precision::fp8_block || precision == Precision::mxfp8 ||
         precision == Precision::nvfp4;
}

std::string as_simple_name(const JsonNode& place) {
  constexpr auto allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+";
  std::string name = place.as_text();
  if (name.find_first_not_of(allowed) != std::string::npos || name.rfind('.', 0) == 0)
    place.mistake(fmt::format("{} is no name; use letters, digits and . _ - + only", in_quotes(name)));
  return name;
}

std::string simple_name(const JsonNode& node, const std::string& key) {
  return node.has(key) ? as_simple_name(node.at(key)) : node.text(key);
}

const std::vector<std::string>& layer_kinds() {
  static const std::vector<std::string> kinds{"conv1x1", "conv3x3",     "conv", "depthwise", "linear",
                                              "norm",    "activation",  "pool", "embedding", "attention",
                                              "scan",    "elementwise", "loss"};
  return kinds;
}

} // namespace ddlsim
