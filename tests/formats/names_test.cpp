#include "sim/formats/names.hpp"

#include <catch2/catch.hpp>

#include <set>

namespace ddlsim {

TEMPLATE_TEST_CASE("every name has a text of its own and is found by it", "[names]", Algorithm, StrategyName, Grouping,
                   Sharding, Placement, Device, Precision, WirePrecision, Library, IntraKind, FabricKind, Routing,
                   NodeOrder, NodeReduce, PriorScale, PriceKind, EvidenceLabel, RecordKind, RunMode, Recompute, Offload,
                   PipelineSchedule, DataParallel, RankOrder, NicPath) {
  std::set<std::string> texts;
  for (const TestType value : values_of<TestType>()) {
    CHECK(value_named<TestType>(to_text(value)) == value);
    CHECK(texts.insert(to_text(value)).second);
  }
  CHECK(texts.size() > 1);
  CHECK_FALSE(value_named<TestType>("").has_value());
  CHECK_FALSE(value_named<TestType>("no such name").has_value());
}

TEST_CASE("the lists are whole, a question's without what only records may say", "[names]") {
  constexpr std::size_t no_algorithms = 9; // none, ps, ps-async, all-reduce, auto, zero-1, zero-2, fsdp, model-parallel
  CHECK(values_of<StrategyName>().size() == values_of<Algorithm>().size() + no_algorithms);
  CHECK(names_of<WirePrecision>() == std::vector<std::string>{"fp32", "fp16", "bf16", "unknown"});
  CHECK(known_names_of<WirePrecision>() == std::vector<std::string>{"fp32", "fp16", "bf16"});
}

TEST_CASE("every collective has a text of its own, an all-reduce that of its algorithm", "[names]") {
  std::set<std::string> texts;
  for (const auto& collective : every_collective()) CHECK(texts.insert(to_text(collective)).second);
  for (const Algorithm algorithm : values_of<Algorithm>())
    CHECK(to_text(all_reduce_by(algorithm)) == to_text(algorithm));
  CHECK(to_text({CollectiveOperation::all_gather, Algorithm::ring}) == "ring-all-gather");
}

TEST_CASE("a strategy names an algorithm, or leaves it open, or is no all-reduce", "[names]") {
  for (const Algorithm algorithm : values_of<Algorithm>()) {
    const auto strategy = value_named<StrategyName>(to_text(algorithm));
    REQUIRE(strategy.has_value());
    CHECK(algorithm_of(*strategy) == algorithm);
  }
  for (const auto open : {StrategyName::none, StrategyName::ps, StrategyName::all_reduce, StrategyName::automatic,
                          StrategyName::zero_1, StrategyName::zero_2, StrategyName::fsdp, StrategyName::model_parallel})
    CHECK_FALSE(algorithm_of(open).has_value());
}

TEST_CASE("every strategy is of one family", "[names]") {
  for (const StrategyName name : values_of<StrategyName>()) {
    INFO(to_text(name));
    const auto family = family_of(name);
    CHECK(is_parameter_server(name) == (family == StrategyFamily::servers));
    CHECK(is_sharded(name) == (family == StrategyFamily::sharded));
    CHECK(is_model_parallel(name) == (family == StrategyFamily::model_parallel));
    if (algorithm_of(name)) CHECK(family == StrategyFamily::all_reduce);
  }
  CHECK(family_of(StrategyName::none) == StrategyFamily::none);
  CHECK(family_of(StrategyName::automatic) == StrategyFamily::all_reduce);
  CHECK(family_of(StrategyName::all_reduce) == StrategyFamily::all_reduce);
  CHECK(family_of(StrategyName::ps_async) == StrategyFamily::servers);
  CHECK(family_of(StrategyName::zero_1) == StrategyFamily::sharded);
  CHECK(family_of(StrategyName::model_parallel) == StrategyFamily::model_parallel);
}

TEST_CASE("each transport says what moves its bytes", "[names]") {
  for (const auto& name : transport_names()) CHECK(carrier_of(name).has_value());
  CHECK(carrier_of("mpi-tcp") == Carrier::mpi);
  CHECK(carrier_of("gloo-tcp") == Carrier::gloo);
  CHECK_FALSE(carrier_of("pigeon").has_value());
}

TEST_CASE("a strategy's text says its name first", "[names]") {
  CHECK(strategy_name_in("ps-async(2 dedicated, bytes)") == StrategyName::ps_async);
  CHECK(strategy_name_in("ring") == StrategyName::ring);
  CHECK_FALSE(strategy_name_in("gossip").has_value());
  CHECK_FALSE(strategy_name_in("").has_value());
}

} // namespace ddlsim
