#include "sim/formats/record.hpp"
#include "tests/formats/sample_files.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

using ddlsim::Record;
using nlohmann::json;

namespace {

/// Of every field a record can have, drawn so that each optional one is sometimes absent.
class Draw {
public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  int count(int most) { return 1 + static_cast<int>(random_() % static_cast<std::uint64_t>(most)); }
  bool flip() { return random_() % 2 == 0; }
  double share() { return (static_cast<double>(random_() >> 11U) + 0.5) * 0x1p-53; }
  double size() { return share() * std::pow(10, count(18) - 9); }
  double sometimes(double value) { return flip() ? value : 0; }
  std::string pick(const std::vector<std::string>& from) { return from[random_() % from.size()]; }
  template <class Name> Name name() { return ddlsim::values_of<Name>()[random_() % ddlsim::values_of<Name>().size()]; }
  std::string text() { return pick({"a", "b c", "quote \" and \\ and \n", "\xc3\xa9\xe2\x82\xac", "1e5", "{}"}); }

private:
  std::mt19937_64 random_;
};

ddlsim::RecordHead draw_head(Draw& draw) {
  ddlsim::RecordHead head;
  head.series = draw.text();
  head.from = "/x/" + draw.text();
  head.origin = draw.pick({"table", "text", "plot", "run"});
  head.gpu = draw.pick({"", "K80"});
  head.device = draw.pick({"", "cpu", "cuda"});
  head.host = draw.pick({"", "node7"});
  head.transport = draw.pick({"nccl-ib", "shm", "unknown"});
  head.library = draw.text();
  head.statistic = draw.pick({"median", "mean", "best_of", "unknown"});
  head.repeats = draw.flip() ? 0 : draw.count(9);
  head.relative_spread = draw.sometimes(draw.share());
  head.suspect = draw.flip();
  head.note = draw.pick({"", "a note"});
  for (int i = 0; i < head.repeats; ++i) head.samples_s.push_back(draw.size());
  return head;
}

ddlsim::Strategy draw_strategy(Draw& draw) {
  using Rule = ddlsim::ServerCount::Rule;
  ddlsim::Strategy strategy;
  strategy.name = draw.name<ddlsim::StrategyName>();
  if (is_model_parallel(strategy.name)) strategy.parallel = {draw.count(8), draw.count(8) + 1, draw.count(64)};
  if (strategy.name != ddlsim::StrategyName::ps && strategy.name != ddlsim::StrategyName::ps_async) return strategy;
  const Rule rules[] = {Rule::unknown, Rule::count, Rule::per_node, Rule::equal_workers};
  strategy.servers.rule = rules[draw.count(4) - 1];
  if (strategy.servers.rule == Rule::count || strategy.servers.rule == Rule::per_node)
    strategy.servers.value = draw.count(64);
  strategy.placement = draw.name<ddlsim::Placement>();
  strategy.sharding = draw.name<ddlsim::Sharding>();
  strategy.on_node_reduce = draw.flip();
  strategy.device = draw.name<ddlsim::Device>();
  return strategy;
}

ddlsim::StepRecord draw_step(Draw& draw) {
  ddlsim::StepRecord step;
  step.head = draw_head(draw);
  step.model = draw.pick({"resnet50_v1", "vgg16", "gnmt"});
  step.precision = draw.name<ddlsim::Precision>();
  step.wire_precision = draw.name<ddlsim::WirePrecision>();
  step.batch_per_gpu = draw.size();
  step.preset = draw.text();
  step.strategy = draw_strategy(draw);
  step.algorithm = draw.text();
  step.nodes = draw.count(64);
  step.gpus_per_node = draw.count(16);
  step.gpus = step.nodes * step.gpus_per_node - (draw.count(step.gpus_per_node) - 1);
  step.synchronised = step.strategy.name != ddlsim::StrategyName::none && draw.flip();
  step.host_paced = draw.flip();
  step.optimizer = draw.flip();
  step.data = draw.pick({"synthetic", "real", "unknown"});
  step.mode = draw.name<ddlsim::RunMode>();
  step.iteration_s = draw.size();
  step.overlap_slowdown = draw.flip() ? 1.0 + 0.1 * draw.count(20) : 0;
  step.overlap_kernels = step.overlap_slowdown > 0 && draw.flip() ? draw.count(1000) : 0;
  return step;
}

/// As a table holds it: of so many digits.
double of_digits(double value, int digits) {
  return std::stod(fmt::format("{:.{}g}", value, digits));
}

/// Some layers have no time in it; one has.
std::vector<ddlsim::PassTime> draw_pass(Draw& draw, std::size_t layers) {
  std::vector<ddlsim::PassTime> times;
  for (std::size_t layer = 0; layer < layers; ++layer)
    if (layer == 0 || draw.flip())
      times.push_back({layer, of_digits(1e6 * draw.size(), 5) * 1e-6, draw.sometimes(of_digits(draw.share(), 2))});
  return times;
}

ddlsim::LayersRecord draw_layers(Draw& draw) {
  ddlsim::LayersRecord record;
  record.head = draw_head(draw);
  record.head.repeats = 0;
  record.head.relative_spread = 0;
  record.head.samples_s.clear();
  record.model = draw.pick({"resnet50_v1", "kernel"});
  for (int i = draw.count(9); i > 0; --i)
    record.layers.push_back({fmt::format("{} {}", draw.text(), i), draw.pick({"conv", "gemm", "norm"}),
                             draw.sometimes(draw.size()), draw.sometimes(draw.size())});
  for (int i = draw.count(3); i > 0; --i) {
    ddlsim::LayerTiming timing{draw.flip() ? record.head.gpu : "V100",
                               draw.name<ddlsim::Precision>(),
                               draw.size(),
                               draw.count(9) - 1,
                               draw.flip(),
                               {}};
    timing.passes[draw.name<ddlsim::LayerPass>()] = draw_pass(draw, record.layers.size());
    timing.passes[ddlsim::LayerPass::forward] = draw_pass(draw, record.layers.size());
    record.timings.push_back(timing);
  }
  return record;
}

ddlsim::SpeedUpRecord draw_speed_up(Draw& draw) {
  const auto step = draw_step(draw);
  ddlsim::SpeedUpRecord record;
  record.head = step.head;
  record.model = step.model;
  record.precision = step.precision;
  record.wire_precision = step.wire_precision;
  record.batch_per_gpu = step.batch_per_gpu;
  record.preset = step.preset;
  record.strategy = step.strategy;
  record.gpus_per_node = step.gpus_per_node + 1; // two scales need two GPUs
  record.nodes = step.nodes;
  record.gpus = record.nodes * record.gpus_per_node;
  record.base_nodes = 1;
  record.base_gpus = draw.count(record.gpus_per_node - 1);
  record.speed_up = draw.size();
  record.trust = draw.pick({"A", "B", "C"});
  record.base_from = draw.pick({"", "/points/0"});
  if (draw.flip()) record.assumed = {{"batch_per_gpu", "64, " + draw.text()}};
  return record;
}

ddlsim::ServerRecord draw_server(Draw& draw) {
  ddlsim::ServerRecord record{draw_head(draw),   draw.pick({"push", "pull", "push-pull", "channel"}),
                              draw.size(),       draw.count(3) - 1,
                              draw.count(3) - 1, draw.sometimes(draw.size())};
  if (draw.flip()) return record;
  record.what = ddlsim::kServerInTraining;
  record.preset = draw.text();
  record.bytes = draw.size();
  record.messages = draw.count(1'000'000);
  record.processor_s = draw.size();
  return record;
}

std::vector<Record> draw_records(Draw& draw) {
  const double samples = draw.sometimes(draw.size());
  return {
      draw_step(draw),
      ddlsim::CollectiveRecord{draw_head(draw), draw.pick({"all_reduce", "broadcast"}), draw.text(), 8 + draw.count(8),
                               draw.count(8), draw.count(3), draw.sometimes(draw.size()), draw.size()},
      ddlsim::PointToPointRecord{draw_head(draw), draw.sometimes(draw.size()), draw.size(), draw.count(3) - 1,
                                 draw.count(4), draw.flip()},
      draw_layers(draw),
      draw_server(draw),
      ddlsim::InputRecord{draw_head(draw), draw.pick({"loader", "storage"}), samples, samples > 0 ? 0 : draw.size()},
      ddlsim::LossRecord{draw_head(draw), "vgg16", draw.count(90) - 1, draw.count(1'000'000), draw.size(),
                         draw.flip() ? -1 : draw.share()},
      draw_speed_up(draw)};
}

bool equal(const ddlsim::RecordHead& a, const ddlsim::RecordHead& b) { // but for file and line
  return a.series == b.series && a.from == b.from && a.origin == b.origin && a.gpu == b.gpu && a.device == b.device &&
         a.host == b.host && a.transport == b.transport && a.library == b.library && a.statistic == b.statistic &&
         a.repeats == b.repeats && a.relative_spread == b.relative_spread && a.suspect == b.suspect &&
         a.note == b.note && a.samples_s == b.samples_s;
}

bool equal(const ddlsim::StepRecord& a, const ddlsim::StepRecord& b) {
  return a.model == b.model && a.precision == b.precision && a.wire_precision == b.wire_precision &&
         a.batch_per_gpu == b.batch_per_gpu && a.preset == b.preset && to_text(a.strategy) == to_text(b.strategy) &&
         a.algorithm == b.algorithm && a.gpus == b.gpus && a.nodes == b.nodes && a.gpus_per_node == b.gpus_per_node &&
         a.synchronised == b.synchronised && a.host_paced == b.host_paced && a.optimizer == b.optimizer &&
         a.data == b.data && a.mode == b.mode && a.iteration_s == b.iteration_s &&
         a.overlap_slowdown == b.overlap_slowdown && a.overlap_kernels == b.overlap_kernels;
}

bool equal(const ddlsim::CollectiveRecord& a, const ddlsim::CollectiveRecord& b) {
  return a.operation == b.operation && a.algorithm == b.algorithm && a.ranks == b.ranks && a.nodes == b.nodes &&
         a.concurrent_jobs == b.concurrent_jobs && a.size_bytes == b.size_bytes && a.time_s == b.time_s;
}

bool equal(const ddlsim::PointToPointRecord& a, const ddlsim::PointToPointRecord& b) {
  return a.size_bytes == b.size_bytes && a.time_s == b.time_s && a.nodes == b.nodes && a.pairs == b.pairs &&
         a.both_ways == b.both_ways;
}

bool equal(const ddlsim::MeasuredLayer& a, const ddlsim::MeasuredLayer& b) {
  return a.name == b.name && a.kind == b.kind && a.flop_per_sample == b.flop_per_sample && a.size_bytes == b.size_bytes;
}

bool equal(const ddlsim::PassTime& a, const ddlsim::PassTime& b) {
  return a.layer == b.layer && a.time_s == b.time_s && a.relative_spread == b.relative_spread;
}

bool equal(const ddlsim::LayerTiming& a, const ddlsim::LayerTiming& b);

template <class Item> bool all_equal(const std::vector<Item>& a, const std::vector<Item>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Item& x, const Item& y) { return equal(x, y); });
}

bool equal(const ddlsim::LayerTiming& a, const ddlsim::LayerTiming& b) {
  return a.gpu == b.gpu && a.precision == b.precision && a.batch == b.batch && a.count == b.count &&
         a.suspect == b.suspect &&
         std::equal(a.passes.begin(), a.passes.end(), b.passes.begin(), b.passes.end(),
                    [](const auto& x, const auto& y) { return x.first == y.first && all_equal(x.second, y.second); });
}

bool equal(const ddlsim::LayersRecord& a, const ddlsim::LayersRecord& b) {
  return a.model == b.model && all_equal(a.layers, b.layers) && all_equal(a.timings, b.timings);
}

bool equal(const ddlsim::ServerRecord& a, const ddlsim::ServerRecord& b) {
  return a.what == b.what && a.rate_Bps == b.rate_Bps && a.workers == b.workers && a.nodes == b.nodes &&
         a.size_bytes == b.size_bytes && a.preset == b.preset && a.bytes == b.bytes && a.messages == b.messages &&
         a.processor_s == b.processor_s;
}

bool equal(const ddlsim::InputRecord& a, const ddlsim::InputRecord& b) {
  return a.what == b.what && a.samples_per_s == b.samples_per_s && a.rate_Bps == b.rate_Bps;
}

bool equal(const ddlsim::LossRecord& a, const ddlsim::LossRecord& b) {
  return a.model == b.model && a.epoch == b.epoch && a.step == b.step && a.loss == b.loss && a.accuracy == b.accuracy;
}

bool equal(const ddlsim::SpeedUpRecord& a, const ddlsim::SpeedUpRecord& b) {
  return a.model == b.model && a.precision == b.precision && a.wire_precision == b.wire_precision &&
         a.batch_per_gpu == b.batch_per_gpu && a.preset == b.preset && to_text(a.strategy) == to_text(b.strategy) &&
         a.gpus == b.gpus && a.nodes == b.nodes && a.gpus_per_node == b.gpus_per_node && a.base_gpus == b.base_gpus &&
         a.base_nodes == b.base_nodes && a.speed_up == b.speed_up && a.trust == b.trust && a.base_from == b.base_from &&
         a.assumed == b.assumed;
}

bool equal(const Record& a, const Record& b) {
  return a.index() == b.index() && equal(head_of(a), head_of(b)) &&
         std::visit([&](const auto& one) { return equal(one, std::get<std::decay_t<decltype(one)>>(b)); }, a);
}

ddlsim::RecordHead plain_head(const std::string& series) {
  ddlsim::RecordHead head;
  head.series = series;
  head.origin = "run";
  head.transport = "shm";
  head.library = "mpi";
  head.statistic = "mean";
  return head;
}

} // namespace

TEST_CASE("every record that is written is read back unchanged, to the last bit") {
  const ddlsim_test::TemporaryFolder folder;
  ddlsim::Context context{"iris", "", "a machine", "software", "2018", "who", "title", "", "", "", "", true, {}, {}};
  Draw draw(20180507);
  for (int round = 0; round < 50; ++round) {
    const auto records = draw_records(draw);
    std::string lines = to_json_line(context) + "\n";
    for (const auto& record : records) lines += to_json_line(record) + "\n";
    const auto read = ddlsim::read_measurements(folder.write("a.jsonl", lines));
    REQUIRE(read.records.size() == records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      INFO(to_json_line(records[i]) << "\n" << to_json_line(read.records[i]));
      CHECK(equal(records[i], read.records[i]));
    }
  }
}

TEST_CASE("a context that is written is read back unchanged") {
  const ddlsim_test::TemporaryFolder folder;
  for (const bool full : {false, true}) {
    ddlsim::Context context{"iris", "", "m", "s", "2018", "w", "t", "", "", "", "", full, {}, {}};
    if (full)
      context = {"iris",
                 "K80",
                 "m\n\"",
                 "s",
                 "unknown",
                 "w",
                 "t",
                 "a/b",
                 "p",
                 "c",
                 "f.json",
                 false,
                 {{"OMP_NUM_THREADS", "1"}},
                 {{{"host", "node7"}}, {}}};
    const auto read = ddlsim::read_measurements(folder.write("a.jsonl", to_json_line(context))).context;
    CHECK(to_json_line(read) == to_json_line(context));
    CHECK(read.gpu == context.gpu);
    CHECK(read.machine == context.machine);
    CHECK(read.source_file == context.source_file);
    CHECK(read.source_repository == context.source_repository);
    CHECK(read.emulated == context.emulated);
  }
}

TEST_CASE("a line has its keys in the order of the format, and no newline") {
  const ddlsim::PointToPointRecord record{plain_head("s\nt"), 8, 1e-6};
  CHECK(to_json_line(Record(record)) ==
        R"({"record":"point_to_point","series":"s\nt","origin":"run","transport":"shm","library":"mpi",)"
        R"("statistic":"mean","size_bytes":8.0,"value":1e-06,"unit":"s"})");
}

TEST_CASE("a table is written in microseconds of five digits, without what nobody states") {
  ddlsim::LayersRecord record;
  record.head = plain_head("s");
  record.head.transport = record.head.statistic = "unknown";
  record.model = "tiny";
  record.layers = {{"conv1", "conv", 2000, 0}, {"relu1", "activation", 0.5, 0}};
  ddlsim::LayerTiming timing{"", ddlsim::Precision::fp32, 64, 5, false, {}};
  timing.passes[ddlsim::LayerPass::forward] = {{0, 1.2345678e-3, 0.123}, {1, 2e-5, 0}};
  timing.passes[ddlsim::LayerPass::backward] = {{0, 123456.7e-6, 0}};
  record.timings = {timing};
  CHECK(to_json_line(Record(record)) ==
        R"({"record":"layers","series":"s","origin":"run","library":"mpi","model":"tiny",)"
        R"("layers":{"name":["conv1","relu1"],"kind":["conv","activation"],"flop_per_sample":[2000,0.5]},)"
        R"("timings":[{"precision":"fp32","batch":64,"count":5,)"
        R"("forward":{"time_us":[1234.6,20],"spread":[0.12,0]},"backward":{"time_us":[123460,null]}}]})");
}

TEST_CASE("a text in another encoding is written so that it can be read") {
  ddlsim::ServerRecord record{plain_head("s"), "push", 1e9};
  record.head.note = "caf\xe9";
  CHECK(json::parse(to_json_line(Record(record)))["note"] == "caf\xef\xbf\xbd");
}
