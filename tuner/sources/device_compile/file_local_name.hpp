#pragma once

#include <string>
#include <string_view>

namespace tuner::sources {

/// A mangled name without what nvcc makes of the file's path and of its first function, so that names of one source in
/// two folders, or in a copy of another name, are equal. What it takes out:
///   36_GLOBAL__N__6c586a6e_4_k_cu_acc5a52f                an anonymous namespace, as a part of a name with its length
///   34_INTERNAL_4149727b_4_r_cu__Z4nearf                  around it, in relocatable code
///   __nv_static_25__4149727b_4_r_cu__Z4nearf__Z4statPf    in front of a static kernel's name, in relocatable code
/// Of a name that has nothing of the kind, the name itself. Pure.
std::string without_file(std::string_view mangled);

}  // namespace tuner::sources
