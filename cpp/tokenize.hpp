#pragma once
// Text to words. The sink takes each word as (pointer, size); sixteen bytes can be read from the pointer, and
// they stay where they are until the sink is flushed. A sink that wants to know where the text is cut has
// begin_run(from, to), too.
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "scan.hpp"
#include "words.hpp"

namespace tallytext {

/// Cuts documents into words. One thread's: it reuses its memory from document to document.
class Tokenizer {
 public:
  explicit Tokenizer(const WordRules& rules) : rules_(rules) {}

  template <class Sink>
  void operator()(std::string_view text, Sink& sink) {
    if (rules_.shortest == 1) return cut<1>(text, sink);
    cut<2>(text, sink);
  }

 private:
  // A window stays in the first levels of cache. A power of two, so whole blocks.
  static constexpr std::size_t usual_window = 1 << 14;

  template <std::size_t shortest, class Sink>
  void cut(std::string_view text, Sink& sink) {
    if (rules_.lowercase) return windows<true, shortest>(text, sink);
    windows<false, shortest>(text, sink);
  }

  template <bool lowercase, std::size_t shortest, class Sink>
  void windows(std::string_view text, Sink& sink) {
    std::size_t window = usual_window;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t n = std::min(window, text.size() - begin);
      const std::size_t done = words_of<lowercase, shortest>(text, begin, n, sink);
      begin += done;
      window = done ? usual_window : 2 * window;  // a word longer than the window: look further
    }
  }

  /// The words that end within `n` bytes from `begin`; returns how many bytes they and what is between took.
  template <bool lowercase, std::size_t shortest, class Sink>
  std::size_t words_of(std::string_view text, std::size_t begin, std::size_t n, Sink& sink) {
    char* lowered = room_for(n + scan_block, sink);
    auto emit = [&](std::size_t from, std::size_t to, bool high) {
      if constexpr (requires { sink.begin_run(from, to); }) sink.begin_run(begin + from, begin + to);
      if (high && !is_ascii(lowered + from, to - from)) {
        return split(text, text.substr(begin + from, to - from), sink);
      }
      sink(lowered + from, to - from);
    };
    const OpenRun run = for_each_run<lowercase, shortest>(text.data() + begin, n, lowered, emit);
    const bool is_last = begin + n == text.size();
    if (run.is_open && is_last && n - run.begin >= shortest) emit(run.begin, n, run.high);
    return run.is_open && !is_last ? run.begin : n;
  }

  /// Room for `size` bytes behind those of earlier windows, whose words may still wait in the sink.
  template <class Sink>
  char* room_for(std::size_t size, Sink& sink) {
    if (used_ + size + readable_past > lowered_.size()) {
      sink.flush();
      used_ = 0;
      if (size + readable_past > lowered_.size()) lowered_.resize(size + readable_past);
    }
    return lowered_.data() + std::exchange(used_, used_ + size);
  }

  template <class Sink>
  void split(std::string_view text, std::string_view run, Sink& sink) {
    if (rules_.python) return split_run<PythonWords<Sink>>(text, run, rules_, spill_, sink);
    split_run<UnicodeWords<Sink>>(text, run, rules_, spill_, sink);
  }

  WordRules rules_;
  std::vector<char> lowered_ = std::vector<char>(usual_window + scan_block + readable_past);
  std::size_t used_ = 0;
  Spill spill_;
};

}  // namespace tallytext
