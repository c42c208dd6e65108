#pragma once
// Quantities as people write them ("100 Gbps", "1.5 us", "16 GiB") and as the program holds them: SI doubles.

#include <limits>
#include <string>
#include <string_view>

namespace ddlsim {

/// What a quantity measures; each has the units that files may use, in the spellings that people have for them
/// (unit_words.hpp).
enum class Dimension {
  time,         ///< s, ms, us, ns, min, h, d, weeks, years (of 365 d)      -> seconds
  size,         ///< B, KB, MB, GB, TB (powers of 1000), KiB, MiB, GiB, TiB -> bytes
  bandwidth,    ///< bps, Kbps .. Tbps (bits), B/s, KB/s .. TB/s, MiB/s, GiB/s -> bytes a second, one direction
  compute_rate, ///< FLOP/s, MFLOP/s, GFLOP/s, TFLOP/s, PFLOP/s             -> FLOP a second
  work,         ///< FLOP, MFLOP, GFLOP, TFLOP                              -> FLOP
  rate,         ///< samples/s, images/s, sequences/s, tokens/s             -> samples a second
  power,        ///< W, kW, MW                                              -> watts
  price,        ///< USD, k USD, M USD, B USD, USD/h, "$3M"                 -> dollars (a purchase) or dollars an hour
  count,        ///< k, M, B, T or nothing: "300B" tokens                   -> how many
};

/// SI value of "12.5 GB/s". Throws UserError (where and path empty) naming the units of the dimension and the nearest
/// one: a number alone, a negative or not finite number, an unknown unit. What may mean bits or bytes ("GBps", "gb/s",
/// "200G") is refused with both ways to write it.
double parse_quantity(std::string_view text, Dimension dimension);

/// Shortest of the dimension's units that keeps the number between 1 and 1000, 4 significant digits: "12.5 GB/s".
/// Times from four days on are in days, prices from a million on in "M USD".
std::string print_quantity(double value, Dimension dimension);

/// SI value of one unit, 0 when the dimension has no unit of that name: what a record's "unit" stands for.
double unit_in_si(std::string_view unit, Dimension dimension);

/// A quantity as it should look: "100 Gbps".
std::string_view example_quantity(Dimension dimension);

// Bare numbers, which options of the command line take.

struct ExpectedNumber {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  bool above_least = false; ///< `least` itself is too small
  bool below_most = false;  ///< `most` itself is too large
  bool whole = false;       ///< without a stated `most`: one that fits 32 bits
};

/// "0 found, a number above 0 expected"; "" where the text is such a number.
std::string number_complaint(std::string_view text, const ExpectedNumber& expected);

} // namespace ddlsim
