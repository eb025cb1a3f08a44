#pragma once
// Text to words. The sink takes each word as (pointer, size); sixteen bytes can be read from the pointer, and
// they stay where they are until the sink is flushed.
#include <algorithm>
#include <string_view>
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
    if (rules_.lowercase) return windows<true>(text, sink);
    windows<false>(text, sink);
  }

 private:
  // A window stays in the first levels of cache. A power of two, so whole blocks.
  static constexpr std::size_t usual_window = 1 << 14;

  template <bool lowercase, class Sink>
  void windows(std::string_view text, Sink& sink) {
    std::size_t window = usual_window;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t n = std::min(window, text.size() - begin);
      const std::size_t done = words_of<lowercase>(text, begin, n, sink);
      begin += done;
      window = done ? usual_window : 2 * window;  // a word longer than the window: look further
    }
  }

  /// The words that end within `n` bytes from `begin`; returns how many bytes they and what is between took.
  template <bool lowercase, class Sink>
  std::size_t words_of(std::string_view text, std::size_t begin, std::size_t n, Sink& sink) {
    const std::size_t room = n + scan_block + readable_past;
    if (lowered_.size() < room) lowered_.resize(room);
    auto emit = [&](std::size_t from, std::size_t to, bool high) {
      if (high && !is_ascii(lowered_.data() + from, to - from)) {
        return split(text, text.substr(begin + from, to - from), sink);
      }
      sink(lowered_.data() + from, to - from);
    };
    const OpenRun run = for_each_run<lowercase>(text.data() + begin, n, lowered_.data(), emit);
    const bool is_last = begin + n == text.size();
    if (run.is_open && is_last && n - run.begin >= 2) emit(run.begin, n, run.high);
    spill_.clear(sink);
    return run.is_open && !is_last ? run.begin : n;
  }

  template <class Sink>
  void split(std::string_view text, std::string_view run, Sink& sink) {
    if (rules_.python) return split_run<PythonWords<Sink>>(text, run, rules_, spill_, sink);
    split_run<UnicodeWords<Sink>>(text, run, rules_, spill_, sink);
  }

  WordRules rules_;
  std::vector<char> lowered_;
  Spill spill_;
};

}  // namespace tallytext
