#pragma once

#include <vector>

#include "tuner/engine/candidates/session_observer.hpp"
#include "tuner/engine/recording/recording_file.hpp"

namespace tuner::engine {

/// Listens to a session and can write it down as a recording. Passes everything on to the next observer.
class Recorder final : public Observer {
 public:
  Recorder(Observer& next, const Task& task) : next_(next), task_(task) {}

  void progress(const Progress& progress) override { next_.progress(progress); }
  void warning(const std::string& sentence) override { next_.warning(sentence); }
  void trial(const cache::Trial& trial) override;

  /// Writes what was heard, with the race samples and the winner of `report`. Throws Error if the file cannot be
  /// written or the session did not finish its space: a recording is complete or it is none.
  void write(RecordingFile& file, const TuneReport& report) const;

 private:
  Observer& next_;
  const Task& task_;
  std::vector<cache::Trial> trials_;
};

}  // namespace tuner::engine
