#include "import/importers.hpp"
#include "tests/import/import_support.hpp"

#include <catch2/catch.hpp>

namespace {

using ddlsim::ImportContext;
using ddlsim::Imported;
using ddlsim::StepRecord;
using ddlsim::test::on_iris;
using ddlsim::test::read_back;
using ddlsim::test::ScratchFile;

Imported import_table(const std::string& text, const ImportContext& stated = on_iris()) {
  const ScratchFile file("rates.csv", text);
  return ddlsim::import_csv(ddlsim::LogSource(file.path()), stated);
}

std::vector<StepRecord> steps(const Imported& imported) {
  return ddlsim::records_of<StepRecord>({imported.measurements});
}

const std::string four_columns = "model,batch_per_gpu,gpus,rate\n"
                                 "resnet50_v1.5,64,1,360\n"
                                 "resnet50_v1.5,64,4,1400\n"
                                 "resnet50_v1.5,64,8,2700\n";

} // namespace

TEST_CASE("columns of any name are mapped, and others are left out") {
  const ScratchFile file("runs.csv", "net,BS,World Size,step_time,date\nresnet50_v1.5,64,8,0.25,monday\n");
  auto stated = on_iris();
  stated.columns = {{"model", "net"}, {"batch_per_gpu", "bs"}, {"gpus", "world size"}, {"iteration_s", "step_time"}};
  const auto imported = ddlsim::import_csv(ddlsim::LogSource(file.path()), stated);
  REQUIRE(imported.measurements.records.size() == 1);
  const auto& step = std::get<ddlsim::StepRecord>(imported.measurements.records.front());
  CHECK(step.iteration_s == Approx(0.25));
  CHECK(step.batch_per_gpu == 64);
  CHECK(imported.notes.front() == "columns that are not known were left out: \"date\"");
  const ScratchFile each("each.csv", "model,batch_per_gpu,gpus,img_s\nresnet50_v1.5,64,8,320\n");
  stated.columns = {{"rate_per_gpu", "img_s"}};
  const auto rates = ddlsim::import_csv(ddlsim::LogSource(each.path()), stated);
  CHECK(std::get<ddlsim::StepRecord>(rates.measurements.records.front()).iteration_s == Approx(0.2));
}

TEST_CASE("four columns are enough") {
  const auto imported = import_table(four_columns);
  const auto records = steps(imported);
  REQUIRE(records.size() == 3);
  CHECK(records[0].iteration_s == 64.0 / 360);
  CHECK(records[2].iteration_s == 64.0 * 8 / 2700);
  CHECK(records[2].nodes == 2);
  CHECK(records[2].gpus_per_node == 4);
  CHECK(records[0].gpus_per_node == 1);
  CHECK_FALSE(records[0].synchronised);
  CHECK(records[1].synchronised);
  for (const auto& record : records) {
    CHECK(record.head.series == "resnet50_v1.5-bs64-fp32-all-reduce");
    CHECK(record.strategy.name == ddlsim::StrategyName::all_reduce);
    CHECK(record.precision == ddlsim::Precision::fp32);
    CHECK(record.wire_precision == ddlsim::WirePrecision::unknown);
    CHECK(record.data == "unknown");
    CHECK(record.head.origin == "run");
  }
  CHECK(records[1].head.line == 3);
  CHECK(imported.notes.size() == 4); // precision, strategy, preset, nodes
  CHECK(records[0].preset == "unnamed");
  read_back(imported);
}

TEST_CASE("every way to write the same table gives the same records") {
  const auto plain = ddlsim::to_json_lines(import_table(four_columns).measurements);
  for (const char* same :
       {"\xEF\xBB\xBFmodel;batch_per_gpu;gpus;rate\r\nresnet50_v1.5;64;1;360\r\nresnet50_v1.5;64;4;1400\r\n\r\n"
        "resnet50_v1.5;64;8;2700",
        "Model\tBatch per "
        "GPU\tGPUs\tRate\nresnet50_v1.5\t64\t1\t360\nresnet50_v1.5\t64\t4\t1.4e3\nresnet50_v1.5\t64\t8\t2700\n",
        "\"model\",\"batch_per_gpu\",gpus,rate,,\n\"resnet50_v1.5\", 64 "
        ",1,\"360\",,\n,,,,,\nresnet50_v1.5,64,4,1400,,\n"
        "# a remark,,\nresnet50_v1.5,64,8,2700.0,,\n",
        "# model: resnet50_v1.5\n\"# batch_per_gpu: 64\"\n# of July:,,\n\ngpus,rate\r1,360\r4,1400\r8,2700\r",
        "gpus,model,iteration_ms,batch_per_gpu,rate\n1,resnet50_v1.5,,64,360\n4,resnet50_v1.5,,64,1400\n8,resnet50_v1."
        "5,,64,2700\n"}) {
    INFO(same);
    CHECK(ddlsim::to_json_lines(import_table(same).measurements) == plain);
  }
}

TEST_CASE("every column arrives in the record") {
  const auto imported = import_table(
      "model,batch_per_gpu,gpus,iteration_ms,series,precision,wire_precision,preset,strategy,servers,placement,"
      "sharding,"
      "transport,library,algorithm,nodes,gpus_per_node,data,statistic,repeats,spread_percent,synchronised,mode,note\n"
      "vgg16,32,16,250,mine,amp,fp16,tf-ps,PS,2 per node,colocated,round-robin,grpc,grpc,unknown,4,4,real,median,"
      "5,1.5,yes,train,\"a \"\"quoted\"\", two-line\nnote\"\n");
  const auto record = steps(read_back(imported).records.empty() ? Imported{} : imported).at(0);
  CHECK(record.model == "vgg16");
  CHECK(record.iteration_s == 0.25);
  CHECK(record.head.series == "mine");
  CHECK(record.precision == ddlsim::Precision::amp);
  CHECK(record.wire_precision == ddlsim::WirePrecision::fp16);
  CHECK(record.preset == "tf-ps");
  CHECK(record.strategy.name == ddlsim::StrategyName::ps);
  CHECK(record.strategy.servers.rule == ddlsim::ServerCount::Rule::per_node);
  CHECK(record.strategy.servers.value == 2);
  CHECK(record.strategy.placement == ddlsim::Placement::colocated);
  CHECK(record.strategy.sharding == ddlsim::Sharding::round_robin);
  CHECK(record.head.transport == "grpc");
  CHECK(record.head.library == "grpc");
  CHECK(record.nodes == 4);
  CHECK(record.gpus_per_node == 4);
  CHECK(record.data == "real");
  CHECK(record.head.statistic == "median");
  CHECK(record.head.repeats == 5);
  CHECK(record.head.relative_spread == Approx(0.015));
  CHECK(record.synchronised);
  CHECK(record.head.note == "a \"quoted\", two-line\nnote");
}

TEST_CASE("comment lines give the context, the command line comes first, a cell before both") {
  auto stated = on_iris();
  stated.date = "2019-05";
  stated.given = {{"precision", "amp"}, {"strategy", "tree"}};
  const auto imported = import_table(
      "# cluster: elsewhere\n# gpu: V100-SXM2-16GB\n# date: 2018\n# who: Ada\n# title: A page\n"
      "# repository: owner/name\n# path: docs/page.md\n# commit: abc\n# software: TF 1.12\n# machine: 2 boxes\n"
      "# origin: table\n# strategy: ring\n"
      "model,batch_per_gpu,gpus,rate,precision\nvgg16,32,4,800,fp16\nvgg16,32,8,1500,\n",
      stated);
  const auto& context = imported.measurements.context;
  CHECK(context.cluster == "iris");
  CHECK(context.gpu == "V100-SXM2-16GB");
  CHECK(context.date == "2019-05");
  CHECK(context.who == "Ada");
  CHECK(context.source_title == "A page");
  CHECK(context.source_repository == "owner/name");
  CHECK(context.source_path == "docs/page.md");
  CHECK(context.source_commit == "abc");
  CHECK(context.software == "TF 1.12");
  CHECK(context.machine == "2 boxes");
  const auto records = steps(imported);
  CHECK(records.at(0).precision == ddlsim::Precision::fp16);
  CHECK(records.at(1).precision == ddlsim::Precision::amp);
  CHECK(records.at(0).strategy.name == ddlsim::StrategyName::tree);
  CHECK(records.at(0).head.origin == "table");
  CHECK(records.at(0).head.from == "line 14");
  read_back(imported);
}

TEST_CASE("what sets series apart is in their names") {
  const auto imported =
      import_table("model,batch_per_gpu,gpus,rate,strategy,servers,transport,data\n"
                   "vgg16,32,4,800,ring,,nccl-ib,real\nvgg16,32,4,700,ring,,nccl-tcp,real\n"
                   "vgg16,32,4,600,ps,equal_workers,grpc,synthetic\nvgg16,64,4,900,ring,,nccl-ib,real\n");
  std::vector<std::string> series;
  for (const auto& record : steps(imported)) series.push_back(record.head.series);
  CHECK(series == std::vector<std::string>{"vgg16-bs32-fp32-ring-nccl-ib-real", "vgg16-bs32-fp32-ring-nccl-tcp-real",
                                           "vgg16-bs32-fp32-ps-grpc-synthetic", "vgg16-bs64-fp32-ring-nccl-ib-real"});
}

TEST_CASE("a GPU alone may stand in the series it is the baseline of") {
  const auto imported =
      import_table("series,model,batch_per_gpu,gpus,rate,strategy\na,vgg16,32,1,220,none\na,vgg16,32,2,400,ring\n");
  CHECK(steps(imported).at(0).strategy.name == ddlsim::StrategyName::none);
  CHECK(steps(imported).at(1).head.series == "a");
  read_back(imported);
}

TEST_CASE("nodes: given, from GPUs a node, partly used") {
  const auto one = [](const std::string& columns, const std::string& cells) {
    return steps(import_table("model,batch_per_gpu,rate,gpus," + columns + "\nvgg16,32,100," + cells + "\n")).at(0);
  };
  CHECK(one("nodes", "12,3").gpus_per_node == 4);
  CHECK(one("gpus_per_node", "12,8").nodes == 2);
  CHECK(one("gpus_per_node", "12,8").gpus_per_node == 8);
  CHECK(one("nodes,gpus_per_node", "4,4,8").gpus_per_node == 1); // spread over nodes of 8
}

TEST_CASE("a model without layer table is noted, with the nearest name") {
  auto stated = on_iris();
  stated.known_models = {"resnet50_v1", "resnet50_v1.5", "vgg16"};
  const auto imported =
      import_table("model,batch_per_gpu,gpus,rate,precision,strategy,nodes,preset\nvgg166,32,4,800,fp32,ring,"
                   "1,horovod\nvgg16,32,4,800,fp32,ring,1,horovod\n",
                   stated);
  REQUIRE(imported.notes.size() == 1);
  CHECK_THAT(imported.notes[0], Catch::Contains("model 'vgg166'") && Catch::Contains("nearest name is 'vgg16'"));
}

TEST_CASE("the cluster fills what the person and the file leave open") {
  ImportContext stated;
  stated.find_cluster = [](const std::string& name) -> std::optional<ddlsim::Cluster> {
    ddlsim::Cluster cluster;
    cluster.name = name;
    cluster.title = "Iris";
    cluster.gpu = "V100-SXM2-16GB";
    cluster.gpus_per_node = 4;
    if (name != "iris") return std::nullopt;
    return cluster;
  };
  const auto imported = import_table("# cluster: iris\n# machine: my two nodes\n" + four_columns, stated);
  CHECK(imported.measurements.context.cluster == "iris");
  CHECK(imported.measurements.context.machine == "my two nodes");
  CHECK(imported.measurements.context.gpu == "V100-SXM2-16GB");
  CHECK(steps(imported).at(2).head.gpu == "V100-SXM2-16GB");
  CHECK(steps(imported).at(2).nodes == 2);
}

TEST_CASE("the shipped example is imported whole") {
  const auto imported = ddlsim::import_csv(ddlsim::LogSource(DDLSIM_SOURCE_DIR "/scenarios/examples/rates.csv"), {});
  const auto records = steps(imported);
  REQUIRE(records.size() == 8);
  CHECK(imported.measurements.context.cluster == "dgx1-p100");
  CHECK(imported.measurements.context.source_repository == "tensorflow/docs");
  CHECK(records[3].model == "vgg16");
  CHECK(records[3].iteration_s == 64.0 * 8 / 1081);
  CHECK(records[3].head.from == "line 22");
  read_back(imported);
}
