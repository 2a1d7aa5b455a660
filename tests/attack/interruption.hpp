#pragma once

#include <string>

namespace tuner::attack {

/// How a command line is to be ended, and on what it works. Whoever starts it says so in a text: "17 9 1 0".
struct Interruption {
  int change = 0;  ///< right before the change of a file or a name with this number, from 1; 0: not; -1: count them
  int signal = 0;  ///< by which
  bool of_names = false;     ///< count only changes of names: few, and between them it matters most
  bool no_exchange = false;  ///< its file system cannot exchange two names in one step
};

inline std::string text_of(const Interruption& all) {
  return std::to_string(all.change) + " " + std::to_string(all.signal) + (all.of_names ? " 1" : " 0") +
         (all.no_exchange ? " 1" : " 0");
}
/// Of this process, from now on.
void interrupt_at(const char* text);
/// Prints how many changes there were, if they were to be counted, behind this.
void print_changes();
inline constexpr const char* kChanges = "\nchanges: ";

}  // namespace tuner::attack
