#pragma once

#include "tuner/core/device/device.hpp"

namespace tuner {

/// Calls `visit(name, member)` for every member of a DeviceInfo: the one list of them.
template <typename Info, typename Visit>
void visit_device(Info& info, Visit&& visit) {
  visit("name", info.name);
  visit("uuid", info.uuid);
  visit("ordinal", info.ordinal);
  visit("compute_major", info.compute_major);
  visit("compute_minor", info.compute_minor);
  visit("sm_count", info.sm_count);
  visit("memory_bytes", info.memory_bytes);
  visit("l2_bytes", info.l2_bytes);
  visit("mig_profile", info.mig_profile);
  visit("warp_size", info.warp_size);
  visit("max_threads_per_block", info.max_threads_per_block);
  visit("max_threads_per_sm", info.max_threads_per_sm);
  visit("max_blocks_per_sm", info.max_blocks_per_sm);
  visit("registers_per_sm", info.registers_per_sm);
  visit("registers_per_block", info.registers_per_block);
  visit("max_shared_per_block", info.max_shared_per_block);
  visit("max_shared_per_sm", info.max_shared_per_sm);
  visit("reserved_shared_per_block", info.reserved_shared_per_block);
  visit("clock_khz", info.clock_khz);
  visit("memory_clock_khz", info.memory_clock_khz);
  visit("memory_bus_bits", info.memory_bus_bits);
  visit("driver_version", info.driver_version);
}

/// As a record of messages.
void describe(auto& fields, DeviceInfo& info) {
  visit_device(info, fields);
}

}  // namespace tuner
