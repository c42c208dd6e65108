#include "sim/formats/readers.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <utility>

namespace ddlsim {
namespace {

struct ReadStrategy {
  Strategy strategy;
  std::string reported; ///< a line a mistake
};

ReadStrategy read_strategy(const std::string& text, StrategyUse use) {
  const auto document = nlohmann::json::parse(text);
  Mistakes mistakes("");
  ReadStrategy found{strategy_from(JsonNode(document, "", mistakes), use), ""};
  for (const auto& mistake : mistakes.list()) found.reported += to_text(mistake) + "\n";
  return found;
}

} // namespace

TEST_CASE("model parallelism says its degrees, its micro-batches and their order") {
  const std::pair<std::string, std::string> all[] = {
      {R"({"name":"model-parallel","pipeline":4,"micro_batches":8,"schedule":"1f1b"})",
       "model-parallel(4 stages, 8 micro-batches, 1f1b)"},
      {R"({"name":"model-parallel","pipeline":2,"micro_batches":1,"schedule":"gpipe"})",
       "model-parallel(2 stages, 1 micro-batch, gpipe)"},
      {R"({"name":"model-parallel","pipeline":2,"micro_batches":4,"schedule":"interleaved","virtual_stages":3})",
       "model-parallel(2 stages, 4 micro-batches, interleaved by 3)"},
      {R"({"name":"model-parallel","tensor":8})", "model-parallel(tensor 8)"},
      {R"({"name":"model-parallel","tensor":8,"micro_batches":2})", "model-parallel(tensor 8, 2 micro-batches)"},
      {R"({"name":"model-parallel","tensor":8,"pipeline":4,"micro_batches":8,"schedule":"1f1b"})",
       "model-parallel(tensor 8, 4 stages, 8 micro-batches, 1f1b)"},
      {R"({"name":"model-parallel","tensor":8,"data_parallel":"zero-1"})", "model-parallel(tensor 8, zero-1)"},
      {R"({"name":"model-parallel","tensor":8,"tensor_overlap":true})", "model-parallel(tensor 8 overlapped)"},
      {R"({"name":"model-parallel","tensor":8,"recompute":"full"})", "model-parallel(tensor 8, full recomputation)"},
      {R"({"name":"model-parallel","pipeline":2,"micro_batches":4,"schedule":"1f1b","data_parallel":"zero-1","recompute":"selective"})",
       "model-parallel(2 stages, 4 micro-batches, 1f1b, zero-1, selective recomputation)"},
      {R"({"name":"model-parallel","pipeline":2,"micro_batches":4,"schedule":"1f1b","rank_order":"tp-cp-pp-dp"})",
       "model-parallel(2 stages, 4 micro-batches, 1f1b, ranks tp-cp-pp-dp)"},
      {R"({"name":"model-parallel","expert":8})", "model-parallel(expert 8)"},
      {R"({"name":"model-parallel","tensor":2,"expert":8,"expert_imbalance":1.5})",
       "model-parallel(tensor 2, expert 8, busiest 1.5)"},
      {R"({"name":"model-parallel","context":4})", "model-parallel(context 4)"},
      {R"({"name":"model-parallel","tensor":8,"context":16,"pipeline":16,"micro_batches":16,"schedule":"1f1b"})",
       "model-parallel(tensor 8, context 16, 16 stages, 16 micro-batches, 1f1b)"},
      {R"({"name":"model-parallel","context":"best"})", "model-parallel(context best)"},
      {R"({"name":"model-parallel","context":4,"context_kind":"ring"})", "model-parallel(context 4 by ring)"},
      {R"({"name":"model-parallel","context":4,"context_kind":"all-to-all"})",
       "model-parallel(context 4 by all-to-all)"},
      {R"({"name":"model-parallel","tensor":8,"data_parallel":"fsdp"})", "model-parallel(tensor 8, fsdp)"},
      {R"({"name":"model-parallel","tensor":8,"data_parallel":"fsdp","shard_group":16,"reshard_after_forward":false})",
       "model-parallel(tensor 8, fsdp in groups of 16 kept after forward)"},
      {R"({"name":"model-parallel","tensor":8,"data_parallel":"fsdp","shard_group":"node"})",
       "model-parallel(tensor 8, fsdp in groups of a node)"},
      {R"({"name":"model-parallel","pipeline":2,"micro_batches":4,"schedule":"zero-bubble","first_stage_blocks":3,"last_stage_blocks":2})",
       "model-parallel(2 stages, 4 micro-batches, zero-bubble, 3 blocks first, 2 blocks last)"},
      {R"({"name":"model-parallel","tensor":8,"recompute":"alternate-matmuls"})",
       "model-parallel(tensor 8, alternate-matmuls recomputation)"},
      {R"({"name":"model-parallel","tensor":"best"})", "model-parallel(tensor best)"},
      {R"({"name":"model-parallel","tensor":"best","pipeline":"best","micro_batches":"best","schedule":"1f1b"})",
       "model-parallel(tensor best, best stages, best micro-batches, 1f1b)"},
      {R"({"name":"model-parallel","pipeline":"best","micro_batches":6,"schedule":"interleaved","virtual_stages":2})",
       "model-parallel(best stages, 6 micro-batches, interleaved by 2)"}};
  for (const auto& [json_text, text] : all) {
    const auto [strategy, reported] = read_strategy(json_text, StrategyUse::scenario);
    CHECK(reported.empty());
    CHECK(to_text(strategy) == text);
    CHECK(strategy_to_json(strategy, StrategyUse::scenario) ==
          nlohmann::json::parse(json_text)); // written as it was read
  }
  CHECK(read_strategy(R"({"name":"model-parallel","pipeline":4,"micro_batches":8})", StrategyUse::scenario)
            .strategy.parallel.schedule == PipelineSchedule::one_f_one_b);
}

TEST_CASE("a pipeline that cannot be is one message with what to do") {
  const auto message = [](const std::string& more) {
    return read_strategy(R"({"name":"model-parallel")" + more + "}", StrategyUse::scenario).reported;
  };
  CHECK_THAT(message(""), Catch::Contains("nothing is parallel but data"));
  CHECK_THAT(message(R"(,"pipeline":1,"micro_batches":8)"), Catch::Contains("nothing is parallel but data"));
  CHECK_THAT(message(R"(,"pipeline":0,"micro_batches":8)"), Catch::StartsWith("/pipeline: 0"));
  CHECK_THAT(message(R"(,"pipeline":4)"), Catch::StartsWith("/micro_batches: "));
  CHECK_THAT(message(R"(,"tensor":1.5)"), Catch::StartsWith("/tensor: 1.5"));
  CHECK_THAT(message(R"(,"tensor":2,"schedule":"1f1b")"), Catch::StartsWith("/schedule: only a pipeline has one"));
  CHECK_THAT(message(R"(,"pipeline":4,"micro_batches":8,"tensor_overlap":true)"),
             Catch::StartsWith("/tensor_overlap: only a tensor group"));
  CHECK_THAT(message(R"(,"tensor":4,"expert_imbalance":1.5)"), Catch::StartsWith("/expert_imbalance: only experts"));
  CHECK_THAT(message(R"(,"expert":4,"expert_imbalance":0.5)"), Catch::StartsWith("/expert_imbalance: 0.5"));
  CHECK_THAT(message(R"(,"tensor":4,"expert_overlap":true)"), Catch::StartsWith("/expert_overlap: only experts"));
  CHECK_THAT(message(R"(,"expert":4,"expert_exchange":"nccl")"), Catch::StartsWith("/expert_exchange: "));
  CHECK_THAT(message(R"(,"expert":4,"tensor":4,"expert_tensor":2)"),
             Catch::StartsWith("/expert_tensor: 2 found beside a \"tensor\" of 4"));
  CHECK(message(R"(,"expert":4,"tensor":4,"expert_tensor":1,"expert_exchange":"deepep")").empty());
  CHECK_THAT(message(R"(,"pipeline":4,"micro_batches":0)"), Catch::StartsWith("/micro_batches: 0"));
  CHECK_THAT(message(R"(,"pipeline":4,"micro_batches":8,"schedule":"1f1")"), Catch::Contains("did you mean \"1f1b\"?"));
  CHECK_THAT(message(R"(,"pipeline":4,"micro_batches":8,"schedule":"interleaved")"),
             Catch::StartsWith("/virtual_stages: "));
  CHECK_THAT(message(R"(,"pipeline":4,"micro_batches":6,"schedule":"interleaved","virtual_stages":2)"),
             Catch::Contains("6 micro-batches are no multiple of the 4 stages") && Catch::Contains("give 8"));
  CHECK_THAT(message(R"(,"pipeline":4,"micro_batches":8,"virtual_stages":2)"),
             Catch::Contains("has no meaning without \"schedule\": \"interleaved\""));
  CHECK_THAT(message(R"(,"pipeline":4,"micro_batches":8,"stages":2)"), Catch::StartsWith("/stages: unknown key"));
  CHECK_THAT(message(R"(,"pipeline":4,"micro_batches":8,"servers":{"count":1})"),
             Catch::Contains("/servers: has no meaning with \"name\": \"model-parallel\""));
  CHECK_THAT(message(R"(,"pipeline":4,"micro_batches":8,"data_parallel":"zero_l")"),
             Catch::Contains("did you mean \"zero-1\"?"));
  CHECK_THAT(message(R"(,"tensor":"bset")"), Catch::StartsWith("/tensor: \"bset\" found; did you mean \"best\"?"));
  CHECK_THAT(message(R"(,"tensor":"x\u001b[31m")"), !Catch::Contains("\x1b"));
  CHECK_THAT(message(R"(,"tensor":2,"recompute":"ful")"), Catch::Contains("did you mean \"full\"?"));
  CHECK_THAT(message(R"(,"tensor":2,"recompute":true)"), Catch::StartsWith("/recompute: "));
  CHECK_THAT(message(R"(,"tensor":2,"recompute":"x\u001b[31m")"), !Catch::Contains("\x1b"));
  CHECK_THAT(message(R"(,"tensor":2,"rank_order":"tp-cp-pp-dp")"), Catch::StartsWith("/rank_order: only a pipeline"));
  CHECK_THAT(message(R"(,"pipeline":4,"micro_batches":8,"rank_order":"tp-cp-pp-dd")"),
             Catch::Contains("did you mean \"tp-cp-pp-dp\"?"));
  CHECK_THAT(message(R"(,"pipeline":4,"micro_batches":8,"rank_order":["dp"])"), Catch::StartsWith("/rank_order: "));
  CHECK_THAT(message(R"(,"pipeline":4,"micro_batches":8,"rank_order":"x\u001b[31m")"), !Catch::Contains("\x1b"));
  CHECK_THAT(message(R"(,"pipeline":4,"micro_batches":8,"expert":2,"rank_order":"tp-cp-pp-dp")"),
             Catch::StartsWith("/rank_order: experts"));
  CHECK_THAT(message(R"(,"recompute":"full")"), Catch::Contains("nothing is parallel but data"));
  CHECK_THAT(message(R"(,"context":0)"), Catch::StartsWith("/context: 0"));
  CHECK_THAT(message(R"(,"context":-2)"), Catch::StartsWith("/context: -2"));
  CHECK_THAT(message(R"(,"context":1e99)"), Catch::StartsWith("/context: "));
  CHECK_THAT(message(R"(,"context":10001)"), Catch::StartsWith("/context: 10001"));
  CHECK_THAT(message(R"(,"context":[2])"), Catch::StartsWith("/context: "));
  CHECK_THAT(message(R"(,"context":"bset")"), Catch::StartsWith("/context: \"bset\" found; did you mean \"best\"?"));
  CHECK_THAT(message(R"(,"context":1)"), Catch::Contains("nothing is parallel but data"));
  CHECK_THAT(message(R"(,"context":4,"schedule":"1f1b")"), Catch::StartsWith("/schedule: only a pipeline has one"));
  CHECK_THAT(message(R"(,"context":10000,"tensor":10000,"pipeline":10000,"micro_batches":1,"expert":10000)"),
             Catch::Contains("need 1e+16 GPUs, and 1e+09 are the most"));
  CHECK_THAT(read_strategy(R"({"name":"fsdp","context":2})", StrategyUse::scenario).reported,
             Catch::StartsWith("/context: has no meaning with \"name\": \"fsdp\""));
  CHECK_THAT(message(R"(,"pipeline":"best")"), Catch::StartsWith("/micro_batches: "));
  CHECK_THAT(message(R"(,"pipeline":["best"],"micro_batches":2)"), Catch::StartsWith("/pipeline: "));
  CHECK_THAT(message(R"(,"pipeline":1,"tensor":1,"micro_batches":"best")"), Catch::Contains("nothing is parallel but"));
  CHECK_THAT(read_strategy(R"({"name":"fsdp","micro_batches":"best"})", StrategyUse::scenario).reported,
             Catch::StartsWith("/micro_batches: "));
}

TEST_CASE("a record of model parallelism states its degrees") {
  const auto read = [](const std::string& more) {
    return read_strategy(R"({"name":"model-parallel")" + more + "}", StrategyUse::record);
  };
  const auto parallel =
      read(R"(,"tensor":8,"pipeline":6,"micro_batches":576,"data_parallel":"zero-1")").strategy.parallel;
  CHECK(parallel == ModelParallelOptions{8, 6, 576, PipelineSchedule::one_f_one_b, 1, DataParallel::zero_1});
  CHECK(read(R"(,"tensor":8,"recompute":"selective")").strategy.parallel.recompute == Recompute::selective);
  CHECK(read(R"(,"tensor":8,"context":16)").strategy.parallel.context == 16);
  CHECK_THAT(read(R"(,"context":"best")").reported, Catch::StartsWith("/context: \"best\" found"));
  CHECK_THAT(read(R"(,"tensor":"best")").reported, Catch::StartsWith("/tensor: \"best\" found"));
  CHECK_THAT(read(R"(,"pipeline":4,"micro_batches":"fast")").reported, Catch::StartsWith("/micro_batches: \"fast\""));
}

TEST_CASE("a record may leave its micro-batches open, where its source does not state them") {
  const std::string text = R"({"name":"model-parallel","tensor":8,"micro_batches":"best","data_parallel":"zero-1"})";
  const auto [strategy, reported] = read_strategy(text, StrategyUse::record);
  CHECK(reported.empty());
  CHECK(strategy.parallel.micro_batches == ModelParallelOptions::best);
  CHECK(seeks_best_layout(strategy));
  CHECK(strategy_to_json(strategy, StrategyUse::record) == nlohmann::json::parse(text));
}

TEST_CASE("a question for the best layout opens what it does not state") {
  const std::string text = R"({"name":"model-parallel","layout":"best","tensor":8,"recompute":"full"})";
  const auto [strategy, reported] = read_strategy(text, StrategyUse::scenario);
  CHECK(reported.empty());
  const auto& parallel = strategy.parallel;
  CHECK(parallel.tensor == 8);
  CHECK(parallel.recompute == Recompute::full);
  for (const int degree :
       {parallel.context, parallel.pipeline, parallel.micro_batches, parallel.virtual_stages, parallel.expert})
    CHECK(degree == ModelParallelOptions::best);
  CHECK(parallel.data_parallel == DataParallel::zero_1);
  CHECK(to_text(strategy) == "model-parallel(best layout, tensor 8, full recomputation)");
  const auto written = strategy_to_json(strategy, StrategyUse::scenario);
  CHECK(read_strategy(written.dump(), StrategyUse::scenario).strategy.parallel == parallel);
  CHECK(seeks_best_layout(strategy));
  CHECK_THAT(read_strategy(R"({"name":"model-parallel","layout":"bset"})", StrategyUse::scenario).reported,
             Catch::StartsWith("/layout: "));
  CHECK_THAT(read_strategy(text, StrategyUse::record).reported, Catch::StartsWith("/layout: "));
}

TEST_CASE("replicas that keep a part each may have no other degree") {
  for (const auto use : {StrategyUse::record, StrategyUse::scenario}) {
    const auto [strategy, reported] =
        read_strategy(R"({"name":"model-parallel","micro_batches":4,"data_parallel":"zero-1"})", use);
    CHECK(reported.empty());
    CHECK(to_text(strategy) == "model-parallel(4 micro-batches, zero-1)");
  }
}

TEST_CASE("options of layouts that have no meaning beside the others are mistakes, all at once") {
  const auto reported = [](const std::string& text) { return read_strategy(text, StrategyUse::scenario).reported; };
  const auto of_context =
      reported(R"({"name":"model-parallel","tensor":2,"context_kind":"ring","first_stage_blocks":2})");
  CHECK_THAT(of_context,
             Catch::Contains("only a context group has one") && Catch::Contains("only a pipeline has stages"));
  CHECK_THAT(reported(R"({"name":"model-parallel","tensor":2,"shard_group":8})"), Catch::Contains("shard_group"));
  CHECK_THAT(
      reported(R"({"name":"model-parallel","pipeline":2,"micro_batches":4,"schedule":"interleaved","virtual_stages":2,)"
               R"("first_stage_blocks":3})"),
      Catch::Contains("3 blocks are not dealt out evenly over the 2"));
  CHECK_THAT(reported(R"({"name":"model-parallel","pipeline":2,"micro_batches":4,"schedule":"zero-bubble",)"
                      R"("data_parallel":"fsdp"})"),
             Catch::Contains("is not simulated beside"));
  CHECK_THAT(reported(R"({"name":"ps","servers":{"count":1},"micro_batches":4})"), Catch::Contains("micro_batches"));
}

TEST_CASE("all-reduces say their micro-batches and what they recompute") {
  const auto [strategy, reported] =
      read_strategy(R"({"name":"auto","micro_batches":4,"recompute":"full"})", StrategyUse::record);
  CHECK(reported.empty());
  CHECK(to_text(strategy) == "auto(4 micro-batches, full recomputation)");
  CHECK(micro_batches_of(strategy) == 4);
  CHECK(recompute_of(strategy) == Recompute::full);
}

} // namespace ddlsim
