#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cache/store/database.hpp"
#include "tuner/cli/unfinished_line.hpp"
#include "tuner/core/description/description.hpp"

namespace tuner::cli {

/// A word that may be typed and half a line that explains it; the second may be empty.
struct Completion {
  std::string word;
  std::string meaning;
};

/// A name that may be given a value, and the values that are known of it.
struct Assignable {
  std::string name;
  std::string meaning;
  std::vector<std::string> values;
};

/// What the kernel file on a line and the databases know. Each is read when it is first needed, and never written;
/// what cannot be read knows nothing. Throws nothing but for want of memory. Used from one thread.
class KnownNames {
 public:
  /// The file is the line's first operand, what stands before an `@` in it, or in the word that is being typed.
  explicit KnownNames(const UnfinishedLine& line) : line_(line) {}

  /// Kernels: of the file, else of the database.
  std::vector<Completion> kernels();
  /// Kernels of the database.
  std::vector<Completion> stored_kernels();
  /// Numbers of the decisions in force, newest first; none of a database that has more than a thousand keys.
  std::vector<Completion> numbers();
  /// Names of the GPUs of the database.
  std::vector<Completion> gpus();
  /// Properties of problems: of the file, else of the database's problems, of those of kernels on the line if there are
  /// any.
  std::vector<Assignable> properties();
  /// Tuned parameters of the file; of a decision's number in its place, with the values that were tried.
  std::vector<Assignable> parameters();
  /// Buffers of the file.
  std::vector<Assignable> buffers();

 private:
  const std::vector<KernelDescription>& descriptions();
  std::vector<Assignable> stored_parameters();
  /// Of everything that the database has, forgotten or not.
  const std::vector<cache::DecisionKey>& keys();

  const UnfinishedLine& line_;
  std::optional<std::vector<KernelDescription>> descriptions_;
  std::unique_ptr<cache::Database> store_;
  std::optional<std::vector<cache::DecisionKey>> keys_;
};

}  // namespace tuner::cli
