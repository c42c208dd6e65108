// The texts are typed by hand in the form that nvidia-smi, NCCL and lstopo print; no machine was asked.
#include "own/topology.hpp"
#include "own/xml_tags.hpp"
#include "sim/base/error.hpp"
#include "sim/formats/data_folder.hpp"

#include <catch2/catch.hpp>

namespace {

ddlsim::Topology topology_in(const std::string& text) {
  static const auto gpus = load_gpus(ddlsim::DataFolder{DDLSIM_SOURCE_DIR});
  return ddlsim::read_topology(text, gpus);
}

const std::string nccl_xml = [] {
  std::string text = "<system version=\"1\">\n";
  for (int cpu = 0; cpu < 2; ++cpu) {
    text += "  <cpu numaid=\"" + std::to_string(cpu) + "\" arch=\"x86_64\" vendor=\"GenuineIntel\">\n";
    for (int gpu = 0; gpu < 2; ++gpu) {
      const auto name = std::to_string(2 * cpu + gpu);
      text +=
          "    <pci busid=\"0000:0" + name +
          ":00.0\" class=\"0x060400\" vendor=\"0x1000\" device=\"0xc030\" link_speed=\"32.0 GT/s PCIe\">\n"
          "      <pci busid=\"0000:1" +
          name +
          ":00.0\" class=\"0x030200\" vendor=\"0x10de\" device=\"0x2330\">\n"
          "        <gpu dev=\"" +
          name + "\" sm=\"90\" rank=\"" + name +
          "\" gdr=\"1\">\n"
          "          <nvlink target=\"0000:c1:00.0\" count=\"9\" tclass=\"0x068000\"/>\n"
          "          <nvlink target=\"0000:c2:00.0\" count=\"9\" tclass=\"0x068000\"/>\n        </gpu>\n      </pci>\n"
          "      <pci class=\"0x020700\" vendor=\"0x15b3\" device=\"0x1021\">\n        <nic>\n"
          "          <net name=\"mlx5_" +
          name + "\" dev=\"" + name +
          "\" speed=\"400000\" port=\"1\" gdr=\"1\"/>\n        </nic>\n      </pci>\n    </pci>\n";
    }
    text += "    <nic>\n      <net name=\"eth" + std::to_string(cpu) + "\" speed=\"25000\"/>\n    </nic>\n  </cpu>\n";
  }
  return text + "</system>\n";
}();

const std::string lstopo_xml =
    "<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n"
    " <object type=\"Machine\">\n  <object type=\"Package\"><info name=\"CPUModel\" value=\"AMD EPYC 9654 "
    "&lt;96&gt;\"/>\n"
    "   <object type=\"Core\"><object type=\"PU\" os_index=\"0\"/><object type=\"PU\" os_index=\"1\"/></object>\n"
    "   <object type=\"Bridge\" bridge_type=\"0-1\">\n    <object type=\"Bridge\" bridge_type=\"1-1\">\n"
    "     <object type=\"PCIDev\" name=\"NVIDIA Corporation GA100 [A100 SXM4 80GB]\" pci_type=\"0302 [10de:20b2] "
    "[10de:1463] a1\" pci_link_speed=\"31.5\"/>\n"
    "     <object type=\"PCIDev\" pci_type=\"0207 [15b3:101b] [0000:0000] 00\"><object type=\"OSDev\" name=\"mlx5_0\" "
    "osdev_type=\"3\"/></object>\n    </object>\n"
    "    <object type=\"PCIDev\" name=\"NVIDIA Corporation GA100 [A100 SXM4 80GB]\" pci_type=\"0302 [10de:20b2] "
    "[10de:1463] a1\"/>\n    <object type=\"PCIDev\" name=\"ASPEED\" pci_type=\"0300 [1a03:2000] [0000:0000] 41\"/>\n"
    "    <object type=\"OSDev\" name=\"mlx5_1\" osdev_type=\"3\"/>\n   </object>\n  </object>\n "
    "</object>\n</topology>\n";

const std::string matrix = "\t\x1b[4mGPU0\tGPU1\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\x1b[0m\n"
                           "GPU0\t X \tNV18\tPIX\tSYS\t0-55\t0\nGPU1\tNV18\t X \tSYS\tSYS\t56-111\t1\n"
                           "NIC0\tPIX\tSYS\t X \tSYS\nNIC1\tSYS\tSYS\tSYS\t X \n\nLegend:\n\n  X    = Self\n\n"
                           "NIC Legend:\n\n  NIC0: mlx5_0\n  NIC1: mlx5_bond_0\n";

} // namespace

TEST_CASE("NCCL's topology says GPUs, NVLink and ports with their rates") {
  const auto topology = topology_in(nccl_xml);
  const auto& facts = topology.facts;
  CHECK(facts.gpus == 4);
  CHECK(facts.gpu == "H100-SXM5-80GB");
  CHECK(facts.links == "NV18");
  CHECK(facts.nvlink_GBps == 450);
  CHECK(links_of(facts) == "nvswitch 360 GB/s 0.6 us");
  CHECK(networks_of(facts) == std::vector<std::string>{"4x400 Gbps ib", "2x25 Gbps ethernet"});
  CHECK(topology.near.size() == 4); // those of mlx5; eth hangs at the processor
  auto bare = nccl_xml;
  for (auto at = bare.find("<nvlink"); at != std::string::npos; at = bare.find("<nvlink"))
    bare.erase(at, bare.find("/>", at) + 2 - at);
  CHECK(topology_in(bare).facts.links == "PHB");
  CHECK(links_of(topology_in(bare).facts).empty());
}

TEST_CASE("lstopo's XML says GPUs, the processor and which adapters are near") {
  const auto topology = topology_in(lstopo_xml);
  CHECK(topology.facts.gpus == 2);
  CHECK(topology.facts.gpu == "A100-SXM4-80GB");
  CHECK(topology.facts.cpu == "AMD EPYC 9654 <96>");
  CHECK(topology.facts.cores == 2);
  CHECK(topology.adapters == std::vector<std::string>{"mlx5_0", "mlx5_1"});
  CHECK(topology.near == std::vector<std::string>{"mlx5_0"});
  CHECK(topology.facts.links.empty());
  CHECK_THAT(topology.notes.back(), Catch::Contains("say --network \"1xRATE KIND\""));
}

TEST_CASE("the table of nvidia-smi says how GPUs are joined, with its titles underlined too") {
  const auto topology = topology_in(matrix);
  CHECK(topology.facts.gpus == 2);
  CHECK(topology.facts.gpu.empty());
  CHECK(topology.facts.links == "NV18");
  CHECK(topology.adapters == std::vector<std::string>{"mlx5_0", "mlx5_bond_0"});
  CHECK(topology.near == std::vector<std::string>{"mlx5_0"});
}

TEST_CASE("what is no topology is one message, and no text does harm") {
  for (const char* text : {"", "hello", "<system/>", "<topology><object/></topology>", "<gpu", "\xff\x1b[",
                           "NodeName=a", "GPUs of a node\nGPU time is short\n"})
    CHECK_THROWS_WITH(topology_in(text), Catch::Contains("no GPU found; give what `nvidia-smi topo -m` printed"));
  for (const auto& text : {nccl_xml, lstopo_xml, matrix})
    for (std::size_t length = 0; length < text.size(); length += 7) {
      auto changed = text;
      changed[length] = length % 2 == 0 ? '"' : '<';
      for (const auto& spoilt : {text.substr(0, length), changed}) {
        try {
          const auto topology = topology_in(spoilt);
          CHECK(topology.facts.gpus > 0);
        } catch (const ddlsim::UserError&) {
        }
      }
    }
}

TEST_CASE("tags are read with what is around them") {
  const auto tags = ddlsim::xml_tags("<?xml?><a x='1' y=\"a &gt; b\"><!-- <c/> --><b/></a></a><d e></d>");
  REQUIRE(tags.size() == 3);
  CHECK(tags[0].attribute("x") == "1");
  CHECK(tags[0].attribute("y") == "a > b");
  CHECK(tags[1].parent == 0);
  CHECK(tags[2].parent == -1);
  CHECK(is_inside(tags, 1, 0));
  CHECK_FALSE(is_inside(tags, 2, 0));
}
