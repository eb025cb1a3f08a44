/// Faults of a disk and of a clock, for programs that preload this library: the n-th change of a file
/// below a folder fails, is cut short, or ends the process; the time of day goes back at each look.
/// Linux only. faults.py arms it.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum mode { COUNT, FAIL_ONCE, FAIL_GROWTH, FAIL_ALL, KILL, KILL_HALFWAY, CUT_SHORT };
enum outcome { GO_ON, FAIL, HALF, HALF_AND_KILL };

static char folder[PATH_MAX];
static enum mode mode;
static long wanted;
static int error_number;
static int armed;
static int has_clock;
/// Seconds since 1970 at the next look at the clock.
static atomic_long clock_seconds;
/// Shared with the parent, which reads it even if the process was killed.
static atomic_long* seen;

__attribute__((constructor)) static void share(void) {
  seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

void faults_arm(const char* below, int how, long at, int number) {
  snprintf(folder, sizeof folder, "%s", below);
  mode = (enum mode)how;
  wanted = at;
  error_number = number;
  atomic_store(seen, 0);
  armed = 1;
}

/// Set the clock; from then on it goes back by an hour at each look.
void faults_set_clock(long seconds) {
  atomic_store(&clock_seconds, seconds);
  has_clock = 1;
}

long faults_seen(void) { return atomic_load(seen); }

static int is_below(const char* path) {
  return path != NULL && (path[0] != '/' || strncmp(path, folder, strlen(folder)) == 0);
}

static int is_open_below(int file) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0 || path[0] != '/') return 0;  // a pipe, for example
  path[length] = 0;
  return is_below(path);
}

/// Count a change, and say what becomes of it. A disk that is full still removes and truncates.
static enum outcome next_change(int counts, int grows, int is_write) {
  if (!armed || !counts) return GO_ON;
  int before = errno;
  long number = atomic_fetch_add(seen, 1);
  errno = before;
  if (mode == COUNT || number < wanted) return GO_ON;
  if (mode == FAIL_ALL || (mode == FAIL_GROWTH && grows)) return FAIL;
  if (number > wanted || mode == FAIL_GROWTH) return GO_ON;
  if (mode == FAIL_ONCE) return FAIL;
  if (is_write && mode == KILL_HALFWAY) return HALF_AND_KILL;
  if (is_write && mode == CUT_SHORT) return HALF;
  if (mode == KILL || mode == KILL_HALFWAY) kill(getpid(), SIGKILL);
  return GO_ON;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define UNLESS_FAULTY(counts, grows)           \
  if (next_change(counts, grows, 0) == FAIL) { \
    errno = error_number;                      \
    return -1;                                 \
  }

static int changes(int flags) { return (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) != 0; }

#define OPEN(name)                                     \
  int name(const char* path, int flags, ...) {         \
    va_list rest;                                      \
    va_start(rest, flags);                             \
    mode_t permissions = va_arg(rest, mode_t);         \
    va_end(rest);                                      \
    UNLESS_FAULTY(changes(flags) && is_below(path), 1) \
    return REAL(name)(path, flags, permissions);       \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                   \
  int name(int at, const char* path, int flags, ...) { \
    va_list rest;                                      \
    va_start(rest, flags);                             \
    mode_t permissions = va_arg(rest, mode_t);         \
    va_end(rest);                                      \
    UNLESS_FAULTY(changes(flags) && is_below(path), 1) \
    return REAL(name)(at, path, flags, permissions);   \
  }
OPENAT(openat)
OPENAT(openat64)

/// Write what an outcome allows of `size` bytes.
#define WRITE(size, whole, half)                                         \
  enum outcome outcome = next_change(is_open_below(file), 1, 1);         \
  if (outcome == GO_ON || (outcome == HALF && (size) < 2)) return whole; \
  if (outcome == FAIL) {                                                 \
    errno = error_number;                                                \
    return -1;                                                           \
  }                                                                      \
  ssize_t written = half;                                                \
  if (outcome == HALF_AND_KILL) kill(getpid(), SIGKILL);                 \
  return written;

ssize_t write(int file, const void* bytes,
              size_t size){WRITE(size, REAL(write)(file, bytes, size), REAL(write)(file, bytes, size / 2))}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t at){
    WRITE(size, REAL(pwrite)(file, bytes, size, at), REAL(pwrite)(file, bytes, size / 2, at))}

ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t at){
    WRITE(size, REAL(pwrite64)(file, bytes, size, at), REAL(pwrite64)(file, bytes, size / 2, at))}

ssize_t writev(int file, const struct iovec* parts, int n) {
  WRITE(n, REAL(writev)(file, parts, n), REAL(writev)(file, parts, n / 2))
}

int fsync(int file) {
  UNLESS_FAULTY(is_open_below(file), 1)
  return REAL(fsync)(file);
}

int fdatasync(int file) {
  UNLESS_FAULTY(is_open_below(file), 1)
  return REAL(fdatasync)(file);
}

int ftruncate(int file, off_t size) {
  UNLESS_FAULTY(is_open_below(file), 0)
  return REAL(ftruncate)(file, size);
}

int ftruncate64(int file, off64_t size) {
  UNLESS_FAULTY(is_open_below(file), 0)
  return REAL(ftruncate64)(file, size);
}

int rename(const char* from, const char* to) {
  UNLESS_FAULTY(is_below(to), 1)
  return REAL(rename)(from, to);
}

int renameat(int from_at, const char* from, int to_at, const char* to) {
  UNLESS_FAULTY(is_below(to), 1)
  return REAL(renameat)(from_at, from, to_at, to);
}

int unlink(const char* path) {
  UNLESS_FAULTY(is_below(path), 0)
  return REAL(unlink)(path);
}

int unlinkat(int at, const char* path, int flags) {
  UNLESS_FAULTY(is_below(path), 0)
  return REAL(unlinkat)(at, path, flags);
}

int mkdir(const char* path, mode_t permissions) {
  UNLESS_FAULTY(is_below(path), 1)
  return REAL(mkdir)(path, permissions);
}

int rmdir(const char* path) {
  UNLESS_FAULTY(is_below(path), 0)
  return REAL(rmdir)(path);
}

int link(const char* from, const char* to) {
  UNLESS_FAULTY(is_below(to), 1)
  return REAL(link)(from, to);
}

static time_t next_time(void) { return atomic_fetch_sub(&clock_seconds, 3600); }

int clock_gettime(clockid_t clock, struct timespec* now) {
  if (!has_clock || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE))
    return REAL(clock_gettime)(clock, now);
  *now = (struct timespec){.tv_sec = next_time()};
  return 0;
}

int gettimeofday(struct timeval* restrict now, void* restrict zone) {
  if (!has_clock) return REAL(gettimeofday)(now, zone);
  *now = (struct timeval){.tv_sec = next_time()};
  return 0;
}

time_t time(time_t* now) {
  if (!has_clock) return REAL(time)(now);
  time_t found = next_time();
  if (now != NULL) *now = found;
  return found;
}
