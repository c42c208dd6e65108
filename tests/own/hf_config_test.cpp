#include "own/hf_config.hpp"
#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/base/text_file.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/readers.hpp"
#include "tests/base/temporary_folder.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace {

using ddlsim::ConfiguredModel;
using ddlsim::HfOptions;
using nlohmann::json;

// Configs typed by hand, only the keys that decide sizes.

/// meta-llama/Meta-Llama-3-8B.
json llama_3_8b() {
  return {{"model_type", "llama"},        {"architectures", {"LlamaForCausalLM"}},
          {"hidden_size", 4096},          {"intermediate_size", 14336},
          {"num_hidden_layers", 32},      {"num_attention_heads", 32},
          {"num_key_value_heads", 8},     {"vocab_size", 128256},
          {"tie_word_embeddings", false}, {"max_position_embeddings", 8192}};
}

/// openai-community/gpt2.
json gpt2_small() {
  return {{"model_type", "gpt2"}, {"architectures", {"GPT2LMHeadModel"}},
          {"n_embd", 768},        {"n_head", 12},
          {"n_layer", 12},        {"n_positions", 1024},
          {"vocab_size", 50257}};
}

/// google-bert/bert-base-uncased.
json bert_base(const std::string& architecture) {
  return {{"model_type", "bert"},    {"architectures", {architecture}},
          {"hidden_size", 768},      {"intermediate_size", 3072},
          {"num_hidden_layers", 12}, {"num_attention_heads", 12},
          {"vocab_size", 30522},     {"max_position_embeddings", 512},
          {"type_vocab_size", 2},    {"hidden_dropout_prob", 0.1},
          {"hidden_act", "gelu"}};
}

/// google/vit-base-patch16-224.
json vit_b16() {
  return {{"model_type", "vit"},     {"architectures", {"ViTForImageClassification"}},
          {"hidden_size", 768},      {"intermediate_size", 3072},
          {"num_hidden_layers", 12}, {"num_attention_heads", 12},
          {"image_size", 224},       {"patch_size", 16},
          {"num_channels", 3},       {"num_labels", 1000}};
}

/// mistralai/Mistral-7B-v0.1.
json mistral_7b() {
  return {{"model_type", "mistral"},  {"architectures", {"MistralForCausalLM"}},
          {"hidden_size", 4096},      {"intermediate_size", 14336},
          {"num_hidden_layers", 32},  {"num_attention_heads", 32},
          {"num_key_value_heads", 8}, {"vocab_size", 32000},
          {"sliding_window", 4096},   {"tie_word_embeddings", false}};
}

/// mistralai/Mixtral-8x7B-v0.1.
json mixtral_8x7b() {
  auto config = mistral_7b();
  config["model_type"] = "mixtral";
  config["architectures"] = {"MixtralForCausalLM"};
  config["sliding_window"] = nullptr;
  config["num_local_experts"] = 8;
  config["num_experts_per_tok"] = 2;
  return config;
}

ConfiguredModel configured(const std::string& text, const HfOptions& options) {
  const ddlsim_test::TemporaryFolder folder;
  return import_hf_config(folder.write("config.json", text), options);
}

ConfiguredModel configured(const json& config, long sequence) {
  HfOptions options;
  options.sequence = sequence;
  return configured(config.dump(), options);
}

/// The mistakes of a config, "path: what", joined.
std::string refused(const std::string& text, const HfOptions& options) {
  std::string all;
  try {
    configured(text, options);
  } catch (const ddlsim::UserError& error) {
    for (const auto& mistake : error.mistakes()) all += mistake.path + ": " + mistake.what + "\n";
  }
  return all;
}

std::string refused(const json& config, long sequence = 128) {
  HfOptions options;
  options.sequence = sequence;
  return refused(config.dump(), options);
}

double matrix_flop(const ddlsim::Model& model) {
  double flop = 0;
  for (const auto& layer : model.layers)
    if (layer.kind == "linear") flop += layer.forward_flop_per_sample;
  return flop;
}

} // namespace

TEST_CASE("models have the parameters that their makers and Transformers count") {
  // num_parameters() of the class, shared tensors once. Llama 3 8B, Mistral 7B and Mixtral 8x7B: the totals of
  // model.safetensors.index.json over two bytes; GPT-2 124M, BERT-base 110M, ViT-B/16 86M (Dosovitskiy et al., table
  // 1).
  CHECK(configured(llama_3_8b(), 4096).model.parameters == 8'030'261'248.0);
  CHECK(configured(gpt2_small(), 1024).model.parameters == 124'439'808.0);
  CHECK(configured(mistral_7b(), 4096).model.parameters == 7'241'732'096.0);
  CHECK(configured(mixtral_8x7b(), 4096).model.parameters == 46'702'792'704.0);
  CHECK(configured(vit_b16(), 0).model.parameters == 86'567'656.0);
  CHECK(configured(bert_base("BertModel"), 128).model.parameters == 109'482'240.0);
  CHECK(configured(bert_base("BertForMaskedLM"), 128).model.parameters == 109'514'298.0);
  CHECK(configured(bert_base("BertForPreTraining"), 128).model.parameters == 110'106'428.0);
}

TEST_CASE("BERT-base from its config is the table that LibTorch's definition gave, layer by layer") {
  const ddlsim::DataFolder data{DDLSIM_SOURCE_DIR};
  HfOptions options;
  options.eager_attention = true;
  for (const long tokens : {64, 128}) {
    const auto shipped = load_model(data, tokens == 64 ? "bert_base_seq64" : "bert_base_seq128");
    options.sequence = tokens;
    options.predicted_words = tokens == 64 ? 0 : 20; // as google-research/bert makes its data
    const auto made = configured(bert_base("BertForPreTraining").dump(), options).model;
    REQUIRE(made.layers.size() == shipped.layers.size());
    CHECK(made.parameters == shipped.parameters);
    CHECK(made.sample == shipped.sample);
    for (std::size_t i = 0; i < made.layers.size(); ++i) {
      const auto& mine = made.layers[i];
      const auto& their_name = shipped.layers[i];
      INFO(their_name.name);
      CHECK(mine.name == their_name.name);
      CHECK(mine.kind == their_name.kind);
      CHECK(mine.forward_flop_per_sample == their_name.forward_flop_per_sample);
      CHECK(mine.activation_bytes_per_sample == their_name.activation_bytes_per_sample);
      REQUIRE(mine.tensors.size() == their_name.tensors.size());
      for (std::size_t t = 0; t < mine.tensors.size(); ++t) {
        CHECK(mine.tensors[t].name == their_name.tensors[t].name);
        CHECK(mine.tensors[t].shape == their_name.tensors[t].shape);
      }
    }
  }
}

TEST_CASE("a matrix costs two FLOP a weight and token, an expert its share of the tokens") {
  const auto llama = configured(llama_3_8b(), 4096).model;
  const double table = 128256.0 * 4096;
  const double norms = 65.0 * 4096;
  CHECK(matrix_flop(llama) == 2 * 4096 * (8'030'261'248.0 - table - norms));
  const auto mixture = configured(mixtral_8x7b(), 4096).model;
  const double expert = 3.0 * 4096 * 14336;
  const double idle = 32 * 6 * expert; // two of eight experts work on a token
  CHECK(matrix_flop(mixture) == 2 * 4096 * (46'702'792'704.0 - 32000.0 * 4096 - norms - idle));
  CHECK(llama.tokens_per_sample() == 4096);
}

TEST_CASE("a fused attention has the eager one's products, and none of its scores in memory") {
  HfOptions options;
  options.sequence = 512;
  const auto fused = configured(llama_3_8b().dump(), options).model;
  options.eager_attention = true;
  const auto eager = configured(llama_3_8b().dump(), options).model;
  const auto products = [](const ddlsim::Model& model) {
    double flop = 0;
    for (const auto& layer : model.layers)
      if (layer.kind == "attention") flop += layer.forward_flop_per_sample;
    return flop;
  };
  CHECK(products(fused) == products(eager));
  CHECK(products(fused) == 32 * 4.0 * 512 * 512 * 4096);
  CHECK(fused.layers.size() + 3UL * 32 == eager.layers.size());
}

TEST_CASE("a window bounds what a state attends to") {
  auto config = mistral_7b();
  config["sliding_window"] = 256;
  const auto flop = [](const ddlsim::Model& model) {
    const auto layer = std::find_if(model.layers.begin(), model.layers.end(),
                                    [](const ddlsim::Layer& one) { return one.kind == "attention"; });
    return layer->forward_flop_per_sample;
  };
  CHECK(flop(configured(config, 1024).model) == 4.0 * 1024 * 256 * 4096);
  CHECK(flop(configured(config, 128).model) == 4.0 * 128 * 128 * 4096);
}

TEST_CASE("a tied word table stands once, an untied one twice") {
  auto config = llama_3_8b();
  config["tie_word_embeddings"] = true;
  CHECK(configured(config, 16).model.parameters == 8'030'261'248.0 - 128256.0 * 4096);
}

TEST_CASE("what is written is read back as the same model") {
  const ddlsim_test::TemporaryFolder folder;
  for (const auto& config : {mixtral_8x7b(), vit_b16(), gpt2_small()}) {
    HfOptions options;
    options.name = "mine";
    options.sequence = config["model_type"] == "vit" ? 0 : 128;
    const auto made = configured(config.dump(), options).model;
    const auto read = ddlsim::read_model(folder.write("mine.json", model_json(made)));
    CHECK(model_json(read) == model_json(made));
    CHECK(read.parameters == made.parameters);
  }
}

TEST_CASE("what was assumed is said") {
  auto config = bert_base("BertModel");
  config.erase("architectures");
  const auto notes = configured(config, 64).notes;
  REQUIRE(!notes.empty());
  CHECK(notes.front() == "no architectures in the config: BertModel was taken");
  const auto longer = configured(llama_3_8b(), 16384).notes;
  CHECK(longer.back() == "the config was made for at most 8192 positions, and 16384 are asked for");
}

TEST_CASE("a config that is none of those that are read is refused with what is missing") {
  CHECK_THAT(refused(json::object()), Catch::Contains("no \"model_type\" found; a config.json of Hugging Face"));
  CHECK_THAT(refused(json{{"model_type", "lama"}}), Catch::Contains("/model_type") && Catch::Contains("llama"));
  CHECK_THAT(refused(json{{"model_type", "gpt2"}}), Catch::Contains("/n_embd") && Catch::Contains("/vocab_size"));
  CHECK_THAT(refused(bert_base("BertForPretraining")), Catch::Contains("did you mean BertForPreTraining?"));
  CHECK_THAT(refused(llama_3_8b(), 0), Catch::Contains("give --sequence TOKENS"));
  CHECK_THAT(refused(vit_b16(), 8), Catch::Contains("leave --sequence out"));
  CHECK_THAT(refused(gpt2_small(), 2048), Catch::Contains("the table of positions has 1024"));
  auto config = llama_3_8b();
  config["num_key_value_heads"] = 5;
  CHECK_THAT(refused(config), Catch::Contains("/num_key_value_heads: 5 do not divide 32"));
  config = mixtral_8x7b();
  config["num_experts_per_tok"] = 9;
  CHECK_THAT(refused(config), Catch::Contains("9 found of 8 experts"));
  config = mistral_7b();
  config.erase("num_key_value_heads");
  CHECK_THAT(refused(config), Catch::Contains("/num_key_value_heads"));
}

/// What import makes of a config in scenarios/examples/hf-configs.json, in a file of its own.
ConfiguredModel shipped_config(const std::string& name, const HfOptions& options) {
  static const auto all = json::parse(ddlsim::read_text_file(DDLSIM_SOURCE_DIR "/scenarios/examples/hf-configs.json"));
  const ddlsim_test::TemporaryFolder folder;
  return import_hf_config(folder.write(name, all.at(name).dump()), options);
}

namespace {

/// The table without what newer ones state of attention.
std::string json_without_facts(ddlsim::Model model) {
  for (auto& layer : model.layers) layer.attention = {};
  return model_json(model);
}

} // namespace

TEST_CASE("shipped tables of transformers are what import makes of the shipped configs") {
  const ddlsim::DataFolder shipped{DDLSIM_SOURCE_DIR};
  std::map<std::string, double> parameters; // as llm-foundry's table of MPT counts them, at 2,048 tokens
  for (const auto& [size, count] : {std::pair{"125m", 125311488.0},
                                    {"350m", 355985408.0},
                                    {"760m", 760470528.0},
                                    {"1b", 1315950592.0},
                                    {"3b", 2651837440.0},
                                    {"7b", 6658859008.0},
                                    {"13b", 12853954560.0},
                                    {"30b", 29975214080.0},
                                    {"70b", 64862437376.0}})
    parameters[size] = count;
  for (const auto& [size, count] : parameters) {
    const auto model = load_model(shipped, "mpt_" + size + "_seq2048");
    INFO(size);
    CHECK(model.parameters == count);
    HfOptions options;
    options.name = model.name;
    options.sequence = 2048;
    const auto made = shipped_config("mpt-" + size + "-config.json", options);
    CHECK(json_without_facts(made.model) == ddlsim::read_text_file(shipped.model_file(model.name)));
  }
  for (const auto& [size, sequence, count] : {std::tuple{"8b", 8192, 8030261248.0},
                                              {"8b", 32768, 8030261248.0},
                                              {"8b", 65536, 8030261248.0},
                                              {"8b", 131072, 8030261248.0},
                                              {"8b", 262144, 8030261248.0},
                                              {"405b", 8192, 405853388800.0},
                                              {"405b", 131072, 405853388800.0}}) {
    HfOptions options;
    options.name = "llama_3.1_" + std::string(size) + "_seq" + std::to_string(sequence);
    options.sequence = sequence;
    const auto llama = shipped_config("llama-3.1-" + std::string(size) + "-config.json", options);
    CHECK(llama.model.parameters == count);
    CHECK(json_without_facts(llama.model) == ddlsim::read_text_file(shipped.model_file(options.name)));
  }
  for (const auto& [size, count] : {std::pair{"1.7b", 1753862144.0},
                                    {"7.1b", 7131922432.0},
                                    {"16b", 16133861376.0},
                                    {"32b", 31507904512.0},
                                    {"177b", 177233092608.0}}) { // the names of Megatron-LM's table are the counts
    HfOptions options;
    options.name = "megatron_gpt_" + std::string(size) + "_seq4096";
    options.sequence = 4096;
    const auto gpt = shipped_config("megatron-gpt-" + std::string(size) + "-config.json", options);
    CHECK(gpt.model.parameters == count);
    CHECK(json_without_facts(gpt.model) == ddlsim::read_text_file(shipped.model_file(options.name)));
  }
}

TEST_CASE("hostile configs are refused with a message") {
  auto config = llama_3_8b();
  config["num_hidden_layers"] = 9999;
  CHECK_THAT(refused(config), Catch::Contains("a table has at most 100000 layers"));
  config = llama_3_8b();
  config["model_type"] = "\x1b[31mllama\n" + std::string(5000, 'x');
  const auto said = refused(config);
  CHECK(said.find('\x1b') == std::string::npos);
  CHECK(said.size() < 1000);
  config = vit_b16();
  config["image_size"] = 1'000'000;
  config["patch_size"] = 1;
  CHECK_THAT(refused(config, 0), Catch::Contains("look for a slip in the sizes"));
  for (const char* value : {"0", "-1", "1e300", "\"768\"", "null", "[]", "{}", "0.5"}) {
    INFO(value);
    auto spoilt = gpt2_small();
    spoilt["n_embd"] = json::parse(value);
    CHECK(!refused(spoilt).empty());
  }
}

TEST_CASE("no config that was cut or changed somewhere does more than be refused or read", "[mutation]") {
  HfOptions options;
  options.sequence = 32;
  for (const auto& config : {llama_3_8b(), mixtral_8x7b(), bert_base("BertForPreTraining"), vit_b16()}) {
    const auto text = config.dump();
    constexpr std::size_t apart = 5; // the fuzzers see every place: tests/fuzz
    for (std::size_t length = 0; length < text.size(); length += apart)
      CHECK(!refused(text.substr(0, length), options).empty());
    for (std::size_t at = 0; at < text.size(); at += apart) {
      for (const char letter : {'0', '9', '"', '{', '\x01', '\xff'}) {
        auto changed = text;
        changed[at] = letter;
        refused(changed, options); // any other exception, or a crash, fails the test
      }
    }
  }
}
