#include "sim/formats/preset.hpp"
#include "tests/formats/sample_files.hpp"

#include <catch2/catch.hpp>

using ddlsim::read_presets;

TEST_CASE("presets are read") {
  const ddlsim_test::TemporaryFolder folder;
  const auto presets = read_presets(folder.write("presets.json", ddlsim_test::sample_presets().dump()));
  REQUIRE(presets.size() == 3);
  const auto& ddp = find_preset(presets, "pytorch-ddp");
  CHECK(ddp.grouping == ddlsim::Grouping::buckets);
  CHECK(ddp.first_bucket_bytes == 1048576);
  CHECK(ddp.bucket_bytes == 26214400);
  CHECK(ddp.overlapped);
  CHECK(ddp.library == ddlsim::Library::nccl);
  CHECK(ddp.cross_entropy == ddlsim::CrossEntropy::eager); // not given
  CHECK_FALSE(ddp.fused_activation);
  REQUIRE(ddp.libraries.size() == 1);
  CHECK(to_text(ddp.libraries[0].version) == "nccl 2.18.5");
  CHECK(ddp.libraries[0].weight == 1);
  CHECK(ddp.transports == std::vector<std::string>{"nccl-ib", "nccl-tcp"});
  CHECK(find_preset(presets, "horovod").cycle_s == Approx(5e-3));
  CHECK(find_preset(presets, "mxnet-kvstore").split_bytes == 4e6);
  CHECK_THROWS_WITH(find_preset(presets, "horovodd"),
                    "no preset is called \"horovodd\"; did you mean horovod? there are: "
                    "pytorch-ddp, horovod, mxnet-kvstore");
}

TEST_CASE("what is wrong with a preset is reported") {
  ddlsim_test::check_spoilt(
      ddlsim_test::sample_presets(),
      {{"/presets/0/fused_activation", "\"yes\"",
        "/presets/0/fused_activation: \"yes\" found; give true or false, without quotes"},
       {"/presets/0/cross_entropy", "\"compild\"",
        "/presets/0/cross_entropy: \"compild\" found, one of eager, parallel, fused, compiled, in-place expected; did "
        "you mean "
        "\"compiled\"?"},
       {"/presets/0/bucket", "", "/presets/0/bucket: missing; give a quantity with its unit, like \"16 GiB\""},
       {"/presets/1/cycle", "", "/presets/1/cycle: missing; give a quantity with its unit, like \"1.5 us\""},
       {"/presets/2/split", "",
        "/presets/2/split: missing beside \"sharding\": \"split\"; give the size above which tensors are cut"},
       {"/presets/0/cycle", "\"5 ms\"",
        "/presets/0/cycle: has no meaning with \"grouping\": \"buckets\"; leave it out, or give \"grouping\": "
        "\"fusion\""},
       {"/presets/0/split", "\"4 MB\"",
        "/presets/0/split: has no meaning without \"sharding\": \"split\" or \"hash\"; leave it out"},
       {"/presets/2/bucket", "\"4 MB\"",
        "/presets/2/bucket: has no meaning with \"grouping\": \"per-tensor\"; leave it out, or give \"grouping\": "
        "\"buckets\" or \"fusion\""},
       {"/presets/1/first_bucket", "\"4 MB\"",
        "/presets/1/first_bucket: has no meaning with \"grouping\": \"fusion\"; leave it out, or give \"grouping\": "
        "\"buckets\""},
       {"/presets/0/overlapped", "\"yes\"", "/presets/0/overlapped: \"yes\" found; give true or false, without quotes"},
       {"/presets/2/servers", R"({"unknown": true})",
        "/presets/2/servers/unknown: unknown key; known here: count, per_node, equal_workers"},
       {"/presets/2/placement", "\"unknown\"",
        "/presets/2/placement: \"unknown\" found; give one of dedicated, colocated"},
       {"/presets/0/transports", "[]",
        "/presets/0/transports: none found; give one or more of nccl-ib, nccl-tcp, mpi-ib, mpi-tcp, gloo-tcp, grpc, "
        "shm"},
       {"/presets/0/transports/0", "\"ib\"",
        "/presets/0/transports/0: \"ib\" found; give one of nccl-ib, nccl-tcp, mpi-ib, mpi-tcp, gloo-tcp, grpc, shm"},
       {"/presets/0/libraries", "{}",
        "/presets/0/libraries: no library found; give one, as {\"nccl 2.18.5\": 1}, or leave this out"},
       {"/presets/0/libraries", R"({"nccl": 1, "nvcl 2.18": 1})",
        "/presets/0/libraries/nvcl 2.18: \"nvcl 2.18\" is no library and version; give one of nccl, open-mpi, mpich, "
        "gloo, grpc and a version, as \"nccl 2.18.5\""},
       {"/presets/0/libraries", R"({"nccl 2.18": -1})",
        "/presets/0/libraries/nccl 2.18: -1 found; give a number above 0, without quotes or unit"},
       {"/presets/1/name", "\"pytorch-ddp\"", "/presets/1/name: \"pytorch-ddp\" is there twice; keep one"}},
      [](const auto& file) { read_presets(file); });
}

TEST_CASE("a preset's libraries over each carrier have weights, the likeliest first") {
  auto presets = ddlsim_test::sample_presets();
  presets["presets"][0]["libraries"] = {{"mpich 3.3", 1}, {"nccl 2.8.4", 1}, {"open-mpi 4.0", 3}};
  const ddlsim_test::TemporaryFolder folder;
  const auto preset = read_presets(folder.write("presets.json", presets.dump()))[0];
  const auto over_mpi = libraries_over(preset, "mpi-tcp");
  REQUIRE(over_mpi.size() == 2);
  CHECK(over_mpi[0].name == "open-mpi 4.0");
  CHECK(over_mpi[1].name == "mpich 3.3");
  CHECK(over_mpi[1].weight == 0.25);
  const auto over_nccl = libraries_over(preset, "nccl-tcp");
  REQUIRE(over_nccl.size() == 1);
  CHECK(over_nccl[0].name == "nccl 2.8.4");
  CHECK(libraries_over(preset, "shm")[0].name == "nccl 2.8.4"); // what the preset's first transport is of
  CHECK(libraries_over(preset, "grpc")[0].name == "grpc");      // of which the preset names none
  CHECK(to_text(ddlsim::likeliest_library(preset, "mpi-ib")) == "open-mpi 4.0");
}

TEST_CASE("a library and its version as text, and back") {
  for (const char* text : {"nccl 2.18.5", "nccl 2.4", "open-mpi 4.0", "gloo"}) {
    const auto version = ddlsim::library_version_from(text);
    REQUIRE(version);
    CHECK(to_text(*version) == text);
  }
  CHECK(*ddlsim::library_version_from("nccl 2.9.8") < *ddlsim::library_version_from("nccl 2.18"));
  for (const char* text : {"", "nccl ", "nccl 2.", "nccl 2..1", "nccl -2", "nccl 2.1.1.1", "nccl 12345", "ncc 2",
                           "NCCL 2", "nccl  2", "nccl 2 ", "nccl 2.x"})
    CHECK_FALSE(ddlsim::library_version_from(text));
}

TEST_CASE("a library's version in what people write of their software") {
  using ddlsim::CollectiveLibrary;
  const auto found = [](const char* software, CollectiveLibrary library) {
    const auto version = ddlsim::library_version_in(software, library);
    return version ? to_text(*version) : "";
  };
  CHECK(found("NCCL 2.26.2, nccl-tests", CollectiveLibrary::nccl) == "nccl 2.26.2");
  CHECK(found("nccl-tests", CollectiveLibrary::nccl).empty());
  CHECK(found("aws-ofi-nccl 1.5.0", CollectiveLibrary::nccl).empty()); // a plug-in
  CHECK(found("aws-ofi-nccl 1.5.0, NCCL v2.12.7+cuda11", CollectiveLibrary::nccl) == "nccl 2.12.7");
  CHECK(found("NCCL 2.0 (single process or MPI), OSU MPI", CollectiveLibrary::nccl) == "nccl 2.0");
  CHECK(found("NCCL 2.0 (single process or MPI), OSU MPI", CollectiveLibrary::open_mpi).empty());
  CHECK(found("PyTorch 1.4, NCCL 2.4, OpenMPI 4.0.", CollectiveLibrary::open_mpi) == "open-mpi 4.0");
  CHECK(found("ddltrain 0.1.0, Open MPI 4.1.4", CollectiveLibrary::open_mpi) == "open-mpi 4.1.4");
  CHECK(found("OpenMPI (version not stated)", CollectiveLibrary::open_mpi).empty());
  for (const char* odd : {"", "nccl", "NCCL ", "NCCL .", "NCCL 2..1", "NCCL 99999.1", "NCCL 1.2.3.4.5"})
    CHECK(found(odd, CollectiveLibrary::nccl).empty());
}

namespace {

ddlsim::Cluster cluster_of(int nodes, const std::vector<std::string>& transports) {
  ddlsim::Cluster cluster;
  cluster.available_nodes = 1;
  cluster.growth_max_nodes = nodes;
  for (const auto& name : transports) cluster.transports.push_back({name, name == "shm" ? "" : "nic"});
  return cluster;
}

std::string transport_name(const ddlsim::Cluster& cluster, const ddlsim::Preset& preset,
                           const std::string& stated = "") {
  const auto* transport = ddlsim::transport_for(cluster, preset, stated);
  return transport == nullptr ? "none" : transport->name;
}

} // namespace

TEST_CASE("a transport is the stated one, else the first of the preset's that is there, else none") {
  ddlsim::Preset preset;
  preset.transports = {"mpi-ib", "mpi-tcp", "grpc", "shm"};
  const auto cluster = cluster_of(2, {"shm", "grpc", "mpi-tcp"});
  CHECK(transport_name(cluster, preset, "grpc") == "grpc");
  CHECK(transport_name(cluster, preset, "unknown") == "mpi-tcp");
  CHECK(transport_name(cluster, preset, "nccl-ib") == "mpi-tcp"); // which the cluster does not have
  CHECK(transport_name(cluster_of(2, {"nccl-ib"}), preset) == "none");
}

TEST_CASE("one machine takes shared memory, whether its file lists it or not, unless the preset cannot") {
  ddlsim::Preset preset;
  preset.transports = {"mpi-tcp", "shm"};
  CHECK(transport_name(cluster_of(1, {"mpi-tcp", "shm"}), preset) == "shm");
  CHECK(transport_name(cluster_of(1, {"mpi-tcp"}), preset) == "shm");
  CHECK(transport_name(cluster_of(1, {}), preset) == "shm");
  CHECK(transport_name(cluster_of(1, {"mpi-tcp", "shm"}), preset, "mpi-tcp") == "mpi-tcp");
  CHECK(transport_name(cluster_of(2, {"mpi-tcp", "shm"}), preset) == "mpi-tcp");
  preset.transports = {"gloo-tcp"};
  CHECK(transport_name(cluster_of(1, {"gloo-tcp", "shm"}), preset) == "gloo-tcp");
}

TEST_CASE("servers that nobody counted or placed are the preset's, and what a strategy states stays") {
  auto presets = ddlsim_test::sample_presets();
  presets["presets"][2]["servers"] = {{"count", 3}};
  presets["presets"][2]["placement"] = "dedicated";
  const ddlsim_test::TemporaryFolder folder;
  const auto read = read_presets(folder.write("presets.json", presets.dump()));
  ddlsim::Strategy open;
  open.name = ddlsim::StrategyName::ps;
  CHECK(to_text(completed(open, read[2])) == "ps(3 dedicated, unknown)");
  CHECK(to_text(completed(open, read[0])) == "ps(1 a node colocated, unknown)"); // the preset says nothing
  open.servers = {ddlsim::ServerCount::Rule::equal_workers, 0};
  open.placement = ddlsim::Placement::colocated;
  CHECK(to_text(completed(open, read[2])) == "ps(as many as workers colocated, unknown)");
}

TEST_CASE("best servers are searched beside the preset's, which fills in nothing") {
  ddlsim::Strategy best;
  best.name = ddlsim::StrategyName::ps;
  best.servers = {ddlsim::ServerCount::Rule::best, 0};
  ddlsim::Preset preset;
  CHECK(to_text(completed(best, preset)) == "ps(best servers)");
}

TEST_CASE("a preset lists the rules of sharding that its user may choose among") {
  using ddlsim::Sharding;
  auto presets = ddlsim_test::sample_presets();
  const ddlsim_test::TemporaryFolder folder;
  auto read = read_presets(folder.write("presets.json", presets.dump()));
  CHECK(read[0].sharding_choices.empty());
  CHECK(read[2].sharding_choices == std::vector<Sharding>{Sharding::split, Sharding::pieces});
  presets["presets"][2]["sharding_choices"] = {"split", "peices", "split"};
  const auto file = folder.write("spoilt.json", presets.dump());
  const auto mistakes = ddlsim_test::mistakes_of(file, [&] { read_presets(file); });
  REQUIRE(mistakes.size() == 2);
  CHECK_THAT(mistakes[0],
             Catch::StartsWith("/presets/2/sharding_choices/1: ") && Catch::Contains("did you mean \"pieces\"?"));
  CHECK(mistakes[1] == "/presets/2/sharding_choices/2: \"split\" is there twice; keep one");
}

TEST_CASE("a preset may copy what it gathers and scatters, a number of times above 0") {
  auto presets = ddlsim_test::sample_presets();
  presets["presets"][0]["copy_passes"] = 4;
  const ddlsim_test::TemporaryFolder folder;
  const auto read = read_presets(folder.write("presets.json", presets.dump()));
  CHECK(read[0].copy_passes == 4);
  CHECK(read[1].copy_passes == 0);
  presets["presets"][0]["copy_passes"] = -1;
  presets["presets"][1]["copy_passes"] = "four";
  const auto file = folder.write("spoilt.json", presets.dump());
  const auto mistakes = ddlsim_test::mistakes_of(file, [&] { read_presets(file); });
  REQUIRE(mistakes.size() == 2);
  CHECK_THAT(mistakes[0], Catch::StartsWith("/presets/0/copy_passes: "));
  CHECK_THAT(mistakes[1], Catch::StartsWith("/presets/1/copy_passes: "));
}

TEST_CASE("a preset may compute, and have servers, as another that is there") {
  auto presets = ddlsim_test::sample_presets();
  presets["presets"][0]["one_gpu_as"] = "horovod";
  presets["presets"][0]["servers_as"] = "mxnet-kvstore";
  const ddlsim_test::TemporaryFolder folder;
  const auto read = read_presets(folder.write("presets.json", presets.dump()));
  CHECK(one_gpu_preset(read[0]) == "horovod");
  CHECK(one_gpu_preset(read[1]) == read[1].name);
  CHECK(servers_preset(read[0], "my-stack") == "mxnet-kvstore");
  CHECK(servers_preset(read[1], "my-stack") == "my-stack");
  presets["presets"][0]["one_gpu_as"] = "horovdo";
  presets["presets"][0]["servers_as"] = "mxnet-kvstor";
  const auto file = folder.write("spoilt.json", presets.dump());
  CHECK(ddlsim_test::mistakes_of(file, [&] { read_presets(file); }) ==
        std::vector<std::string>{
            "/presets/0/one_gpu_as: no preset is called \"horovdo\"; did you mean horovod? there are: "
            "pytorch-ddp, horovod, mxnet-kvstore",
            "/presets/0/servers_as: no preset is called \"mxnet-kvstor\"; did you mean mxnet-kvstore? there are: "
            "pytorch-ddp, horovod, mxnet-kvstore"});
}

TEST_CASE("what a library does with servers is stated by its preset, and what is left out is what most do") {
  auto presets = ddlsim_test::sample_presets();
  presets["presets"][2]["node_reduction"] = "one-gpu";
  presets["presets"][2]["serves_one_machine"] = false;
  const ddlsim_test::TemporaryFolder folder;
  const auto read = read_presets(folder.write("presets.json", presets.dump()));
  CHECK(read[2].node_reduce == ddlsim::NodeReduce::one_gpu);
  CHECK_FALSE(read[2].serves_one_machine);
  CHECK(read[0].node_reduce == ddlsim::NodeReduce::reduce_scatter);
  CHECK(read[0].serves_one_machine);
}

TEST_CASE("a source may be a list of its lines") {
  auto presets = ddlsim_test::sample_presets();
  presets["presets"][0]["source"] = {"reducer.hpp: 1 MiB,", "then 25 MiB"};
  const ddlsim_test::TemporaryFolder folder;
  CHECK(read_presets(folder.write("presets.json", presets.dump()))[0].source == "reducer.hpp: 1 MiB, then 25 MiB");
  presets["presets"][0]["source"] = nlohmann::json::array();
  CHECK_THROWS_AS(read_presets(folder.write("presets.json", presets.dump())), ddlsim::UserError);
}

TEST_CASE("hashed tensors may be cut into pieces first") {
  auto presets = ddlsim_test::sample_presets();
  presets["presets"][2]["sharding"] = "hash";
  const ddlsim_test::TemporaryFolder folder;
  CHECK(read_presets(folder.write("presets.json", presets.dump()))[2].split_bytes == 4e6);
  presets["presets"][2].erase("split");
  CHECK(read_presets(folder.write("presets.json", presets.dump()))[2].split_bytes == 0);
}
