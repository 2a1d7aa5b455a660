#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// $FAKE_DRIVER, words and `name=number`s with blanks between:
//   none            there is no GPU
//   numbered        CUDA_VISIBLE_DEVICES is a list of numbers and is obeyed, as by a real driver: those that come
//   first,
//                   up to one that no GPU has. Otherwise all GPUs are visible, whatever it says
//   devices=N       there are N GPUs, all of one kind
//   other_device=N  but for number N, which is of another kind of the same architecture
//   dies            the process ends in cuInit
//   mute            cuInit never returns
//   no_context      no context can be created
//   no_fences       the driver cannot map memory
//   taken           or not at addresses that somebody wants
//   fence_memory=N  of memory that is mapped there are only N bytes
//   memory=N        the device says it has N bytes
//   room=N          of memory that is not mapped there are only N bytes
//   crowded=N       N bytes at once, or more, cannot be had while another worker of the same parent is not gone
//   placed=N        memory that is not mapped lies where another process can have it, at multiples of N
//   again           this is a replay, in which some kernels of programs do something else
//   noise=N         launches take up to about N parts in a thousand more or less, and drift by as much
//   seed=N          of that noise
//   lost_after=N    the GPU is lost after N launches of candidates, in all processes together; needs the journal
//   back_after=N    it is there again after N attempts to create a context
//   lost_device=N   this GPU alone is lost, by its number among all
//   real=N          launches of candidates take N times their time of the day, too
//   slow_device=N   launches on this GPU take `slower` per cent longer
//   slower=N
//   busy_device=N   40 launches on this GPU take twice as long, then 40 as long as they should, and so on
//
// $FAKE_DRIVER_JOURNAL names a file to which every attempt to create a context adds the line "context", and every load
// and launch of a candidate "load" or "launch" with its instructions. Where there are several GPUs and they are
// numbered, every attempt to create a context also adds "on GPU" with its number. It is how the workers of one test
// know of each other, and what a test counts.
//
// $FAKE_DRIVER_GPU says in any words which GPU it is: other words, another UUID.
namespace fake {

bool told(const std::string& word);
std::optional<std::uint64_t> number(const std::string& name);

void write_journal(const std::string& line);
int count_in_journal(const std::string& line);

/// The GPUs that this process sees, by their numbers among all.
const std::vector<int>& visible_gpus();

/// Whether the GPU with this number among all is lost at this moment.
bool lost(int gpu);
/// Whether so much memory cannot be had at this moment.
bool crowded(std::uint64_t bytes);

}  // namespace fake
