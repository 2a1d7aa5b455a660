#pragma once

#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace tuner::test {

/// A headless Chromium with one page, driven through a pipe by the DevTools protocol. Throws std::runtime_error where
/// it does not answer.
class Browser {
 public:
  /// Where the program is; empty if there is none.
  static std::filesystem::path program();

  Browser();
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  /// As wide as this, and with or without a preference for dark colours, from the next page on.
  void resize(int width, int height, bool dark = false);
  /// Waits until the page is loaded.
  void open(const std::filesystem::path& file);
  /// What the expression is in the page, as JSON.
  nlohmann::json evaluate(const std::string& expression);
  void press(const std::string& key);
  /// A picture of the whole page, PNG.
  std::string picture();
  /// What was written to the console or thrown and not caught, since the page was opened.
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  nlohmann::json call(const std::string& method, nlohmann::json parameters, bool of_page = true);
  nlohmann::json receive();
  void hear(const nlohmann::json& event);

  TemporaryFolder profile_;
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
  std::string buffer_, session_;
  int last_ = 0;
  bool loaded_ = false;
  std::vector<std::string> complaints_;
};

}  // namespace tuner::test
