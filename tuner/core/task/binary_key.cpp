#include "tuner/core/task/binary_key.hpp"

#include "tuner/core/task/hashed_fields.hpp"

namespace tuner {

std::string binary_key(const Task& task, const search::Configuration& configuration) {
  HashedFields fields("binary1");
  fields.add("kernel", task.kernel_identity());
  fields.add("architecture", task.device().architecture());
  fields.add("name", task.name_expression(configuration));
  for (const Macro& macro : task.compiled_macros(configuration)) {
    fields.add("define", macro.name);
    fields.add("as", macro.text);
  }
  for (const std::string& option : task.options(configuration)) fields.add("option", option);
  return fields.text();
}

}  // namespace tuner
