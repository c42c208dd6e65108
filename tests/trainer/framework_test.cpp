#include "sim/base/error.hpp"
#include "trainer/framework/free_ports.hpp"
#include "trainer/framework/network_place.hpp"
#include "trainer/framework/script.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <fstream>
#include <set>

using namespace ddltrain;

TEST_CASE("The starter takes its own words and leaves the script the rest") {
  const FrameworkArguments arguments = framework_arguments(
      {"--ranks", "2", "--model=lenet5", "--servers", "3", "--interface=eth1", "--cores-per-rank=1"});
  CHECK(arguments.ranks == 2);
  CHECK(arguments.cores_per_rank == 1);
  CHECK(arguments.interface == "eth1");
  CHECK(arguments.servers == 3);
  CHECK(arguments.rest == std::vector<std::string>{"--model=lenet5", "--servers", "3"});
}

TEST_CASE("Colocated servers take no ranks") {
  CHECK(framework_arguments({"--servers", "2", "--placement", "colocated"}).servers == 0);
}

TEST_CASE("A count of ranks that is none is refused") {
  for (const char* text : {"", "0", "-1", "two", "2x", "99999999999"}) {
    CHECK_THROWS_AS(framework_arguments({"--ranks", text}), ddlsim::UserError);
  }
  CHECK_THROWS_AS(framework_arguments({"--ranks"}), ddlsim::UserError);
}

TEST_CASE("A place is read back from its line, and gives each rank the job") {
  NetworkPlace place{"h0", "10.77.0.1", "eth0", {4001, 4002}};
  const NetworkPlace other{"h1", "10.77.0.2", "eth0", {4001, 4003}};
  CHECK(to_text(network_place(to_text(place))) == to_text(place));
  const auto job = nlohmann::json::parse(job_description({place, other}, 1));
  CHECK(job.at("rank") == 1);
  CHECK(job.at("addresses") == nlohmann::json{"10.77.0.1", "10.77.0.2"});
  CHECK(job.at("ports") == nlohmann::json{{4001, 4002}, {4001, 4003}});
}

TEST_CASE("Ranks of one host talk over its loop, others by their addresses") {
  std::vector<NetworkPlace> together = {{"h0", "10.77.0.1", "eth0", {}}, {"h0", "10.77.0.1", "eth0", {}}};
  use_loopback_on_one_host(together);
  CHECK(together[1].address == "127.0.0.1");
  std::vector<NetworkPlace> apart = {{"h0", "10.77.0.1", "eth0", {}}, {"h1", "10.77.0.2", "eth0", {}}};
  use_loopback_on_one_host(apart);
  CHECK(apart[1].address == "10.77.0.2");
}

TEST_CASE("Free ports differ, and an interface that is not there is refused") {
  const std::vector<int> ports = free_ports(4);
  CHECK(std::set<int>(ports.begin(), ports.end()).size() == 4);
  int first_outgoing = 0;
  int last_outgoing = 0;
  std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> first_outgoing >> last_outgoing;
  for (const int port : ports)
    CHECK((port < first_outgoing || port > last_outgoing)); // no connection takes it meanwhile
  CHECK_THROWS_WITH(place_here("here", "nosuch0"), Catch::Contains("--interface nosuch0 has no IPv4 address"));
}
