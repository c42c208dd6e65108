#pragma once
// What packets of TCP over Ethernet-like links carry, in the tests that have ns-3 send them.

namespace ddlsim_test {

inline constexpr unsigned mtu_bytes = 1500;
inline constexpr unsigned header_bytes = 20 + 20 + 12; ///< IPv4, TCP, its timestamps (RFC 791, 9293, 7323)
inline constexpr unsigned payload_bytes = mtu_bytes - header_bytes;
inline constexpr unsigned frame_bytes = 2; ///< PPP, as ns-3's point-to-point links have it
inline constexpr unsigned ack_every = 2;   ///< segments that one acknowledgement is for (RFC 1122)
inline constexpr unsigned window_bytes = 128U << 10U;

} // namespace ddlsim_test
