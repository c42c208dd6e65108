// Messages over TCP on a network of packets, by ns-3: reads a network and messages from standard input (messages.hpp
// writes them), prints the seconds from the first message's start to the last one's end.
//
//   HOSTS RATE_BPS DELAY_S LEAF UPLINK_BPS   links are Ethernet-like, both ways, DELAY_S each; LEAF hosts a leaf, 0: none
//   FROM TO LANE BYTES COUNT AFTER...        a message, and the numbers of the COUNT messages that its sender waits for
//
// Each pair of hosts, direction and lane has a connection of its own, which keeps the order of the messages. Queues never drop a packet and
// windows are open from the start, so that what is timed are packets that share links, and no start of TCP.

#include "tests/packets/segment.hpp"

#include <ns3/config.h>
#include <ns3/data-rate.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-address-helper.h>
#include <ns3/ipv4-global-routing-helper.h>
#include <ns3/node-container.h>
#include <ns3/point-to-point-helper.h>
#include <ns3/simulator.h>
#include <ns3/socket.h>
#include <ns3/string.h>
#include <ns3/tcp-socket-factory.h>
#include <ns3/traffic-control-helper.h>
#include <ns3/uinteger.h>

#include <cstdint>
#include <cstdio>
#include <deque>
#include <iostream>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace ns3;
using ddlsim_test::ack_every;
using ddlsim_test::payload_bytes;
using ddlsim_test::window_bytes;

constexpr double start_s = 1; ///< connections are open long before
constexpr std::uint16_t first_port = 1000;
constexpr std::uint32_t most_lanes = 4;

struct Network {
  std::uint32_t hosts = 0;
  double rate_Bps = 0;
  double delay_s = 0;
  std::uint32_t leaf = 0;
  double uplink_Bps = 0;
};

struct Message {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t lane = 0;
  std::uint64_t size_bytes = 0;
  int waits_for = 0;              ///< messages that have not come yet
  std::vector<std::size_t> wakes; ///< messages that wait for this one
};

struct Connection {
  Ptr<Socket> sender;
  Ptr<Socket> listener;
  std::deque<std::size_t> to_send; ///< in the order of the input
  std::deque<std::size_t> under_way;
  std::uint64_t came_bytes = 0; ///< of the first message under way
};

void set_defaults() {
  Time::SetResolution(Time::PS);
  Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(payload_bytes));
  Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(window_bytes / payload_bytes + 1));
  Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(window_bytes));
  Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1U << 30U));
  Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(ack_every));
}

Ipv4Address address_of(const Ptr<Node>& host) {
  return host->GetObject<Ipv4>()->GetAddress(1, 0).GetLocal(); // 0 is the loopback
}

/// Hosts on their leaves, leaves on one switch; without leaves the hosts on that.
class Fabric {
public:
  explicit Fabric(const Network& network) : addresses_("10.0.0.0", "255.255.255.252") {
    const std::uint32_t leaves = network.leaf == 0 ? 0 : (network.hosts + network.leaf - 1) / network.leaf;
    hosts.Create(network.hosts);
    switches_.Create(leaves + 1);
    InternetStackHelper stack;
    stack.Install(hosts);
    stack.Install(switches_);
    const auto top = switches_.Get(leaves);
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) join(switches_.Get(leaf), top, network.uplink_Bps, 0);
    for (std::uint32_t host = 0; host < network.hosts; ++host)
      join(hosts.Get(host), leaves == 0 ? top : switches_.Get(host / network.leaf), network.rate_Bps, network.delay_s);
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
  }

  NodeContainer hosts;

private:
  void join(const Ptr<Node>& below, const Ptr<Node>& above, double rate_Bps, double delay_s) {
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<std::uint64_t>(8 * rate_Bps))));
    link.SetDeviceAttribute("Mtu", UintegerValue(ddlsim_test::mtu_bytes));
    link.SetChannelAttribute("Delay", TimeValue(Seconds(delay_s)));
    link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("1p"));
    const auto devices = link.Install(below, above);
    TrafficControlHelper queues;
    queues.SetRootQueueDisc("ns3::FqCoDelQueueDisc", "MaxSize", StringValue("100000000p"), "Flows",
                            UintegerValue(65535), "Target", StringValue("1000s"), "Interval", StringValue("1000s"));
    queues.Install(devices);
    addresses_.Assign(devices);
    addresses_.NewNetwork();
  }

  NodeContainer switches_;
  Ipv4AddressHelper addresses_;
};

class Exchange {
public:
  Exchange(const NodeContainer& hosts, std::vector<Message> messages) : messages_(std::move(messages)) {
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      Connection& connection = of(messages_[i]);
      if (!connection.sender) open(connection, hosts, messages_[i]);
      connection.to_send.push_back(i);
    }
    Simulator::Schedule(Seconds(start_s), [this] {
      for (auto& [ends, connection] : connections_) send_what_is_ready(connection);
    });
  }

  bool is_over() const { return came_ == messages_.size(); }
  double end_s() const { return end_s_; }

private:
  Connection& of(const Message& message) { return connections_[{message.from, message.to, message.lane}]; }

  void open(Connection& connection, const NodeContainer& hosts, const Message& message) {
    const auto port = static_cast<std::uint16_t>(first_port + most_lanes * message.from + message.lane);
    connection.listener = Socket::CreateSocket(hosts.Get(message.to), TcpSocketFactory::GetTypeId());
    connection.listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
    connection.listener->Listen();
    connection.listener->SetAcceptCallback(
        MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
        Callback<void, Ptr<Socket>, const Address&>([this, &connection](const Ptr<Socket>& taken, const Address&) {
          taken->SetRecvCallback(Callback<void, Ptr<Socket>>(
              [this, &connection](const Ptr<Socket>& socket) { take(connection, socket); }));
        }));
    connection.sender = Socket::CreateSocket(hosts.Get(message.from), TcpSocketFactory::GetTypeId());
    Simulator::Schedule(Seconds(start_s / 2), [socket = connection.sender, to = address_of(hosts.Get(message.to)),
                                               port] { socket->Connect(InetSocketAddress(to, port)); });
  }

  void send_what_is_ready(Connection& connection) {
    while (!connection.to_send.empty() && messages_[connection.to_send.front()].waits_for == 0) {
      const std::size_t next = connection.to_send.front();
      connection.to_send.pop_front();
      connection.under_way.push_back(next);
      connection.sender->Send(Create<Packet>(static_cast<std::uint32_t>(messages_[next].size_bytes)));
    }
  }

  void take(Connection& connection, const Ptr<Socket>& socket) {
    while (const auto packet = socket->Recv()) connection.came_bytes += packet->GetSize();
    while (!connection.under_way.empty() &&
           connection.came_bytes >= messages_[connection.under_way.front()].size_bytes) {
      const Message& message = messages_[connection.under_way.front()];
      connection.came_bytes -= message.size_bytes;
      connection.under_way.pop_front();
      ++came_;
      end_s_ = Simulator::Now().GetSeconds() - start_s;
      for (const std::size_t waiting : message.wakes)
        if (--messages_[waiting].waits_for == 0) send_what_is_ready(of(messages_[waiting]));
    }
    if (is_over()) Simulator::Stop();
  }

  std::vector<Message> messages_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Connection> connections_;
  std::size_t came_ = 0;
  double end_s_ = 0;
};

std::vector<Message> read_messages(std::istream& in) {
  std::vector<Message> messages;
  for (Message message; in >> message.from >> message.to >> message.lane >> message.size_bytes >> message.waits_for;) {
    messages.push_back(message);
    for (int i = 0; i < message.waits_for; ++i) {
      std::size_t before = 0;
      in >> before;
      messages.at(before).wakes.push_back(messages.size() - 1);
    }
  }
  return messages;
}

} // namespace

int main() {
  Network network;
  std::cin >> network.hosts >> network.rate_Bps >> network.delay_s >> network.leaf >> network.uplink_Bps;
  set_defaults();
  const Fabric fabric(network);
  const Exchange exchange(fabric.hosts, read_messages(std::cin));
  Simulator::Run();
  if (exchange.is_over()) std::printf("%.12g\n", exchange.end_s());
  Simulator::Destroy();
  return exchange.is_over() ? 0 : 1;
}
