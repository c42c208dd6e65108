#include "tests/validate/records.hpp"
#include "validate/split.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace ddlsim::test;

namespace ddlsim {
namespace {

struct Case {
  std::vector<MeasurementFile> files;
  std::vector<Series> series;
  std::vector<Split> splits;
};

Case make_case(std::vector<MeasurementFile> files) {
  Case made{std::move(files), {}, {}};
  made.series = group_series(made.files);
  made.splits = make_splits(made.files, made.series);
  return made;
}

const Split* find(const Case& in, const std::string& name, const std::string& left_out = "") {
  const auto found = std::find_if(in.splits.begin(), in.splits.end(),
                                  [&](const Split& s) { return s.name == name && s.left_out == left_out; });
  return found == in.splits.end() ? nullptr : &*found;
}

std::vector<int> target_gpus(const Case& in, const Split& split, std::size_t part = 0) {
  std::vector<int> gpus;
  const auto& chosen = split.parts.at(part);
  for (const auto target : chosen.targets) gpus.push_back(in.series[chosen.series].points[target].gpus);
  return gpus;
}

} // namespace

TEST_CASE("tiers show one node, then one and two multi-node scales") {
  const auto made = make_case({curve_file("c", "f", {1, 1, 1, 1, 1, 1})});
  REQUIRE(find(made, "T1") != nullptr);
  CHECK(target_gpus(made, *find(made, "T1")) == std::vector<int>{8, 16, 32});
  CHECK(target_gpus(made, *find(made, "T2")) == std::vector<int>{16, 32});
  CHECK(target_gpus(made, *find(made, "T3")) == std::vector<int>{32});
  CHECK(visible_files(made.files, *find(made, "T2"))[0].records.size() == 4);
  CHECK(visible_series(made.series[0], find(made, "T1")->parts[0]).points.size() == 3);
}

TEST_CASE("as shipped, everything is known and every trusted point of several GPUs is asked") {
  auto may_be_other = curve_file("c", "f", {1, 1, 1, 1, 1, 1});
  std::get<StepRecord>(may_be_other.records[4]).head.suspect = true;
  const auto made = make_case({may_be_other});
  const auto& shipped = *find(made, "as-shipped");
  CHECK(shipped.masked_priors == MaskedPriors::none);
  CHECK(target_gpus(made, shipped) == std::vector<int>{2, 4, 8, 32});
  CHECK(visible_files(made.files, shipped)[0].records.size() == 6);
  for (const auto& split : made.splits)
    for (const auto gpus : target_gpus(made, split)) CHECK(gpus != 16); // what its source doubts is asked nowhere
}

TEST_CASE("as shipped without: each experiment is hidden once, with its GPUs alone still known") {
  auto vgg = curve_file("c", "vgg", {1, 1, 1, 1});
  for (auto& record : vgg.records) std::get<StepRecord>(record).model = "vgg16";
  const auto made = make_case({curve_file("c", "f", {1, 1, 1, 1}), vgg});
  std::vector<std::string> asked;
  for (const auto& split : made.splits) {
    if (split.name != "as-shipped-without") continue;
    for (const auto& part : split.parts) {
      const auto& series = made.series[part.series];
      asked.push_back(series.name);
      const auto known = visible_series(series, part);
      CHECK(std::none_of(known.points.begin(), known.points.end(), [](const auto& p) { return p.gpus > 1; }));
      CHECK(visible_files(made.files, split)[0].records.size() + visible_files(made.files, split)[1].records.size() ==
            5);
    }
  }
  CHECK(asked == std::vector<std::string>{"f", "vgg"});
}

TEST_CASE("the tiers of a new site ask what the tiers ask") {
  const auto made = make_case({curve_file("c", "f", {1, 1, 1, 1, 1, 1})});
  for (const std::string tier : {"T1", "T2", "T3"}) {
    const auto* known = find(made, tier);
    const auto* fresh = find(made, "new-" + tier);
    REQUIRE(fresh != nullptr);
    CHECK(fresh->visible_records == known->visible_records);
    CHECK(target_gpus(made, *fresh) == target_gpus(made, *known));
    CHECK(fresh->masked_priors == MaskedPriors::of_site);
    CHECK(known->masked_priors == MaskedPriors::of_site);
  }
}

TEST_CASE("a series within one node is in no tier, only in transfer") {
  const auto made = make_case({curve_file("c", "f", {1, 1, 1})});
  CHECK(find(made, "T1") == nullptr);
  const auto* out = find(made, "leave-one-cluster-out", "c");
  REQUIRE(out != nullptr);
  CHECK(target_gpus(made, *out) == std::vector<int>{2, 4});
}

TEST_CASE("the second multi-node scale of a run published twice stays hidden in both files") {
  auto again =
      file_of("c", "again", {step("other name", 1, 1, 1), step("other name", 16, 4, 1), step("other name", 32, 8, 1)});
  const auto made = make_case({curve_file("c", "f", {1, 1, 1, 1, 1, 1}), again});
  const auto& t2 = *find(made, "T2");
  REQUIRE(t2.parts.size() == 1); // the other file lacks the 8-GPU scale that T2 shows
  CHECK(made.series[t2.parts[0].series].name == "f");
  CHECK(visible_files(made.files, t2)[1].records.size() == 1);
}

TEST_CASE("what is left out keeps its one-GPU times") {
  auto vgg = curve_file("c", "vgg", {1, 1, 1, 1});
  for (auto& record : vgg.records) std::get<StepRecord>(record).model = "vgg16";
  const auto made = make_case({curve_file("c", "f", {1, 1, 1, 1}), vgg});
  const auto* out = find(made, "leave-one-model-out", "vgg16");
  REQUIRE(out != nullptr);
  REQUIRE(out->parts.size() == 1);
  CHECK(target_gpus(made, *out) == std::vector<int>{2, 4, 8});
  const auto visible = visible_files(made.files, *out);
  CHECK(visible[0].records.size() == 4);
  REQUIRE(visible[1].records.size() == 1);
  CHECK(std::get<StepRecord>(visible[1].records[0]).gpus == 1);
}

TEST_CASE("a model is left out only where another was run on as many") {
  auto other = curve_file("c", "vgg", {1, 1, 1}); // one node
  for (auto& record : other.records) std::get<StepRecord>(record).model = "vgg16";
  const auto made = make_case({curve_file("c", "f", {1, 1, 1, 1}), other});
  const auto* out = find(made, "leave-one-model-out", "resnet50");
  REQUIRE(out != nullptr);
  CHECK(target_gpus(made, *out) == std::vector<int>{2, 4}); // nothing tells what a second node costs
  CHECK(find(made, "leave-one-strategy-out", schedule_of(StrategyName::ring, "pytorch-ddp")) == nullptr);
  CHECK(find(made, "leave-one-cluster-out", "c") != nullptr);
}

TEST_CASE("a cluster left out loses its link facts too, and no other cluster does") {
  auto here = curve_file("here", "f", {1, 1, 1, 1});
  here.records.insert(here.records.end(),
                      {CollectiveRecord{}, PointToPointRecord{}, ServerRecord{}, InputRecord{}, LayersRecord{}});
  auto there = here;
  there.context.cluster = "there";
  const auto made = make_case({here, there});
  const auto* out = find(made, "leave-one-cluster-out", "here");
  REQUIRE(out != nullptr);
  const auto visible = visible_files(made.files, *out);
  CHECK(visible[0].records.size() == 2); // one GPU, and the layer
  CHECK(visible[1].records.size() == there.records.size());
}

TEST_CASE("a series that shows nothing takes no part") {
  const auto made = make_case({file_of("c", "f", {step("big", 64, 16, 1), step("big", 128, 32, 1)})});
  CHECK(find(made, "T1") == nullptr);
  REQUIRE(find(made, "T2") != nullptr);
  CHECK(target_gpus(made, *find(made, "T2")) == std::vector<int>{128});
  CHECK(find(made, "leave-one-cluster-out", "c") == nullptr);
}

TEST_CASE("variants of a model are left out together") {
  CHECK(model_family("resnet50_v1.5") == "resnet50");
  CHECK(model_family("resnet50_v2") == "resnet50");
  CHECK(model_family("inception_v3_tf") == "inception");
  CHECK(model_family("bert_base_seq128") == "bert_base");
  CHECK(model_family("bert_large_seq64") == "bert_large");
  CHECK(model_family("vgg16") == "vgg16");
  CHECK(model_family("googlenet_mxnet_v12.5_seq9") == "googlenet");
  for (const char* name :
       {"resnet50_v", "resnet50_v1.", "resnet50_v.5", "resnet50_v1.5.1", "bert_seq", "net_vx", "net_v1a", "_", ""})
    CHECK(model_family(name) == name);
  CHECK(schedule_of(StrategyName::ring, "horovod") == schedule_of(StrategyName::all_reduce, "horovod"));
  CHECK(schedule_of(StrategyName::ps, "byteps") != schedule_of(StrategyName::ring, "byteps"));
}

TEST_CASE("layouts are asked with none of them shown, and with the smallest of a series' name, whatever its model") {
  const auto layout = [](const std::string& series, const std::string& model, int gpus) {
    auto one = step(series, gpus, gpus / 4, 1);
    one.model = model;
    one.strategy = Strategy{StrategyName::model_parallel, {}};
    one.strategy.parallel.tensor = 4;
    return one;
  };
  const auto made = make_case(
      {curve_file("c", "f", {1, 1, 1, 1}), file_of("c", "layouts",
                                                   {layout("weak", "small", 8), layout("weak", "large", 16),
                                                    layout("strong", "large", 32), layout("strong", "large", 64)})});
  const auto asked = [&](const std::string& name) {
    std::vector<int> gpus;
    for (std::size_t part = 0; part < find(made, name)->parts.size(); ++part)
      for (const int of_part : target_gpus(made, *find(made, name), part)) gpus.push_back(of_part);
    std::sort(gpus.begin(), gpus.end());
    return gpus;
  };
  CHECK(asked("layouts-unseen") == std::vector<int>{8, 16, 32, 64});
  CHECK(asked("layouts-smallest") == std::vector<int>{16, 64});
  CHECK(visible_files(made.files, *find(made, "layouts-smallest"))[1].records.size() == 2);
  CHECK(visible_files(made.files, *find(made, "layouts-unseen"))[0].records.size() == 4);
  for (const auto& split : made.splits)
    for (const auto& part : split.parts)
      CHECK((is_model_parallel(made.series[part.series].strategy_name) == split.name.starts_with("layouts-")));
}

} // namespace ddlsim
