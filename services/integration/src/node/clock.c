// A wall clock that is wrong by DANMAKU_TEST_CLOCK_SECS seconds, for a process that this is preloaded into.
//
// Monotonic clocks stay right. What waits until a time of day gets the true one: librdkafka reads its deadlines off the wall
// and waits for them in `cnd_timedwait`. (libfaketime bends the reading and not that wait, which then takes an hour.)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static long wrong(void) {
    const char *secs = getenv("DANMAKU_TEST_CLOCK_SECS");
    return secs ? atol(secs) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int failed = syscall(SYS_clock_gettime, clock, now);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += wrong();
    return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    int failed = syscall(SYS_gettimeofday, now, zone);
    if (!failed && now) now->tv_sec += wrong();
    return failed;
}

int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict until) {
    static int (*wait)(cnd_t *, mtx_t *, const struct timespec *);
    if (!wait) wait = dlsym(RTLD_NEXT, "cnd_timedwait");
    struct timespec right = *until;
    right.tv_sec -= wrong();
    return wait(condition, mutex, &right);
}
