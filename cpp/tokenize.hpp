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
  // A window and its edges stay in the first levels of cache. A power of two, so whole blocks.
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
    if (lowered_.size() < n + scan_block + readable_past) {
      lowered_.resize(n + scan_block + readable_past);
      edges_.resize(n + 2);
    }
    Scan scan = find_runs<lowercase>(text.data() + begin, n, lowered_.data(), edges_.data());
    std::size_t done = n;
    if (scan.n_edges % 2) {
      if (begin + n == text.size()) {
        edges_[scan.n_edges++] = static_cast<uint32_t>(n);
      } else {
        done = edges_[--scan.n_edges];
      }
    }
    for (std::size_t i = 0; i < scan.n_edges; i += 2) {
      const uint32_t from = edges_[i], size = edges_[i + 1] - from;
      if (scan.high && !is_ascii(lowered_.data() + from, size)) {
        split(text, text.substr(begin + from, size), sink);
      } else if (size >= 2) {
        sink(lowered_.data() + from, size);
      }
    }
    spill_.clear(sink);
    return done;
  }

  template <class Sink>
  void split(std::string_view text, std::string_view run, Sink& sink) {
    if (rules_.python) return split_run<PythonWords<Sink>>(text, run, rules_, spill_, sink);
    split_run<UnicodeWords<Sink>>(text, run, rules_, spill_, sink);
  }

  WordRules rules_;
  std::vector<char> lowered_;
  std::vector<uint32_t> edges_;
  Spill spill_;
};

}  // namespace tallytext
