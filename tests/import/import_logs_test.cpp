// Every number of the logs is typed here, none is measured.
#include "import/importers.hpp"
#include "tests/import/import_support.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace {

using ddlsim::CollectiveRecord;
using ddlsim::ImportContext;
using ddlsim::Imported;
using ddlsim::PointToPointRecord;
using ddlsim::StepRecord;
using ddlsim::test::import_text;
using ddlsim::test::mistakes_of;
using ddlsim::test::on_iris;
using ddlsim::test::read_back;
using ddlsim::test::ScratchFile;

const std::string osu_allreduce = "\n# OSU MPI Allreduce Latency Test v7.3\n# Datatype: MPI_CHAR.\n"
                                  "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations\n"
                                  "4                       3.50              3.00              4.00        1000\n"
                                  "1048576               250.00            240.00            260.00         100\n";
const std::string osu_latency =
    "# OSU MPI Latency Test v5.6.2\n# Size          Latency (us)\n0                       1.10\n"
    "8                       1.25\n";
const std::string imb = "#----------------\n# Benchmarking Allreduce \n# #processes = 8 \n#----------------\n"
                        "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
                        "            0         1000         0.05         0.06         0.05\n"
                        "         1024         1000        10.00        12.00        11.00\n\n"
                        "# Benchmarking PingPong \n# #processes = 2 \n"
                        "       #bytes #repetitions      t[usec]   Mbytes/sec\n"
                        "         4096         1000         5.00       819.20\n\n"
                        "# Benchmarking Sendrecv \n# #processes = 2 \n"
                        "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec\n"
                        "         4096         1000         5.00         6.00       5.50      819.20\n";

ImportContext with(std::map<std::string, std::string> given) {
  auto stated = on_iris();
  stated.given = std::move(given);
  return stated;
}

ImportContext of_steps() {
  return with({{"model", "resnet50_v1.5"}, {"gpus", "8"}, {"batch_per_gpu", "64"}});
}

double step_s(const std::string& text, const ImportContext& stated = of_steps()) {
  const auto imported = import_text("steps", text, stated);
  REQUIRE(imported.measurements.records.size() == 1);
  return std::get<StepRecord>(read_back(imported).records.front()).iteration_s;
}

std::string guessed(const std::string& text, const std::string& name = "run.log") {
  const ScratchFile file(name, text);
  return ddlsim::guess_kind(ddlsim::LogSource(file.path()));
}

} // namespace

TEST_CASE("a table of the OSU micro-benchmarks is read") {
  const auto imported =
      import_text("mpi-benchmarks", osu_allreduce + osu_latency, with({{"ranks", "16"}, {"nodes", "4"}}));
  const auto files = std::vector{read_back(imported)};
  const auto all_reduces = ddlsim::records_of<CollectiveRecord>(files);
  REQUIRE(all_reduces.size() == 2);
  CHECK(all_reduces[1].operation == "all_reduce");
  CHECK(all_reduces[1].size_bytes == 1048576);
  CHECK(all_reduces[1].time_s == Approx(250e-6));
  CHECK(all_reduces[1].ranks == 16);
  CHECK(all_reduces[1].head.repeats == 100);
  const auto messages = ddlsim::records_of<PointToPointRecord>(files);
  REQUIRE(messages.size() == 1);
  CHECK(messages[0].time_s == Approx(1.25e-6));
  CHECK(messages[0].nodes == 2);
}

TEST_CASE("tables of Intel MPI Benchmarks are read, and what records have not is reported") {
  const auto imported = import_text("mpi-benchmarks", imb, with({{"nodes", "2"}}));
  const auto files = std::vector{read_back(imported)};
  REQUIRE(ddlsim::records_of<CollectiveRecord>(files).size() == 1);
  CHECK(ddlsim::records_of<CollectiveRecord>(files)[0].time_s == Approx(11e-6));
  CHECK(ddlsim::records_of<CollectiveRecord>(files)[0].ranks == 8);
  CHECK(ddlsim::records_of<PointToPointRecord>(files).size() == 1);
  CHECK(imported.notes == std::vector<std::string>{"1 rows of \"Sendrecv\" were left out: records have no such times"});
}

TEST_CASE("MPI's size of an all-gather is what one rank gives") {
  const std::string text = "# OSU MPI Allgather Latency Test v7.3\n# Size       Avg Latency(us)\n1024   10.0\n";
  const auto imported = import_text("mpi-benchmarks", text, with({{"ranks", "4"}, {"nodes", "1"}}));
  CHECK(std::get<CollectiveRecord>(imported.measurements.records.front()).size_bytes == 4096);
}

TEST_CASE("a table of MPI that says too little or nonsense is refused") {
  const auto refused = [](const std::string& text, const ImportContext& stated) {
    return mistakes_of([&] { import_text("mpi-benchmarks", text, stated); });
  };
  CHECK_THAT(refused(osu_allreduce, on_iris()), Catch::Contains("give --set ranks=N and --set nodes=N"));
  CHECK_THAT(refused(osu_allreduce, with({{"ranks", "2"}, {"nodes", "4"}})),
             Catch::Contains("4 nodes found for 2 ranks"));
  CHECK_THAT(refused("nothing\n", on_iris()), Catch::Contains("found no table of a latency"));
  CHECK_THAT(refused(osu_latency + "16    x\n", on_iris()), Catch::Contains("a row of 2 numbers"));
  CHECK_THAT(refused(osu_latency + "16    0.0\n", on_iris()), Catch::Contains("a time of 0 found"));
  CHECK_THAT(refused(osu_latency, with({{"node", "2"}})), Catch::Contains("unknown name"));
  CHECK_THAT(refused(osu_latency, with({{"transport", "infiniband"}})), Catch::Contains("transport"));
}

TEST_CASE("step lines of frameworks become the median step") {
  CHECK(step_s(" iteration 10/ 100 | consumed samples: 5120 | elapsed time per iteration (ms): 400.0 | global batch "
               "size: 512 |\n"
               " iteration 20/ 100 | consumed samples: 10240 | elapsed time per iteration (ms): 420.0 | x |\n"
               " iteration 30/ 100 | consumed samples: 15360 | elapsed time per iteration (ms): 900.0 | x |\n") ==
        Approx(0.42));
  CHECK(step_s("1\timages/sec: 500.0 +/- 0.0 (jitter = 0.0)\t7.9\n10\timages/sec: 512.0 +/- 0.1 (jitter = 0.2)\t7.8\n"
               "20\timages/sec: 512.0 +/- 0.1 (jitter = 0.2)\t7.8\ntotal images/sec: 508.00\n") == Approx(1.0));
  CHECK(step_s("195/195 [==============================] - 12s 61ms/step - loss: 0.3\n") == Approx(0.061));
  CHECK(step_s("Epoch: [0][ 10/5005]\tTime  0.320 ( 0.512)\tData  0.001 ( 0.1)\n") == Approx(0.32));
  CHECK(step_s("Epoch 0: 100%|##########| 938/938 [00:12<00:00, 80.00it/s, v_num=0]\n") == Approx(1 / 80.0));
}

TEST_CASE("the first tenth of the lines is warm-up, and the spread is kept") {
  std::string text;
  for (int i = 0; i < 20; ++i)
    text += fmt::format("Epoch: [0][{}/99]\tTime {} (0.5)\n", i, i < 2 ? 9.0 : i % 2 == 0 ? 0.4 : 0.6);
  const auto imported = import_text("steps", text, of_steps());
  const auto& record = std::get<StepRecord>(imported.measurements.records.front());
  CHECK(record.iteration_s == Approx(0.5));
  CHECK(record.head.repeats == 18);
  CHECK(record.head.relative_spread == Approx(0.1 * std::sqrt(18.0 / 17) / 0.5));
  CHECK_THAT(imported.notes.front(), Catch::Contains("20 lines") && Catch::Contains("the first 2 left out"));
}

TEST_CASE("what a log says of its batch need not be typed") {
  const auto stated = with({{"model", "resnet50_v1.5"}, {"gpus", "8"}});
  const auto megatron =
      import_text("steps", "elapsed time per iteration (ms): 400.0 | global batch size: 512 |\n", stated);
  CHECK(std::get<StepRecord>(megatron.measurements.records.front()).batch_per_gpu == 64);
  const auto tf =
      import_text("steps", "Batch size:  512 global\n             64 per device\n1\timages/sec: 512.0 +/- 0\n", stated);
  CHECK(std::get<StepRecord>(tf.measurements.records.front()).batch_per_gpu == 64);
  const auto of_model = with({{"model", "resnet50_v1.5"}});
  const auto world = import_text("steps",
                                 "using world size: 8, data-parallel size: 8\n"
                                 "elapsed time per iteration (ms): 400.0 | global batch size: 512 |\n",
                                 of_model);
  CHECK(std::get<StepRecord>(world.measurements.records.front()).gpus == 8);
  const auto both = import_text(
      "steps", "Batch size:  512 global\n             64 per device\n1\timages/sec: 512.0 +/- 0\n", of_model);
  CHECK(std::get<StepRecord>(both.measurements.records.front()).gpus == 8);
}

TEST_CASE("step lines of a job are read once, and only those of training") {
  const auto torchrun =
      import_text("steps",
                  "[rank1]: Epoch: [0][1/9]\tTime 0.3 (0.3)\n[rank0]: Epoch: [0][1/9]\tTime 0.5 (0.5)\n"
                  "[rank1]: Epoch: [0][2/9]\tTime 0.3 (0.3)\n",
                  of_steps());
  CHECK(std::get<StepRecord>(torchrun.measurements.records.front()).iteration_s == Approx(0.3));
  CHECK(torchrun.notes.at(1) == "1 lines of other ranks were left out: they say the same again");
  CHECK(step_s("3: 10\timages/sec: 512.0 +/- 0.1\n2: 10\timages/sec: 1.0 +/- 0.1\n") == Approx(0.5)); // each its own
  CHECK(step_s("[1,0]<stdout>:12s 61ms/step\n[1,1]<stdout>:12s 99ms/step\n") == Approx(0.061));
  const auto lightning = import_text("steps",
                                     "Sanity Checking DataLoader 0: 100%|##| 2/2 [00:00<00:00, 1.0it/s]\r"
                                     "Epoch 0:  50%|#   | 5/10 [00:01<00:01,  4.00it/s]\r"
                                     "Validation DataLoader 0: 100%|##| 2/2 [00:00<00:00, 90.0it/s]\n",
                                     of_steps());
  CHECK(std::get<StepRecord>(lightning.measurements.records.front()).iteration_s == Approx(0.25));
  CHECK_THAT(lightning.notes.at(1), Catch::Contains("2 states of progress bars of other work"));
  CHECK(step_s("Epoch 0/9 \u2501\u2501\u2501 938/938 0:00:12 0:00:00 80.00it/s v_num: 0\n") == Approx(1 / 80.0));
  CHECK(step_s("[INFO] [timer.py:197:stop] 0/100, RunningAvgSamplesPerSec=26.3, CurrSamplesPerSec=512.0, M=1\n") ==
        Approx(1.0));
}

TEST_CASE("the GPU that a training's log names is the record's, and the cluster's other one is reported") {
  auto stated = of_steps();
  stated.find_cluster = [](const std::string& name) {
    ddlsim::Cluster cluster;
    cluster.name = name;
    cluster.gpu = "V100-SXM2-16GB";
    cluster.gpus_per_node = 4;
    return std::optional(cluster);
  };
  const std::string steps = "Epoch: [0][1/9]\tTime 0.5 (0.5)\n";
  const auto named = "CUDA capacity: NVIDIA A100-SXM4-40GB with 39.39GiB memory\n" + steps;
  const auto imported = import_text("steps", named, stated);
  CHECK(imported.measurements.context.gpu == "A100-SXM4-40GB");
  CHECK(std::count_if(imported.notes.begin(), imported.notes.end(), [](const std::string& note) {
          return note.find("those of cluster iris are V100-SXM2-16GB") != std::string::npos;
        }) == 1);
  CHECK(import_text("steps", steps, stated).measurements.context.gpu == "V100-SXM2-16GB");
}

TEST_CASE("a log without steps, or of an unknown run, is refused") {
  const auto refused = [](const std::string& text, const ImportContext& stated) {
    return mistakes_of([&] { import_text("steps", text, stated); });
  };
  CHECK_THAT(refused("loss 0.3\n", of_steps()), Catch::Contains("expected one as of Megatron-LM"));
  CHECK_THAT(refused("12s 61ms/step\n", on_iris()),
             Catch::Contains("give --set model=VALUE") && Catch::Contains("batch_per_gpu"));
  CHECK_THAT(refused("12s 61ms/step\n", with({{"modle", "x"}})), Catch::Contains("did you mean model?"));
}

TEST_CASE("a file's form is guessed from what is in it") {
  CHECK(guessed(ddlsim::test::make_log({})) == "nccl-tests");
  CHECK(guessed(osu_allreduce) == "mpi-benchmarks");
  CHECK(guessed(imb) == "mpi-benchmarks");
  CHECK(guessed("12s 61ms/step\n") == "steps");
  CHECK(guessed("{\"model_type\": \"llama\"}") == "hf-config");
  CHECK(guessed("{\"traceEvents\": []}") == "kineto");
  CHECK(guessed("model,batch_per_gpu,gpus,rate\n") == "csv");
  CHECK(guessed("anything\n", "rates.csv") == "csv");
  CHECK(guessed("anything\n").empty());
}

TEST_CASE("no cut or changed log does more than be refused or read", "[mutation]") {
  for (const auto& text : {osu_allreduce, osu_latency, imb, std::string("1\timages/sec: 5e2 +/- 0\n12s 61ms/step\n")}) {
    for (const char* kind : {"mpi-benchmarks", "steps"}) {
      for (std::size_t at = 0; at < text.size(); at += 5) { // the fuzzers see every place: tests/fuzz
        for (const char letter : {'\0', '9', '-', 'e', '#', ' '}) {
          auto changed = letter == '\0' ? text.substr(0, at) : text;
          if (letter != '\0') changed[at] = letter;
          mistakes_of([&] { // any other exception, or a crash, fails the test
            import_text(kind, changed,
                        kind == std::string("steps") ? of_steps() : with({{"ranks", "8"}, {"nodes", "2"}}));
          });
        }
      }
    }
  }
}
