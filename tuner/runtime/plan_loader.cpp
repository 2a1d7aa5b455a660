#include "tuner/runtime/plan_loader.hpp"

#include <string>
#include <utility>
#include <vector>

#include "cache/file/hash.hpp"
#include "tuner/core/binary/cubin.hpp"
#include "tuner/runtime/signature.hpp"

namespace tuner::detail {
namespace {

std::vector<ValueSize> value_sizes(const std::vector<BoundArgument>& arguments,
                                   const std::vector<KernelParameter>& parameters) {
  std::vector<ValueSize> sizes;
  std::size_t parameter = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!is_parameter(arguments[i].role)) continue;
    const auto bytes = static_cast<std::uint32_t>(parameters[parameter++].size);
    if (arguments[i].role == Argument::Role::value) sizes.push_back({i, bytes});
  }
  return sizes;
}

TunedValues tuned_values(const std::vector<ParameterValue>& parameters) {
  std::vector<TunedValues::Named> values;
  for (const auto& [name, value] : parameters) {
    TunedValues::Named named{name, value.is_name() ? value.as_name() : std::string()};
    if (value.is_integer()) named.value = value.as_integer();
    if (value.is_real()) named.value = value.as_real();
    if (value.is_boolean()) named.value = value.as_boolean();
    values.push_back(std::move(named));
  }
  return TunedValues(std::move(values));
}

}  // namespace

LaunchPlan PlanLoader::load(const ContextPlace& place, const LaunchFacts& launch, const Provenance& provenance,
                            const cache::Cubin& binary) {
  LaunchPlan plan;
  if (const auto facts = facts_from_cubin(binary.bytes, binary.kernel)) {
    if (const auto why = why_not_described(launch.kernel, launch.arguments, facts->parameters))
      throw Error(Errc::bad_description, *why);
    plan.value_sizes = value_sizes(launch.arguments, facts->parameters);
  }
  const cache::Hash hash = cache::content_hash(binary.bytes);  // whatever a message said
  plan.geometry = launch.geometry;
  plan.function = modules_.load(place, binary.bytes, hash, binary.kernel, launch, contexts_.info(place.device));
  plan.constants = modules_.constants(place, binary.bytes, hash, launch.arguments);
  for (const ConstantCopy& constant : plan.constants) {
    if (constant.array_bytes == constant.bytes) continue;
    const std::string& array = launch.arguments[constant.position].name;
    if (modules_.is_news(launch.kernel, array)) {
      settings_.report(Notice::Kind::request, partly_filled(array, constant.array_bytes, constant.bytes));
    }
  }
  (plan.constants.empty() ? plan.launch : plan.launch_after_copies) = cuda::driver().launch;
  plan.copy = cuda::driver().copy_on_device;
  plan.bound = launch.bound;
  plan.buffers = launch.buffers;
  plan.scratch = &scratch_.in(cuda::driver(), place);
  plan.values = tuned_values(launch.values);
  plan.provenance = provenance;
  plan.binary = hash;
  return plan;
}

}  // namespace tuner::detail
