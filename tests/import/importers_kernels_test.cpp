// Every number of the tables is typed here, none is measured.
#include "import/importers.hpp"
#include "import/kernel_kinds.hpp"
#include "tests/import/import_support.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

namespace {

using ddlsim::StepRecord;
using ddlsim::test::import_text;
using ddlsim::test::mistakes_of;
using ddlsim::test::on_iris;
using ddlsim::test::replaced_all;

/// 60 ms of a product, 30 of NCCL's, 10 of a copy; an API table, which is none of kernels, before it.
const std::string nsys_text =
    "Processing [run.sqlite] with [reports/cuda_gpu_kern_sum.py]... \n\n"
    " ** CUDA API Summary (cuda_api_sum):\n\n"
    " Time (%)  Total Time (ns)  Num Calls  Avg (ns)        Name      \n"
    " --------  ---------------  ---------  --------  ----------------\n"
    "    100.0      900,000,000         10  90000.0   cudaLaunchKernel\n\n"
    " ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\n"
    " Time (%)  Total Time (ns)  Instances  Avg (ns)      GridXYZ                         Name                  \n"
    " --------  ---------------  ---------  --------  ----------------  ---------------------------------------\n"
    "     60.0       60,000,000         10  6000000   125000    1    1  ampere_sgemm_128x64_tn                 \n"
    "     30.0       30,000,000         10  3000000      128    1    1  ncclDevKernel_AllReduce_Sum_f32_RING_LL\n"
    "     10.0       10,000,000         10  1000000       64    1    1  void "
    "at::native::vectorized_elementwise_kernel<4, add(float, int)>\n\n"
    "Processing done\n";

const std::string nsys_csv = "Time (%),Total Time (us),Instances,Avg (us),Name\n"
                             "60.0,60000,10,6000,ampere_sgemm_128x64_tn\n"
                             "30.0,\"30,000\",10,3000,\"ncclKernel_AllReduce(int, int)\"\n"
                             "10.0,10000,10,1000,\"void vectorized_elementwise_kernel<4, add(float, int)>\"\n";

const std::string nsys_old =
    "CUDA Kernel Statistics:\n\n"
    " Time(%)  Total Time (ns)  Instances   Average   Minimum  Maximum            Name         \n"
    " -------  ---------------  ---------  ---------  -------  -------  ----------------------\n"
    "    60.0       60,000,000         10  6,000,000  222,080  222,080  ampere_sgemm_128x64_tn\n"
    "    30.0       30,000,000         10  3,000,000  222,080  222,080  ncclAllReduceRingLLKernel\n"
    "    10.0       10,000,000         10  1,000,000  222,080  222,080  elementwise_kernel    \n\n";

const std::string pytorch = "-------------------------------  ------------  ------------  ------------  ------------  "
                            "------------  ------------  \n"
                            "                           Name    Self CPU %      Self CPU     Self CUDA   Self CUDA %   "
                            " CUDA total    # of Calls  \n"
                            "-------------------------------  ------------  ------------  ------------  ------------  "
                            "------------  ------------  \n"
                            "                  ProfilerStep*         0.00%       0.000us     100.000ms       100.00%   "
                            "  100.000ms             1  \n"
                            "                    aten::addmm        50.00%       1.885ms      60.000ms        60.00%   "
                            "   60.000ms            20  \n"
                            "         ampere_sgemm_128x64_tn         0.00%       0.000us      60.000ms        60.00%   "
                            "   60.000ms            20  \n"
                            "ncclDevKernel_AllReduce_Sum_...         0.00%       0.000us      30.000ms        30.00%   "
                            "   30.000ms             1  \n"
                            "void at::native::vectorized_...         0.00%       0.000us   10000.000us        10.00%   "
                            "   10.000ms             1  \n"
                            "               cudaLaunchKernel        50.00%       1.885ms       0.000us         0.00%   "
                            "    0.000us            31  \n"
                            "-------------------------------  ------------  ------------  ------------  ------------  "
                            "------------  ------------  \n"
                            "Self CPU time total: 3.770ms\nSelf CUDA time total: 100.000ms\n";

const char* const third_shares =
    "70 % of the kernels' time computes: 60 % matrix products, 10 % elementwise kernels; 30 % "
    "communication";

} // namespace

TEST_CASE("sums of kernels of any form say what their time goes to") {
  for (const auto& text : {nsys_text, nsys_csv, nsys_old, pytorch}) {
    INFO(text);
    const auto imported = import_text("kernels", text, on_iris());
    CHECK(imported.measurements.records.empty());
    REQUIRE(imported.notes.size() == 3);
    CHECK(imported.notes[0] == "3 kernels were read, 100 ms in all");
    CHECK(imported.notes[1] == third_shares);
    CHECK_THAT(imported.notes[2], Catch::Contains("no record is made") && Catch::Contains("--set iteration_ms=TIME"));
  }
}

TEST_CASE("a step's time makes a record with the shares in its note") {
  auto stated = on_iris();
  stated.given = {
      {"model", "my-net"}, {"gpus", "8"}, {"batch_per_gpu", "32"}, {"iteration_ms", "125"}, {"steps", "10"}};
  const auto imported = import_text("kernels", nsys_text, stated);
  REQUIRE(imported.measurements.records.size() == 1);
  const auto& step = std::get<StepRecord>(imported.measurements.records.front());
  CHECK(step.iteration_s == Approx(0.125));
  CHECK(step.head.note == third_shares);
  CHECK_THAT(imported.notes.back(), Catch::Contains("10 ms a step"));
  stated.given = {{"iteration_ms", "fast"}};
  CHECK_THAT(mistakes_of([&] { import_text("kernels", nsys_text, stated); }), Catch::Contains("a number above 0"));
}

TEST_CASE("a table holds itself to the total that it states") {
  const auto fewer = import_text("kernels", replaced_all(pytorch, "total: 100.000ms", "total: 200.000ms"), on_iris());
  CHECK_THAT(fewer.notes[2], Catch::Contains("50 % of the time that the table states"));
  CHECK_THAT(mistakes_of([&] {
               import_text("kernels", replaced_all(pytorch, "total: 100.000ms", "total: 50.000ms"), on_iris());
             }),
             Catch::Contains("100 ms together, but the table states 50 ms"));
}

TEST_CASE("a name that is wider than its column shifts the row, and no more") {
  const auto shifted =
      replaced_all(pytorch, "         ampere_sgemm_128x64_tn  ", "           ampere_sgemm_128x64_tn_wide  ");
  CHECK(import_text("kernels", shifted, on_iris()).notes[1] == third_shares);
}

TEST_CASE("operators stand for kernels where a table lists none, and what is no table is refused") {
  auto operators = replaced_all(pytorch, "ampere_sgemm_128x64_tn         0.00%       0.000us      60.000ms",
                                "ampere_sgemm_128x64_tn         0.00%       0.000us       0.000us");
  operators = replaced_all(replaced_all(operators, "      30.000ms        30", "       0.000us        30"),
                           "   10000.000us        10", "       0.000us        10");
  const auto imported = import_text("kernels", operators, on_iris());
  CHECK(imported.notes[0] == "1 kernels were read, 60 ms in all");
  for (const char* text : {"nothing\n", "Time (%),Total Time (ns),Instances,Name\n", "Self CUDA time total: 1ms\n"})
    CHECK_THAT(mistakes_of([&] { import_text("kernels", text, on_iris()); }),
               Catch::Contains("found no kernel with a time"));
  auto broken = import_text("kernels", nsys_csv + "x,y,z\n", on_iris());
  CHECK_THAT(broken.notes[2], Catch::Contains("1 rows without a time"));
}

TEST_CASE("kernels are recognised by the words in their names") {
  for (const auto& [name, kind] :
       std::map<std::string, std::string>{{"sm80_xmma_fprop_implicit_gemm_f16f16", "convolutions"},
                                          {"void cutlass::Kernel<cutlass_80_tensorop_s16816gemm>", "matrix products"},
                                          {"Cijk_Ailk_Bljk_HHS_BH_MT128x128", "matrix products"},
                                          {"nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_TNT", "matrix products"},
                                          {"pytorch_flash::flash_fwd_kernel", "attention"},
                                          {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop", "attention"},
                                          {"triton_poi_fused_add_3", "elementwise kernels"},
                                          {"triton_red_fused_native_layer_norm_0", "norms and softmax"},
                                          {"multi_tensor_apply_kernel<AdamFunctor>", "the optimizer"},
                                          {"Memcpy HtoD (Pinned -> Device)", "copies"},
                                          {"ncclDevKernel_Generic", "communication"},
                                          {"my_kernel", "other kernels"}}) {
    INFO(name);
    CHECK(ddlsim::kernel_kind(name) == kind);
  }
  CHECK(ddlsim::kernel_shares_text({}).empty());
  CHECK(ddlsim::kernel_shares_text({{"gemm", 0}}).empty());
}

TEST_CASE("names in logs of strangers are shown harmless", "[hostile]") {
  const std::string evil = "\x07\x01" + std::string(300, 'x') + "<b>\"\\{}%s";
  const auto message = [&](const char* kind, const std::string& text) {
    auto stated = on_iris();
    stated.catalogue.resize(1);
    stated.given = {{"nodes", "2"}};
    if (std::string(kind) == "mllog") stated.given = {{"model", "my-net"}, {"gpus", "8"}};
    std::string all;
    all += mistakes_of([&] {
      const auto imported = import_text(kind, text, stated);
      for (const auto& note : imported.notes) all += note + "\n";
      for (const auto& note : notes_on_gpu(stated, imported)) all += note + "\n";
    });
    return all;
  };
  using ddlsim::test::make_log;
  const auto log = make_log({});
  for (const auto& [kind, text] : std::vector<std::pair<const char*, std::string>>{
           {"nccl-tests", replaced_all(log, "Tesla V100-SXM2-16GB", evil)},
           {"nccl-tests", replaced_all(log, "node-", evil)},
           {"nccl-tests", replaced_all(log, "124.9", "1" + evil)},
           {"nccl-tests", replaced_all(log, "float", evil)},
           {"nccl-tests", replaced_all(log, "-1 ", "-1" + evil + ":1:2 [0] NCCL INFO " + evil)},
           {"mpi-benchmarks", "# OSU MPI " + evil + " Latency Test v7\n# Size  Avg Latency(us)\n4  3.5\n"},
           {"mpi-benchmarks", "# OSU MPI Allreduce Latency Test v7\n# Size  Avg Latency(us)\n4  " + evil + "\n"},
           {"mpi-benchmarks",
            "# Benchmarking " + evil + "\n# #processes = 4\n#bytes #repetitions t_avg[usec]\n4  1  2\n"},
           {"mllog", ":::MLLOG {\"key\": \"tracked_stats\", \"time_ms\": 1, \"value\": {\"throughput\": 5}}\n"
                     ":::MLLOG {\"key\": \"global_batch_size\", \"time_ms\": 1, \"value\": 8}\n"
                     ":::MLLOG {\"key\": \"submission_benchmark\", \"time_ms\": 1, \"value\": \"\\u0007evil\"}\n"},
           {"kernels", replaced_all(nsys_csv, "ampere", evil)}}) {
    INFO(kind << ": " << text.substr(0, 200));
    const auto all = message(kind, text);
    CHECK(!all.empty());
    CHECK(all.find_first_of("\x01\x07") == std::string::npos);
    CHECK(all.size() < 6000);
  }
}
