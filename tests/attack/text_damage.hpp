#pragma once

#include <span>
#include <string>

#include "tests/attack/chance.hpp"

namespace tuner::attack {

/// Does a few things to a text: bytes and runs are changed, left out, repeated and moved, and pieces are put in.
std::string damage_text(Chance& chance, std::string text, std::span<const char* const> pieces);

/// The same by those who know what the text is: directives, expressions, options; members of JSON; a packed record;
/// columns and rows.
std::string damage_source(Chance& chance, std::string text);
std::string damage_json(Chance& chance, std::string text);
std::string damage_packed(Chance& chance, std::string text);
std::string damage_recording(Chance& chance, std::string text);
/// A number of the text becomes one that other programs write, and few read.
std::string with_odd_number(Chance& chance, std::string text);

std::string as_utf16(const std::string& text);

/// A source in which every directive occurs.
extern const char* const kEveryDirective;

}  // namespace tuner::attack
