#pragma once

#include <filesystem>
#include <string>

#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/task/problem.hpp"
#include "tuner/engine/candidates/session_options.hpp"

namespace tuner::cli {

/// What `compare` and `explain` are asked alike.
struct MeasuringRequest {
  std::string kernel;
  ProblemValues problem;
  engine::SessionOptions session;
  int device = 0;
  std::filesystem::path database;
};

/// Reads these options. `decision`: why some have no effect, "on a decision", where a decision brings its own; null
/// where none does. Throws Error{bad_usage, bad_problem}.
void read_measuring(const Arguments& arguments, const char* decision, MeasuringRequest& request);

/// Prints what was found in the form that was asked for.
template <class Found>
void print_found(const Found& found, const Arguments& arguments) {
  if (arguments.has("json")) {
    print(printable_json(to_json(found)));
  } else {
    print(arguments.has("markdown") ? to_markdown(found) : to_text(found, output_width()));
  }
}

}  // namespace tuner::cli
