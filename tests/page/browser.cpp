#include "tests/page/browser.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace tuner::test {

namespace {

using Json = nlohmann::json;

constexpr int kPatience_ms = 120000;

/// Chromium reads commands at descriptor 3 and answers at 4.
[[noreturn]] void become_browser(const std::string& program, const std::string& profile, int commands, int answers) {
  // Out of the way first: one of them may be 3 or 4 itself.
  const int in = fcntl(commands, F_DUPFD, 10), out = fcntl(answers, F_DUPFD, 10);
  dup2(in, 3);
  dup2(out, 4);
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (const int descriptor : {0, 1, 2}) dup2(nowhere, descriptor);
  const std::string folder = "--user-data-dir=" + profile;
  execl(program.c_str(), program.c_str(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        "--no-first-run", "--disable-background-networking", "--remote-debugging-pipe", folder.c_str(), "about:blank",
        static_cast<char*>(nullptr));
  _exit(127);
}

}  // namespace

std::filesystem::path Browser::program() {
  for (const char* path : {"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"}) {
    if (std::filesystem::exists(path)) return path;
  }
  return {};
}

Browser::Browser() {
  std::array<int, 2> commands{}, answers{};
  if (pipe2(commands.data(), O_CLOEXEC) != 0 || pipe2(answers.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error("no pipe for the browser");
  }
  pid_ = fork();
  if (pid_ == 0) become_browser(program(), profile_.path(), commands[0], answers[1]);
  close(commands[0]);
  close(answers[1]);
  to_ = commands[1];
  from_ = answers[0];
  const std::string target = call("Target.createTarget", {{"url", "about:blank"}}, false)["targetId"];
  session_ = call("Target.attachToTarget", {{"targetId", target}, {"flatten", true}}, false)["sessionId"];
  for (const char* domain : {"Page.enable", "Runtime.enable", "Log.enable"}) call(domain, Json::object());
}

Browser::~Browser() {
  close(to_);
  close(from_);
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void Browser::resize(int width, int height, bool dark) {
  call("Emulation.setDeviceMetricsOverride",
       {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", width < 600}});
  call("Emulation.setEmulatedMedia",
       {{"features", {{{"name", "prefers-color-scheme"}, {"value", dark ? "dark" : "light"}}}}});
}

void Browser::open(const std::filesystem::path& file) {
  complaints_.clear();
  loaded_ = false;
  call("Page.navigate", {{"url", "file://" + file.string()}});
  while (!loaded_) hear(receive());
}

Json Browser::evaluate(const std::string& expression) {
  const Json answer = call("Runtime.evaluate", {{"expression", expression}, {"returnByValue", true}});
  if (answer.contains("exceptionDetails")) throw std::runtime_error(answer["exceptionDetails"].dump());
  return answer["result"].value("value", Json());
}

void Browser::press(const std::string& key) {
  for (const char* type : {"rawKeyDown", "keyUp"}) call("Input.dispatchKeyEvent", {{"type", type}, {"key", key}});
}

std::string Browser::picture() {
  return call("Page.captureScreenshot", {{"captureBeyondViewport", true}})["data"];
}

Json Browser::call(const std::string& method, Json parameters, bool of_page) {
  Json message{{"id", ++last_}, {"method", method}, {"params", std::move(parameters)}};
  if (of_page) message["sessionId"] = session_;
  const std::string text = message.dump() + '\0';
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = write(to_, text.data() + sent, text.size() - sent);
    if (count <= 0) throw std::runtime_error("the browser is gone");
    sent += static_cast<std::size_t>(count);
  }
  for (;;) {
    const Json answer = receive();
    if (answer.value("id", 0) != last_) {
      hear(answer);
    } else if (answer.contains("error")) {
      throw std::runtime_error(method + ": " + answer["error"].dump());
    } else {
      return answer["result"];
    }
  }
}

Json Browser::receive() {
  for (;;) {
    if (const std::size_t end = buffer_.find('\0'); end != std::string::npos) {
      Json message = Json::parse(buffer_.substr(0, end));
      buffer_.erase(0, end + 1);
      return message;
    }
    pollfd ready{from_, POLLIN, 0};
    if (poll(&ready, 1, kPatience_ms) <= 0) throw std::runtime_error("the browser does not answer");
    std::array<char, 65536> part{};
    const ssize_t count = read(from_, part.data(), part.size());
    if (count <= 0) throw std::runtime_error("the browser is gone");
    buffer_.append(part.data(), static_cast<std::size_t>(count));
  }
}

void Browser::hear(const Json& event) {
  const std::string method = event.value("method", "");
  if (method == "Page.loadEventFired") loaded_ = true;
  if (method == "Runtime.exceptionThrown" || method == "Runtime.consoleAPICalled" || method == "Log.entryAdded") {
    complaints_.push_back(event["params"].dump());
  }
}

}  // namespace tuner::test
