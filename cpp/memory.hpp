#pragma once
// Growing arrays of plain values. New elements are not initialised, so that memory is touched once, when it
// is filled. Large blocks are mapped from the system and unmapped directly; they request huge pages, because
// the page faults of new memory can cost more than the counting that fills it.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
#define TALLYTEXT_MAPS_MEMORY
#include <sys/mman.h>
#endif

namespace tallytext {

#if defined(TALLYTEXT_MAPS_MEMORY)

constexpr std::size_t mapped_from = std::size_t{1} << 18;
constexpr std::size_t huge_page = std::size_t{1} << 21;

/// The best size of a block for `bytes`: whole huge pages if it nearly fills one, because the system gives
/// huge pages only to blocks of a whole number of them.
inline std::size_t block_size(std::size_t bytes) {
  return bytes > huge_page / 2 ? (bytes + huge_page - 1) / huge_page * huge_page : bytes;
}

inline void* map_block(std::size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}

/// Returns a block of `bytes` that starts with the `old_bytes` at `old`, which are released.
inline void* resize_block(void* old, std::size_t old_bytes, std::size_t bytes) {
  void* p;
  if (bytes < mapped_from) {
    p = std::realloc(old, bytes);
  } else if (old_bytes >= mapped_from) {
    p = mremap(old, old_bytes, bytes, MREMAP_MAYMOVE);
    if (p == MAP_FAILED) p = nullptr;
  } else if ((p = map_block(bytes))) {
    if (old_bytes) std::memcpy(p, old, old_bytes);
    std::free(old);
  }
  if (!p) throw std::bad_alloc();
  if (bytes >= huge_page) madvise(p, bytes, MADV_HUGEPAGE);  // a hint: it can be ignored
  return p;
}

inline void free_block(void* p, std::size_t bytes) {
  if (bytes < mapped_from) return std::free(p);
  munmap(p, bytes);
}

#else

inline std::size_t block_size(std::size_t bytes) { return bytes; }

inline void* resize_block(void* old, std::size_t, std::size_t bytes) {
  void* p = std::realloc(old, bytes);
  if (!p) throw std::bad_alloc();
  return p;
}

inline void free_block(void* p, std::size_t) { std::free(p); }

#endif

template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  using value_type = T;

  Buffer() = default;
  explicit Buffer(std::size_t n) { resize(n); }
  Buffer(std::size_t n, const T& value) { resize(n, value); }
  Buffer(const Buffer& other) { append(other.data_, other.size_); }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer() {
    if (data_) free_block(data_, capacity_ * sizeof(T));
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  const T* begin() const { return data_; }
  T* end() { return data_ + size_; }
  const T* end() const { return data_ + size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  const T& back() const { return data_[size_ - 1]; }
  bool operator==(const Buffer& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

  void reserve(std::size_t n) {
    if (n <= capacity_) return;
    if (n > static_cast<std::size_t>(-1) / 4 / sizeof(T)) throw std::bad_alloc();
    const std::size_t bytes = block_size(n * sizeof(T));
    data_ = static_cast<T*>(resize_block(data_, capacity_ * sizeof(T), bytes));
    capacity_ = bytes / sizeof(T);
  }
  void resize(std::size_t n) {
    reserve(n);
    size_ = n;
  }
  void resize(std::size_t n, const T& value) {
    const std::size_t before = size_;
    resize(n);
    if (n > before) std::fill(data_ + before, data_ + n, value);
  }
  void clear() { size_ = 0; }
  void push_back(const T& value) {
    const T copy = value;  // it can be an element of this array
    make_room(1);
    data_[size_++] = copy;
  }
  void append(const T* values, std::size_t n) {
    if (n == 0) return;
    make_room(n);
    std::memcpy(data_ + size_, values, n * sizeof(T));
    size_ += n;
  }
  /// Adds `n` uninitialised elements.
  void extend(std::size_t n) {
    make_room(n);
    size_ += n;
  }
  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  /// Reserves room for `n` more elements, and for later ones, so that adding them does not allocate.
  void make_room(std::size_t n) {
    if (size_ + n > capacity_) reserve(std::max(size_ + n, capacity_ + capacity_ / 4 + 64));
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

/// Reserves room for `n` elements, and for later ones, so that resizing a vector to `n` does not allocate.
template <class T>
void make_room(std::vector<T>& values, std::size_t n) {
  if (n > values.capacity()) values.reserve(std::max(n, 2 * values.capacity()));
}

}  // namespace tallytext
