#pragma once
// A person's mistake, with what to do about it. The only exception the library throws on purpose.

#include <stdexcept>
#include <string>
#include <vector>

namespace ddlsim {

/// One mistake in one place: "FILE: /json/path: found, expected, what to do".
struct Mistake {
  std::string where; ///< file, with line for JSON Lines ("a.jsonl:12"); may be empty for the command line
  std::string path;  ///< JSON pointer, "" for the whole file
  std::string what;  ///< what was found, what was expected, what to do; one sentence, no final stop
};

/// All mistakes of a file (or of an argument) at once. what() is one line a mistake.
class UserError : public std::runtime_error {
public:
  explicit UserError(std::vector<Mistake> mistakes);
  UserError(std::string where, std::string path, std::string what);
  const std::vector<Mistake>& mistakes() const { return mistakes_; }

private:
  std::vector<Mistake> mistakes_;
};

/// "where: path: what", without the parts that are empty.
std::string to_text(const Mistake& mistake);

} // namespace ddlsim
