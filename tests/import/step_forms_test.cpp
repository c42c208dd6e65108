// Each program's log as its print statements make it.
#include "import/step_forms.hpp"
#include "tests/import/log_cases.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

namespace {

using ddlsim::test::cell_of;
using ddlsim::test::check_case;
using ddlsim::test::LogCase;
using ddlsim::test::numbered;
using ddlsim::test::with_all;
using ddlsim::test::with_gpus;
using ddlsim::test::with_model;

std::string composer_steps(const char* head) {
  std::string text = head;
  for (int i = 0; i < 12; ++i)
    text += fmt::format("[batch={}/48]:\n\t Train time/batch: {}\n\t Train time/sample: {}\n"
                        "\t Train throughput/batches_per_sec: 0.5000\n\t Train throughput/samples_per_sec: 256.0000\n"
                        "\t Train throughput/device/batches_per_sec: 0.0312\n"
                        "\t Train throughput/device/samples_per_sec: 16.0000\n",
                        i + 1, i, 512 * i);
  return text;
}

const std::string deepspeed_head =
    "[2024-01-01 10:00:00,123] [INFO] [config.py:1000:print]   gradient_accumulation_steps .. 2\n"
    "[2024-01-01 10:00:00,123] [INFO] [config.py:1000:print]   train_batch_size ............. 64\n"
    "[2024-01-01 10:00:00,123] [INFO] [config.py:1000:print]   train_micro_batch_size_per_gpu  4\n"
    "[2024-01-01 10:00:00,123] [INFO] [config.py:1000:print]   world_size ................... 8\n";
const std::string deepspeed_steps =
    numbered(12, "worker-0: [2024-01-01 10:00:00,123] [INFO] [timer.py:260:stop] epoch=0/micro_step=@/global_step=@, "
                 "RunningAvgSamplesPerSec=31.5, CurrSamplesPerSec=32.0, MemAllocated=6.01GB\n");

std::string tf_head(const char* devices, const char* variables) {
  return fmt::format("Model:       resnet50\nDataset:     imagenet (synthetic)\nMode:        training\n"
                     "Batch size:  512 global\n             64 per device\nDevices:     {}\nVariables:   {}\n",
                     devices, variables);
}

std::string tf_steps(int rate) {
  return numbered(11, fmt::format("@0\timages/sec: {}.0 +/- 0.1 (jitter = 0.2)\t7.9\n", rate));
}

const char* const four_devices = "['/job:worker/task:0/gpu:0', '/job:worker/task:0/gpu:1', "
                                 "'/job:worker/task:0/gpu:2', '/job:worker/task:0/gpu:3']";
const char* const eight_devices = "['/gpu:0', '/gpu:1', '/gpu:2', '/gpu:3', '/gpu:4', '/gpu:5', '/gpu:6', '/gpu:7']";
const std::string tf_total = "total images/sec: 2559.10\n";
const std::string mxnet_steps =
    numbered(12, "INFO:root:Epoch[0] Batch [@-@9]\tSpeed: 2560.00 samples/sec\taccuracy=0.120000\n");

std::string mxnet_head(const char* kvstore) {
  return fmt::format("INFO:root:start with arguments Namespace(batch_size=512, dtype='float16', "
                     "gpus='0,1,2,3,4,5,6,7', kv_store='{}', network='resnet')\n",
                     kvstore);
}

} // namespace

TEST_CASE("logs of trainers of any model are read as they print them") {
  const std::vector<LogCase> cases{
      {"DeepSpeed", deepspeed_head + deepspeed_steps, with_model, 2, 8, 8, {"leaves out what stands between steps"}},
      {"DeepSpeed of 2020", numbered(9, "[INFO] [timer.py:157:stop] 0/@, SamplesPerSec=32.0\n"), with_all, 16, 64, 8},
      {"DeepSpeed's pipelines", numbered(9, "steps: @ loss: 2.3 iter time (s): 0.500 samples/sec: 1024.000\n"),
       with_gpus, 0.5, 64, 8},
      {"Composer", composer_steps("num_gpus_per_node: 8\nnum_nodes: 2\n"), with_model, 2, 32, 16},
      {"Composer without its nodes", composer_steps(""), with_model, 2, 32, 16, {"from its rates in all and of one"}},
      {"tf_cnn, replicated", tf_head(eight_devices, "replicated") + tf_steps(2560) + tf_total, with_model, 0.2, 64, 8},
      {"tf_cnn, parameter servers",
       tf_head(four_devices, "parameter_server") + tf_steps(1280) + tf_total,
       with_model,
       0.2,
       64,
       8,
       {"one of 2 processes"}},
      {"tf_cnn, distributed replicated", tf_head(four_devices, "distributed_replicated") + tf_steps(1280) + tf_total,
       with_model, 0.2, 64, 8},
      {"tf_cnn, collective", tf_head(four_devices, "collective_all_reduce") + tf_steps(1280), with_model, 0.2, 64, 8},
      {"tf_cnn, Horovod's one rank", tf_head("['horovod/gpu:0']", "horovod") + tf_steps(320), with_model, 0.2, 64, 8},
      {"tf_cnn, independent",
       tf_head("['/gpu:0', '/gpu:1']", "independent") + tf_steps(2560),
       with_model,
       0,
       0,
       0,
       {"line 7 says that its GPUs train a model each"}},
      {"tf_cnn without its head", tf_steps(320) + tf_total, with_all, 0.2, 64, 8, {"one of 8 processes"}},
      {"tf_cnn without head and total", tf_steps(2560), with_all, 0.2, 64, 8, {"does not say how many processes"}},
      {"MXNet, one host", mxnet_head("device") + mxnet_steps, with_model, 0.2, 64, 8},
      {"MXNet, two hosts",
       mxnet_head("dist_device_sync") + mxnet_steps,
       {{"model", "m"}, {"nodes", "2"}, {"gpus_per_node", "8"}},
       0.2,
       64,
       16},
      {"MXNet, how many hosts", mxnet_head("dist_sync") + mxnet_steps, with_model, 0, 0, 0, {"--set nodes=VALUE"}},
      {"GluonCV",
       "Namespace(batch_norm=False, batch_size=64, num_gpus=8, kvstore='nccl', model='resnet50_v1')\n" + mxnet_steps,
       with_gpus, 0.2, 64, 8},
      {"PaddleClas, its evaluation apart",
       numbered(12, "ppcls INFO: [Train][Epoch 1/120][Iter: @/5004]loss: 7.01, batch_cost: 0.20000s, reader_cost: "
                    "0.00100, ips: 320.00000 samples/s\n") +
           numbered(30, "ppcls INFO: [Eval][Epoch 1][Iter: @/781]loss: 6.9, batch_cost: 0.03000s, ips: 2133.3\n"),
       with_gpus, 0.2, 64, 8},
      {"PaddleNLP",
       numbered(9, "global step @, avg_batch_cost: 0.20000 sec, avg_samples: 64.0, ips: 320.0 sequences/sec\n"),
       with_all, 0.2, 64, 8},
      {"PaddleNLP's Trainer",
       numbered(9, "loss: 3.2, global_step: @, interval_runtime: 5.0, interval_samples_per_second: "
                   "3.5, interval_steps_per_second: 2.0, epoch: 0.03\n"),
       with_all, 0.5, 64, 8},
      {"PaddleDetection",
       numbered(9, "Epoch: [0] [@/7329] loss: 5.1 eta: 5 days, 1:01:01 batch_cost: 0.2000 data_cost: "
                   "0.0003 ips: 320.0000 images/s\n"),
       with_gpus, 0.2, 64, 8},
      {"apex", numbered(9, "Epoch: [0][@/5004]\tTime 0.200 (0.210)\tSpeed 2560.000 (2500.100)\tLoss 6.9 (6.9)\n"),
       with_gpus, 0.2, 64, 8},
      {"torchvision",
       numbered(9, "Epoch: [0]  [@/5004]  eta: 1:00:00  img/s: 420.1  loss: 7.0  time: 0.2000  data: 0.0002\n"),
       with_all, 0.2, 64, 8},
      {"Swin", numbered(9, "(main.py 200): INFO Train: [0/300][@/1251]\teta 0:04:10\ttime 0.2000 (0.2500)\tloss 6.9\n"),
       with_all, 0.2, 64, 8},
      {"NVIDIA's examples",
       numbered(9, "DLL 2020-06-01 10:00:00.1 - Epoch: 0 Iteration: @  train.total_ips : 2560.00 "
                   "images/s\nDLL 2020-06-01 10:00:00.1 - val.total_ips : 9000.0 images/s\n"),
       with_all, 0.2, 64, 8},
      {"NVIDIA's examples in JSON",
       numbered(9, R"(DLLL {"type": "LOG", "step": [0, @], "data": {"train.total_ips": 2560.0}})"
                   "\n"),
       with_all, 0.2, 64, 8},
      {"timm",
       "Training in distributed mode with multiple processes, 1 device per process.Process 0, total 8, device "
       "cuda:0.\n" +
           numbered(9, "Train: 0 [@/1251 (  4%)]  Loss: 6.9 (6.9)  Time: 0.200s, 2560.00/s  (0.212s, 2415.09/s)\n"
                       "Test: [   @/48]  Time: 0.900 (0.100)  Loss:  6.9 (6.9)\n"),
       with_model, 0.2, 64, 8},
      {"MMEngine",
       "    GPU number: 8\n" +
           numbered(9, "mmengine - INFO - Epoch(train)   [1][@/3696]  time: 0.2000  data_time: 0.0100\n"
                       "mmengine - INFO - Epoch(val)   [1][@/625]  time: 0.0500  data_time: 0.0010\n"),
       {{"model", "m"}, {"batch_per_gpu", "64"}},
       0.2,
       64,
       8},
      {"MMEngine's test",
       numbered(9, "mmengine - INFO - Epoch(test)   [@/625]  time: 0.0500  data_time: 0.0010\n"),
       with_all,
       0,
       0,
       0,
       {"found no line with a step's time"}},
      {"MMCV", numbered(9, "mmdet - INFO - Epoch [1][@/7330]\tlr: 1.978e-03, time: 0.200, data_time: 0.050, loss: 1\n"),
       with_all, 0.2, 64, 8},
      {"detectron2",
       numbered(9, "d2.utils.events]:  eta: 1:00:00  iter: @  total_loss: 1.2  time: 0.2000  last_time: "
                   "0.9  data_time: 0.0123\n"),
       with_all, 0.2, 64, 8},
      {"TensorFlow's models",
       numbered(9, "train | step: @00 | steps/sec:    5.0 | output: {}\n eval | eval time: 9 sec\n"), with_all, 0.2, 64,
       8},
      {"TensorFlow's times", numbered(9, "TimeHistory: 2.00 seconds, 2560.00 examples/second between steps @ and @0\n"),
       with_all, 0.2, 64, 8},
      {"TensorFlow's estimators", numbered(9, "INFO:tensorflow:global_step/sec: 5.0\nloss = 2.3, step = @ (2.0 sec)\n"),
       with_all, 0.2, 64, 8},
  };
  for (const auto& one : cases) check_case(one);
}

TEST_CASE("how gradients are sent and in which precision is taken from the log") {
  CHECK(cell_of(deepspeed_head + deepspeed_steps, with_model, "preset") == "deepspeed");
  CHECK(cell_of(mxnet_head("device") + mxnet_steps, with_model, "preset") == "mxnet");
  CHECK(cell_of(mxnet_head("device") + mxnet_steps, with_model, "precision") == "fp16");
  const auto servers = tf_head(four_devices, "parameter_server") + tf_steps(1280) + tf_total;
  CHECK(cell_of(servers, with_model, "preset") == "tf-ps");
  CHECK(cell_of(servers, with_model, "strategy") == "ps");
  CHECK(cell_of(servers, with_model, "data") == "synthetic");
  const auto ranks = tf_head("['horovod/gpu:0']", "horovod") + tf_steps(320);
  CHECK(cell_of(ranks, with_model, "preset") == "horovod");
  check_case({"what nobody says",
              tf_steps(2560),
              with_all,
              0.2,
              64,
              8,
              {"fp32 was taken; give --set precision=VALUE", "give --set preset=NAME (`ddlsim list presets`)"}});
}

TEST_CASE("a step's figure is in SI, and what is no number is none") {
  const auto figure = [](const char* program, const std::string& line) {
    for (const auto& form : ddlsim::step_forms()) {
      const auto at = line.find(form.mark);
      if (std::string(form.program) != program || at == std::string::npos) continue;
      const auto found = ddlsim::figure_of(form, line, at, at + std::string(form.mark).size());
      return found ? found->value : 0;
    }
    return -1.0;
  };
  CHECK(figure("Megatron-LM", "elapsed time per iteration (ms): 1,250.5 |") == Approx(1.2505));
  CHECK(figure("PyTorch's ImageNet example", "Epoch: [0][1/9]\tTime  0.320 ( 0.512)") == Approx(0.32));
  for (const char* nothing : {"nan (nan)", "-0.3 (0.3)", "0.000 (0.000)", "inf", "", "x"})
    CHECK(figure("PyTorch's ImageNet example", std::string("Epoch: [0][1/9]\tTime ") + nothing) == 0);
  CHECK(ddlsim::step_program_names().find("torchtitan") != std::string::npos);
  CHECK(ddlsim::to_text(ddlsim::StepUnit::tokens_per_s_of_gpu) == "tokens/s of one GPU");
}
