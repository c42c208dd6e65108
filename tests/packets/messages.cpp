#include "tests/packets/messages.hpp"

#include "tests/base/temporary_folder.hpp"
#include "tests/packets/segment.hpp"
#include "tests/smpi/relatives.hpp"

#include <cstdlib>
#include <functional>
#include <iomanip>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace ddlsim_test {
namespace {

/// The number of the message that is put behind the others.
std::size_t put(std::vector<PacketMessage>& messages, PacketMessage message) {
  messages.push_back(std::move(message));
  return messages.size() - 1;
}

/// One chunk in one tree. What goes down from a rank waits for what came from above it, or at the root for the sum.
void put_chunk(std::vector<PacketMessage>& messages, const std::vector<Relatives>& tree, int number, int segments) {
  std::vector<std::vector<std::size_t>> came(tree.size()); // of each rank: from its children
  const std::function<void(int)> go_up = [&](int rank) {
    for (const int child : tree[at(rank)].children) {
      go_up(child);
      came[at(rank)].push_back(put(messages, {child, rank, segments, came[at(child)], 2 * number}));
    }
  };
  const std::function<void(int, const std::vector<std::size_t>&)> go_down = [&](int rank, const auto& after) {
    for (const int child : tree[at(rank)].children)
      go_down(child, {put(messages, {rank, child, segments, after, 2 * number + 1})});
  };
  int root = 0;
  while (tree[at(root)].parent >= 0) ++root;
  go_up(root);
  go_down(root, came[at(root)]);
}

std::string text_of(const PacketNetwork& network, const std::vector<PacketMessage>& messages) {
  std::ostringstream text;
  text << std::setprecision(17) << network.hosts << ' ' << network.rate_Bps << ' ' << network.delay_s << ' '
       << network.hosts_per_leaf << ' ' << network.uplink_Bps << '\n';
  for (const auto& message : messages) {
    text << message.from << ' ' << message.to << ' ' << message.lane << ' '
         << static_cast<long>(message.segments) * payload_bytes << ' ' << message.after.size();
    for (const auto before : message.after) text << ' ' << before;
    text << '\n';
  }
  return text.str();
}

} // namespace

double packets_s(const PacketNetwork& network, const std::vector<PacketMessage>& messages) {
  const TemporaryFolder folder;
  const auto input = folder.write("messages", text_of(network, messages));
  const auto output = folder.path() / "output";
  const std::string command =
      std::string(DDLSIM_PACKET_NETWORK) + " < " + input.string() + " > " + output.string() + " 2>&1";
  const int status = std::system(command.c_str());
  const std::string printed = ddlsim_test::text_of(output);
  char* end = nullptr;
  const double seconds = std::strtod(printed.c_str(), &end);
  if (status != 0 || std::string(end) != "\n") throw std::runtime_error(command + " printed: " + printed);
  return seconds;
}

std::vector<PacketMessage> ring_messages(int hosts, int segments_per_chunk) {
  std::vector<PacketMessage> messages;
  for (int round = 0; round < 2 * (hosts - 1); ++round)
    for (int host = 0; host < hosts; ++host) {
      PacketMessage message{host, (host + 1) % hosts, segments_per_chunk, {}};
      if (round > 0) message.after = {at((round - 1) * hosts + (host + hosts - 1) % hosts)};
      put(messages, message);
    }
  return messages;
}

std::vector<PacketMessage> halving_doubling_messages(int hosts, int segments) {
  std::vector<int> distances;
  for (int distance = 1; distance < hosts; distance *= 2) distances.push_back(distance);
  for (int distance = hosts / 2; distance > 0; distance /= 2) distances.push_back(distance);
  std::vector<PacketMessage> messages;
  std::vector<std::vector<std::size_t>> before(at(hosts)); // of each host: what it sent and took last
  for (const int distance : distances) {
    std::vector<std::vector<std::size_t>> next(at(hosts));
    for (int host = 0; host < hosts; ++host) {
      const int partner = host ^ distance;
      const auto number = put(messages, {host, partner, segments / (2 * distance), before[at(host)]});
      next[at(host)].push_back(number);
      next[at(partner)].push_back(number);
    }
    before = next;
  }
  return messages;
}

std::vector<PacketMessage> tree_messages(int hosts, int chunks, int segments_per_chunk) {
  std::vector<PacketMessage> messages;
  for (int number = 0; number < 2; ++number) {
    std::vector<Relatives> tree;
    for (int rank = 0; rank < hosts; ++rank) tree.push_back(relatives(rank, hosts, number));
    for (int chunk = 0; chunk < chunks; ++chunk) put_chunk(messages, tree, number, segments_per_chunk);
  }
  return messages;
}

std::vector<PacketMessage> server_messages(int workers, int servers, const std::vector<int>& segments) {
  std::vector<PacketMessage> messages;
  for (std::size_t tensor = 0; tensor < segments.size(); ++tensor) {
    const int server = workers + static_cast<int>(tensor) % servers;
    std::vector<std::size_t> copies;
    for (int worker = 0; worker < workers; ++worker)
      copies.push_back(put(messages, {worker, server, segments[tensor], {}}));
    for (int worker = 0; worker < workers; ++worker) put(messages, {server, worker, segments[tensor], copies});
  }
  return messages;
}

} // namespace ddlsim_test
