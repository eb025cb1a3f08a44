#pragma once
// Vectors for large arrays: resizing touches no memory, and large blocks ask the system for huge pages, since
// on a virtual machine the page faults of fresh memory cost more than the counting that fills it.
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace tallytext {

template <class T>
struct LargeAllocator {
  using value_type = T;
  static constexpr std::size_t huge_page = std::size_t{1} << 21;

  LargeAllocator() = default;
  template <class U>
  LargeAllocator(const LargeAllocator<U>&) {}

  T* allocate(std::size_t n) {
    if (n > static_cast<std::size_t>(-1) / sizeof(T) / 2) throw std::bad_alloc();
    const bool large = n * sizeof(T) >= huge_page;
    const std::size_t bytes = large ? (n * sizeof(T) + huge_page - 1) / huge_page * huge_page : n * sizeof(T);
    void* p = large ? std::aligned_alloc(huge_page, bytes) : std::malloc(bytes);
    if (!p && bytes) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
    if (large) madvise(p, bytes, MADV_HUGEPAGE);  // a wish: refusal does no harm
#endif
    return static_cast<T*>(p);
  }
  void deallocate(T* p, std::size_t) { std::free(p); }

  template <class U>
  void construct(U* p) {
    ::new (static_cast<void*>(p)) U;  // default-initialised: numbers are left as they are
  }
  template <class U, class... Args>
  void construct(U* p, Args&&... args) {
    ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
  }

  template <class U>
  bool operator==(const LargeAllocator<U>&) const {
    return true;
  }
};

/// A vector whose new elements are not initialised unless a value is given.
template <class T>
using Buffer = std::vector<T, LargeAllocator<T>>;

}  // namespace tallytext
