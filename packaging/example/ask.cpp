// Asks how many samples a second the shipped example's ring reaches on 8 GPUs, and prints the 90 % interval.
#include <calibrate/cache/calibration_cache.hpp>
#include <sim/base/error.hpp>
#include <sim/predict/predict.hpp>

#include <cstdio>

int main() {
  try {
    ddlsim::DataFolder data{DATA_FOLDER};
    data.calibrations = ddlsim::fitted_calibrations({data.root / "calibrations", ddlsim::cache_folder({})});
    auto scenario = ddlsim::read_scenario(data.scenarios() / "iris-resnet50.json", {{"/gpus", "[8]"}});
    const auto prediction = ddlsim::predict(scenario, data, {});
    for (const auto& answer : prediction.strategies)
      for (const auto& point : answer.points)
        std::printf("%d GPUs: %.9g samples/s (%.9g .. %.9g)\n", point.gpus, point.samples_per_s,
                    point.samples_per_s_low, point.samples_per_s_high);
  } catch (const ddlsim::UserError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
