#pragma once

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/description/code_text.hpp"
#include "tuner/core/description/source_text.hpp"
#include "tuner/core/signature/signature.hpp"

namespace tuner {

/// A source and the headers that it includes with quotes, as text: nothing is preprocessed. What macros, templates and
/// typedefs make of it is not known here, and said to be unknown.
class WrittenSource {
 public:
  /// Both must outlive this.
  WrittenSource(const KernelDescription& description, const std::vector<Header>& headers);

  /// Whether the last part of `name` (`v2::scale`: scale) stands anywhere in the code.
  bool mentions(std::string_view name) const;
  /// Whether a macro's text has that name, so that it may declare what is called so.
  bool stands_in_macros(std::string_view name) const;
  /// Whether all code is at hand that could say what a name is: no headers that were not found, no names that are put
  /// together of parts.
  bool is_complete() const;
  bool lacks_headers() const { return lacks_headers_; }  ///< some were not found

  /// Every declaration of a kernel that may be the one called `name`.
  std::vector<Signature> kernels(std::string_view name) const;
  /// The names of those that are declared `__global__`.
  std::vector<std::string> kernel_names() const;
  /// Whether functions of that name are declared, and none of them `__global__`: where that is certain.
  bool is_other_function(std::string_view name) const;
  /// The array that `__constant__` declares; of a form that is unknown if that is not seen, or if there are several.
  ParameterType constant_array(std::string_view name) const;
  /// Where that is an array of a structure with a member that is no real number, or one alone: the member, "int steps".
  std::string whole_member(const ParameterType& array) const;
  /// The same for a member that is an address, "const float* data".
  std::string address_member(const ParameterType& type) const;
  /// Whether there may be one of that name: declared, or by a macro.
  bool may_have_array(std::string_view name) const;
  /// The names of those arrays.
  std::vector<std::string> array_names() const;
  /// Of those that neither an initialiser nor an argument of the description gives a content, each once.
  std::vector<std::string> empty_arrays(const KernelDescription& description) const;
  /// The first place that waits for the whole grid, as only a cooperative launch can: `this_grid().sync()`.
  std::optional<Place> grid_barrier() const;
  /// The first loop that does nothing but read, again and again, what another thread is to write: a barrier written by
  /// hand, for example. Loops that take a lock are none.
  std::optional<Place> waiting_loop() const;

 private:
  struct File {
    SourceText text;
    CodeText code;
  };
  struct Found {
    const File* file;
    std::size_t at;
  };

  struct Array {
    std::string_view name;
    bool has_content = false;
  };

  std::vector<Array> arrays() const;
  std::string member_of(const ParameterType& type, bool (*is_wanted)(std::string_view member)) const;
  /// Without its braces; empty where there is none.
  std::string_view structure_body(std::string_view name) const;
  void note_macro(const CodeText::Macro& macro);
  void note_option(std::string_view option);
  bool is_macro(std::string_view word) const;
  std::vector<Found> find(std::string_view name) const;
  std::string_view statement_before(const File& file, std::size_t at) const;
  bool declares_kernel(std::string_view statement) const;
  Signature signature(const File& file, std::size_t name, std::size_t open) const;
  ParameterType parameter(const File& file, std::size_t begin, std::size_t end, bool& is_certain) const;
  void read_type(std::string_view words, ParameterType& type) const;

  std::deque<File> files_;
  std::set<std::string, std::less<>> own_names_;     ///< to which the source itself gives a meaning
  std::set<std::string, std::less<>> lists_;         ///< macros that may stand for several parameters
  std::set<std::string, std::less<>> kernel_words_;  ///< `__global__`, and macros that say it
  bool pastes_ = false;                              ///< macros put names together of parts
  bool lacks_headers_ = false;                       ///< some were not found
};

}  // namespace tuner
