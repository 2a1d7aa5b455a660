#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "search/expression/expression.hpp"
#include "tuner/cli/fleet/fleet_actions.hpp"
#include "tuner/cli/given/compile_memory.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/command.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

struct Action {
  std::string_view word;
  ExitCode (*run)(const Arguments&);
  std::vector<std::string_view> options;  ///< besides --queue
};

const std::vector<Action>& actions() {
  static const std::vector<Action> all{
      {"submit",
       fleet_submit,
       {"kernel", "problem", "problems", "on", "effort", "mode", "priority", "team", "I", "json"}},
      {"work",
       fleet_work,
       {"until-empty", "devices", "workers", "longest-job", "compile-timeout", kCompileMemory, "as-root", "unconfined",
        "db"}},
      {"status", fleet_status, {"watch", "json"}},
      {"cancel", fleet_cancel, {"json"}},
  };
  return all;
}

bool takes(std::string_view word, std::string_view option) {
  bool is_of_some = false;
  for (const Action& action : actions()) {
    const bool is_its = std::ranges::find(action.options, option) != action.options.end();
    if (action.word == word && is_its) return true;
    is_of_some = is_of_some || is_its;
  }
  return !is_of_some;
}

void refuse_options_of_others(const Action& action, const Arguments& arguments) {
  for (const Action& other : actions()) {
    for (const std::string_view option : other.options) {
      if (!arguments.has(option) || takes(action.word, option)) continue;
      throw Error(Errc::bad_usage,
                  fmt::format("{} has no meaning for `tuner fleet {}`: leave it out.", spelled(option), action.word));
    }
  }
}

ExitCode run_fleet(const Arguments& arguments) {
  const std::string word = arguments.operands().empty() ? "" : arguments.operands().front();
  std::vector<std::string> words;
  for (const Action& action : actions()) {
    words.emplace_back(action.word);
    if (action.word != word) continue;
    refuse_options_of_others(action, arguments);
    return action.run(arguments);
  }
  const std::string nearest = search::nearest_name(word, words);
  throw Error(Errc::bad_usage,
              fmt::format("`tuner fleet` is followed by {}{}.{}", fmt::join(words, ", "),
                          word.empty() ? "" : fmt::format(", not by `{}`", word),
                          nearest.empty() ? "" : fmt::format(" Did you mean `tuner fleet {}`?", nearest)));
}

}  // namespace

Command fleet_command() {
  using Kind = Option::Kind;
  return {
      .name = "fleet",
      .synopsis =
          "tuner fleet submit FILE... [--problem A=1,B=2] [--problems FILE] [--kernel NAME]\n"
          "       [--on H200,H100] [--effort EFFORT] [--mode MODE] [--priority N] [--team NAME] [--json]\n"
          "tuner fleet work [--until-empty] [--devices LIST] [--workers N] [--longest-job TIME]\n"
          "       [--compile-timeout TIME] [--compile-memory SIZE] [--as-root] [--db PATH]\n"
          "tuner fleet status [JOB] [--watch] [--json]\n"
          "tuner fleet cancel JOB... [--json]",
      .summary = "tune on many machines through a queue in PostgreSQL",
      .purpose =
          "submit queues jobs, a kernel and a problem each; work tunes them on the GPUs here and sends what it\n"
          "finds; status lists, cancel ends; `tuner pull` fetches. docs/fleet.md is the manual.",
      .options =
          {
              {"queue", Kind::value, "ADDRESS",
               "the queue: postgresql://HOST/DATABASE, or service=NAME; default $TUNER_QUEUE. Never a password: "
               "libpq finds that in ~/.pgpass, a service file or PGPASSWORD"},
              {"kernel", Kind::value, "NAME", "submit: only this kernel of the files"},
              {"problem", Kind::repeatable, "A=1,B=2",
               "submit: the problems, as for `tuner tune`: a job each; default: the kernel's defaults"},
              {"problems", Kind::repeatable, "FILE", "submit: the problems in FILE too, a line each"},
              {"on", Kind::repeatable, "GPU,...",
               "submit: a job for each of these kinds of GPU, by a part of the name, such as H200,H100; default: one "
               "job for whichever GPU comes first"},
              {"effort", Kind::value, "quick|normal|full", "submit: how thoroughly to search; default normal"},
              {"mode", Kind::value, "cold|warm", "submit: how to time, as for `tuner tune`; default cold"},
              {"priority", Kind::value, "N", "submit: jobs with a higher number are taken first; default 0"},
              {"team", Kind::value, "NAME", "submit: for which team, if the login is in several"},
              {"I", Kind::repeatable, "DIR", "submit: folder in which headers are looked for; the job carries them"},
              {"until-empty", Kind::flag, "", "work: end when no job for these GPUs is queued or running"},
              {"devices", Kind::value, "all|0,2|0-3",
               "work: which GPUs, as numbered by `tuner devices`: a job at a time on each; default all"},
              {"workers", Kind::value, "N",
               "work: compile processes for each GPU; default: the usable cores less one, shared among the GPUs"},
              {"longest-job", Kind::value, "TIME",
               "work: set a job aside that takes longer than this (ms, s, min); default 120min"},
              {"compile-timeout", Kind::value, "TIME",
               "work: give up on a configuration that takes longer than this to compile (ms, s, min); default 30s"},
              compile_memory_option("work: "),
              {"as-root", Kind::flag, "",
               "work: even if this user is root. Kernels of others run here: only where nothing else does"},
              {"unconfined", Kind::flag, "",
               "work: even where the kernel cannot keep compilers to the files of a job (Landlock)"},
              {"watch", Kind::flag, "", "status: go on until nothing is queued or running"},
          },
      .most_operands = 1001,
      .operands = {"submit|work|status|cancel", "FILE"},
      .examples =
          {{"tuner fleet submit kernel_sources/prefetch.cu --problem 'rows=528,row_length=4K..64K x4' --on H200",
            "three jobs for an H200"},
           {"tuner fleet work --until-empty --devices 0-3", "work them off on four GPUs"},
           {"tuner fleet status 17", "what is job 17 waiting for, or why was it set aside?"}},
      .exit_codes = {ExitCode::no_result, ExitCode::no_device, ExitCode::no_toolkit, ExitCode::store,
                     ExitCode::device_failed},
      .run = run_fleet,
      .takes = takes,
  };
}

Command pull_command() {
  using Kind = Option::Kind;
  return {
      .name = "pull",
      .synopsis = "tuner pull [--queue ADDRESS] [--db PATH] [--json]",
      .summary = "fetch what a fleet found into this database",
      .purpose =
          "Imports the decisions and trials of the queue's finished jobs that this database does not have yet.\n"
          "Programs are served from the database as ever: none of them talks to a server.",
      .options = {{"queue", Kind::value, "ADDRESS", "the queue, as for `tuner fleet`; default $TUNER_QUEUE"}},
      .examples = {{"tuner pull --queue postgresql://db.example.org/tuner", "have what others found"},
                   {"tuner pull --db share/decisions.db", "collect everything in a database to ship"}},
      .exit_codes = {ExitCode::store},
      .run = pull,
  };
}

}  // namespace tuner::cli
