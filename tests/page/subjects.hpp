#pragma once

#include <string>

#include "tuner/page/report_page.hpp"

namespace tuner::page {

/// What was found about it, as far as a page shows that, with what is foreign beside it.
inline constexpr const char* kFound = R"({"format": 1, "findings": [
  {"cause": "bank_conflicts", "claim": "cause", "sentence": "conflicts fell from 31 to 0 </script><b>", "strength": 1},
  {"claim": "unexplained", "sentence": {"not": "a text"}}, 7],
 "path": [{"change": "STRATEGY=rolling,PDIST=3", "time": {"ratio": 0.5, "low": 0.49, "high": 0.51}, "share": 0.9, "idle": false},
          {"change": "VARIANT=1", "time": {"ratio": "?"}, "share": 0.1, "idle": true}],
 "roofline": {"share": 0.93, "text": "its 8e+09 bytes take 2 ms"}})";

/// A decision over `count` trials of four parameters, of which every 50th failed. The times are made up.
inline Subject made_up(std::size_t count, const std::string& kernel = "scale") {
  Subject subject;
  subject.number = 1;
  cache::Decision& decision = subject.decision;
  decision.key = {kernel, kernel + ":0123", "n=1000", "NVIDIA H200|cc=9.0|sms=132|memory=140GiB|l2=60MiB|mig=", "cold",
                  "time"};
  decision.conditions = {"0.1.0", "13.0.88", "580.159"};
  decision.created_unix_ms = 1764000000000;
  decision.confidence = 0.9973;
  for (std::size_t i = 0; i < count; ++i) {
    cache::Trial trial;
    static_cast<cache::Run&>(trial) = decision;
    trial.sequence = static_cast<std::int64_t>(i);
    trial.configuration = "BLOCKDIMX=" + std::to_string(32 * (1 + i % 8)) + ",PDIST=" + std::to_string(i / 8 % 16) +
                          ",STRATEGY=" + (i / 128 % 2 == 0 ? "none" : "rolling") +
                          ",VARIANT=" + std::to_string(i / 256);
    if (i % 50 == 49) {
      trial.outcome = Outcome::launch_refused;
      trial.message = "Too many registers for a block of 1024 threads.";
    } else {
      trial.time_ns = 2e5 + 1234.5 * static_cast<double>((i * 7919) % 1000);
      trial.samples_ns = {*trial.time_ns, *trial.time_ns + 500};
      trial.facts.registers = static_cast<int>(32 + i % 64);
      trial.facts.occupancy = 0.25 * static_cast<double>(1 + i % 4);
      trial.facts.occupancy_limiter = "registers";
    }
    trial.compile_ms = 100;
    if (i == 0) {
      decision.baseline = decision.configuration = trial.configuration;
      decision.baseline_time_ns = decision.time_ns = *trial.time_ns;
    } else if (trial.time_ns && *trial.time_ns < decision.time_ns) {
      decision.configuration = trial.configuration;
      decision.time_ns = *trial.time_ns;
    }
    subject.trials.push_back(std::move(trial));
  }
  decision.ties = {{decision.configuration, 1}};
  subject.texts = {{cache::TextKind::source, "scale.cu", "// no part of the page"},
                   {cache::TextKind::samples, subject.trials[count / 2].configuration, "[400000,410000]"},
                   {cache::TextKind::samples, decision.configuration, "[201000,199000,200000]"},
                   {cache::TextKind::insight, "explain", kFound}};
  decision.speedup = *decision.baseline_time_ns / decision.time_ns;
  decision.speedup_low = 0.99 * *decision.speedup;
  decision.speedup_high = 1.01 * *decision.speedup;
  return subject;
}

}  // namespace tuner::page
