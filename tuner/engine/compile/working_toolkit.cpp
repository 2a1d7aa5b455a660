#include "tuner/engine/compile/working_toolkit.hpp"

#include "tuner/engine/compile/nvrtc_compiler.hpp"

namespace tuner::engine {

Toolkit working_toolkit() {
  NvrtcCompiler compiler({});
  compiler.warm_up({});
  return compiler.toolkit();
}

}  // namespace tuner::engine
