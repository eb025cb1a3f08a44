#pragma once
// Words to n-grams of words.
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "padded.hpp"

namespace tallytext {

/// A sink before the last: joins the words of a document by spaces into n-grams. It copies the words, end to
/// end, and lets n-grams of short documents wait in the last sink for those of others.
template <class Sink>
class WordNgrams {
 public:
  WordNgrams(std::size_t shortest, std::size_t longest, Sink& sink)
      : shortest_(shortest), longest_(longest), sink_(sink) {}

  void operator()(const char* p, std::size_t size) {
    copy_padded(p, size, room_for(size));
    add_word(size);
  }
  void any(const char* p, std::size_t size) {
    holds_nul_ |= std::string_view(p, size).find('\0') != std::string_view::npos;
    std::copy(p, p + size, room_for(size));
    add_word(size);
  }
  void flush() {}

  /// All words of the document are here; what comes now is none, and past this sink.
  Sink& past_words() {
    for (std::size_t n = shortest_; n <= longest_ && n <= words_.size(); ++n) {
      for (std::size_t i = 0; i + n <= words_.size(); ++i) emit(words_[i].begin, words_[i + n - 1].end);
    }
    begin_ = used_;
    words_.clear();
    holds_nul_ = false;
    return sink_;
  }
  void end_document() { past_words().end_document(); }

 private:
  struct Word {  // counted from the first byte of the document
    std::size_t begin, end;
  };

  /// Where a word of this size goes, with a space behind it.
  char* room_for(std::size_t size) {
    if (used_ + size + 1 + readable_past > bytes_.size()) move(size);
    return bytes_.data() + used_;
  }
  void add_word(std::size_t size) {
    words_.push_back({used_ - begin_, used_ - begin_ + size});
    used_ += size;
    bytes_[used_++] = ' ';
  }

  /// Moves the document to the front, where earlier ones lie, whose n-grams may still wait.
  void move(std::size_t size) {
    sink_.flush();
    std::copy(bytes_.begin() + begin_, bytes_.begin() + used_, bytes_.begin());
    used_ -= std::exchange(begin_, 0);
    const std::size_t needed = used_ + size + 1 + readable_past;
    if (needed > bytes_.size()) bytes_.resize(2 * needed);
  }

  void emit(std::size_t from, std::size_t to) {
    const char* document = bytes_.data() + begin_;
    if (holds_nul_) return sink_.any(document + from, to - from);
    sink_(document + from, to - from);
  }

  std::size_t shortest_, longest_;
  Sink& sink_;
  std::vector<char> bytes_ = std::vector<char>(1 << 15);
  std::size_t begin_ = 0, used_ = 0;  // of the document, in the bytes
  std::vector<Word> words_;
  bool holds_nul_ = false;
};

}  // namespace tallytext
