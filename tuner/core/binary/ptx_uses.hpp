#pragma once

#include <string>
#include <string_view>

namespace tuner {

/// The first instruction of the kernel, or of a function that it may call, that takes the handle of a texture or a
/// surface or a tensor map: "tex.1d.v4.f32.s32". The type of a handle may be hidden behind a typedef of an integer, but
/// not what is done with it. Empty if there is none.
std::string_view handle_instruction(std::string_view ptx, std::string_view lowered_name);

/// "uses a texture, a surface or a tensor map (tex.1d.v4.f32.s32), whose handle ...", and what to do instead.
std::string handle_text(std::string_view instruction);

/// Whether the kernel asks where the barrier of a cooperative launch is, as the grid groups of cooperative groups do,
/// whatever they are called in the source.
bool asks_for_grid_barrier(std::string_view ptx, std::string_view lowered_name);

}  // namespace tuner
