#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/cli/explain/explainer.hpp"
#include "tuner/cli/explain/measuring_request.hpp"
#include "tuner/cli/given/stored_kernel.hpp"
#include "tuner/cli/given/stores.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/command.hpp"
#include "tuner/cli/terminal/interrupts.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/cli/terminal/progress_line.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/timing_text.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/engine/workplace/session_stores.hpp"
#include "tuner/engine/workplace/workplace.hpp"
#include "tuner/error.hpp"
#include "tuner/explain/explanation.hpp"
#include "tuner/explain/explanation_json.hpp"

namespace tuner::cli {

namespace {

ExplainRequest read_explain_request(const Arguments& arguments) {
  if (arguments.operands().empty()) {
    throw Error(Errc::bad_usage,
                with_shipped_kernels("`tuner explain` needs a kernel file whose winner is stored, for example `tuner "
                                     "explain kernel_sources/prefetch.cu`, or FILE@A=1,B=2."));
  }
  ExplainRequest request;
  request.to = parse_side(arguments.operands().front());
  if (request.to.configuration.empty()) request.to.configuration = "winner";
  request.from = request.to;
  request.from.configuration = arguments.value("against").value_or("baseline");
  read_measuring(arguments, request.to.number ? "on a decision" : nullptr, request);
  request.path.limit = arguments.duration("limit").value_or(request.path.limit);
  request.with_counters = arguments.has("counters");
  request.with_path = !arguments.has("no-path");
  return request;
}

/// Keeps what was found beside the decision that it is about, where it is the answer to that question: from its
/// baseline, on its kind of GPU. What says more is not replaced by what says less.
void keep(const explain::Explanation& explanation, const cache::Decision& decision, const Task& task,
          const ExplainRequest& request, ProgressLine& line) {
  if (decision.configuration != explanation.to.configuration || decision.baseline != explanation.from.configuration)
    return;
  if (decision.key.device != task.device().identity() || explanation.from.configuration == explanation.to.configuration)
    return;
  const engine::SessionStores stores = engine::open_for_session(request.database);
  if (stores.path.empty()) return line.warning("The database cannot be written, so what was found is not kept.");
  try {
    const auto before = explain::kept_explanation(stores.store->find_texts(decision.row));
    if (before && says_more(*before, explanation))
      return line.warning("What was found before says more, and stays with the decision; this is not kept.");
    const cache::DecisionText text{cache::TextKind::insight, std::string(cache::kExplanation), to_json(explanation)};
    stores.store->record_texts(decision.row, {&text, 1});
  } catch (const Error& error) {
    line.warning(fmt::format("{} What was found is not kept.", error.what()));
  }
}

/// What was found before, where nothing can be measured now, and why that is. Kept is what says why a decision's winner
/// beats its baseline: that answers no question about another configuration.
ExitCode show_kept(const cache::Decision& decision, const cache::Database& store, const ExplainRequest& request,
                   const std::string& why, const Arguments& arguments) {
  const std::vector<cache::DecisionText> texts = store.find_texts(decision.row);
  const auto explanation = explain::kept_explanation(texts);
  const std::string& of = request.to.configuration;
  const std::string& against = request.from.configuration;
  const bool is_of_winner = of == "winner" || of == decision.configuration;
  if (!is_of_winner) {
    say(fmt::format("{} Only what is found about the winner is kept, and nothing about {}.", why, one_line(of)));
    return ExitCode::no_result;
  }
  // Decisions of earlier versions do not name their baseline; what is kept does, if it can be read.
  const std::string& baseline = explanation ? explanation->from.configuration : decision.baseline;
  const bool is_asked = against == "baseline" || against == baseline || (baseline.empty() && explain::is_kept(texts));
  if (explanation && is_asked) {
    warn(fmt::format("{} What follows was found before.", why));
    print_found(*explanation, arguments);
    return ExitCode::done;
  }
  const char* const why_none = explain::is_kept(texts) ? explain::kUnreadable : "Nothing was found about it before.";
  say(fmt::format("{} {}", why,
                  is_asked ? why_none
                           : fmt::format("Only what is found against the baseline is kept, and nothing against {}.",
                                         one_line(against))));
  return ExitCode::no_result;
}

/// Nothing if it was interrupted.
std::optional<explain::Explanation> explain(ExplainRequest request, KernelDescription description,
                                            std::optional<cache::Decision> decision, engine::Workplace& workplace,
                                            ProgressLine& line, const DeviceInfo& device,
                                            const cache::Database* store) {
  const Task task(std::move(description), request.problem, device, {}, request.session.include_folders,
                  search::Listing::when_needed);
  if (!decision) decision = stored_winner(task, request.session.mode, store);
  if (!workplace.take_turn(task)) return std::nullopt;
  const engine::SessionParts parts = workplace.parts();
  Explainer explainer(request, parts, task, store);
  explainer.add_roofline();
  if (!explainer.measure()) return std::nullopt;
  if (request.with_counters) {
    workplace.release_device();
    explainer.count();
    if (parts.stop) return std::nullopt;
  }
  explain::Explanation explanation = explainer.conclude();
  explanation.warnings = line.take_warnings();
  if (decision) keep(explanation, *decision, task, request, line);
  return explanation;
}

ExitCode run_explain(const Arguments& arguments) {
  ExplainRequest request = read_explain_request(arguments);
  const cache::Location location = cache::locate(request.database);
  const std::unique_ptr<cache::Database> store = open_for_reading(location);
  std::optional<cache::Decision> decision;
  std::optional<KernelDescription> description;
  if (request.to.number) {
    decision = decision_of_number(*request.to.number, store.get(), location);
    if (!decision) return ExitCode::no_result;
    request.to.decision = request.from.decision = decision;
    StoredKernel stored = stored_kernel(*decision, *store, location.decisions);
    if (!stored.description) {
      return show_kept(*decision, *store, request, stored.why_not, arguments);
    }
    description = std::move(stored.description);
    request.problem = parse_problem(decision->key.problem);
    request.session.mode = timing_from_string(decision->key.mode).value_or(Timing::cold);
  }
  // A file that is wrong is so with and without a GPU.
  std::vector<std::string> warnings;
  if (!description) {
    description = load_description(request.to.file, request.kernel,
                                   [&](const std::string& sentence) { warnings.push_back(sentence); });
  }
  const Interrupts interrupts;
  ProgressLine line;
  std::optional<engine::Workplace> workplace;  // its end takes time, and comes after what is printed
  try {
    workplace.emplace(request.device, request.session.include_folders, line, interrupts.flag());
    for (const std::string& sentence : warnings) line.warning(sentence);
    const DeviceInfo& device = workplace->device();
    std::optional<explain::Explanation> explanation =
        explain(request, *std::move(description), decision, *workplace, line, device, store.get());
    line.erase();
    if (!explanation) return ExitCode::interrupted;
    for (std::string& sentence : line.take_warnings()) explanation->warnings.push_back(std::move(sentence));
    print_found(*explanation, arguments);
    return ExitCode::done;
  } catch (const Error& error) {
    if (interrupts.flag()) return ExitCode::interrupted;
    // A stored source may need what is not stored: headers of other folders, say.
    const bool may_show = decision && (error.code() == Errc::no_driver || error.code() == Errc::baseline_failed ||
                                       error.code() == Errc::bad_description);
    if (!may_show) throw;
    line.erase();
    return show_kept(*decision, *store, request, error.what(), arguments);
  }
}

}  // namespace

Command explain_command() {
  using Kind = Option::Kind;
  return {
      .name = "explain",
      .synopsis = "tuner explain FILE[@CONFIG]|NUMBER[@CONFIG] [options]",
      .summary = "say why the winner wins, in words and numbers",
      .purpose =
          "Measures what each change from the baseline to the winner brings, reads both machine codes, has\n"
          "the hardware count what it does if asked to, and says what makes the difference.",
      .options =
          {
              {"against", Kind::value, "CONFIG", "what to compare with: `baseline` (default), or A=1,B=2"},
              {"problem", Kind::value, "A=1,B=2", "values that define the problem"},
              {"kernel", Kind::value, "NAME", "which kernel, if the file describes several"},
              {"counters", Kind::flag, "", "count instructions, sectors, conflicts and stalls; takes seconds more"},
              {"no-path", Kind::flag, "", "leave out what each change brings"},
              {"limit", Kind::value, "TIME", "for the path; default 60s"},
              {"mode", Kind::value, "cold|warm", "cold (default): the L2 cache is flushed before every sample"},
              {"device", Kind::value, "N", "which GPU, as `tuner devices` numbers them; default 0"},
              {"seed", Kind::value, "N", "of the generated inputs and of the order in blocks; default 0"},
              {"launch-timeout", Kind::value, "TIME", "a launch that takes longer is stopped; default 2s"},
              {"I", Kind::repeatable, "DIR", "folder in which headers are looked for"},
              {"markdown", Kind::flag, "", "print headings and tables for a page"},
          },
      .most_operands = 1,
      .operands = {"FILE@CONFIG|NUMBER"},
      .examples =
          {
              {"tuner explain kernel_sources/prefetch.cu --problem rows=528,row_length=65536 --counters",
               "why the stored winner beats the baseline"},
              {"tuner explain kernel.cu@BLOCK=256 --against BLOCK=128", "one configuration against another"},
              {"tuner explain 3", "decision 3 of `tuner list`, by its stored source"},
          },
      .exit_codes = {ExitCode::no_result, ExitCode::no_device, ExitCode::no_toolkit, ExitCode::store,
                     ExitCode::device_failed},
      .run = run_explain,
  };
}

}  // namespace tuner::cli
