#include "sim/base/error.hpp"
#include "trainer/data/batch_order.hpp"
#include "trainer/data/labelled_images.hpp"
#include "trainer/models/catalogue.hpp"
#include "trainer/train/worker_side.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <fmt/format.h>

#include <algorithm>

namespace ddltrain {
namespace {

constexpr std::int64_t test_batch = 500; ///< number of images that are classified at once; only memory depends on it

/// Gives one random batch in every step, as benchmarks with synthetic data do.
class SyntheticSource final : public SampleSource {
public:
  SyntheticSource(const TrainOptions& options, const Device& device, const Network& network)
      : steps_(options.synthetic_steps),
        batch_(network.random_batch(static_cast<std::int64_t>(options.batch_per_worker))) {
    move_to(device, batch_);
  }

  std::size_t steps_per_epoch() const override { return steps_; }
  Batch batch(std::size_t) override { return batch_; }
  std::optional<double> accuracy(Network&) override { return std::nullopt; }

private:
  std::size_t steps_;
  Batch batch_;
};

/// Returns the images as a network takes them, in one tensor [n, 1, rows, columns], and their labels [n].
Batch as_batch(LabelledImages& images) {
  const auto count = static_cast<std::int64_t>(images.count());
  const auto rows = static_cast<std::int64_t>(images.rows);
  const auto columns = static_cast<std::int64_t>(images.columns);
  return {{at::from_blob(images.pixels.data(), {count, 1, rows, columns}, at::kFloat).clone()},
          {at::from_blob(images.labels.data(), {count}, at::kLong).clone()}};
}

class ImageSource final : public SampleSource {
public:
  ImageSource(ImageData data, BatchOrder order, const Device& device, int worker)
      : train_(as_batch(data.train)), test_(as_batch(data.test)), order_(std::move(order)),
        worker_(static_cast<std::size_t>(worker)) {
    move_to(device, train_);
    move_to(device, test_);
  }

  std::size_t steps_per_epoch() const override { return order_.steps_per_epoch(); }

  Batch batch(std::size_t step) override {
    std::vector<std::int64_t> chosen = order_.batch(step, worker_);
    const at::Tensor index = at::from_blob(chosen.data(), {static_cast<std::int64_t>(chosen.size())}, at::kLong)
                                 .to(train_.inputs[0].device());
    return {{train_.inputs[0].index_select(0, index)}, {train_.targets[0].index_select(0, index)}};
  }

  std::optional<double> accuracy(Network& network) override {
    const at::NoGradGuard no_gradient;
    network.eval();
    const std::int64_t count = test_.targets[0].size(0);
    std::int64_t right = 0;
    for (std::int64_t first = 0; first < count; first += test_batch) {
      const std::int64_t size = std::min(test_batch, count - first);
      const at::Tensor scores = network.class_scores(test_.inputs[0].narrow(0, first, size));
      right += scores.argmax(1).eq(test_.targets[0].narrow(0, first, size)).sum().item<std::int64_t>();
    }
    network.train();
    return static_cast<double>(right) / static_cast<double>(count);
  }

private:
  Batch train_;
  Batch test_;
  BatchOrder order_;
  std::size_t worker_;
};

void check_fits(const TrainOptions& options, const ImageData& data) {
  const std::string& sample = find_model(options.model).sample;
  const std::string found = fmt::format("image 1x{}x{}", data.train.rows, data.train.columns);
  if (sample != found) {
    throw ddlsim::UserError("", "",
                            fmt::format("{} takes {}, and --data {} has {}; use --data synthetic", options.model,
                                        sample, options.data, found));
  }
}

ImageData image_data(const TrainOptions& options) {
  if (options.data != "digits") return read_idx_folder(options.data);
  constexpr std::uint64_t test_seed = 0x7E57; // the test set is the same whatever the seed
  return {draw_digits(options.train_samples, options.seed), draw_digits(options.test_samples, test_seed)};
}

} // namespace

std::unique_ptr<SampleSource> sample_source(const TrainOptions& options, const Device& device, Network& network,
                                            int worker, int workers) {
  if (options.data == "synthetic") return std::make_unique<SyntheticSource>(options, device, network);
  ImageData data = image_data(options);
  check_fits(options, data);
  const std::size_t samples = data.train.count();
  BatchOrder order(samples, options.batch_per_worker, static_cast<std::size_t>(workers), options.seed);
  if (order.steps_per_epoch() == 0) {
    throw ddlsim::UserError("", "",
                            fmt::format("{} workers of batch {} need more than the {} training samples", workers,
                                        options.batch_per_worker, samples));
  }
  return std::make_unique<ImageSource>(std::move(data), std::move(order), device, worker);
}

} // namespace ddltrain
