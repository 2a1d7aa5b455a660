#pragma once

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/program.hpp"
#include "tests/support/text.hpp"

namespace tuner::test {

/// A user with a capture in `c`: launch number `launch` of a program's two, unless its words say otherwise. The program
/// has the fake driver and a fake CUPTI.
class Captured {
 public:
  explicit Captured(const std::string& word, const std::string& launch = "1", const std::string& driver = "placed=512",
                    const std::string& kernel = "work") {
    user_.environment["TUNER_DRIVER"] = TUNER_FAKE_DRIVER;
    user_.environment["TUNER_CUPTI"] = TUNER_FAKE_CUPTI_FILE;
    user_.environment["FAKE_DRIVER"] = driver;
    const Result result = user_.run(
        {"capture", "--json", "--kernel", kernel, "--launches", launch, "-o", "c", "--", TUNER_CAPTURED_PROGRAM, word});
    REQUIRE_MESSAGE(result.exit_code == 0, result.err);
    user_.environment["FAKE_DRIVER"] = "again";
  }
  User& user() { return user_; }
  const User& user() const { return user_; }
  Result replay(const Words& options = {}) const { return user_.run(joined({"replay", "c"}, options)); }
  /// Of the first launch that was run.
  nlohmann::json replayed(int exit_code = 0, const Words& options = {}) const {
    const Result result = replay(joined({"--json"}, options));
    REQUIRE_MESSAGE(result.exit_code == exit_code, result.err);
    return nlohmann::json::parse(result.out)["launches"][0];
  }
  void change(const std::string& file, const nlohmann::json::json_pointer& place, const nlohmann::json& value) const {
    nlohmann::json changed = nlohmann::json::parse(read_bytes(user_.home() / "c" / file));
    changed[place] = value;
    write_bytes(user_.home() / "c" / file, changed.dump());
  }
  void change_manifest(const nlohmann::json::json_pointer& place, const nlohmann::json& value) const {
    change("manifest.json", place, value);
  }

 private:
  User user_;
};

}  // namespace tuner::test
