// What a program missed is listed for `tuner wanted`, and nothing waits for the list.
#include "tuner/runtime/wanted_list.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "cache/sqlite/sqlite.hpp"
#include "tests/runtime/machine.hpp"
#include "tuner/core/description/headers.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/task/identity.hpp"

using namespace tuner;
using namespace tuner::test;
using cache::Wanted;

namespace {

namespace fs = std::filesystem;

/// A machine on which the defaults of kWave are compiled, and nothing is decided.
struct Untuned : Machine {
  Untuned() { compile({.configuration = kBaseline}); }
  fs::path file() const { return home() / "wanted.db"; }
  std::vector<Wanted> list() const { return cache::WantedStore(home() / "decisions.db").list(); }
  Wanted only() const {
    const std::vector<Wanted> all = list();
    REQUIRE(all.size() == 1);
    return all.front();
  }
  RuntimeOptions wanting(Mode mode = Mode::cache) { return options({.mode = mode, .wanted = true}); }
};

/// A program with a list that asks for this problem and launches it so often.
void ask(RuntimeOptions options, std::initializer_list<ProblemValue> problem = {100, 1000}, int launches = 0) {
  Runtime runtime(std::move(options));
  const Kernel kernel = runtime.kernel(wave());
  for (int i = 0; i < launches; ++i) CHECK(launch(kernel.request(problem)));
  CHECK(kernel.request(problem).runnable());
}

}  // namespace

TEST_CASE_FIXTURE(Untuned, "without the option and the variable no list is written") {
  ask(options(), {100, 1000}, 3);
  CHECK_FALSE(fs::exists(file()));
  ask(wanting(Mode::off), {100, 1000}, 3);
  CHECK_FALSE(fs::exists(file()));
}

TEST_CASE_FIXTURE(Untuned, "a miss is noted once a program, with what served it and how often that was launched") {
  ask(wanting(), {100, 1000}, 3);
  const Wanted first = only();
  CHECK(first.key == task_of({}).key("cold"));
  CHECK(first.rung == "baseline");
  CHECK(first.configuration == kBaseline);
  CHECK_FALSE(first.time_ns);
  CHECK(first.requested == 1);
  CHECK(first.launched == 3);
  CHECK(first.first_unix_ms > 1'600'000'000'000);
  CHECK(first.last_unix_ms >= first.first_unix_ms);
  CHECK(first.trouble.empty());
  ask(wanting(), {100, 1000}, 4);
  CHECK(only().requested == 2);
  CHECK(only().launched == 7);
  CHECK(only().first_unix_ms == first.first_unix_ms);
  CHECK(notices().empty());
}

TEST_CASE_FIXTURE(Untuned, "what an exact decision serves is no miss, however old and quick that is") {
  tuned({.edit = [](cache::Decision& decision) {
    decision.effort = Effort::quick;
    decision.conditions.driver = "1.0";
  }});
  ask(wanting(), {100, 1000}, 2);
  CHECK_FALSE(fs::exists(file()));
  // Nor is one that cannot be used: tuning would find that it is there.
  fs::remove(home() / "served.db");
  cache::test::sql(home() / "decisions.db", "UPDATE decision SET configuration = 'BLOCK=1,ITEMS=1,STORE=plain'");
  ask(wanting(), {100, 1000}, 2);
  CHECK_FALSE(fs::exists(file()));
}

TEST_CASE_FIXTURE(Untuned, "a near size is a miss with the time that is known of it") {
  tuned();
  ask(wanting(), {101, 1000}, 1);
  const Wanted miss = only();
  CHECK(miss.rung == "near size");
  CHECK(miss.key.problem == "TYPE=float,columns=1000,halo=1,rows=101");
  CHECK(miss.configuration == Stored{}.configuration);
  CHECK(miss.time_ns == 20000);
}

TEST_CASE_FIXTURE(Untuned, "TUNER_WANTED replaces what the program says, and another value is said and ignored") {
  {
    const Variable told("TUNER_WANTED", "0");
    ask(wanting());
    CHECK_FALSE(fs::exists(file()));
  }
  {
    const Variable told("TUNER_WANTED", "perhaps");
    ask(options());
    CHECK_FALSE(fs::exists(file()));
    REQUIRE(notices().size() == 1);
    CHECK(contains(notices()[0].sentence, "TUNER_WANTED is \"perhaps\""));
  }
  const Variable told("TUNER_WANTED", "1");
  ask(options());
  CHECK(only().requested == 1);
}

TEST_CASE_FIXTURE(Untuned, "every way to launch counts, and what is refused does not") {
  {
    Runtime runtime(wanting());
    const Instance& instance = runtime.kernel(wave()).request({100, 1000});
    CHECK(launch(instance));
    const Buffer x{0x1000, 400'000}, y{0x2000, 400'000};
    CHECK(instance.launch(nullptr, x, y, kFactor, 1000));
    const void* pointer = nullptr;
    float factor = kFactor;
    int columns = 1000;
    CHECK(instance.launch_untyped(nullptr, std::vector<void*>{&pointer, &pointer, &factor, &columns}));
    CHECK_FALSE(launch(instance, 999));
    const Buffer small{0x1000, 4};
    CHECK_FALSE(instance.launch(nullptr, small, y, kFactor, 1000));
  }
  CHECK(only().launched == 3);
}

TEST_CASE_FIXTURE(Untuned, "launches of the caller's own function count, where nothing else could be served") {
  {
    Runtime runtime(options({.exact_only = true, .wanted = true}));
    const Kernel kernel = runtime.kernel(wave(), {.fallback = [](Stream, std::span<void* const>) { return 0; }});
    CHECK(launch(kernel.request({100, 1000})));
    CHECK(launch(kernel.request({100, 1000})));
  }
  CHECK(only().rung == "fallback");
  CHECK(only().configuration.empty());
  CHECK(only().launched == 2);
}

TEST_CASE_FIXTURE(Machine, "what a later request finds in place of what a capture had to do with is the same miss") {
  {
    Runtime runtime(options({.wanted = true}));
    const Kernel kernel = runtime.kernel(wave());
    OwnContext own;
    OwnStream stream;
    stream.begin_capture(CU_STREAM_CAPTURE_MODE_GLOBAL);
    CHECK(kernel.request({100, 1000}, {.stream = stream.get()}).rung() == Rung::unrunnable);
    CHECK(stream.end_capture() != nullptr);
    compile({.configuration = kBaseline});
    CHECK(launch(kernel.request({100, 1000})));
  }
  const std::vector<Wanted> all = cache::WantedStore(home() / "decisions.db").list();
  REQUIRE(all.size() == 1);
  CHECK(all[0].rung == "baseline");
  CHECK(all[0].configuration == kBaseline);
  CHECK(all[0].requested == 1);
  CHECK(all[0].launched == 1);
}

TEST_CASE_FIXTURE(Untuned, "values that are no problem of the kernel are not noted") {
  Runtime runtime(wanting());
  const Kernel kernel = runtime.kernel(wave());
  CHECK_FALSE(kernel.request({100, 200000}).runnable());
  CHECK_FALSE(kernel.request({100}).runnable());
  runtime = Runtime(options());
  CHECK_FALSE(fs::exists(file()));
}

TEST_CASE_FIXTURE(Untuned, "the source and the user's headers are kept, so that another process has the same kernel") {
  const std::string text = "#include \"half.cuh\"\n#include <cstdint>\n" + kWave;
  {
    Runtime runtime(wanting());
    const Description description =
        Description::from_text(text, {.name = "wave.cu", .headers = {{"half.cuh", "#define HALF 0.5f\n"}}});
    runtime.kernel(description).request({100, 1000});
  }
  const Wanted miss = only();
  const auto source = cache::WantedStore(home() / "decisions.db").find_source(miss);
  REQUIRE(source);
  CHECK(source->file == "wave.cu");
  CHECK(source->text == text);
  REQUIRE(source->headers.size() == 1);
  CHECK(source->headers[0].name == "half.cuh");
  KernelDescription description = parse_descriptions(source->text, source->file).front();
  description.given_headers = source->headers;
  CHECK(kernel_identity(description, quoted_headers(description, {})) == miss.key.kernel_identity);
}

TEST_CASE_FIXTURE(Untuned, "threads and contexts that miss the same problem have one entry") {
  {
    Runtime runtime(wanting());
    const Kernel kernel = runtime.kernel(wave());
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int rows = 1; rows <= 20; ++rows) CHECK(kernel.request({rows, 1000}).runnable());
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  CHECK(list().size() == 20);
  for (const Wanted& wanted : list()) CHECK(wanted.requested == 1);
  {
    Runtime first(wanting()), second(wanting());
    CHECK(launch(first.kernel(wave()).request({1, 1000})));
    CHECK(launch(second.kernel(wave()).request({1, 1000})));
  }
  CHECK(list().front().requested == 3);
  CHECK(list().front().launched == 2);
}

TEST_CASE_FIXTURE(Untuned, "a list that cannot be written costs one notice, and the requests are answered") {
  for (const bool is_folder : {true, false}) {
    if (is_folder) {
      fs::create_directory(file());
    } else {
      cache::test::write_bytes(file(), "not a database, but of some length");
    }
    const std::size_t before = notices().size();
    {
      Runtime runtime(wanting());
      const Kernel kernel = runtime.kernel(wave());
      for (int rows = 1; rows <= 5; ++rows) CHECK(launch(kernel.request({rows, 1000})));
    }
    REQUIRE(notices().size() == before + 1);
    CHECK(notices().back().kind == Notice::Kind::database);
    CHECK(contains(notices().back().sentence, "wanted.db"));
    fs::remove(file());
  }
}

TEST_CASE_FIXTURE(Untuned, "in a folder that may not be written the list costs one notice") {
  cache::test::hand_over(folder());
  cache::test::hand_over(home());
  CHECK(chmod(home().c_str(), 0555) == 0);
  for (const char* name : {"binaries.db"}) CHECK(chmod((home() / name).c_str(), 0444) == 0);
  CHECK(cache::test::in_unprivileged_child([&] {
          ask(wanting(), {100, 1000}, 2);
          // Nobody may be kept out of the folder of this program, too; that is said as well, and is not of the list.
          int said = 0;
          for (const Notice& notice : notices()) said += contains(notice.sentence, "wanted.db") ? 1 : 0;
          if (said != 1) throw std::runtime_error("it was said so often: " + std::to_string(said));
        }) == 0);
  CHECK(chmod(home().c_str(), 0755) == 0);
}

TEST_CASE_FIXTURE(Untuned, "what others hold locked is written later, and a killed program loses only what came last") {
  ask(wanting());
  std::vector<std::string> said;
  const cache::DecisionKey key = task_of({.problem = "rows=7,columns=7"}).key("cold");
  const auto description = std::make_shared<const KernelDescription>(task_of({}).description());
  const auto is_listed = [&](std::int64_t launches) {
    for (const Wanted& wanted : list()) {
      if (wanted.key == key) return wanted.launched == launches;
    }
    return false;
  };
  const pid_t child = cache::test::start_child([&] {
    WantedList list(
        home(), [&](const std::string& sentence) { said.push_back(sentence); }, std::chrono::milliseconds(1));
    {
      const cache::sqlite::Connection held(file(), SQLITE_OPEN_READWRITE, std::chrono::seconds(10));
      held.execute("BEGIN EXCLUSIVE");
      WantedList::Count* const count = list.note(key, description, {}, true);
      count->store(5);
      held.execute("ROLLBACK");
    }
    while (!is_listed(5)) std::this_thread::yield();
    if (!said.empty()) throw std::runtime_error(said.front());
    raise(SIGKILL);
  });
  CHECK(cache::test::status_of(child) == 128 + SIGKILL);
  CHECK(is_listed(5));
}

TEST_CASE_FIXTURE(Untuned, "programs that end within five seconds, however they end, listed nothing") {
  int rows = 0;
  for (const bool is_killed : {true, false}) {
    ++rows;
    const pid_t child = cache::test::start_child([&] {
      auto* const runtime = new Runtime(wanting());  // as singletons are: never destroyed
      CHECK(runtime->kernel(wave()).request({rows, 1000}).runnable());
      const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(4);
      while (list().size() < static_cast<std::size_t>(rows) && std::chrono::steady_clock::now() < limit)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (is_killed) raise(SIGKILL);
      _exit(0);
    });
    CHECK(cache::test::status_of(child) == (is_killed ? 128 + SIGKILL : 0));
    CHECK(list().size() == static_cast<std::size_t>(rows));
  }
}

TEST_CASE_FIXTURE(
    Untuned, "programs that end in order right after a request listed nothing where a Runtime is never destroyed") {
  int rows = 0;
  for (void (*const end)(int) : {std::exit, std::quick_exit}) {
    ++rows;
    const pid_t child = cache::test::start_child([&] {
      static Runtime* runtime = nullptr;  // as singletons are
      runtime = new Runtime(wanting());
      CHECK(runtime->kernel(wave()).request({rows, 1000}).runnable());
      end(0);
    });
    CHECK(cache::test::status_of(child) == 0);
    CHECK(list().size() == static_cast<std::size_t>(rows));
  }
}

TEST_CASE_FIXTURE(Untuned, "a program that ends by _exit right after its first miss listed nothing") {
  const cache::DecisionKey key = task_of({}).key("cold");
  const auto description = std::make_shared<const KernelDescription>(task_of({}).description());
  const pid_t child = cache::test::start_child([&] {
    WantedList wanted(
        home(), [](const std::string&) {}, std::chrono::hours(1), std::chrono::hours(1));
    wanted.await_first();  // there is none yet
    wanted.note(key, description, {}, true);
    wanted.await_first();
    _exit(0);
  });
  CHECK(cache::test::status_of(child) == 0);
  CHECK(only().key == key);
}

TEST_CASE_FIXTURE(Untuned, "a fork of a program that lists what it misses ends without its threads") {
  Runtime runtime(wanting());
  CHECK(runtime.kernel(wave()).request({100, 1000}).runnable());
  const pid_t child = cache::test::start_child([] { std::quick_exit(0); });
  CHECK(cache::test::status_of(child) == 0);
}

TEST_CASE_FIXTURE(Untuned, "a new miss does not wait for the pause that launches are counted after") {
  WantedList wanted(
      home(), [](const std::string&) {}, std::chrono::hours(1));
  const auto description = std::make_shared<const KernelDescription>(task_of({}).description());
  for (int rows = 1; rows <= 5; ++rows) {
    const Task task = task_of({.problem = "rows=" + std::to_string(rows) + ",columns=7"});
    wanted.note(task.key("cold"), description, {}, true);
    while (list().size() < static_cast<std::size_t>(rows)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (rows == 2) std::this_thread::sleep_for(std::chrono::milliseconds(350));  // so that the pause has grown
  }
}
