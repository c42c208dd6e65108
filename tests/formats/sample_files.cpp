#include "tests/formats/sample_files.hpp"

#include <catch2/catch.hpp>

namespace ddlsim_test {

namespace fs = std::filesystem;
using nlohmann::json;

json sample_model() {
  return json::parse(R"({"format": "ddlsim-model", "version": 1, "name": "tiny", "title": "Tiny", "source": "typed",
    "sample": "image 1x2x2", "parameters": 14, "layers": [
      {"name": "fc", "kind": "linear", "forward_flop_per_sample": 24, "activation_bytes_per_sample": 12,
       "tensors": [{"name": "fc.weight", "shape": [3, 4], "bytes": 48}, {"name": "fc.bias", "shape": [2], "bytes": 8}]},
      {"name": "relu", "kind": "activation", "forward_flop_per_sample": 3, "activation_bytes_per_sample": 12,
       "tensors": []}]})");
}

json sample_repeated_model() {
  auto model = sample_model();
  model["layers"].erase(1);
  model["layers"].push_back(json::parse(R"({"repeat": 3, "first": 1, "layers": [
      {"name": "block{i}.fc", "kind": "linear", "forward_flop_per_sample": 8, "activation_bytes_per_sample": 8,
       "tensors": [{"name": "block{i}.fc.weight", "shape": [2, 2], "bytes": 16}]},
      {"name": "block{i}.relu", "kind": "activation", "forward_flop_per_sample": 2, "activation_bytes_per_sample": 8,
       "tensors": []}]})"));
  model["parameters"] = 26;
  return model;
}

json sample_gpus() {
  return json::parse(R"({"format": "ddlsim-gpus", "version": 1, "gpus": [
    {"name": "V100-SXM2-16GB", "aliases": ["V100"], "year": 2017, "peak": {"fp32": "15.7 TFLOP/s"},
     "memory_bandwidth": "900 GB/s", "memory": "16 GB", "power": "300 W",
     "sources": {"peak": "data sheet", "memory_bandwidth": "data sheet", "memory": "data sheet", "power": "ibid."}},
    {"name": "K80", "year": 2014, "peak": {"fp32": "4.37 TFLOP/s"}, "memory_bandwidth": "240 GB/s", "memory": "12 GB",
     "sources": {"peak": "data sheet", "memory_bandwidth": "data sheet", "memory": "data sheet"}}]})");
}

json sample_kernels() {
  return json::parse(R"({"format": "ddlsim-kernels", "version": 1, "gpu": "V100-SXM2-16GB",
    "source": {"title": "Tables", "repository": "a/b", "commit": "0123abc", "licence": "MIT", "date": "2026-11-29"},
    "products": [{"precision": "fp32", "software": "library 1", "kernel": "sgemm", "path": "a.csv", "unit": "us",
                  "rows": [[1024, 1024, 1024, 200], [1024, 2048, 1024, 400.5], [2048, 2048, 4096, 3000],
                           [4096, 1024, 1024, 700], [4096, 4096, 4096, 10500], [8192, 2048, 1024, 2700]]}],
    "attention": [{"software": "library 1", "kernel": "flash", "path": "b.csv", "unit": "ms",
                   "rows": [[1, 1024, 4, 2, 64, 0.1], [1, 2048, 4, 4, 64, 0.3]]}]})");
}

json sample_kernel_rates() {
  return json::parse(R"({"format": "ddlsim-kernel-rates", "version": 1, "gpus": [
    {"gpu": "V100-SXM2-16GB", "products": [
       {"precision": "bf16", "peak_share": 0.7, "half_depth": 100, "launch": "5 us", "rows": 100, "median_error": 0.05, "p90_error": 0.1},
       {"precision": "fp8", "peak_share": 0.5, "half_depth": 300, "launch": "5 us", "cast_slowdown": 2, "rows": 90,
        "median_error": 0.04, "p90_error": 0.1}],
     "attention": {"peak_share": 0.6, "padded_tokens": 500, "share_at_size_64": 0.8, "backward_share": 0.55, "launch": "10 us",
                   "cache_slowdown": 1.5, "rows": 50, "median_error": 0.06, "p90_error": 0.2}},
    {"gpu": "K80", "products": []}],
    "by_generation": {"products": 0.1, "attention": 0.2}, "by_others": {"products": 0.3, "attention": 0.4}})");
}

json sample_cluster() {
  return json::parse(R"({"format": "ddlsim-cluster", "version": 1, "name": "iris",
    "title": "Iris: 24 nodes of a university, as the tests have them",
    "node": {"gpu": "V100-SXM2-16GB", "gpus": 4, "cpu": "2x Xeon Gold 6132", "cores": 28, "host_memory_bandwidth": "200 GB/s",
             "host_memory": "384 GB", "host_link": {"bandwidth": "12 GB/s", "gpus": 2}, "power": "2.5 kW",
             "intra": {"kind": "nvlink-mesh", "bandwidth": "50 GB/s", "latency": "5 us"},
             "nics": [{"name": "ib-edr", "bandwidth": "100 Gbps", "count": 2}]},
    "fabric": {"kind": "fat-tree", "nodes_per_leaf": 24, "blocking": 1.5, "hop_latency": "0.1 us"},
    "transports": [{"name": "nccl-ib", "nic": "ib-edr"}, {"name": "shm"}],
    "storage": {"kind": "gpfs", "read_bandwidth": "2 GB/s"},
    "available": {"nodes": 24}, "growth": {"max_nodes": 4096, "rule": "same leaf"},
    "prices": [{"kind": "on-demand", "usd_per_node_hour": 12.24, "date": "2024-03"},
               {"kind": "reserved", "usd_per_node_hour": 8, "term": "8760 h", "date": "2024-03"},
               {"kind": "purchase", "usd_per_node": 60000, "date": "2018"}],
    "borrows": [{"cluster": "iris", "kinds": ["step"], "label": "transferred"}],
    "sources": {"/prices": "site", "/node": "site", "/fabric": "site", "/storage": "site", "/available/nodes": "site", "/growth": "ours"}})");
}

json sample_scenario() {
  return json::parse(R"({"format": "ddlsim-scenario", "version": 1, "name": "tiny-iris", "model": "tiny",
    "batch_per_gpu": 64, "precision": "fp32", "cluster": "iris", "gpus": [1, 2, 4, 8],
    "strategies": [{"name": "ring"},
                   {"name": "ps", "servers": {"per_node": 1}, "placement": "colocated", "sharding": "round-robin"}],
    "preset": "pytorch-ddp", "transport": "nccl-ib", "rank_mapping": "fill-nodes", "efficiency_bound": 0.9, "seed": 7,
    "samples": 100})");
}

json sample_two_stacks() {
  auto scenario = sample_scenario();
  scenario["name"] = "tiny-two-stacks";
  scenario.erase("transport");
  scenario["strategies"] = json::parse(R"([
    {"name": "auto", "preset": "pytorch-ddp", "transport": "nccl-ib"}, {"name": "auto", "transport": "shm"},
    {"name": "ps", "preset": "mxnet-kvstore", "transport": "nccl-ib", "servers": {"count": 2}}])");
  return scenario;
}

json sample_best_servers() {
  auto scenario = sample_scenario();
  scenario["name"] = "tiny-best-servers";
  scenario["strategies"] = json::parse(R"([{"name": "ps", "servers": "best"},
    {"name": "ps-async", "servers": "best", "placement": "dedicated", "sharding": "bytes"}])");
  return scenario;
}

json sample_hybrid_shards() {
  auto scenario = sample_scenario();
  scenario["name"] = "tiny-hybrid-shards";
  scenario["strategies"] = json::parse(
      R"([{"name": "fsdp", "shard_group": "node"}, {"name": "fsdp", "shard_group": 2, "micro_batches": 2},
          {"name": "fsdp", "offload": "optimizer-and-parameters"}, {"name": "zero-2", "offload": "optimizer"}])");
  return scenario;
}

json sample_fine_tuning() {
  auto scenario = sample_scenario();
  scenario["name"] = "tiny-fine-tuning";
  scenario.erase("batch_per_gpu");
  scenario["global_batch"] = 512;
  scenario["micro_batch"] = 2;
  scenario["document_tokens"] = 64;
  scenario["train"] = {{"lora_rank", 8}, {"targets", {"query", "linear_fc1"}}};
  scenario["optimizer"] = "muon";
  scenario["strategies"] =
      json::parse(R"([{"name": "ring"}, {"name": "fsdp"}, {"name": "model-parallel", "tensor": 2, "pipeline": 2}])");
  return scenario;
}

json sample_best_layout() {
  auto scenario = sample_scenario();
  scenario["name"] = "tiny-best-layout";
  scenario["strategies"] = json::parse(R"([
    {"name": "model-parallel", "tensor": "best", "pipeline": "best", "micro_batches": "best"},
    {"name": "model-parallel", "pipeline": 2, "micro_batches": "best", "data_parallel": "zero-1"},
    {"name": "model-parallel", "pipeline": "best", "micro_batches": 4, "schedule": "interleaved", "virtual_stages": 2},
    {"name": "model-parallel", "tensor": 2, "context": "best", "micro_batches": "best"},
    {"name": "model-parallel", "layout": "best"}, {"name": "model-parallel", "layout": "best", "tensor": 2}])");
  return scenario;
}

json sample_plan_request() {
  return json::parse(R"({"format": "ddlsim-plan-request", "version": 1, "name": "tiny-plan",
    "workload": {"model": "tiny", "samples": 1e6, "epochs": 3, "batch_per_gpu": 64, "precision": "fp32",
                 "evaluation": {"samples": 5e4, "epochs_apart": 1}},
    "goal": "energy",
    "limits": {"deadline": "1 h", "budget": "100 USD", "power": "5 kW", "nodes": 4, "chance": 0.8},
    "failures": {"node_mtbf": "1000 h", "checkpoint": "10 s", "restart": "0 s"},
    "energy": {"usd_per_kwh": 0.2, "pue": 1.3},
    "candidates": [
      {"cluster": "iris", "preset": "pytorch-ddp", "strategies": [{"name": "ring"}],
       "price": {"kind": "on-demand", "usd_per_node_hour": 12.5, "source": "a list"}},
      {"name": "bought", "cluster": "iris", "preset": "pytorch-ddp", "transport": "nccl-ib", "batch_per_gpu": 32,
       "network": "200 Gbps", "gpus": [1, 8], "strategies": [{"name": "ring"}, {"name": "tree"}],
       "price": {"kind": "purchase", "usd_per_node": 60000, "years": 4}},
      {"name": "ours", "cluster": "iris", "preset": "pytorch-ddp", "strategies": [{"name": "ring"}],
       "price": {"kind": "owned"}}],
    "seed": 3, "samples": 60})");
}

json sample_convergence() {
  return json::parse(R"({"format": "ddlsim-convergence", "version": 1, "name": "tiny-set", "models": ["tiny"],
    "target": "half of them right", "source": "a list", "samples": 1000, "points": [
      {"global_batch": 64, "epochs": 10, "deviation": 0.5, "runs": 4},
      {"global_batch": 128, "epochs": 12, "deviation": 0, "runs": 1},
      {"global_batch": 256, "epochs": 15, "deviation": 0.1, "runs": 3}]})");
}

json sample_inputs() {
  return json::parse(R"({"format": "ddlsim-inputs", "version": 1,
    "datasets": [{"name": "pictures", "title": "Pictures", "source": "counted", "bytes_per_sample": "100 KB",
                  "decode_work": 2}],
    "storages": [
      {"name": "disk", "title": "Disk", "source": "typed", "read": {"median": "2 GB/s", "low": "1 GB/s", "high": "4 GB/s"},
       "open": {"median": "1 ms", "low": "0.5 ms", "high": "2 ms"}, "small_read_share": 0.5,
       "in_memory": false},
      {"name": "nfs", "title": "NFS", "source": ["typed", "twice"], "judgement": "all of it", "shaped_by": ["iris"],
       "shared_read": {"median": "1 GB/s", "low": "100 MB/s", "high": "3 GB/s"},
       "open": {"median": "2 ms", "low": "1 ms", "high": "9 ms"}, "shared_opens_per_s": 5000}],
    "formats": [{"name": "files", "title": "Files", "source": "typed", "reads": "file-a-sample"},
                {"name": "packed", "title": "Packed", "source": "typed", "reads": "in-sequence", "bytes_share": 0.5,
                 "core_share": {"median": 0.5, "low": 0.25, "high": 1}}],
    "loaders": [{"name": "by-core", "title": "Cores", "source": "typed", "shaped_by": ["iris"],
                 "core_samples_per_s": {"median": 100, "low": 50, "high": 400}, "workers_read": ["file-a-sample"]},
                {"name": "by-gpu", "title": "GPUs", "source": "typed",
                 "gpu_samples_per_s": {"median": 1000, "low": 500, "high": 2000}}]})");
}

json sample_named_input() {
  auto scenario = sample_scenario();
  scenario["name"] = "tiny-named-input";
  scenario["input"] = json::parse(R"({"dataset": "pictures", "storage": "nfs", "format": "files", "loader": "by-core",
    "cores_per_node": 10, "readers_per_node": 4})");
  return scenario;
}

json sample_presets() {
  return json::parse(R"({"format": "ddlsim-presets", "version": 2, "presets": [
    {"name": "pytorch-ddp", "title": "DDP", "grouping": "buckets", "first_bucket": "1 MiB", "bucket": "25 MiB",
     "overlapped": true, "library": "nccl", "libraries": {"nccl 2.18.5": 1}, "sharding": "bytes",
     "transports": ["nccl-ib", "nccl-tcp"], "source": "code"},
    {"name": "horovod", "title": "Horovod", "grouping": "fusion", "bucket": "64 MiB", "cycle": "5 ms",
     "overlapped": true, "library": "mpi", "libraries": {"open-mpi 4.0": 1}, "sharding": "bytes", "transports": ["mpi-ib"],
     "source": "code"},
    {"name": "mxnet-kvstore", "title": "MXNet", "grouping": "per-tensor", "overlapped": true, "library": "ps-lite",
     "sharding": "split", "split": "4 MB", "sharding_choices": ["split", "pieces"],
     "servers": {"per_node": 1},
     "placement": "colocated", "transports": ["grpc"], "source": "code"}]})");
}

json sample_priors() {
  return json::parse(R"({"format": "ddlsim-priors", "version": 3, "model": "1", "expected": [
    {"parameter": "nic_efficiency", "median": 0.75, "width": 0.3, "scale": "log", "unit": "1", "source": "guess"},
    {"parameter": "nic_efficiency", "transport": "nccl-ib", "median": 0.8, "width": 0.15, "unit": "1",
     "source": "runs", "shaped_by": ["iris"]},
    {"parameter": "nic_efficiency", "preset": "horovod", "median": 0.7, "width": 0.1, "unit": "1", "source": "runs"},
    {"parameter": "nic_efficiency", "transport": "nccl-ib", "preset": "horovod", "median": 0.6, "width": 0.1,
     "unit": "1", "source": "runs"},
    {"parameter": "offset", "median": 0, "width": 1, "scale": "linear", "unit": "s", "source": "guess"}], "sites": [
    {"site": "iris", "values": [
      {"parameter": "nic_efficiency", "transport": "nccl-ib", "preset": "horovod", "value": 0.5, "error": 0.1},
      {"parameter": "nic_efficiency", "value": 0.9, "error": 0.2}]}]})");
}

json sample_context() {
  return json::parse(R"({"record": "context", "version": 1, "cluster": "iris", "gpu": "V100-SXM2-16GB",
    "machine": "Iris", "software": "PyTorch 1.13.1", "date": "2018-05", "who": "someone",
    "source": {"title": "A table", "repository": "a/b", "path": "c.md", "commit": "d", "file": "table.json"},
    "emulated": false})");
}

json sample_record(const std::string& kind) {
  json record = json::parse(R"({"series": "s", "from": "/points/0", "origin": "table", "transport": "nccl-ib",
    "library": "nccl", "statistic": "mean", "repeats": 5, "relative_spread": 0.01, "note": "a note"})");
  record["record"] = kind;
  static const std::map<std::string, std::string> own{
      {"step", R"({"model": "resnet50_v1", "precision": "fp32", "wire_precision": "fp32", "batch_per_gpu": 64,
                   "preset": "horovod", "strategy": {"name": "ring"}, "algorithm": "ring", "gpus": 8, "nodes": 2,
                   "gpus_per_node": 4, "synchronised": true, "data": "synthetic", "value": 1024, "unit": "samples/s"})"},
      {"collective", R"({"operation": "all_reduce", "algorithm": "ring", "ranks": 8, "nodes": 2, "size_bytes": 1e8,
                         "value": 12.5, "unit": "ms"})"},
      {"point_to_point", R"({"size_bytes": 4096, "nodes": 2, "value": 3, "unit": "us"})"},
      {"layer", R"({"model": "resnet50_v1", "layer": "conv1", "kind": "conv", "pass": "forward", "precision": "fp32",
                    "batch": 64, "flop": 1e9, "size_bytes": 37632, "value": 1.5, "unit": "ms"})"},
      {"layers", R"({"model": "resnet50_v1", "layers": {"name": ["conv1", "relu1", "fc"],
                     "kind": ["conv", "activation", "linear"], "flop_per_sample": [236027904, 802816, 0],
                     "size_bytes": [37632, 0, 8196000]},
                     "timings": [{"precision": "fp32", "batch": 64, "count": 5,
                                  "forward": {"time_us": [1500, 70.5, 30], "spread": [0.01, 0, 0.2]},
                                  "backward": {"time_us": [2900, null, 61.25]}},
                                 {"gpu": "K80", "precision": "amp", "batch": 32, "suspect": true,
                                  "forward": {"time_us": [9000, 400, 200]}}]})"},
      {"server", R"({"what": "push", "workers": 3, "nodes": 4, "size_bytes": 1048576, "value": 0.3, "unit": "GB/s"})"},
      {"input", R"({"what": "loader", "value": 900, "unit": "samples/s"})"},
      {"loss", R"({"model": "resnet50_v1", "epoch": 1, "step": 100, "value": 2.5, "accuracy": 0.4})"},
      {"speed_up", R"({"model": "resnet50_v1", "precision": "fp32", "wire_precision": "fp32", "batch_per_gpu": 64,
                       "preset": "horovod", "strategy": {"name": "ring"}, "gpus": 8, "nodes": 2, "gpus_per_node": 4,
                       "base_gpus": 1, "base_nodes": 1, "trust": "B", "base_from": "/points/1",
                       "assumed": {"batch_per_gpu": "the script's default; assumed by its converter"},
                       "value": 7.2, "unit": "times"})"}};
  record.update(json::parse(own.at(kind)));
  if (kind == "layers") // its timings have their own
    for (const char* key : {"repeats", "relative_spread"}) record.erase(key);
  return record;
}

json sample_server_in_training() {
  auto record = sample_record("server");
  record.erase("size_bytes");
  record.update(
      json::parse(R"({"what": "training", "preset": "tf-ps", "bytes": 3.9e9, "messages": 256, "processor_s": 4.5})"));
  return record;
}

std::string sample_measurements() {
  std::string lines = sample_context().dump() + "\n";
  for (const char* kind : {"step", "collective", "point_to_point", "layers", "server", "input", "loss", "speed_up"})
    lines += sample_record(kind).dump() + "\n";
  return lines;
}

void write_sample_data(const TemporaryFolder& folder) {
  folder.write("platforms/gpus.json", sample_gpus().dump(1));
  folder.write("platforms/priors.json", sample_priors().dump(1));
  folder.write("platforms/kernels/v100.json", sample_kernels().dump(1));
  folder.write("platforms/kernel-rates.json", sample_kernel_rates().dump(1));
  folder.write("platforms/iris/cluster.json", sample_cluster().dump(1));
  folder.write("platforms/iris/measurements/all.jsonl", sample_measurements());
  folder.write("scenarios/presets.json", sample_presets().dump(1));
  folder.write("scenarios/tiny-iris.json", sample_scenario().dump(1));
  folder.write("scenarios/tiny-two-stacks.json", sample_two_stacks().dump(1));
  folder.write("scenarios/tiny-best-servers.json", sample_best_servers().dump(1));
  folder.write("scenarios/plans/tiny-plan.json", sample_plan_request().dump(1));
  folder.write("scenarios/convergence/tiny-set.json", sample_convergence().dump(1));
  folder.write("scenarios/inputs.json", sample_inputs().dump(1));
  folder.write("scenarios/tiny-named-input.json", sample_named_input().dump(1));
  folder.write("scenarios/models/tiny.json", sample_model().dump(1));
}

json spoil(json good, const BrokenFile& spoilt) {
  const json::json_pointer pointer(spoilt.pointer);
  if (!spoilt.value.empty())
    good[pointer] = json::parse(spoilt.value);
  else
    good[pointer.parent_pointer()].erase(pointer.back());
  return good;
}

void check_spoilt(const json& good, const std::vector<BrokenFile>& spoilt,
                  const std::function<void(const fs::path&)>& read) {
  const TemporaryFolder folder;
  const auto reported = [&](const json& content) {
    const auto file = folder.write("file.json", content.dump(1));
    return mistakes_of(file, [&] { read(file); });
  };
  CHECK(reported(good).empty());
  for (const auto& one : spoilt) {
    INFO(one.pointer << " = " << one.value);
    CHECK(reported(spoil(good, one)) == std::vector<std::string>{one.says});
  }
}

} // namespace ddlsim_test
