#include "tuner/engine/workplace/compile_batch.hpp"

#include <algorithm>
#include <utility>

#include "tuner/engine/candidates/candidate_request.hpp"
#include "tuner/engine/candidates/signature_probe.hpp"
#include "tuner/engine/lanes/wait.hpp"

namespace tuner::engine {

std::vector<std::optional<CompileReply>> CompileBatch::compile(std::vector<CompileRequest> requests,
                                                               std::chrono::steady_clock::time_point until) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kGlance{100};
  std::vector<std::optional<CompileReply>> replies(requests.size());
  const TicketId first = ticket_ + 1;
  for (CompileRequest& request : requests) compilers_.submit(++ticket_, std::move(request));
  for (std::size_t done = 0; done < replies.size();) {
    for (auto& completion : compilers_.poll()) {
      if (completion.ticket < first) continue;  // of a batch that was left
      replies.at(completion.ticket - first) = std::move(completion.reply);
      count_(++done, replies.size());
    }
    if (stop_ || Clock::now() >= until) break;
    if (done < replies.size()) wait_for(std::min(until, Clock::now() + kGlance), compilers_);
  }
  for (std::size_t i = 0; i < replies.size(); ++i) {
    if (!replies[i]) compilers_.cancel(first + i);
  }
  return replies;
}

void CompileBatch::check_signatures(const Task& task, const search::Configuration& configuration,
                                    const std::string& architecture, std::chrono::steady_clock::time_point until) {
  const std::vector<SignatureProbe> probes = signature_probes(task, configuration);
  std::vector<CompileRequest> requests;
  for (const SignatureProbe& probe : probes) requests.push_back(probe.request);
  if (auto values = value_request(task, configuration)) requests.push_back(*std::move(values));
  for (CompileRequest& request : requests) {
    if (!architecture.empty()) request.architecture = architecture;
  }
  const auto replies = compile(std::move(requests), until);
  for (std::size_t i = 0; i < probes.size(); ++i) {
    if (replies[i]) check_signature(task, probes[i], *replies[i]);
  }
  if (replies.size() > probes.size() && replies.back()) check_values(*replies.back());
}

}  // namespace tuner::engine
