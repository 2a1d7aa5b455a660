#include "cache/file/own_library.hpp"

#include <link.h>

namespace tuner::cache {
namespace {

/// For dl_iterate_phdr: copies the name of the object that this code is in, and goes no further. (dladdr would search
/// all of a program's symbols for a name that nobody wants.)
int copy_own_name(dl_phdr_info* object, std::size_t, void* name) {
  const auto here = reinterpret_cast<ElfW(Addr)>(&copy_own_name);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    const ElfW(Addr) begin = object->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || here < begin || here - begin >= segment.p_memsz) continue;
    if (object->dlpi_name != nullptr) *static_cast<std::string*>(name) = object->dlpi_name;
    return 1;
  }
  return 0;
}

}  // namespace

std::string own_library() {
  std::string name;
  dl_iterate_phdr(copy_own_name, &name);
  return name;
}

}  // namespace tuner::cache
