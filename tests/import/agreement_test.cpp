// Logs that contradict themselves or the command line, and sound ones that only seem to.
#include "import/agreement.hpp"
#include "tests/import/import_support.hpp"
#include "tests/import/log_cases.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

namespace {

using ddlsim::test::check_case;
using ddlsim::test::LogCase;
using ddlsim::test::numbered;
using ddlsim::test::with_all;
using ddlsim::test::with_gpus;
using ddlsim::test::with_model;

std::string horovod_of(const char* total) {
  return "Model: resnet50\nBatch size: 64\nNumber of GPUs: 8\n" + numbered(10, "Iter #@: 320.0 img/sec per GPU\n", 0) +
         fmt::format("Img/sec per GPU: 320.0 +-0.7\nTotal img/sec on 8 GPU(s): {} +-2.6\n", total);
}

std::string megatron_of(int steps, int world, int batch) {
  std::string text =
      fmt::format("using world size: {}, data-parallel size: {}, tensor-model-parallel size: 1\n", world, world);
  for (int i = 1; i <= steps; ++i)
    text += fmt::format(" iteration {}/ 99 | consumed samples: {} | elapsed time per iteration (ms): {} | global batch "
                        "size: {} |\n",
                        i, batch * i, 2 * batch, batch);
  return text;
}

/// What Hugging Face's Trainer says before the first step and behind the last.
std::string trainer_of(int examples, int steps, const char* end) {
  return fmt::format("***** Running training *****\n  Num examples = {}\n  Num Epochs = 2\n"
                     "  Instantaneous batch size per device = 8\n"
                     "  Total train batch size (w. parallel, distributed & accumulation) = 64\n"
                     "  Gradient Accumulation steps = 1\n  Total optimization steps = {}\n{}\n",
                     examples, steps, end);
}

const std::string apex_steps =
    numbered(9, "Epoch: [0][@/5004]\tTime 0.200 (0.210)\tSpeed 2560.000 (2500.1)\tLoss 6.9 (6.9)\n");

} // namespace

TEST_CASE("claims agree within a twentieth, or the first two that do not are reported") {
  using ddlsim::agreed_value;
  CHECK(agreed_value({}, "a.log") == 0);
  CHECK(agreed_value({{100, "one"}, {104, "two"}, {96, "three"}}, "a.log") == 100);
  CHECK(ddlsim::test::mistakes_of([] {
          agreed_value({{100, "one says 100"}, {101, "x"}, {94, "two says 94"}}, "a.log");
        }) ==
        "a.log: one says 100, but two says 94: they disagree, so nothing was imported; correct what is wrong, or cut "
        "the log to one run\n");
}

TEST_CASE("what contradicts itself is refused with both statements") {
  const std::vector<LogCase> cases{
      {"rates and their total",
       horovod_of("1280.0"),
       with_model,
       0,
       0,
       0,
       {"line 15 says 1280 samples/s in all, which is 400 ms a step", "200 ms a step"}},
      {"GPUs and the command line",
       horovod_of("2560.0"),
       {{"model", "m"}, {"gpus", "16"}},
       0,
       0,
       0,
       {"line 15 says 8 GPUs, but --set gpus=16"}},
      {"two runs of several sizes",
       megatron_of(12, 16, 512) + megatron_of(12, 32, 512),
       with_model,
       0,
       0,
       0,
       {"line 14 says 32 GPUs, but line 1 says 16 GPUs"}},
      {"two models",
       horovod_of("2560.0") + "Model: vgg16\n" + numbered(9, "Iter #@: 100.0 img/sec per GPU\n"),
       with_model,
       0,
       0,
       0,
       {"line 1 says model \"resnet50\", but line 16 says model \"vgg16\""}},
      {"two totals", horovod_of("2560.0") + horovod_of("2000.0"), with_model, 0, 0, 0, {"line 30 says 2000 samples/s"}},
      {"more groups than GPUs",
       "data-parallel size: 16\nelapsed time per iteration (ms): 400.0 | global batch size: 64 |\n",
       with_gpus,
       0,
       0,
       0,
       {"--set gpus=8, but line 1 says 16 data-parallel groups"}},
      {"batch and the command line",
       apex_steps,
       {{"model", "m"}, {"gpus", "8"}, {"batch_per_gpu", "32"}},
       0,
       0,
       0,
       {"200 ms a step", "lines of NVIDIA's ImageNet example say 2560 samples/s of all GPUs, which is 100 ms a step"}},
      {"tokens and the length of a sequence",
       numbered(9, "step @ | loss: 6.1 | dt: 500.00ms | tok/sec: 1048576.00\n"),
       {{"model", "m_seq2048"}, {"gpus", "8"}, {"batch_per_gpu", "64"}},
       0,
       0,
       0,
       {"tokens/s of all GPUs"}},
      {"the model's name and a line",
       "block_size = 1024\n" + numbered(9, "iter @: loss 3.2, time 100.00ms, mfu 9.1%\n"),
       {{"model", "m_seq2048"}, {"gpus", "8"}, {"batch_per_gpu", "64"}},
       0,
       0,
       0,
       {"line 1 says 1,024 tokens a sequence, but the model's name m_seq2048 says 2048 tokens"}},
      {"steps and the run's time",
       trainer_of(6400, 200, "") + numbered(40, "\r 10%|#    | @/200 [00:46<06:55, 2.00s/it]") +
           "\n{'train_runtime': 100.0, 'train_samples_per_second': 128.0, 'train_steps_per_second': 2.0, 'epoch': "
           "2.0}\n",
       with_model,
       0,
       0,
       0,
       {"the steps read make", "the run took 100 s: they disagree"}},
      {"samples and steps a second",
       trainer_of(6400, 200,
                  "{'train_runtime': 100.0, 'train_samples_per_second': 64.0, 'train_steps_per_second': 2.0, "
                  "'epoch': 2.0}"),
       with_model,
       0,
       0,
       0,
       {"a global batch of 64 samples, but line 8 says 64 samples/s and 2 steps/s"}},
      {"tokens of one GPU and GPUs",
       numbered(9,
                " elapsed time per iteration (ms): 400.0 | global batch size: 256 | actual seqlen: 2048 | samples per "
                "second: 640.0 | tokens per gpu per second (tgs): 81920.0 |\n"),
       {{"model", "m"}, {"gpus", "8"}},
       0,
       0,
       0,
       {"tokens/s of one GPU, which is 800 ms a step"}},
  };
  for (const auto& one : cases) check_case(one);
}

TEST_CASE("sound logs are not refused") {
  const std::vector<LogCase> cases{
      {"rounded totals", horovod_of("2559.1"), with_model, 0.2, 64, 8},
      {"a restart", megatron_of(12, 16, 512) + megatron_of(12, 16, 512), with_model, 1.024, 32, 16},
      {"batches that grow",
       megatron_of(6, 16, 128) + megatron_of(6, 16, 256) + megatron_of(12, 16, 512),
       with_model,
       1.024,
       32,
       16,
       {"only the steps from line 16 on were taken, of 512 samples"}},
      {"evaluations in the run's time, one behind its end",
       trainer_of(6400, 200,
                  "{'eval_loss': 1.9, 'eval_runtime': 10.0, 'epoch': 1.0}\n"
                  "{'train_runtime': 110.0, 'train_samples_per_second': 116.364, 'train_steps_per_second': "
                  "1.818, 'epoch': 2.0}\n{'eval_loss': 1.9, 'eval_runtime': 10.0, 'epoch': 2.0}"),
       with_model, 0.5, 8, 8},
      {"a last step that is no whole one",
       trainer_of(100, 4,
                  "{'train_runtime': 2.0, 'train_samples_per_second': 100.0, 'train_steps_per_second': 2.0, "
                  "'epoch': 2.0}"),
       with_model, 0.5, 8, 8},
      {"a run that goes on",
       trainer_of(6400, 200,
                  "  Continuing training from global step 100\n{'train_runtime': 50.0, "
                  "'train_samples_per_second': 256.0, 'train_steps_per_second': 4.0, 'epoch': 2.0}"),
       with_model, 0.5, 8, 8},
      {"a run that stops early",
       trainer_of(6400, 200,
                  "{'train_runtime': 50.0, 'train_samples_per_second': 256.0, 'train_steps_per_second': 4.0, "
                  "'epoch': 1.0}"),
       with_model, 0.5, 8, 8},
      {"an evaluation that states its own samples",
       trainer_of(6400, 200,
                  "***** Running Evaluation *****\n  Num examples = 640\n  Batch size = 64\n{'train_runtime': 100.0, "
                  "'train_samples_per_second': 128.0, 'train_steps_per_second': 2.0, 'epoch': 2.0}"),
       with_model, 0.5, 8, 8},
      {"two runs, the last of them smaller",
       trainer_of(6400, 200, "") + numbered(40, "\r 10%|#    | @/200 [00:46<06:55, 2.00s/it]") +
           "\n{'eval_runtime': 5.0}\n{'train_runtime': 405.0, 'train_steps_per_second': 0.494}\n" +
           "  Instantaneous batch size per device = 16\n" + trainer_of(6400, 200, "") +
           numbered(40, "\r 10%|#    | @/200 [00:46<06:55, 2.00it/s]") + "\n",
       with_model,
       0.5,
       8,
       8,
       {"batches or sequences changed"}},
      {"figures as words",
       trainer_of(6400, 200,
                  "{'train_runtime': '100', 'train_samples_per_second': '128', "
                  "'train_steps_per_second': '2', 'epoch': '2'}"),
       with_model, 0.5, 8, 8},
      {"a table at the end",
       "***** train metrics *****\n  epoch                    =        2.0\n"
       "  train_runtime            = 0:01:40.00\n  train_samples_per_second =      128.0\n"
       "  train_steps_per_second   =        2.0\n",
       with_gpus, 0.5, 8, 8},
      {"a timer that leaves the input out, beside whole steps",
       numbered(9,
                "[INFO] [timer.py:260:stop] global_step=@, CurrSamplesPerSec=32.0\n elapsed time per iteration (ms): "
                "2400.0 | global batch size: 64 | samples per second: 26.667 |\n"),
       with_gpus, 2.4, 8, 8},
      {"coarse figures",
       numbered(9, "INFO:tensorflow:global_step/sec: 0.03\n"),
       with_all,
       1 / 0.03,
       64,
       8,
       {"so coarsely that the step may be 17 % longer or shorter"}},
  };
  for (const auto& one : cases) check_case(one);
}
