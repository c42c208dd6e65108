#include "import/progress_bars.hpp"
#include "tests/import/log_cases.hpp"

#include <catch2/catch.hpp>

namespace {

using ddlsim::bar_in;
using ddlsim::ProgressBars;
using ddlsim::test::check_case;
using ddlsim::test::LogCase;
using ddlsim::test::numbered;
using ddlsim::test::with_all;
using ddlsim::test::with_one_gpu;

const std::string heavy = "\u2501\u2501\u2501";
const std::string keras_fit = "Epoch 1/2\n600/600 [====] - 12s 20ms/step - loss: 0.3\n"
                              "Epoch 2/2\n600/600 [====] - 12s 20ms/step - loss: 0.2\n";
const std::string keras_evaluation = numbered(9, "100/100 [====] - 1s 5ms/step - loss: 0.1\n");
const std::string training = "\r  5%|#   | @/200 [00:46<06:55,  2.00s/it]";
const std::string evaluation = "\r  5%|#   | @/96 [00:01<00:15,  5.00it/s]";

/// Each line with that before it.
std::string prefixed(const std::string& prefix, const std::string& text) {
  std::string all;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = text.find('\n', begin);
    all += prefix + text.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return all;
}

} // namespace

TEST_CASE("a bar says how far its loop is and how fast") {
  const auto bar = bar_in("Epoch 0:  50%|#### | 469/938 [00:06<00:06, 75.0it/s, v_num=0]");
  REQUIRE(bar);
  CHECK(bar->title == "epoch :");
  CHECK(bar->done == 469);
  CHECK(bar->total == 938);
  CHECK(bar->step_s.value == Approx(1 / 75.0));
  CHECK(bar->step_s.half_step == Approx(0.05 / 75.0 / 75.0));
  const auto keras = bar_in("600/600 [====] - 12s 20ms/step - loss: 0.3 - val_loss: 0.4");
  REQUIRE(keras);
  CHECK(keras->with_evaluation);
  CHECK(keras->step_s.value == Approx(0.02));
  CHECK(bar_in("60000/60000 [====] - 12s 200us/sample - loss: 0.3")->counts_samples);
  for (const char* none : {"", "100%|####| 9/9 [00:00<?, ?it/s]", "9/9 - 3s - loss: 0.2", "50%|## | 1/2 0.00it/s", "/",
                           "1/", "/1 - 2ms/step", "it [", "model.safetensors: 10%|# | 1.0G/9.0G [00:10<01:00, 90MB/s]"})
    CHECK_FALSE(bar_in(none));
}

TEST_CASE("training's loop is distinguished from others") {
  const auto title_of_training = [](const std::vector<std::string>& lines, double steps) {
    ProgressBars bars;
    int number = 0;
    for (const auto& line : lines) bars.take(line, ++number);
    return bars.training(steps) == nullptr ? 0 : bars.training(steps)->total;
  };
  const std::string of_200 = "5%|# | 10/200 [0:01, 2.0it/s]";
  const std::string later = "10%|# | 20/200 [0:01, 2.0it/s]";
  const std::string of_900 = "99%|# | 890/900 [9:01, 1.0it/s]";
  CHECK(title_of_training({of_200, of_900, later}, 0) == 200); // the other ran inside it
  CHECK(title_of_training({of_200, of_900}, 0) == 900);        // it took longer
  CHECK(title_of_training({of_200, of_900}, 200) == 200);      // the log says so
  CHECK(title_of_training({"Validating: " + of_900, of_200}, 0) == 200);
  CHECK(title_of_training({"Validating: " + of_900}, 0) == 0);
}

TEST_CASE("logs of bars are read whatever runs between the steps") {
  const std::vector<LogCase> cases{
      {"a Trainer that evaluates",
       numbered(20, training) + numbered(90, evaluation) + numbered(20, training, 21) + numbered(90, evaluation),
       with_all,
       2,
       64,
       8,
       {"180 states of progress bars of other work"}},
      {"an evaluation that takes longer than the training",
       numbered(20, "\r  5%|#   | @/200 [00:46<06:55, 20.00it/s]") + numbered(90, evaluation) +
           numbered(20, "\r  5%|#   | @/200 [00:46<06:55, 20.00it/s]", 21),
       with_all, 0.05, 64, 8},
      {"backspaces", numbered(30, "\b\b\b\b 10%|#  | @/200 [00:10<01:00,  2.00it/s]"), with_all, 0.5, 64, 8},
      {"no end", numbered(30, "\r@it [00:10,  2.00it/s]"), with_all, 0.5, 64, 8},
      {"a loss in the title", numbered(30, "\r1|@|Loss: 2.@: 1%|# | @/500 [00:10<08:20,  2.00s/it]"), with_all, 2, 64,
       8},
      {"diffusers", numbered(30, "\rSteps:   1%|# | @/1000 [00:10<08:20,  2.00it/s, lr=1e-5, step_loss=0.1]"), with_all,
       0.5, 64, 8},
      {"Composer",
       numbered(30, "\rtrain   Epoch   0:  10%|# | @/100 [00:10,  2.00ba/s]\reval   Epoch   0:  10%|# | "
                    "@/100 [00:10,  9.00ba/s]"),
       with_all, 0.5, 64, 8},
      {"Lightning's training and validation",
       numbered(30,
                "\rEpoch 0:  50%|## | @/938 [00:06<00:06, 80.00it/s, val_loss=0.2]\rValidation DataLoader 0:  50%|## | "
                "@/157 [00:06<00:06, 180.00it/s]"),
       with_all, 0.0125, 64, 8},
      {"a loader of training data", numbered(30, "\rTrain loader:  50%|## | @/938 [00:06<00:06, 80.00it/s]"), with_all,
       0.0125, 64, 8},
      {"Lightning's rich bar",
       numbered(30, "\rEpoch 0/9  " + heavy +
                        " @/938 0:00:12 \u2022 0:00:00 80.00it/s v_num: 0 val_loss: 0.2\rValidation " + heavy +
                        " @/157 0:00:01 \u2022 0:00:00 180.00it/s"),
       with_all, 0.0125, 64, 8},
      {"Keras, an evaluation behind it", keras_fit + keras_evaluation, with_one_gpu, 0.02, 100, 1},
      {"Keras 3",
       "Epoch 1/2\n" +
           numbered(60, "\r\x1b[1m@/600\x1b[0m \x1b[32m" + heavy + "\x1b[0m \x1b[1m3s\x1b[0m 20ms/step - loss: 0.6") +
           "\n\x1b[1m600/600\x1b[0m " + heavy + " 13s 22ms/step - loss: 0.3 - val_loss: 0.1\n" +
           numbered(300, "\r\x1b[1m@/313\x1b[0m \x1b[32m" + heavy + "\x1b[0m 1s 3ms/step - loss: 0.6"),
       with_one_gpu, 0.02, 100, 1},
      {"Keras 3 in whole seconds",
       "Epoch 1/2\n" + numbered(60, "\r@/600 " + heavy + " 9s 2s/step - loss: 0.6"),
       with_one_gpu,
       2,
       100,
       1,
       {"so coarsely that the step may be 25 % longer or shorter"}},
      {"Keras, one line an epoch", "Epoch 1/3\n600/600 - 12s - loss: 0.29 - 12s/epoch - 20ms/step\n", with_one_gpu,
       0.02, 100, 1},
      {"Keras 3, one line an epoch", "Epoch 1/3\n600/600 - 12s - 20ms/step - loss: 0.3\n", with_one_gpu, 0.02, 100, 1},
      {"Keras, evaluations counted in",
       "Epoch 1/2\n600/600 [====] - 12s 20ms/step - loss: 0.3 - val_loss: 0.4\n",
       with_one_gpu,
       0.02,
       100,
       1,
       {"each line counts an evaluation in"}},
      {"Keras of TensorFlow 1 counts samples",
       "Train on 60000 samples\nEpoch 1/5\n60000/60000 [====] - 12s 200us/sample - loss: 0.3\n",
       with_one_gpu,
       0.02,
       100,
       1,
       {"seconds a sample of one process"}},
      {"Keras 2.2 calls samples steps",
       "Train on 60000 samples, validate on 10000 samples\nEpoch 1/5\n60000/60000 [====] - 12s 200us/step - loss: "
       "0.3\n",
       with_one_gpu, 0.02, 100, 1},
      {"no rate yet", "\r  0%|          | 0/200 [00:00<?, ?it/s]", with_all, 0, 0, 0, {"found no line"}},
  };
  for (const auto& one : cases) check_case(one);
}

TEST_CASE("bars are read behind any prefix") {
  const auto trainer = numbered(20, training.substr(1) + "\n") + numbered(90, evaluation.substr(1) + "\n") +
                       numbered(20, training.substr(1) + "\n", 21);
  for (const std::string prefix : {"[rank0]: ",
                                   "[default0]:",
                                   "[1,0]<stdout>:",
                                   "[0]<stdout>:",
                                   "Sun Nov 29 10:00:00 2026[0]<stdout>:",
                                   "0: ",
                                   "00: ",
                                   "trainer-1  | ",
                                   "[pod/train-worker-0/pytorch] ",
                                   "(RayTrainWorker pid=71, ip=10.0.0.1) ",
                                   "(RayTrainWorker pid=71) [rank0]: ",
                                   "2026-11-29T10:00:00.123456789Z stdout F ",
                                   "Nov 29 10:00:00 node1 python[71]: ",
                                   "Nov 29 10:00:00 ",
                                   "2026-11-29T10:00:00 ",
                                   "00:00:12 ",
                                   "[2026-11-29 10:00:00] ",
                                   "train-worker-3: ",
                                   "node17: ",
                                   "[1,mpirank:0,algo-1]<stdout>:"}) {
    check_case({prefix + "Keras", prefixed(prefix, keras_fit + keras_evaluation), with_one_gpu, 0.02, 100, 1});
    check_case({prefix + "tqdm", prefixed(prefix, trainer), with_all, 2, 64, 8});
  }
}
