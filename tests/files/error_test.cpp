#include "sim/files/error.hpp"

#include <catch2/catch.hpp>

using ddlsim::Mistake;
using ddlsim::UserError;

TEST_CASE("a mistake is told with the parts it has") {
  CHECK(to_text(Mistake{"a.json", "/gpus/3", "wrong"}) == "a.json: /gpus/3: wrong");
  CHECK(to_text(Mistake{"a.json", "", "wrong"}) == "a.json: wrong");
  CHECK(to_text(Mistake{"", "/gpus/3", "wrong"}) == "/gpus/3: wrong");
  CHECK(to_text(Mistake{"", "", "wrong"}) == "wrong");
}

TEST_CASE("a user's error is one line a mistake") {
  const UserError one("a.json", "/x", "wrong");
  CHECK(std::string(one.what()) == "a.json: /x: wrong");
  const UserError two({{"a.json", "/x", "wrong"}, {"a.json", "/y", "missing"}});
  CHECK(std::string(two.what()) == "a.json: /x: wrong\na.json: /y: missing");
  CHECK(two.mistakes().size() == 2);
  CHECK(two.mistakes()[1].path == "/y");
}
