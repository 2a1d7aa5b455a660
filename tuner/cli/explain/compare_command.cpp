#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "tuner/cli/explain/comparer.hpp"
#include "tuner/cli/explain/comparison_report.hpp"
#include "tuner/cli/explain/measuring_request.hpp"
#include "tuner/cli/given/stored_kernel.hpp"
#include "tuner/cli/given/stores.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/command.hpp"
#include "tuner/cli/terminal/interrupts.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

/// "1%" → 0.01.
double read_within(const std::string& text) {
  char* end = nullptr;
  const double percents = std::strtod(text.c_str(), &end);
  const bool is_number = end != text.c_str() && std::string_view(end) == "%";
  if (is_number && percents >= 0.05 && percents <= 50) return percents / 100;
  throw Error(Errc::bad_usage,
              fmt::format("--within {} is no margin. Write a percentage from 0.05% to 50%, such as 1%.", text));
}

CompareRequest read_compare_request(const Arguments& arguments) {
  if (arguments.operands().size() != 2) {
    throw Error(Errc::bad_usage,
                with_shipped_kernels("`tuner compare` needs two things to compare, for example `tuner compare old.cu "
                                     "new.cu`, `tuner compare kernel_sources/prefetch.cu@baseline @winner` or two "
                                     "numbers that `tuner list` shows."));
  }
  CompareRequest request;
  request.first = parse_side(arguments.operands()[0]);
  request.second = parse_side(arguments.operands()[1], &request.first);
  const bool has_number = request.first.number || request.second.number;
  read_measuring(arguments, has_number ? "beside a decision" : nullptr, request);
  if (const auto within = arguments.value("within")) request.pair.within = read_within(*within);
  request.pair.limit = arguments.duration("limit").value_or(request.pair.limit);
  return request;
}

ExitCode exit_code_of(const ComparisonReport& report) {
  if (!report.first.failure.empty() || !report.second.failure.empty()) return ExitCode::no_result;
  switch (report.raced ? report.raced->verdict : engine::Verdict::undecided) {
    case engine::Verdict::faster:
    case engine::Verdict::same:
      return ExitCode::done;
    case engine::Verdict::slower:
      return ExitCode::slower;
    case engine::Verdict::undecided:
      break;
  }
  return ExitCode::undecided;
}

ExitCode run_compare(const Arguments& arguments) {
  CompareRequest request = read_compare_request(arguments);
  const cache::Location location = cache::locate(request.database);
  const std::unique_ptr<cache::Database> store = open_for_reading(location);
  for (Side* side : {&request.first, &request.second}) {
    if (!side->number) continue;
    side->decision = decision_of_number(*side->number, store.get(), location);
    if (!side->decision) return ExitCode::no_result;
  }
  const Interrupts interrupts;
  const std::optional<ComparisonReport> report = compare(std::move(request), store.get(), interrupts.flag());
  if (!report) return ExitCode::interrupted;
  print_found(*report, arguments);
  return exit_code_of(*report);
}

}  // namespace

Command compare_command() {
  using Kind = Option::Kind;
  return {
      .name = "compare",
      .synopsis = "tuner compare FIRST SECOND [options]",
      .summary = "race two configurations or two versions of a kernel",
      .purpose =
          "Runs both in pairs until it is known whether the second is faster or slower. Each is FILE or a\n"
          "decision's NUMBER, alone or with @baseline, @winner or @A=1,B=2. @CONFIG is that of the first's.",
      .options =
          {
              {"problem", Kind::value, "A=1,B=2", "values that define the problem"},
              {"kernel", Kind::value, "NAME", "which kernel, if the files describe several"},
              {"within", Kind::value, "P%", "a difference up to this is none; default 1%"},
              {"limit", Kind::value, "TIME", "for the race; then it is undecided; default 10s"},
              {"mode", Kind::value, "cold|warm", "cold (default): the L2 cache is flushed before every sample"},
              {"device", Kind::value, "N", "which GPU, as `tuner devices` numbers them; default 0"},
              {"seed", Kind::value, "N", "of the generated inputs and of the order in pairs; default 0"},
              {"launch-timeout", Kind::value, "TIME", "a launch that takes longer is stopped; default 2s"},
              {"I", Kind::repeatable, "DIR", "folder in which headers are looked for"},
              {"markdown", Kind::flag, "", "print a line and a table for a comment"},
          },
      .most_operands = 2,
      .operands = {"FILE@CONFIG|NUMBER"},
      .examples =
          {
              {"tuner compare kernel_sources/prefetch.cu@baseline @winner --problem rows=528,row_length=65536",
               "what tuning brought, measured now"},
              {"tuner compare old.cu new.cu --problem n=1000000 --within 2%",
               "two versions of a kernel, for a script: exit code 8 if the second is slower"},
              {"tuner compare 3 7", "decisions 3 and 7, from the sources that are stored with them"},
          },
      .exit_codes = {ExitCode::no_result, ExitCode::no_device, ExitCode::no_toolkit, ExitCode::store,
                     ExitCode::device_failed, ExitCode::slower, ExitCode::undecided},
      .run = run_compare,
  };
}

}  // namespace tuner::cli
