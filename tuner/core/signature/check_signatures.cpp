#include "tuner/core/signature/check_signatures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/core/base/suggestion.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/description/directives.hpp"
#include "tuner/core/description/name_table.hpp"
#include "tuner/core/signature/macro_conflicts.hpp"
#include "tuner/core/signature/written_signature.hpp"

namespace tuner {
namespace {

/// Where the directive that names the function stands. Read again, because only mistakes need it.
Place place_of(const KernelDescription& description, const DescribedCall& call) {
  const DirectiveFile file(description.file.string(), description.source);
  const std::string_view wanted = call.is_reference ? "reference" : "kernel";
  bool is_own = false;
  for (const Directive& directive : file.directives()) {
    if (!directive.arguments) continue;
    const std::string_view text = directive.arguments->text();
    const auto names = [&](const std::string& function) {
      return text.starts_with(function) &&
             (text.size() == function.size() || !is_word_character(text[function.size()]));
    };
    if (directive.word.text() == "kernel") is_own = names(description.kernel);
    if (is_own && directive.word.text() == wanted && names(call.function)) return directive.arguments->place();
  }
  return {};
}

/// Descriptions that a program builds have no lines.
bool has_lines(const KernelDescription& description) {
  return std::none_of(description.arguments.begin(), description.arguments.end(),
                      [](const Argument& argument) { return argument.place.line == 0; });
}

std::optional<TypeShape> shape_of(const Argument& argument) {
  return shape_of_type(argument.type);
}

std::string suggested(std::string_view name, const std::vector<std::string>& candidates) {
  if (candidates.empty()) return "";
  const char* const are = candidates.size() == 1 ? "is" : "are";
  return suggestion(name, candidates, fmt::format("; there {} {}", are, fmt::join(candidates, ", ")));
}

void sort_out(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

class WrittenCheck {
 public:
  WrittenCheck(const KernelDescription& description, const std::vector<Header>& headers)
      : description_(description), source_(description, headers) {}

  bool run() {
    DescribedCall call = kernel_call(description_);
    call.empty_arrays = source_.empty_arrays(description_);
    check_call(call);
    if (const auto reference = reference_call(description_)) check_call(*reference);
    for (const Argument& argument : description_.arguments) {
      if (argument.role == Argument::Role::constant) check_array(argument);
    }
    if (!message_.empty()) throw Error(Errc::bad_description, message_);
    return settled_;
  }

 private:
  void add(const DescribedCall& call, const std::vector<SignatureMistake>& mistakes) {
    if (mistakes.empty()) return;
    message_ += (message_.empty() ? "" : "\n") + mistake_text(description_, call, mistakes);
  }

  /// Whether the name stands nowhere; where that is certain, it is a mistake.
  bool is_missing(const DescribedCall& call) {
    std::string sentence;
    if (!source_.mentions(call.function)) {
      if (!source_.is_complete()) return true;
      sentence =
          fmt::format("neither the source nor a header that it includes in quotes has a kernel `{}`", call.function);
    } else if (source_.is_other_function(call.function)) {
      sentence = fmt::format("`{}` is not a kernel: it is not declared __global__", call.function);
    } else {
      return false;
    }
    std::vector<std::string> kernels = source_.kernel_names();
    sort_out(kernels);
    add(call, {{nullptr, sentence + suggested(call.function, kernels)}});
    return true;
  }

  void check_call(const DescribedCall& call) {
    if (is_missing(call)) {
      settled_ = false;
      return;
    }
    ArgumentShapes shapes;
    for (const Argument* argument : call.arguments) shapes.push_back(shape_of(*argument));
    std::vector<SignatureMistake> first;
    bool fits = false;
    const std::vector<Signature> declared = source_.kernels(call.function);
    if (declared.size() == 1 && declared.front().parameters.size() == call.arguments.size())
      check_structures(call, declared.front());
    // Of overloads, and of declarations under conditions, one is enough.
    for (const Signature& signature : declared) {
      std::vector<SignatureMistake> mistakes = compare(call, shapes, signature);
      fits = fits || mistakes.empty();
      if (first.empty()) first = std::move(mistakes);
    }
    if (!fits && !source_.stands_in_macros(call.function)) add(call, first);
    settled_ = settled_ && declared.size() == 1 && is_settled(call, shapes, declared.front());
  }

  /// What is filled with numbers is a structure of addresses.
  void check_structures(const DescribedCall& call, const Signature& signature) {
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const Argument& argument = *call.arguments[i];
      const ParameterType& parameter = signature.parameters[i];
      const bool is_read = argument.role == Argument::Role::in || argument.role == Argument::Role::inout;
      if (!is_read || parameter.form != ParameterType::Form::pointer || parameter.shape || is_given(argument)) continue;
      const std::string member = source_.address_member(parameter);
      if (member.empty()) continue;
      add(call,
          {{&argument, fmt::format("`{}` is described with numbers, but parameter {} of `{}` is `{}`, a structure "
                                   "with the member `{}`: they would be used as addresses, so give the kernel "
                                   "one buffer and offsets into it",
                                   argument.name, i + 1, call.function, parameter.text, member)}});
    }
  }

  /// Null pointers, for example.
  static bool is_given(const Argument& argument) {
    return is_from_file(argument) ||
           (!argument.generators.empty() &&
            std::all_of(argument.generators.begin(), argument.generators.end(),
                        [](const Generator& generator) { return generator.kind == Generator::Kind::constant; }));
  }

  static bool is_settled(const DescribedCall& call, const ArgumentShapes& shapes, const Signature& signature) {
    if (!signature.is_complete || signature.parameters.size() != call.arguments.size()) return false;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      if (!shapes[i] || !signature.parameters[i].shape) return false;
    }
    return true;
  }

  void check_array(const Argument& argument) {
    if (!source_.may_have_array(argument.name)) {
      if (!source_.is_complete()) return;
      std::vector<std::string> arrays = source_.array_names();
      sort_out(arrays);
      const char* const edit =
          argument.place.line == 0 ? ", or set its MemoryType to Vector without MemType if it is global memory" : "";
      add({}, {{&argument, fmt::format("neither the source nor a header that it includes in quotes has an array `{}`; "
                                       "declare it with __constant__ outside functions{}{}",
                                       argument.name, edit, suggested(argument.name, arrays))}});
      return;
    }
    const ParameterType array = source_.constant_array(argument.name);
    if (auto mistake = compare_array(argument, shape_of(argument), array)) return add({}, {*std::move(mistake)});
    const std::optional<TypeShape> shape = shape_of(argument);
    if (!shape || !is_real(shape->element) || is_from_file(argument) || argument.place.line == 0) return;
    if (const std::string member = source_.whole_member(array); !member.empty()) {
      add({},
          {{&argument,
            fmt::format("`{}` would be filled with real numbers, but its structure has the member `{}`: give it its "
                        "bytes from a file, constant({}, uint8, BYTES, file(\"FILE.npy\"))",
                        argument.name, member, argument.name)}});
    }
  }

  static bool is_from_file(const Argument& argument) {
    return std::any_of(argument.generators.begin(), argument.generators.end(),
                       [](const Generator& generator) { return generator.kind == Generator::Kind::file; });
  }

  const KernelDescription& description_;
  const WrittenSource source_;
  std::string message_;
  bool settled_ = true;
};

}  // namespace

bool check_written_signatures(const KernelDescription& description, const std::vector<Header>& headers) {
  if (description.source.empty()) return true;  // known from a recording only
  if (const std::string conflicts = macro_conflicts(description); !conflicts.empty()) {
    throw Error(Errc::bad_description, conflicts);
  }
  return WrittenCheck(description, headers).run();
}

void check_compiled_signature(const Task& task, const DescribedCall& call, const Signature& compiled) {
  const KernelDescription& description = task.description();
  const std::vector<BoundArgument> bound = task.arguments();
  ArgumentShapes shapes;
  for (const Argument* argument : call.arguments) {
    const auto same = std::find_if(bound.begin(), bound.end(),
                                   [&](const BoundArgument& other) { return other.name == argument->name; });
    if (argument->role == Argument::Role::value)
      shapes.push_back(shape_of(*argument));
    else
      shapes.push_back(same == bound.end() ? std::nullopt : std::optional<TypeShape>({same->type, same->lanes}));
  }
  Signature signature = compiled;
  // Where a parameter stands only the text tells.
  const std::vector<Signature> declared = WrittenSource(description, task.headers()).kernels(call.function);
  if (declared.size() == 1) {
    signature.place = declared.front().place;
    const bool same = declared.front().is_complete && declared.front().parameters.size() == signature.parameters.size();
    for (std::size_t i = 0; same && i < signature.parameters.size(); ++i) {
      const ParameterType& written = declared.front().parameters[i];
      ParameterType& parameter = signature.parameters[i];
      parameter.place = written.place;
      if (written.text != parameter.text)
        parameter.text = fmt::format("{}`, that is, `{}", written.text, parameter.text);
    }
  }
  const std::vector<SignatureMistake> mistakes = compare(call, shapes, signature);
  if (!mistakes.empty()) throw Error(Errc::bad_description, mistake_text(description, call, mistakes));
}

namespace {

std::string barrier_text(std::string_view what) {
  return fmt::format(
      " {} waits for the whole grid, which takes a cooperative launch, and the tuner makes none: describe a kernel "
      "that "
      "does the work between two such barriers.",
      what);
}

}  // namespace

std::string grid_barrier_text(const KernelDescription& description, const std::vector<Header>& headers) {
  if (description.source.empty()) return {};
  const std::optional<Place> place = WrittenSource(description, headers).grid_barrier();
  return place ? barrier_text(fmt::format("{}:{}", place->file, place->line)) : "";
}

std::string grid_barrier_text(const KernelDescription& description, const std::vector<Header>& headers,
                              const std::string& configuration) {
  const std::string text = grid_barrier_text(description, headers);
  if (!text.empty()) return text;
  return barrier_text(
      fmt::format("`{}`{}", description.kernel, configuration.empty() ? "" : fmt::format(" with {}", configuration)));
}

std::string waiting_loop_text(const KernelDescription& description, const std::vector<Header>& headers) {
  if (description.source.empty()) return {};
  const std::optional<Place> place = WrittenSource(description, headers).waiting_loop();
  if (!place) return {};
  return fmt::format(
      "{}:{} waits in a loop for other threads. No run proves such a wait right: if it is for blocks that are not "
      "resident, or for a counter that is set back too early, it may end here and hang elsewhere. A launch of its own "
      "for each step needs no wait.",
      place->file, place->line);
}

std::string mistake_text(const KernelDescription& description, const DescribedCall& call,
                         const std::vector<SignatureMistake>& mistakes) {
  const SourceText source(description.file.string(), description.source);
  std::string text;
  for (const SignatureMistake& mistake : mistakes) {
    Place place = description.place;
    if (mistake.argument != nullptr)
      place = mistake.argument->place;
    else if (place.file.empty() && has_lines(description))
      place = place_of(description, call);
    text += (text.empty() ? "" : "\n");
    text += place.line == 0 ? fmt::format("{}{}: {}{}", place.file.empty() ? source.file() : place.file, mistake.key,
                                          mistake.sentence, mistake.sentence.ends_with('?') ? "" : ".")
                            : source.message(place, mistake.sentence);
  }
  return text;
}

}  // namespace tuner
