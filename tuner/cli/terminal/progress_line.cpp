#include "tuner/cli/terminal/progress_line.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "tuner/cli/terminal/interrupts.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/text.hpp"

namespace tuner::cli {

namespace {

constexpr double kRateWindow_s = 5;
constexpr double kRedrawEvery_s = 0.1;

bool draws_on_stderr() {
  const char* const terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

bool colours() {
  const char* const off = std::getenv("NO_COLOR");
  return off == nullptr || *off == '\0';
}

std::size_t terminal_width() {
  struct winsize size {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return 79;
  return size.ws_col - 1U;  // the last column would wrap on some terminals
}

}  // namespace

void Rate::add(double elapsed_s, std::uint64_t finished) {
  seen_.emplace_back(elapsed_s, finished);
  while (seen_.size() > 2 && seen_[1].first < elapsed_s - kRateWindow_s) seen_.pop_front();
}

double Rate::per_second() const {
  if (seen_.size() < 2) return 0;
  const double time = seen_.back().first - seen_.front().first;
  return time > 0 ? static_cast<double>(seen_.back().second - seen_.front().second) / time : 0;
}

std::string progress_text(const engine::Observer::Progress& progress, double per_second, std::size_t width) {
  std::string text = fmt::format("{} {}", progress.phase, grouped(progress.finished));
  if (progress.total > 0) text += "/" + grouped(progress.total);
  if (per_second > 0)
    text +=
        fmt::format("  {}/s", per_second < 10 ? fmt::format("{:.1f}", per_second) : fmt::format("{:.0f}", per_second));
  if (progress.best_ns) text += "  best " + time_text(*progress.best_ns);
  if (progress.failed > 0) text += fmt::format("  failed {}", grouped(progress.failed));
  if (per_second > 0 && progress.total > progress.finished) {
    text += "  ETA " + duration_text(static_cast<double>(progress.total - progress.finished) / per_second);
  }
  if (text.size() > width) text.resize(width);
  return text;
}

ProgressLine::ProgressLine() : terminal_(draws_on_stderr()) {}

ProgressLine::~ProgressLine() {
  erase();
}

void ProgressLine::progress(const Progress& progress) {
  if (!terminal_) return;
  const bool due =
      drawn_at_s_ < 0 || progress.elapsed_s - drawn_at_s_ >= kRedrawEvery_s || progress.phase != drawn_phase_;
  if (!due) return;
  rate_.add(progress.elapsed_s, progress.finished);
  drawn_at_s_ = progress.elapsed_s;
  drawn_phase_ = progress.phase;
  const std::string text = progress_text(progress, rate_.per_second(), terminal_width());
  const bool coloured = colours();
  std::fprintf(stderr, "\r\x1b[K%s%s%s", coloured ? "\x1b[36m" : "", text.c_str(), coloured ? "\x1b[0m" : "");
  std::fflush(stderr);
  drawn_ = true;
  note_progress_line(true);
}

void ProgressLine::count(std::string_view phase, std::size_t done, std::size_t all) {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - constructed_;
  Progress now;
  now.phase = phase;
  now.finished = done;
  now.total = all;
  now.elapsed_s = elapsed.count();
  progress(now);
}

std::function<void(std::size_t, std::size_t)> ProgressLine::counting(std::string phase) {
  return [this, phase = std::move(phase)](std::size_t done, std::size_t all) { count(phase, done, all); };
}

void ProgressLine::warning(const std::string& sentence) {
  if (std::find(warnings_.begin(), warnings_.end(), sentence) != warnings_.end()) return;
  erase();
  warn(sentence);
  warnings_.push_back(sentence);
}

std::vector<std::string> ProgressLine::take_warnings() {
  return std::exchange(warnings_, {});
}

void ProgressLine::erase() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
  note_progress_line(false);
  drawn_at_s_ = -1;
}

}  // namespace tuner::cli
