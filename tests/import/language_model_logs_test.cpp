// Logs of language models' trainers as their print statements make them.
#include "tests/import/log_cases.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

namespace {

using ddlsim::test::cell_of;
using ddlsim::test::check_case;
using ddlsim::test::Given;
using ddlsim::test::LogCase;
using ddlsim::test::numbered;
using ddlsim::test::with_all;
using ddlsim::test::with_model;

const Given with_llm{{"model", "m"}};
const Given llm_on_8{{"model", "m_seq1024"}, {"gpus", "8"}};

const std::string titan = "[rank0]:[titan] 2025-08-14 10:00:01,107 - root - INFO - ";
const std::string titan_steps = numbered(12, titan + "step: @  loss: 12.0333  grad_norm:  2.1000  memory: "
                                                     "51.62GiB(65.27%)  tps: 4,096  tflops: 399.78  mfu: 40.39%\n");

std::string titan_head(int shard, int tensor, int local, int global, int turns) {
  return titan +
         fmt::format("Building device mesh with parallelism: pp=1, dp_replicate=1, dp_shard={}, cp=1, tp={}, ep=1\n",
                     shard, tensor) +
         titan + "Applied FSDP to the model\n" + titan +
         fmt::format("Trainer is initialized with local batch size {}, global batch size {}, gradient accumulation "
                     "steps {}, sequence length 8192, total steps 1000 (warmup 200)\n",
                     local, global, turns);
}

/// `samples` a step, so that the counts grow.
std::string megatron(int samples, const std::string& more = "") {
  std::string text;
  for (int i = 1; i <= 12; ++i)
    text += fmt::format(" [2024-07-01 12:00:00] iteration {:8}/     100 | consumed samples: {:12} | elapsed time per "
                        "iteration (ms): 400.0 | learning rate: 1.2E-05 | global batch size: {:5} | lm loss: 9.9E+00 |"
                        "{}\n",
                        i, samples * i, samples, more);
  return text;
}

const std::string megatron_head =
    "using world size: 16, data-parallel size: 8, context-parallel size: 1, tensor-model-parallel size: 2\n"
    "using torch.bfloat16 for parameters ...\n"
    "  global_batch_size ............................... 512\n"
    "  micro_batch_size ................................ 4\n"
    "  world_size ...................................... 16\n";

std::string nemo(const char* form) {
  std::string text;
  for (int i = 0; i < 12; ++i)
    text += fmt::format(fmt::runtime(form), i, 512 * (i + 1), i > 3 ? " | val_loss: 9.9" : "");
  return text;
}

std::string litgpt(const char* form, int microsteps) {
  std::string text;
  for (int i = 0; i < 48; ++i)
    if ((i + 1) % microsteps == 0 || microsteps == 4) text += fmt::format(fmt::runtime(form), i, i / microsteps);
  return text;
}

const std::string fairseq_line = "2024-01-01 10:00:00 | INFO | train_inner | epoch 001:    100 / 1000 loss=9.1, "
                                 "wps=50000, ups=2.5, wpb=20000, bsz=64@, num_updates=@, wall=60\n";
const std::string fairseq_epoch =
    "2024-01-01 10:01:00 | INFO | valid | epoch 001 | valid on 'valid' subset | wps 150000 | wpb 5000 | bsz 100\n"
    "2024-01-01 10:02:00 | INFO | train | epoch 001 | loss 8.1 | wps 48000 | ups 2.5 | wpb 20000 | bsz 640 | wall 9\n";

} // namespace

TEST_CASE("logs of language models' trainers are read as they print them") {
  const std::vector<LogCase> cases{
      {"torchtitan", titan_head(8, 1, 2, 16, 1) + titan_steps, with_llm, 4, 2, 8},
      {"torchtitan, tensor parallel", titan_head(4, 2, 2, 8, 1) + titan_steps, with_llm, 2, 1, 8},
      {"torchtitan, accumulation", titan_head(8, 1, 2, 64, 4) + titan_steps, with_llm, 16, 8, 8},
      {"torchtitan of 2024",
       titan + "Building 2-D device mesh with ['dp', 'tp'], [4, 2]\n" + titan +
           "Training starts at step 1, with local batch size 2, global batch size 8, sequence length 8192\n" +
           numbered(5, titan + "step: @  loss: 10.1  memory: 50.2GiB(60.1%)  wps: 4,096  mfu: 33.3%\n"),
       with_llm, 2, 1, 8},
      {"Megatron-LM", megatron_head + megatron(512), with_llm, 0.4, 32, 16},
      {"Megatron-LM of 2020",
       "using world size: 8, data-parallel-size: 8, tensor-model-parallel size: 1 \n"
       "  micro_batch_size ................................ 8\n" +
           numbered(12, " iteration @/ 500000 | elapsed time per iteration (ms): 250.0 | lm loss: 9.0E+00 |\n"),
       with_llm, 0.25, 8, 8},
      {"Megatron-DeepSpeed",
       megatron(256, " samples per second: 640.0 | tokens per gpu per second (tgs): 81920.0 |"),
       {{"model", "m"}, {"gpus", "16"}, {"sequence_length", "2048"}},
       0.4,
       16,
       16},
      {"GPT-NeoX",
       numbered(12, " samples/sec: 64.000 | iteration @/ 1000 | elapsed time per iteration (ms): 2000.0 | lr: 1.0 |\n"),
       llm_on_8,
       2,
       16,
       8,
       {"128 samples a step were concluded"}},
      {"NeMo 2, a validation's loss in its lines",
       nemo("Training epoch 0, iteration {0}/999 | global_batch_size: 512 | global_step: {0} | train_step_timing in s: "
            "5.0 | consumed_samples: {1}{2}\n"),
       {{"model", "m"}, {"gpus", "16"}},
       5,
       32,
       16,
       {"12 lines of NeMo"}},
      {"NeMo 1",
       "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/16\n" +
           nemo("Epoch 0: :   1%|  | 1/1000 [01:00<1:39:00, v_num=3, global_step={0}.000, consumed_samples={1}.0, "
                "train_step_timing in s=5.67]\n"),
       with_llm, 5.67, 32, 16},
      {"nanoGPT",
       "tokens per iteration will be: 491,520\nblock_size = 1024\n" +
           numbered(12, "iter @: loss 3.2, time 1000.00ms, mfu 12.30%\n"),
       {{"model", "m"}, {"gpus", "8"}},
       1,
       60,
       8},
      {"nanoGPT without the length of a sequence",
       "tokens per iteration will be: 491,520\n" + numbered(12, "iter @: loss 3.2, time 1000.00ms, mfu 12.30%\n"),
       {{"model", "m"}, {"gpus", "8"}},
       0,
       0,
       0,
       {"--set batch_per_gpu=VALUE, or --set sequence_length=TOKENS: line 1 says 491,520 tokens a step"}},
      {"build-nanogpt",
       numbered(12, "step @ | loss: 6.1 | lr 1.0e-04 | norm: 0.5 | dt: 500.00ms | tok/sec: 1048576.00\n"), llm_on_8,
       0.5, 64, 8},
      {"nanochat",
       "Tokens / micro-batch / rank: 32 x 2048 = 65,536\nTokens / micro-batch: 524,288\n"
       "Total batch size 1,048,576 => gradient accumulation steps: 2\n" +
           numbered(12, "step @/21400 (0.05%) | loss: 8.12 | lrm: 1.00 | dt: 2000.00ms | tok/sec: 524,288 | eta: 2m\n"),
       with_llm, 2, 64, 8},
      {"llm.c",
       "| num_processes         | 8          |\n| micro batch size B    | 64         |\n"
       "| sequence length T     | 1024       |\n| total batch size      | 524288     |\n" +
           numbered(12, "step @/18865 | loss 7.0 (+nanz)| norm 3.1 (+nanz)| lr 6e-06 | 500.00 ms | 45.6% bf16 MFU | "
                        "1048576 tok/s\n"),
       with_llm, 0.5, 64, 8},
      {"llm.c of 2024", numbered(12, "step @/74: train loss 4.3 (acc 4.3) (500.0 ms, 1048576 tok/s)\n"), llm_on_8, 0.5,
       64, 8},
      {"modded-nanogpt",
       numbered(12, "step:@/1750 train_time:@00ms step_avg:500.00ms\n"),
       with_all,
       0.5,
       64,
       8,
       {"a mean of all steps until then"}},
      {"LitGPT",
       "TrainArgs(save_interval=1000, log_interval=1, global_batch_size=512, micro_batch_size=4, epochs=1)\n" +
           litgpt("Epoch 1 | iter {} step {} | loss train: 10.9, val: n/a | iter time: 125.00 ms (step)\n", 16),
       {{"model", "m"}, {"gpus", "8"}},
       2,
       64,
       8,
       {"a micro-step, of which 16 make a step"}},
      {"Lit-GPT of 2023", litgpt("iter {} step {}: loss 10.9, iter time: 125.00ms\n", 4), with_all, 0.5, 64, 8},
      {"MaxText",
       numbered(12, "completed step: @, seconds: 5.000, TFLOP/s/device: 200.0, Tokens/s/device: 1638.400, "
                    "total_weights: 65536, loss: 10.1\n"),
       llm_on_8, 5, 8, 8},
      {"fairseq",
       "training on 8 devices (GPUs/TPUs)\n" + numbered(9, fairseq_line),
       with_llm,
       0.4,
       80.625,
       8,
       {"645 is their mean"}},
      {"fairseq, epochs alone", fairseq_epoch + fairseq_epoch, {{"model", "m"}, {"gpus", "8"}}, 0.4, 80, 8},
      {"fairseq's JSON",
       numbered(9,
                R"(2024-01-01 10:00:00 | INFO | train_inner | {"epoch": 1, "wps": "50000", "ups": "2.5", "bsz": "640"})"
                "\n"),
       {{"model", "m"}, {"gpus", "8"}},
       0.4,
       80,
       8},
      {"word language model", numbered(9, "| epoch   1 | @00/ 2983 batches | lr 20.00 | ms/batch 200.00 | loss 7.6\n"),
       with_all, 0.2, 64, 8},
  };
  for (const auto& one : cases) check_case(one);
}

TEST_CASE("Megatron-LM and torchtitan say how gradients are sent, and in which precision") {
  CHECK(cell_of(megatron_head + megatron(512), with_llm, "preset") == "megatron-lm");
  CHECK(cell_of(megatron_head + megatron(512), with_llm, "precision") == "bf16");
  CHECK(cell_of(titan_head(8, 1, 2, 16, 1) + titan_steps, with_llm, "preset") == "pytorch-fsdp2");
  check_case({"what the command line says otherwise",
              megatron_head + megatron(512),
              {{"model", "m"}, {"precision", "fp16"}},
              0.4,
              32,
              16,
              {"line 2 says precision bf16, and --set precision=fp16 was taken"}});
}
