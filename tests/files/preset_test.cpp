#include "sim/files/preset.hpp"
#include "tests/files/sample_files.hpp"

#include <catch2/catch.hpp>

using ddlsim::read_presets;

TEST_CASE("presets are read") {
  const ddlsim_test::TemporaryFolder folder;
  const auto presets = read_presets(folder.write("presets.json", ddlsim_test::sample_presets().dump()));
  REQUIRE(presets.size() == 3);
  const auto& ddp = find_preset(presets, "pytorch-ddp");
  CHECK(ddp.grouping == "buckets");
  CHECK(ddp.first_bucket_bytes == 1048576);
  CHECK(ddp.bucket_bytes == 26214400);
  CHECK(ddp.overlapped);
  CHECK(ddp.library == "nccl");
  REQUIRE(ddp.all_reduce.size() == 1);
  CHECK(ddp.all_reduce[0].name == "ring");
  CHECK(ddp.all_reduce[0].weight == 1);
  CHECK(ddp.transports == std::vector<std::string>{"nccl-ib", "nccl-tcp"});
  CHECK(find_preset(presets, "horovod").cycle_s == Approx(5e-3));
  CHECK(find_preset(presets, "mxnet-kvstore").split_bytes == 4e6);
  CHECK_THROWS_WITH(find_preset(presets, "horovodd"),
                    "no preset is called \"horovodd\"; did you mean horovod? there are: "
                    "pytorch-ddp, horovod, mxnet-kvstore");
}

TEST_CASE("what is wrong with a preset is told") {
  ddlsim_test::check_spoilt(
      ddlsim_test::sample_presets(),
      {{"/presets/0/bucket", "", "/presets/0/bucket: missing; give a quantity with its unit, like \"16 GiB\""},
       {"/presets/1/cycle", "", "/presets/1/cycle: missing; give a quantity with its unit, like \"1.5 us\""},
       {"/presets/2/split", "", "/presets/2/split: missing; give a quantity with its unit, like \"16 GiB\""},
       {"/presets/0/cycle", "\"5 ms\"",
        "/presets/0/cycle: has no meaning without \"grouping\": \"fusion\"; leave it out"},
       {"/presets/0/split", "\"4 MB\"",
        "/presets/0/split: has no meaning without \"sharding\": \"split\" or \"hash\"; leave it out"},
       {"/presets/2/bucket", "\"4 MB\"",
        "/presets/2/bucket: has no meaning without \"grouping\": \"buckets\" or \"fusion\"; leave it out"},
       {"/presets/1/first_bucket", "\"4 MB\"",
        "/presets/1/first_bucket: has no meaning without \"grouping\": \"buckets\"; leave it out"},
       {"/presets/0/overlapped", "\"yes\"", "/presets/0/overlapped: \"yes\" found; give true or false, without quotes"},
       {"/presets/0/transports", "[]",
        "/presets/0/transports: none found; give one or more of nccl-ib, nccl-tcp, mpi-ib, mpi-tcp, grpc, shm"},
       {"/presets/0/transports/0", "\"ib\"",
        "/presets/0/transports: no transport is called \"ib\"; there are: nccl-ib, nccl-tcp, mpi-ib, mpi-tcp, grpc, "
        "shm"},
       {"/presets/0/all_reduce", "{}",
        "/presets/0/all_reduce: no name found; give one or more of ring, hierarchical-ring, tree, halving-doubling"},
       {"/presets/0/all_reduce", R"({"ring": 0.5, "trees": 0.5})",
        "/presets/0/all_reduce/trees: unknown key; did you mean \"tree\"?"},
       {"/presets/1/name", "\"pytorch-ddp\"", "/presets/1/name: \"pytorch-ddp\" is there twice; keep one"}},
      [](const auto& file) { read_presets(file); });
}

TEST_CASE("where the library's choice is not known, algorithms have weights, the likeliest first") {
  auto presets = ddlsim_test::sample_presets();
  presets["presets"][0]["all_reduce"] = {{"tree", 1}, {"ring", 3}};
  const ddlsim_test::TemporaryFolder folder;
  const auto preset = read_presets(folder.write("presets.json", presets.dump()))[0];
  REQUIRE(preset.all_reduce.size() == 2);
  CHECK(preset.all_reduce[0].name == "ring");
  CHECK(preset.all_reduce[1].name == "tree");
  CHECK(preset.all_reduce[1].weight == 0.25);
}

TEST_CASE("hashed tensors may be cut into pieces first") {
  auto presets = ddlsim_test::sample_presets();
  presets["presets"][2]["sharding"] = "hash";
  const ddlsim_test::TemporaryFolder folder;
  CHECK(read_presets(folder.write("presets.json", presets.dump()))[2].split_bytes == 4e6);
  presets["presets"][2].erase("split");
  CHECK(read_presets(folder.write("presets.json", presets.dump()))[2].split_bytes == 0);
}
