#include "import/importers.hpp"
#include "tests/import/import_support.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace {

using Catch::Contains;
using ddlsim::ImportContext;
using ddlsim::test::mistakes_of;
using ddlsim::test::on_iris;
using ddlsim::test::ScratchFile;

std::string mistakes_in_table(const std::string& text, const ImportContext& stated = on_iris()) {
  const ScratchFile file("rates.csv", text);
  return mistakes_of([&] { ddlsim::import_csv(ddlsim::LogSource(file.path()), stated); });
}

/// Mistakes of one row with one more column.
std::string in_cell(const std::string& column, const std::string& cell, const std::string& gpus = "4") {
  return mistakes_in_table("model,batch_per_gpu,gpus,rate," + column + "\nvgg16,32," + gpus + ",800," + cell + "\n");
}

std::string in_row(const std::string& row) {
  return mistakes_in_table("model,batch_per_gpu,gpus,rate\n" + row + "\n");
}

} // namespace

TEST_CASE("a map that names what is not there is refused") {
  const ScratchFile file("runs.csv", "net,batch_per_gpu,gpus,rate,rate_per_gpu\nresnet50_v1.5,64,8,320,40\n");
  auto stated = on_iris();
  stated.columns = {{"modle", "net"}, {"nodes", "\x1b[31mhosts"}};
  const auto message = mistakes_of([&] { ddlsim::import_csv(ddlsim::LogSource(file.path()), stated); });
  CHECK_THAT(message, Catch::Contains("did you mean model?") && Catch::Contains("hosts") && !Catch::Contains("\x1b"));
  stated.columns = {{"model", "net"}};
  CHECK_THAT(mistakes_of([&] { ddlsim::import_csv(ddlsim::LogSource(file.path()), stated); }),
             Catch::Contains("rate_per_gpu: found beside rate"));
}

TEST_CASE("all mistakes of a table at once, each with line and column") {
  const auto mistakes = mistakes_in_table(
      "model,batch_per_gpu,gpus,rate,strategy,colour\nresnet50,0,4,800,rings,red\n\nvgg16,32,4.5,fast,ring,\n");
  CHECK_THAT(mistakes, Contains("rates.csv:1: colour: found an unknown column"));
  CHECK_THAT(
      mistakes,
      Contains("rates.csv:2: model: found 'resnet50', which leaves the variant open; expected one of resnet50_v1"));
  CHECK_THAT(mistakes, Contains("rates.csv:2: batch_per_gpu: found 0, expected a number above 0"));
  CHECK_THAT(mistakes, Contains("rates.csv:2: strategy: found 'rings'") && Contains("did you mean 'ring'?"));
  CHECK_THAT(mistakes, Contains("rates.csv:4: gpus: found 4.5, expected a whole number"));
  CHECK_THAT(mistakes, Contains("rates.csv:4: rate: found 'fast', expected a number"));
  CHECK(std::count(mistakes.begin(), mistakes.end(), '\n') == 6);
  CHECK(mistakes.find("rates.csv:1:") < mistakes.find("rates.csv:2:"));
  CHECK(mistakes.find("rates.csv:2:") < mistakes.find("rates.csv:4:"));
}

TEST_CASE("headers") {
  CHECK_THAT(mistakes_in_table("model,batch_per_gup,gpus,rate\nvgg16,32,4,800\n"),
             Contains("did you mean 'batch_per_gpu'?") && Contains("found no such column"));
  CHECK_THAT(mistakes_in_table("model,batch_per_gpu,gpus\nvgg16,32,4\n"), Contains("neither a column rate"));
  CHECK_THAT(mistakes_in_table("model,model,batch_per_gpu,gpus,rate\na,a,32,4,800\n"), Contains("a second time"));
  CHECK_THAT(mistakes_in_table("vgg16,32,4,800\n"), Contains("rates.csv:1: model: found no such column"));
  CHECK_THAT(mistakes_in_table("# cluster: iris\n"), Contains("found no header row"));
  CHECK_THAT(mistakes_in_table("model,batch_per_gpu,gpus,rate\n"), Contains("a header and no rows"));
}

TEST_CASE("numbers that are none") {
  CHECK_THAT(in_row("vgg16,32,4,\"1,734\""), Contains("found '1,734'") && Contains("decimals with a point"));
  CHECK_THAT(mistakes_in_table("model;batch_per_gpu;gpus;rate\nvgg16;32;4;1734,5\n"),
             Contains("found '1734,5'") && Contains("decimals with a point"));
  CHECK_THAT(in_row("vgg16,32,4,800 images/s"), Contains("write the number alone"));
  CHECK_THAT(in_row("vgg16,32,4,n/a"), Contains("leave the cell empty"));
  for (const char* cell : {"nan", "inf", "-800", "0", "1e999"}) {
    INFO(cell);
    CHECK_THAT(in_row(std::string("vgg16,32,4,") + cell), Contains("rates.csv:2: rate: found"));
  }
  CHECK_THAT(in_row("vgg16,32,1e9,800"), Contains("a whole number up to"));
  CHECK_THAT(in_row("vgg16,32,,800"), Contains("gpus: found an empty cell"));
  CHECK_THAT(in_row("vgg16,32,4,"), Contains("neither a rate nor iteration_ms"));
}

TEST_CASE("cells that do not fit the header, and quotes") {
  CHECK_THAT(in_row("vgg16,32,4,1,734"), Contains("found 5 cells, expected 4") && Contains("needs quotes"));
  CHECK_THAT(in_row("vgg16,32,4"), Contains("found 3 cells, expected 4"));
  CHECK_THAT(in_row("vgg16,32,4,\"800"), Contains("rates.csv:2: found a quote that is never closed"));
  CHECK_THAT(in_row("vgg16,32,\"4\"x,800"), Contains("text after the closing quote of \"4\""));
}

TEST_CASE("values that are not in the vocabulary") {
  CHECK_THAT(in_cell("precision", "fp322"), Contains("did you mean 'fp32'?"));
  CHECK_THAT(in_cell("wire_precision", "int8"), Contains("expected one of fp32"));
  CHECK_THAT(in_cell("transport", "nccl_ib"), Contains("did you mean 'nccl-ib'?"));
  CHECK_THAT(in_cell("data", "imagenet"), Contains("expected one of synthetic, real, unknown"));
  CHECK_THAT(in_cell("statistic", "best"), Contains("best_of"));
  CHECK_THAT(in_cell("mode", "inference"), Contains("expected one of train, forward"));
  CHECK_THAT(in_cell("origin", "paper"), Contains("expected one of table"));
  CHECK_THAT(in_cell("repeats", "0"), Contains("expected a number above 0"));
  CHECK_THAT(in_cell("spread_percent", "-1"), Contains("not below 0"));
  CHECK_THAT(in_cell("spread_percent", "20000"), Contains("standard deviation in percent"));
  CHECK(in_cell("spread_percent", "0").empty());
}

TEST_CASE("servers belong to a parameter server") {
  CHECK_THAT(in_cell("strategy,servers", "ring,4"), Contains("with ps or ps-async only"));
  for (const char* bad : {"0", "four", "1.5", "per node", "2 a node", "2000000"}) {
    INFO(bad);
    CHECK_THAT(in_cell("strategy,servers", std::string("ps,") + bad), Contains("servers: found '"));
  }
  for (const char* good : {"4", "1 per node", "equal_workers", "unknown", ""}) {
    INFO(good);
    CHECK(in_cell("strategy,servers", std::string("ps,") + good).empty());
  }
}

TEST_CASE("figures that contradict each other") {
  CHECK_THAT(in_cell("iteration_ms", "170"), Contains("contradicts the rate: 32 x 4 / 800 = 160 ms"));
  CHECK(in_cell("iteration_ms", "160.9").empty());
  CHECK_THAT(in_cell("nodes", "5"), Contains("found 5 nodes for 4 GPUs"));
  CHECK_THAT(in_cell("nodes,gpus_per_node", "1,2"), Contains("found 4 GPUs on 1 nodes of 2, expected no more than 2"));
  CHECK_THAT(in_cell("nodes", "4", "5"), Contains("expected full nodes"));
  CHECK_THAT(in_cell("strategy", "none"), Contains("found none for 4 GPUs"));
  CHECK_THAT(in_cell("synchronised", "no"), Contains("not one training run"));
  CHECK_THAT(in_cell("strategy,synchronised", "none,yes", "1"), Contains("beside strategy none"));
}

TEST_CASE("nodes that neither the table nor the cluster gives") {
  ImportContext stated;
  stated.cluster = "my-cpu-cluster";
  const std::string table = "model,batch_per_gpu,gpus,rate\nvgg16,32,4,800\nvgg16,32,8,1500\n";
  stated.known_clusters = {"my-gpu-cluster", "iris"};
  const auto message = mistakes_in_table(table, stated);
  CHECK_THAT(message, Contains("found no column nodes or gpus_per_node, and no cluster 'my-cpu-cluster' is known"));
  CHECK_THAT(message, Contains("did you mean 'my-gpu-cluster'?"));
  CHECK(message.find("gpus_per_node", message.find("my-gpu-cluster")) ==
        message.rfind("gpus_per_node"));                                                   // once, not row by row
  CHECK_THAT(mistakes_in_table(table + "vgg16,32,two,1\n", stated), Contains(":4: gpus")); // beside other mistakes
  stated.find_cluster = [](const std::string&) { return ddlsim::Cluster{}; };
  CHECK_THAT(mistakes_in_table(table, stated), Contains("the cluster 'my-cpu-cluster' has no GPUs"));
  CHECK_THAT(mistakes_in_table("model,batch_per_gpu,gpus,rate,nodes\nvgg16,32,4,800,\n", stated),
             Contains(":2: nodes: found neither nodes nor gpus_per_node")); // a cell that is empty
}

TEST_CASE("series") {
  const std::string header = "series,model,batch_per_gpu,gpus,rate\n";
  CHECK_THAT(mistakes_in_table(header + "a,vgg16,32,4,800\na,vgg16,32,4,810\n"),
             Contains("rates.csv:3: series: found 4 GPUs of 'a' again, first in line 2"));
  CHECK_THAT(mistakes_in_table(header + "a,vgg16,32,4,800\na,vgg16,64,8,810\n"),
             Contains("expected rows of one series to differ in GPUs and nodes only"));
  CHECK(mistakes_in_table(header + "a,vgg16,32,4,800\nb,vgg16,32,4,810\n").empty());
}

TEST_CASE("the context") {
  const std::string table = "model,batch_per_gpu,gpus,rate\nvgg16,32,4,800\n";
  auto stated = on_iris();
  stated.cluster.clear();
  CHECK_THAT(mistakes_in_table(table, stated), Contains("--cluster NAME") && Contains("# cluster: NAME"));
  CHECK_THAT(mistakes_in_table("# date: May 2018\n" + table), Contains("found 'May 2018'"));
  CHECK_THAT(mistakes_in_table("# date: 2018-13\n" + table), Contains("found '2018-13'"));
  CHECK_THAT(mistakes_in_table("# clutser: iris\n" + table),
             Contains("rates.csv:1: clutser: found an unknown key, did you mean 'cluster'?"));
  CHECK_THAT(mistakes_in_table("# who: a\n# who: b\n" + table),
             Contains("rates.csv:2: who: found the key a second time"));
  stated = on_iris();
  stated.given = {{"strategi", "ring"}};
  CHECK_THAT(mistakes_in_table(table, stated), Contains("did you mean 'strategy'?"));
  stated = on_iris();
  stated.gpu = "V1000";
  stated.catalogue.resize(1);
  stated.catalogue[0].name = "V100-SXM2-16GB";
  CHECK(mistakes_in_table(table, stated).empty()); // it is told: notes_on_gpu()
}

TEST_CASE("files that are no table") {
  CHECK_THAT(mistakes_in_table(""), Contains("empty"));
  CHECK_THAT(mistakes_in_table("model,batch_per_gpu,gpus,rate\ncaf\xE9,32,4,800\n"), Contains("not UTF-8"));
  CHECK_THAT(mistakes_of([] { ddlsim::import_csv(ddlsim::LogSource("no/such/rates.csv"), on_iris()); }),
             Contains("rates.csv"));
}

TEST_CASE("a baseline does not join two strategies") {
  CHECK_THAT(
      mistakes_in_table("series,model,batch_per_gpu,gpus,rate,strategy\na,vgg16,32,1,220,none\na,vgg16,32,2,400,ring\n"
                        "a,vgg16,32,4,800,tree\n"),
      Contains("rates.csv:4: series: found 'a' for vgg16-bs32-fp32-tree, and in line 3"));
}
