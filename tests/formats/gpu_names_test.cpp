#include "sim/base/error.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/gpu_names.hpp"

#include <catch2/catch.hpp>

namespace {

const std::vector<ddlsim::Gpu>& shipped_gpus() {
  static const auto gpus = load_gpus(ddlsim::DataFolder{DDLSIM_SOURCE_DIR});
  return gpus;
}

std::string meant_by(const std::string& text) {
  const auto match = match_gpu(text, shipped_gpus());
  return match.gpu == nullptr ? "" : match.gpu->name;
}

} // namespace

TEST_CASE("GPUs are found by the names that drivers, PCI databases, Slurm and people have") {
  for (const auto& [text, name] : {
           std::pair{"NVIDIA H100 80GB HBM3", "H100-SXM5-80GB"},
           std::pair{"nvidia_h100_80gb_hbm3", "H100-SXM5-80GB"},
           std::pair{"NVIDIA H100 Tensor Core GPU", "H100-SXM5-80GB"},
           std::pair{"h100", "H100-SXM5-80GB"},
           std::pair{"H100_SXM5", "H100-SXM5-80GB"},
           std::pair{"NVIDIA H100 PCIe", "H100-PCIe-80GB"},
           std::pair{"NVIDIA H100 NVL", "H100-NVL-94GB"},
           std::pair{"H100 94GB", "H100-NVL-94GB"},
           std::pair{"3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev a1)", "H100-SXM5-80GB"},
           std::pair{"NVIDIA Corporation GH100 [H100 PCIe] [10de:2331] (rev a1)", "H100-PCIe-80GB"},
           std::pair{"10de:2335", "H200-SXM-141GB"},
           std::pair{"NVIDIA H200", "H200-SXM-141GB"},
           std::pair{"NVIDIA H200 NVL", "H200-NVL-141GB"},
           std::pair{"NVIDIA GH200 480GB", "GH200-96GB"},
           std::pair{"NVIDIA GH200 120GB", "GH200-96GB"},
           std::pair{"NVIDIA GH200 144G HBM3e", "GH200-144GB"},
           std::pair{"gh200", "GH200-96GB"},
           std::pair{"NVIDIA GB200", "GB200-186GB"},
           std::pair{"NVIDIA B200", "B200-SXM-180GB"},
           std::pair{"NVIDIA B300 SXM6 AC", "B300-SXM-288GB"},
           std::pair{"NVIDIA A100-SXM4-40GB", "A100-SXM4-40GB"},
           std::pair{"NVIDIA A100 80GB PCIe", "A100-PCIe-80GB"},
           std::pair{"NVIDIA A100-PCIE-40GB", "A100-PCIe-40GB"},
           std::pair{"a100_80", "A100-SXM4-80GB"},
           std::pair{"a100-80g", "A100-SXM4-80GB"},
           std::pair{"Tesla V100-SXM2-32GB", "V100-SXM2-32GB"},
           std::pair{"tesla_v100-pcie-16gb", "V100-PCIe-16GB"},
           std::pair{"Tesla T4", "T4"},
           std::pair{"NVIDIA A10", "A10"},
           std::pair{"NVIDIA A10G", "A10G"},
           std::pair{"NVIDIA A40", "A40"},
           std::pair{"NVIDIA L4", "L4"},
           std::pair{"NVIDIA L40S", "L40S"},
           std::pair{"l40", "L40"},
           std::pair{"NVIDIA GeForce RTX 4090", "RTX-4090"},
           std::pair{"rtx_5090", "RTX-5090"},
           std::pair{"NVIDIA GeForce RTX 2080 Ti", "RTX-2080-Ti"},
           std::pair{"geforce_gtx_1080_ti", "GTX-1080-Ti"},
           std::pair{"NVIDIA TITAN X (Pascal)", "Titan-X-Pascal"},
           std::pair{"NVIDIA RTX 6000 Ada Generation", "RTX-6000-Ada"},
           std::pair{"AMD Instinct MI300X", "MI300X"},
           std::pair{"AMD Instinct MI300X OAM", "MI300X"},
           std::pair{"AMD Instinct MI300X VF", "MI300X"},
           std::pair{"Advanced Micro Devices, Inc. [AMD/ATI] Aqua Vanjaram [Instinct MI300X]", "MI300X"},
           std::pair{"AMD INSTINCT MI250X (MCM) OAM AC MBA", "MI250X"},
           std::pair{"mi325x", "MI325X"},
       }) {
    INFO(text);
    CHECK(meant_by(text) == name);
  }
}

TEST_CASE("another memory, another form or a part of a GPU is not the GPU") {
  for (const char* text : {"A100 64GB", "NVIDIA A100-SXM-64GB", "H100 PCIe 94GB", "NVIDIA A100-SXM4-40GB MIG 1g.5gb",
                           "1g.5gb", "a100_3g.20gb", "NVIDIA Graphics Device", "NVIDIA", "80GB", "", "-", "H100000",
                           "Tesla V100-FHHL-16GB", "GRID V100-8Q", "MI999X", "\x1b[31mH\xff", "[]", "]["}) {
    INFO(text);
    CHECK(meant_by(text).empty());
  }
  CHECK(meant_by(std::string(1 << 20, '8')).empty());
}

TEST_CASE("what a short name was taken for is said, and nothing of a full one") {
  CHECK(choice_of_gpu("h100", shipped_gpus()) ==
        "GPU \"h100\" is taken for H100-SXM5-80GB; it could be H100-PCIe-80GB or "
        "H100-SXM5-96GB or H100-NVL-94GB, too");
  CHECK_THAT(choice_of_gpu("V100", shipped_gpus()), Catch::Contains("V100-SXM2-16GB; it could be"));
  CHECK(choice_of_gpu("H100-SXM5-80GB", shipped_gpus()).empty());
  CHECK(choice_of_gpu("NVIDIA H100 80GB HBM3", shipped_gpus()).empty() ==
        match_gpu("NVIDIA H100 80GB HBM3", shipped_gpus()).others.empty());
  CHECK(choice_of_gpu("l4", shipped_gpus()).empty());
  CHECK(choice_of_gpu("MI999X", shipped_gpus()).empty());
}

TEST_CASE("every name and alias of the catalogue means its own entry, in any case") {
  for (const auto& gpu : shipped_gpus()) {
    auto names = gpu.aliases;
    names.push_back(gpu.name);
    for (const auto& name : names) {
      std::string lower = name;
      for (char& letter : lower) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
      INFO(name);
      CHECK(meant_by(name) == gpu.name);
      CHECK(meant_by(lower) == gpu.name);
      CHECK(&find_gpu(shipped_gpus(), lower) == match_gpu(name, shipped_gpus()).gpu);
    }
  }
}
