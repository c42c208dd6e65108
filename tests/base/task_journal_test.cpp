#include "sim/base/error.hpp"
#include "sim/base/task_journal.hpp"
#include "tests/base/temporary_folder.hpp"

#include <catch2/catch.hpp>

namespace fs = std::filesystem;
using namespace ddlsim;
using ddlsim_test::TemporaryFolder;
using ddlsim_test::text_of;

namespace {

const std::string question = "0123456789abcdef";
const FinishedTasks some{{0, "zero\n"}, {2, std::string("\0\xff\n", 3)}, {7, ""}};

/// Of a journal that began with nothing and was added to.
fs::path written(const TemporaryFolder& folder) {
  auto file = folder.path() / "answer.csv.unfinished";
  TaskJournal journal(file, question, {});
  for (const auto& [task, bytes] : some) CHECK(journal.keep(task, bytes));
  return file;
}

} // namespace

TEST_CASE("a journal gives back what was kept, to the byte, and can be added to", "[task-journal]") {
  const TemporaryFolder folder;
  const auto file = written(folder);
  CHECK(read_task_journal(file, question) == some);
  TaskJournal again(file, question, some);
  CHECK(again.keep(1, "one"));
  auto more = some;
  more[1] = "one";
  CHECK(read_task_journal(file, question) == more);
  again.remove();
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("half of a last task is passed over, wherever it ends", "[task-journal]") {
  const TemporaryFolder folder;
  const auto whole = text_of(written(folder));
  const auto head = whole.find('\n') + 1;
  std::size_t most = 0;
  for (std::size_t size = head; size <= whole.size(); ++size) {
    const auto kept = read_task_journal(folder.write("cut", whole.substr(0, size)), question);
    CHECK(kept.size() >= most);
    most = kept.size();
    for (const auto& [task, bytes] : kept) CHECK(bytes == some.at(task));
  }
  CHECK(most == some.size());
}

TEST_CASE("a task with other bytes than were written, and what follows, is done again", "[task-journal]") {
  const TemporaryFolder folder;
  auto text = text_of(written(folder));
  text.replace(text.find("zero"), 4, "nero");
  CHECK(read_task_journal(folder.write("changed", text), question).empty());
}

TEST_CASE("a length that the file does not have takes no memory", "[task-journal]") {
  const TemporaryFolder folder;
  const auto head = "ddlsim-journal 1 " + question + "\n";
  for (const char* entry : {"0 18446744073709551615 0123456789abcdef\nx\n", "0 -1 x\n", "-1 0 x\n\n",
                            "0 99999999999999999999 x\n", "0\n", "\n", " 0 0 x\n\n"})
    CHECK(read_task_journal(folder.write("long", head + entry), question).empty());
}

TEST_CASE("another question, another file, no file: one message each", "[task-journal]") {
  const TemporaryFolder folder;
  const auto file = written(folder);
  CHECK_THROWS_WITH(read_task_journal(file, "0123456789abcdee"), Catch::Contains("is of another question"));
  CHECK_THROWS_WITH(read_task_journal(folder.write("a.csv", "a,b\n1,2\n"), question), Catch::Contains("no journal"));
  CHECK_THROWS_WITH(read_task_journal(folder.write("empty", ""), question), Catch::Contains("no journal"));
  CHECK_THROWS_AS(read_task_journal(folder.path() / "none", question), UserError);
  CHECK_THROWS_AS(read_task_journal(folder.path(), question), UserError);
}

TEST_CASE("a journal is not written through a link, nor where nothing can be", "[task-journal]") {
  const TemporaryFolder folder;
  const auto precious = folder.write("precious", "mine");
  fs::create_symlink(precious, folder.path() / "answer.csv.unfinished");
  CHECK_THROWS_WITH(TaskJournal(folder.path() / "answer.csv.unfinished", question, {}),
                    Catch::Contains("no plain file"));
  CHECK(text_of(precious) == "mine");
  CHECK_THROWS_AS(TaskJournal(folder.path() / "none" / "a.unfinished", question, {}), UserError);
}

TEST_CASE("only tasks that are not kept are run, and results stand in the order of the tasks", "[task-journal]") {
  std::vector<int> ran;
  std::vector<int> done_tasks;
  const auto run = without_finished(in_this_process(), {{1, "kept one"}, {9, "of no task"}});
  const auto work = [&](int task) {
    ran.push_back(task);
    return "new " + std::to_string(task);
  };
  const auto results = run({2, 1, 0}, work, [&](int task, const TaskResult&) { done_tasks.push_back(task); });
  CHECK(ran == std::vector<int>{2, 0});
  CHECK(done_tasks == ran);
  REQUIRE(results.size() == 3);
  CHECK(results[0].bytes == "new 2");
  CHECK(results[1].bytes == "kept one");
  CHECK(results[2].bytes == "new 0");
}
