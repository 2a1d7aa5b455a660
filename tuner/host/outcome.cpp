#include "tuner/host/outcome.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

namespace tuner::host {
namespace {

using State = CaseOutcome::State;

std::string rest_of(std::istringstream& words) {
  std::string text;
  std::getline(words >> std::ws, text);
  return text;
}

std::vector<std::string> addresses(std::istringstream& words, std::size_t count) {
  std::vector<std::string> result(count);
  for (std::string& address : result) words >> address;
  return result;
}

RaceEvent race(std::istringstream& words) {
  RaceEvent event;
  std::size_t depth = 0, other_depth = 0;
  words >> event.what >> event.memory >> event.offset >> event.writes >> event.other_writes >> depth;
  event.stack = addresses(words, std::min<std::size_t>(depth, 16));
  words >> other_depth;
  event.other_stack = addresses(words, std::min<std::size_t>(other_depth, 16));
  return event;
}

void touched(std::istringstream& words, CaseOutcome& outcome) {
  std::string what;
  words >> what >> outcome.touched_argument >> outcome.touched.offset >> outcome.touched.bytes;
  if (what == "argument") outcome.touched.what = Touched::What::argument;
  if (what == "dynamic") outcome.touched.what = Touched::What::dynamic_shared;
  if (what == "copy") outcome.touched.what = Touched::What::copy;
}

constexpr std::pair<std::string_view, State> kStates[] = {
    {"begin", State::begun}, {"end", State::ended}, {"left", State::left},         {"lacking", State::lacking},
    {"late", State::late},   {"died", State::died}, {"mismatch", State::mismatch}, {"busy", State::busy}};

void take(const std::string& word, std::istringstream& words, CaseOutcome& outcome) {
  std::size_t run = 0;
  const auto* const state =
      std::find_if(std::begin(kStates), std::end(kStates), [&](const auto& known) { return known.first == word; });
  if (state != std::end(kStates)) {
    outcome.state = state->second;
    if (outcome.state == State::died || outcome.state == State::mismatch) outcome.text = rest_of(words);
  } else if (word == "fault") {
    outcome.faulted = true;
    std::size_t length = 0;  // of the file's name, which may have blanks
    words >> run >> outcome.fault_place.line >> length;
    words.get();
    outcome.fault_place.file.resize(std::min<std::size_t>(length, 4096));
    words.read(outcome.fault_place.file.data(), static_cast<std::streamsize>(outcome.fault_place.file.size()));
    if (outcome.fault_place.line == 0) outcome.fault_place.file.clear();
    outcome.fault = rest_of(words);
  } else if (word == "misfit") {
    words >> outcome.misfit_argument >> outcome.misfit;
  } else if (word == "input") {
    words >> run;
    if (outcome.changed_input < 0) words >> outcome.changed_input >> outcome.changed_byte;
  } else if (word == "touched") {
    touched(words, outcome);
  } else if (word == "access") {
    outcome.races.push_back(race(words));
  }
}

}  // namespace

void read_events(const std::filesystem::path& events, const std::filesystem::path& results,
                 const std::vector<std::size_t>& sizes, std::vector<CaseOutcome>& outcomes) {
  std::ifstream lines(events);
  std::ifstream content(results, std::ios::binary);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    std::size_t number = 0;
    if (!(words >> word >> number) || number >= outcomes.size()) continue;
    CaseOutcome& outcome = outcomes[number];
    if (word != "outputs") {
      take(word, words, outcome);
      // A case that does not match the kernel ends like any other.
      if (word == "end" && (!outcome.text.empty() || outcome.misfit > 0)) outcome.state = State::mismatch;
      continue;
    }
    std::size_t run = 0;
    std::streamoff offset = 0;
    words >> run >> offset;
    if (run >= kRunsOfCase) continue;
    outcome.has_outputs[run] = true;
    outcome.outputs[run].resize(sizes[number]);
    content.seekg(offset);
    content.read(reinterpret_cast<char*>(outcome.outputs[run].data()), static_cast<std::streamsize>(sizes[number]));
  }
}

}  // namespace tuner::host
