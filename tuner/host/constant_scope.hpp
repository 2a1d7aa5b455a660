#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tuner::host {

/// The array in constant memory of that name with the namespaces that it is in, "app::weights", as the texts declare
/// it; the name alone where none of them does, or several do.
std::string constant_with_scope(std::string_view name, std::span<const std::string_view> texts);

}  // namespace tuner::host
