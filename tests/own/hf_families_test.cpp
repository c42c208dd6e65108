#include "own/hf_config.hpp"
#include "own/hf_families.hpp"
#include "sim/base/error.hpp"
#include "tests/base/temporary_folder.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <limits>
#include <string>

namespace {

using nlohmann::json;

/// A published model: the keys of its config that decide sizes, and its number of parameters, shared tensors once.
struct PublishedModel {
  const char* name;
  const char* config;
  double parameters;
};

// Counts: the published totals as the authors of this test know them. Those of Qwen2.5 7B, DeepSeek V2
// Lite and gpt-oss were compared with figures that Ollama's model descriptions and loaders' logs in public repositories
// state; the others were not read from a source anew.
const PublishedModel published[] = {
    {"Qwen2.5 7B",
     R"({"model_type":"qwen2","hidden_size":3584,"intermediate_size":18944,"num_hidden_layers":28,"num_attention_heads":28,
"num_key_value_heads":4,"vocab_size":152064,"sliding_window":131072,"use_sliding_window":false})",
     7'615'616'512},
    {"Qwen1.5 MoE A2.7B",
     R"({"model_type":"qwen2_moe","hidden_size":2048,"intermediate_size":5632,"num_hidden_layers":24,
"num_attention_heads":16,"num_key_value_heads":16,"vocab_size":151936,"num_experts":60,"num_experts_per_tok":4,
"moe_intermediate_size":1408,"shared_expert_intermediate_size":5632,"decoder_sparse_step":1})",
     14'315'784'192},
    {"Qwen3 8B",
     R"({"model_type":"qwen3","hidden_size":4096,"intermediate_size":12288,"num_hidden_layers":36,"num_attention_heads":32,
"num_key_value_heads":8,"head_dim":128,"vocab_size":151936})",
     8'190'735'360},
    {"Qwen3 30B A3B",
     R"({"model_type":"qwen3_moe","hidden_size":2048,"intermediate_size":6144,"num_hidden_layers":48,
"num_attention_heads":32,"num_key_value_heads":4,"head_dim":128,"vocab_size":151936,"num_experts":128,
"num_experts_per_tok":8,"moe_intermediate_size":768,"mlp_only_layers":[]})",
     30'532'122'624},
    {"Gemma 7B",
     R"({"model_type":"gemma","hidden_size":3072,"intermediate_size":24576,"num_hidden_layers":28,"num_attention_heads":16,
"num_key_value_heads":16,"head_dim":256,"vocab_size":256000})",
     8'537'680'896},
    {"Gemma 2 9B",
     R"({"model_type":"gemma2","hidden_size":3584,"intermediate_size":14336,"num_hidden_layers":42,
"num_attention_heads":16,"num_key_value_heads":8,"head_dim":256,"vocab_size":256000,"sliding_window":4096})",
     9'241'705'984},
    {"Gemma 3 1B",
     R"({"model_type":"gemma3_text","hidden_size":1152,"intermediate_size":6912,"num_hidden_layers":26,
"num_attention_heads":4,"num_key_value_heads":1,"head_dim":256,"vocab_size":262144,"sliding_window":512})",
     999'885'952},
    {"Phi-3 mini",
     R"({"model_type":"phi3","hidden_size":3072,"intermediate_size":8192,"num_hidden_layers":32,"num_attention_heads":32,
"num_key_value_heads":32,"vocab_size":32064,"sliding_window":2047})",
     3'821'079'552},
    {"OLMo 2 7B",
     R"({"model_type":"olmo2","hidden_size":4096,"intermediate_size":11008,"num_hidden_layers":32,"num_attention_heads":32,
"num_key_value_heads":32,"vocab_size":100352})",
     7'298'617'344},
    {"OLMoE 1B 7B",
     R"({"model_type":"olmoe","hidden_size":2048,"intermediate_size":1024,"num_hidden_layers":16,"num_attention_heads":16,
"num_key_value_heads":16,"vocab_size":50304,"num_experts":64,"num_experts_per_tok":8})",
     6'919'161'856},
    {"Pythia 6.9B",
     R"({"model_type":"gpt_neox","hidden_size":4096,"intermediate_size":16384,"num_hidden_layers":32,
"num_attention_heads":32,"vocab_size":50432,"hidden_act":"gelu"})",
     6'857'302'016},
    {"GPT-NeoX 20B",
     R"({"model_type":"gpt_neox","hidden_size":6144,"intermediate_size":24576,"num_hidden_layers":44,
"num_attention_heads":64,"vocab_size":50432,"hidden_act":"gelu_fast"})",
     20'554'567'680},
    {"GPT-J 6B", R"({"model_type":"gptj","n_embd":4096,"n_layer":28,"n_head":16,"n_inner":null,"vocab_size":50400})",
     6'050'882'784},
    {"OPT 6.7B",
     R"({"model_type":"opt","hidden_size":4096,"ffn_dim":16384,"num_hidden_layers":32,"num_attention_heads":32,
"vocab_size":50272,"max_position_embeddings":2048,"word_embed_proj_dim":4096})",
     6'658'473'984},
    {"OPT 350M",
     R"({"model_type":"opt","hidden_size":1024,"ffn_dim":4096,"num_hidden_layers":24,"num_attention_heads":16,
"vocab_size":50272,"max_position_embeddings":2048,"word_embed_proj_dim":512,"do_layer_norm_before":false})",
     331'196'416},
    {"BLOOM", R"({"model_type":"bloom","hidden_size":14336,"n_layer":70,"n_head":112,"vocab_size":250880})",
     176'247'271'424},
    {"StarCoder2 7B",
     R"({"model_type":"starcoder2","hidden_size":4608,"intermediate_size":18432,"num_hidden_layers":32,
"num_attention_heads":36,"num_key_value_heads":4,"vocab_size":49152,"hidden_act":"gelu_pytorch_tanh","use_bias":true})",
     7'173'923'840},
    {"Falcon 7B",
     R"({"model_type":"falcon","hidden_size":4544,"num_hidden_layers":32,"num_attention_heads":71,"vocab_size":65024,
"multi_query":true,"parallel_attn":true,"bias":false,"new_decoder_architecture":false})",
     6'921'720'704},
    {"RoBERTa base",
     R"({"model_type":"roberta","hidden_size":768,"intermediate_size":3072,"num_hidden_layers":12,
"num_attention_heads":12,"vocab_size":50265,"max_position_embeddings":514,"type_vocab_size":1})",
     124'645'632},
    {"T5 base",
     R"({"model_type":"t5","d_model":768,"d_kv":64,"d_ff":3072,"num_layers":12,"num_heads":12,"vocab_size":32128})",
     222'903'552},
    {"T5 1.1 base",
     R"({"model_type":"t5","d_model":768,"d_kv":64,"d_ff":2048,"num_layers":12,"num_heads":12,"vocab_size":32128,
"feed_forward_proj":"gated-gelu","tie_word_embeddings":false})",
     247'577'856},
    {"gpt-oss 120B",
     R"({"model_type":"gpt_oss","hidden_size":2880,"intermediate_size":2880,"num_hidden_layers":36,
"num_attention_heads":64,"num_key_value_heads":8,"head_dim":64,"vocab_size":201088,
"num_local_experts":128,"num_experts_per_tok":4,"sliding_window":128})",
     116'829'156'672},
    {"GLM-4 9B 0414",
     R"({"model_type":"glm4","hidden_size":4096,"intermediate_size":13696,"num_hidden_layers":40,
"num_attention_heads":32,"num_key_value_heads":2,"head_dim":128,"vocab_size":151552,
"attention_bias":true})",
     9'400'279'040},
    {"Granite 3.1 8B",
     R"({"model_type":"granite","hidden_size":4096,"intermediate_size":12800,"num_hidden_layers":40,
"num_attention_heads":32,"num_key_value_heads":8,"vocab_size":49155,"tie_word_embeddings":true})",
     8'170'848'256},
    {"DeepSeek V2",
     R"({"model_type":"deepseek_v2","hidden_size":5120,"intermediate_size":12288,
"moe_intermediate_size":1536,"num_hidden_layers":60,"num_attention_heads":128,
"num_key_value_heads":128,"vocab_size":102400,"q_lora_rank":1536,"kv_lora_rank":512,
"qk_rope_head_dim":64,"qk_nope_head_dim":128,"v_head_dim":128,"n_routed_experts":160,
"n_shared_experts":2,"num_experts_per_tok":6,"first_k_dense_replace":1,"n_group":8})",
     235'741'434'880},
    {"Command R",
     R"({"model_type":"cohere","hidden_size":8192,"intermediate_size":22528,"num_hidden_layers":40,
"num_attention_heads":64,"num_key_value_heads":64,"vocab_size":256000})",
     34'980'831'232},
    {"DeepSeek V2 Lite",
     R"({"model_type":"deepseek_v2","hidden_size":2048,"intermediate_size":10944,"moe_intermediate_size":1408,
"num_hidden_layers":27,"num_attention_heads":16,"num_key_value_heads":16,"vocab_size":102400,"q_lora_rank":null,
"kv_lora_rank":512,"qk_rope_head_dim":64,"qk_nope_head_dim":128,"v_head_dim":128,"n_routed_experts":64,
"n_shared_experts":2,"num_experts_per_tok":6,"first_k_dense_replace":1})",
     15'706'484'224},
    {"DeepSeek V3", // without its extra prediction layer; with the 58 x 256 values that its routers choose with
     R"({"model_type":"deepseek_v3","hidden_size":7168,"intermediate_size":18432,"moe_intermediate_size":2048,
"num_hidden_layers":61,"num_attention_heads":128,"num_key_value_heads":128,"vocab_size":129280,"q_lora_rank":1536,
"kv_lora_rank":512,"qk_rope_head_dim":64,"qk_nope_head_dim":128,"v_head_dim":128,"n_routed_experts":256,
"n_shared_experts":1,"num_experts_per_tok":8,"first_k_dense_replace":3,"n_group":8})",
     671'026'419'200},
    {"gpt-oss 20B",
     R"({"model_type":"gpt_oss","hidden_size":2880,"intermediate_size":2880,"num_hidden_layers":24,
"num_attention_heads":64,"num_key_value_heads":8,"head_dim":64,"vocab_size":201088,"num_local_experts":32,
"num_experts_per_tok":4,"sliding_window":128})",
     20'914'757'184},
};

ddlsim::ConfiguredModel family_model(const json& config) {
  const ddlsim_test::TemporaryFolder folder;
  ddlsim::HfOptions options;
  options.sequence = 128;
  return import_hf_config(folder.write("config.json", config.dump()), options);
}

std::string family_refusal(const json& config) {
  std::string all;
  try {
    family_model(config);
  } catch (const ddlsim::UserError& error) {
    for (const auto& mistake : error.mistakes()) all += mistake.path + ": " + mistake.what + "\n";
  }
  return all;
}

} // namespace

TEST_CASE("models of every family have the parameters that their makers state") {
  for (const auto& model : published) {
    INFO(model.name);
    CHECK(family_model(json::parse(model.config)).model.parameters == model.parameters);
  }
}

TEST_CASE("experts of a block are one layer for each product, however many they are") {
  const auto config = json::parse(R"({"model_type":"kimi_k2","hidden_size":7168,"intermediate_size":18432,
"moe_intermediate_size":2048,"num_hidden_layers":61,"num_attention_heads":64,"num_key_value_heads":64,
"vocab_size":163840,"q_lora_rank":1536,"kv_lora_rank":512,"qk_rope_head_dim":64,"qk_nope_head_dim":128,"v_head_dim":128,
"n_routed_experts":384,"n_shared_experts":1,"num_experts_per_tok":8,"first_k_dense_replace":1,"n_group":1})");
  const auto model = family_model(config).model;
  CHECK(model.layers.size() < 2000);
  for (const auto& layer : model.layers)
    CHECK(layer.experts == (layer.name.find(".experts.") == std::string::npos ? 0 : 384));
  const double width = 7168;
  const double expert = 3 * 2048 * width;
  const double of_router = 384 * (width + 1);
  const double queries = width * 1536 + 1536 + 1536 * 64 * 192;
  const double keys = width * 576 + 512 + 512.0 * 64 * 256;
  const double attention = queries + keys + 64 * 128 * width + 2 * width;
  CHECK(model.parameters ==
        2 * 163840 * width + width + 61 * attention + 3 * 18432 * width + 60 * (385 * expert + of_router));
  double expert_flop = 0;
  for (const auto& layer : model.layers)
    if (layer.name.starts_with("block1.experts.") && layer.kind == "linear")
      expert_flop += layer.forward_flop_per_sample;
  CHECK(expert_flop == 2.0 * 128 * 8 * expert); // 128 tokens, each sent to eight experts
}

TEST_CASE("a family's config that lacks a size is refused at that key") {
  for (const auto& model : published) {
    INFO(model.name);
    auto config = json::parse(model.config);
    for (const char* key : {"num_hidden_layers", "n_layer", "num_layers"}) config.erase(key);
    CHECK_THAT(family_refusal(config), Catch::Contains("layer"));
  }
}

TEST_CASE("all mistakes of a config are said at once") {
  auto config = json::parse(published[3].config);
  config["num_key_value_heads"] = 5;
  config["num_experts_per_tok"] = 200;
  config.erase("moe_intermediate_size");
  const auto said = family_refusal(config);
  CHECK_THAT(said, Catch::Contains("5 do not divide 32") && Catch::Contains("200 found of 128 experts") &&
                       Catch::Contains("moe_intermediate_size"));
  config["n_group"] = 3;
  CHECK_THAT(family_refusal(config), Catch::Contains("3 do not divide 128"));
}

TEST_CASE("of a config for more than text the text part is read, and said") {
  const json config{{"model_type", "gemma3"}, {"text_config", json::parse(published[6].config)}};
  const auto made = family_model(config);
  CHECK(made.model.parameters == 999'885'952);
  CHECK(made.notes.front() == "\"gemma3\" reads more than text; its text part alone was taken");
}

TEST_CASE("windows follow the rule of the family, or the list in the config") {
  auto config = json::parse(published[5].config);
  config["sliding_window"] = 32;
  const auto windowed = [](const json& one) {
    int count = 0;
    double least = std::numeric_limits<double>::infinity();
    const auto model = family_model(one).model;
    for (const auto& layer : model.layers)
      if (layer.kind == "attention") least = std::min(least, layer.forward_flop_per_sample);
    for (const auto& layer : model.layers)
      if (layer.kind == "attention" && layer.forward_flop_per_sample == least) ++count;
    return count;
  };
  CHECK(windowed(config) == 21);
  std::vector<std::string> types(42, "full_attention");
  types[7] = "sliding_attention";
  config["layer_types"] = types;
  CHECK(windowed(config) == 1);
  types.pop_back();
  config["layer_types"] = types;
  CHECK_THAT(family_refusal(config), Catch::Contains("41 found for 42 blocks"));
}

TEST_CASE("an unknown type names the nearest that is read, and the other way") {
  CHECK_THAT(family_refusal({{"model_type", "qwen4_moe"}}),
             Catch::Contains("qwen3_moe") && Catch::Contains("ddlsim.from_transformers"));
}

namespace {

const char* const nemotron_3_nano =
    R"({"model_type":"nemotron_h","hidden_size":2688,"num_hidden_layers":52,"num_attention_heads":32,
"num_key_value_heads":2,"head_dim":128,"vocab_size":131072,"n_routed_experts":128,"num_experts_per_tok":6,
"n_shared_experts":1,"moe_intermediate_size":1856,"moe_shared_expert_intermediate_size":3712,"mamba_num_heads":64,
"mamba_head_dim":64,"n_groups":8,"ssm_state_size":128,"conv_kernel":4,"chunk_size":128,"mlp_hidden_act":"relu2",
"hybrid_override_pattern":"MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME"})";

} // namespace

TEST_CASE("models with scans have the parameters that their makers state") {
  // Nemotron 3 Nano: the total and the bf16 tensors that Hugging Face counts, the second with a further token's blocks.
  auto config = json::parse(nemotron_3_nano);
  CHECK(family_model(config).model.parameters == 31'577'937'344);
  config["num_nextn_predict_layers"] = 1;
  config["mtp_hybrid_override_pattern"] = "*E";
  CHECK(family_model(config).model.parameters == 32'913'263'168);
  // Mamba 2 2.7B and Codestral Mamba 7B, as the authors of this test know their totals.
  const json mamba{
      {"model_type", "mamba2"}, {"hidden_size", 2560},        {"num_hidden_layers", 64}, {"num_heads", 80},
      {"head_dim", 64},         {"state_size", 128},          {"n_groups", 1},           {"vocab_size", 50288},
      {"conv_kernel", 4},       {"tie_word_embeddings", true}};
  CHECK(family_model(mamba).model.parameters == 2'702'599'680);
  const json codestral{{"model_type", "mamba2"}, {"hidden_size", 4096}, {"num_hidden_layers", 64},
                       {"num_heads", 128},       {"head_dim", 64},      {"state_size", 128},
                       {"n_groups", 8},          {"vocab_size", 32768}};
  CHECK(family_model(codestral).model.parameters == 7'285'403'648);
  // Bamba 9B: 9.78 billion are published.
  const json bamba{{"model_type", "bamba"},
                   {"hidden_size", 4096},
                   {"intermediate_size", 14336},
                   {"num_hidden_layers", 32},
                   {"mamba_d_head", "auto"},
                   {"num_attention_heads", 32},
                   {"num_key_value_heads", 8},
                   {"vocab_size", 128256},
                   {"mamba_n_heads", 128},
                   {"mamba_n_groups", 1},
                   {"mamba_d_state", 128},
                   {"mamba_d_conv", 4},
                   {"attn_layer_indices", {9, 18, 27}}};
  CHECK(family_model(bamba).model.parameters == 9'780'235'392);
}

TEST_CASE("a scan has the FLOP of its chunks, and each block what its letter says") {
  const auto model = family_model(json::parse(nemotron_3_nano)).model;
  int scans = 0;
  int attentions = 0;
  for (const auto& layer : model.layers) {
    if (layer.kind == "attention") ++attentions;
    if (layer.kind != "scan") continue;
    ++scans;
    // 128 tokens; 64 heads of 64, 8 groups, 128 values of state, chunks of 128
    CHECK(layer.forward_flop_per_sample == 128.0 * (2.0 * 128 * 128 * 8 + 2.0 * 128 * 4096 + 4.0 * 128 * 4096));
    CHECK(layer.activation_bytes_per_sample == 4.0 * 128 * 4096);
  }
  CHECK(scans == 23);
  CHECK(attentions == 6);
}

TEST_CASE("mistakes of a config with scans are said at once") {
  auto config = json::parse(nemotron_3_nano);
  config["num_hidden_layers"] = 50;
  config["n_groups"] = 7;
  config["num_experts_per_tok"] = 129;
  CHECK_THAT(family_refusal(config), Catch::Contains("50 found, and 52 blocks are named") &&
                                         Catch::Contains("7 do not divide 64") &&
                                         Catch::Contains("129 found of 128 experts"));
  config["hybrid_override_pattern"] = "MX";
  CHECK_THAT(family_refusal(config), Catch::Contains("\"X\" found; only M, *, - and E name blocks"));
  config.erase("hybrid_override_pattern");
  CHECK_THAT(family_refusal(config), Catch::Contains("give a letter a block"));
}

TEST_CASE("attention states its heads, its window and what it sees") {
  const auto facts_of = [](const json& config, std::size_t block) {
    std::vector<ddlsim::AttentionFacts> all;
    const auto model = family_model(config).model;
    for (const auto& layer : model.layers)
      if (layer.kind == "attention") all.push_back(layer.attention);
    return all.at(block);
  };
  const json oss = {{"model_type", "gpt_oss"},  {"hidden_size", 2880},       {"intermediate_size", 2880},
                    {"num_hidden_layers", 36},  {"num_attention_heads", 64}, {"num_key_value_heads", 8},
                    {"head_dim", 64},           {"vocab_size", 201088},      {"num_local_experts", 128},
                    {"num_experts_per_tok", 4}, {"sliding_window", 128}};
  CHECK(facts_of(oss, 0) == ddlsim::AttentionFacts{64, 0, 8, 128});
  CHECK(facts_of(oss, 1) == ddlsim::AttentionFacts{64, 0, 8});
  const json bert = {{"model_type", "bert"},          {"hidden_size", 768},        {"intermediate_size", 3072},
                     {"num_hidden_layers", 12},       {"num_attention_heads", 12}, {"vocab_size", 30522},
                     {"max_position_embeddings", 512}};
  CHECK_FALSE(facts_of(bert, 3).causal);
  const json scout = {{"model_type", "llama4_text"},    {"hidden_size", 5120},      {"intermediate_size", 8192},
                      {"intermediate_size_mlp", 16384}, {"num_hidden_layers", 48},  {"num_attention_heads", 40},
                      {"num_key_value_heads", 8},       {"head_dim", 128},          {"vocab_size", 202048},
                      {"num_local_experts", 16},        {"num_experts_per_tok", 1}, {"interleave_moe_layer_step", 1},
                      {"attention_chunk_size", 64}};
  CHECK(facts_of(scout, 0).chunk == 64);
  CHECK(facts_of(scout, 3).chunk == 0);
}
