#include "sim/formats/answer_types.hpp"
#include "sim/formats/strategy_fields.hpp"

#include <catch2/catch.hpp>

using namespace ddlsim;

namespace {

struct Lap {
  double seconds = 0;
  double low = 0;
  double high = 0;
};

struct Race {
  std::string winner;
  Lap best{};
  Lap worst{};
  std::optional<int> fine{};
  std::map<std::string, int> places{};
};

std::vector<Field<Lap>> lap_rows() {
  auto rows =
      interval_rows<Lap, double>("lap_s", &Lap::seconds, &Lap::low, &Lap::high, rounded_positive_type(), "once");
  const auto rate = [](const Lap& lap) { return 1 / lap.seconds; };
  const auto stops = [](const Lap&) { return 1; };
  add_to(rows, {answered<Lap>("rate", rate, rounded_type(), "laps a second"),
                answered<Lap>("stops", stops, number_of_things(), "at the pit")});
  return rows;
}

FieldTable<Race> race_fields() {
  const auto fine = [](const Race& race) { return race.fine; };
  const auto has_places = std::function<bool(const Race&)>([](const Race& race) { return !race.places.empty(); });
  FieldTable<Race> table{{required("winner", &Race::winner, text_type(), "by name"),
                          required("best", &Race::best, answer_object(lap_rows()), "lap"),
                          required("worst", &Race::worst, answer_object(lap_rows()), "lap"),
                          answered<Race>("fine_or_null", fine, or_null(number_of_things()), "in euros"),
                          answered_if_any<Race>("fine", fine, number_of_things(), "in euros")}};
  add_to(table.fields, rows_of_part<Race>(std::identity{},
                                          std::vector<Field<Race>>{required("places", &Race::places,
                                                                            map_type(number_of_things()), "by name")},
                                          has_places));
  return table;
}

Strategy strategy_with_name(StrategyName name) {
  Strategy strategy;
  strategy.name = name;
  return strategy;
}

std::string written(const Strategy& strategy) {
  return json_text(write_fields(strategy_answer_fields(), strategy));
}

} // namespace

TEST_CASE("an answer is written from its table, with nine digits, and without what it does not know") {
  const Race race{"ada", {3, 2.5, 4}, {4, 3, 5}};
  CHECK(json_text(write_fields(race_fields(), race)) ==
        R"({"winner":"ada","best":{"lap_s":3.0,"lap_s_low":2.5,"lap_s_high":4.0,"rate":0.333333333,"stops":1},)"
        R"("worst":{"lap_s":4.0,"lap_s_low":3.0,"lap_s_high":5.0,"rate":0.25,"stops":1},"fine_or_null":null})");
  const auto fined = write_fields(race_fields(), Race{"bob", {1}, {1}, 20, {{"bob", 1}}});
  CHECK(fined["fine_or_null"] == 20);
  CHECK(fined["fine"] == 20);
  CHECK(fined["places"]["bob"] == 1);
}

TEST_CASE("the list of an answer's keys names an object that repeats by the place of the first") {
  const auto list = field_list(race_fields().shape().fields);
  CHECK(list.find("| `best.lap_s_high` | a number above 0 |") != std::string::npos);
  CHECK(list.find("| `worst` | an object with the keys of `best` |") != std::string::npos);
  CHECK(list.find("`worst.lap_s`") == std::string::npos);
  CHECK(list.find("| `fine_or_null` | a whole number, 0 or more, or null |") != std::string::npos);
}

TEST_CASE("a value of several forms has the keys of each in the list") {
  ValueShape either{ValueKind::either};
  either.parts = {race_fields().shape(), {ValueKind::object}};
  either.parts.back().fields = {{"winner", Presence::required, text_type().shape, "again"},
                                {"error", Presence::required, text_type().shape, "why there was no race"}};
  const auto list = field_list({{"race", Presence::required, either, "one"}});
  CHECK(list.find("| `race.error` | a text | optional | why there was no race |") != std::string::npos);
  CHECK(list.find("again") == std::string::npos);
}

TEST_CASE("the strategy of an answer states its options even where they are the usual ones") {
  CHECK(written(strategy_with_name(StrategyName::ring)) == R"({"name":"ring"})");
  CHECK(written(strategy_with_name(StrategyName::ps)) ==
        R"({"name":"ps","servers":{"unknown":true},"placement":"unknown","sharding":"unknown","on_node_reduce":true,)"
        R"("device":"cpu"})");
  auto zero = strategy_with_name(StrategyName::zero_1);
  zero.preset = "ddp";
  CHECK(written(zero) == R"({"name":"zero-1","preset":"ddp","micro_batches":1,"recompute":"none"})");
  auto sharded = strategy_with_name(StrategyName::fsdp);
  sharded.sharded.shard_group = ShardedOptions::a_node;
  sharded.sharded.offload = Offload::optimizer_and_parameters;
  CHECK(written(sharded) == R"({"name":"fsdp","reshard_after_forward":true,"backward_prefetch":true,)"
                            R"("gathers_in_flight":2,"shard_group":"node","micro_batches":1,"recompute":"none",)"
                            R"("offload":"optimizer-and-parameters"})");
  auto pipeline = strategy_with_name(StrategyName::model_parallel);
  pipeline.parallel.pipeline = ModelParallelOptions::best;
  pipeline.parallel.recompute = Recompute::full;
  CHECK(written(pipeline) == R"({"name":"model-parallel","tensor":1,"pipeline":"best","micro_batches":1,)"
                             R"("schedule":"1f1b","virtual_stages":1,"data_parallel":"all-reduce",)"
                             R"("recompute":"full"})");
}
