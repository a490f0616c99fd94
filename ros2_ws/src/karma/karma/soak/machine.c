/* Copyright 2026 The KARMA Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Preloaded into the nodes of a soak: their wall clock can be set, their disk can be full, their network can be cut.
 * What holds now is in the file $KARMA_SOAK_MACHINE, which karma/soak/machine.py writes. The monotonic clock stays.
 * Needs glibc 2.30. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

struct machine {
    int64_t shift_ns;  /* of the wall clock */
    int32_t disk_full; /* writes to files fail with ENOSPC */
    int32_t cut;       /* datagrams are lost, those that come and those that go */
};

static struct machine sound;
static volatile struct machine *machine = &sound;

#define REAL(name, result, ...)                                                                                        \
    static result (*real)(__VA_ARGS__);                                                                                \
    if (!real)                                                                                                         \
    real = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("KARMA_SOAK_MACHINE");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *page = mmap(NULL, sizeof *machine, PROT_READ, MAP_SHARED, file, 0);
    if (page != MAP_FAILED)
        machine = page;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    REAL(clock_gettime, int, clockid_t, struct timespec *);
    int result = real(clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        int64_t ns = now->tv_sec * 1000000000LL + now->tv_nsec + machine->shift_ns;
        now->tv_sec = ns / 1000000000LL;
        now->tv_nsec = ns % 1000000000LL;
    }
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec exact;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *out)
{
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (out)
        *out = exact.tv_sec;
    return exact.tv_sec;
}

/* The kernel's clock stays as it is, so a time until which somebody waits is told to it in that. A monotonic time, of a
 * condition that has such a clock, is some seconds or years since the start of the machine, and stays. */
static clockid_t kernels(struct timespec *until)
{
    if (until->tv_sec < 1000000000L)
        return CLOCK_MONOTONIC;
    int64_t ns = until->tv_sec * 1000000000LL + until->tv_nsec - machine->shift_ns;
    until->tv_sec = ns / 1000000000LL;
    until->tv_nsec = ns % 1000000000LL;
    return CLOCK_REALTIME;
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *until)
{
    REAL(pthread_cond_clockwait, int, pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
    struct timespec moment = *until;
    return real(condition, mutex, clock == CLOCK_REALTIME ? kernels(&moment) : clock, &moment);
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until)
{
    REAL(pthread_cond_clockwait, int, pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
    struct timespec moment = *until;
    clockid_t clock = kernels(&moment);
    return real(condition, mutex, clock, &moment);
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
    struct timespec moment = *until;
    clockid_t clock = kernels(&moment);
    return pthread_mutex_clocklock(mutex, clock, &moment);
}

int sem_timedwait(sem_t *semaphore, const struct timespec *until)
{
    struct timespec moment = *until;
    clockid_t clock = kernels(&moment);
    return sem_clockwait(semaphore, clock, &moment);
}

static int refused(int file)
{
    struct stat about;
    if (!machine->disk_full || fstat(file, &about) != 0 || !S_ISREG(about.st_mode))
        return 0;
    errno = ENOSPC;
    return 1;
}

ssize_t write(int file, const void *data, size_t size)
{
    REAL(write, ssize_t, int, const void *, size_t);
    return refused(file) ? -1 : real(file, data, size);
}

ssize_t pwrite(int file, const void *data, size_t size, off_t offset)
{
    REAL(pwrite, ssize_t, int, const void *, size_t, off_t);
    return refused(file) ? -1 : real(file, data, size, offset);
}

ssize_t pwrite64(int file, const void *data, size_t size, off64_t offset)
{
    REAL(pwrite64, ssize_t, int, const void *, size_t, off64_t);
    return refused(file) ? -1 : real(file, data, size, offset);
}

#define STATVFS(name)                                                                                                  \
    int name(const char *restrict path, struct name *restrict about)                                                   \
    {                                                                                                                  \
        REAL(name, int, const char *, struct name *);                                                                  \
        int result = real(path, about);                                                                                \
        if (result == 0 && machine->disk_full)                                                                         \
            about->f_bavail = about->f_bfree = 0;                                                                      \
        return result;                                                                                                 \
    }
STATVFS(statvfs)
STATVFS(statvfs64)

static int lost(int file)
{
    int type = 0;
    socklen_t size = sizeof type;
    return machine->cut && getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_DGRAM;
}

ssize_t sendto(int file, const void *data, size_t size, int flags, const struct sockaddr *to, socklen_t length)
{
    REAL(sendto, ssize_t, int, const void *, size_t, int, const struct sockaddr *, socklen_t);
    return lost(file) ? (ssize_t)size : real(file, data, size, flags, to, length);
}

ssize_t sendmsg(int file, const struct msghdr *message, int flags)
{
    REAL(sendmsg, ssize_t, int, const struct msghdr *, int);
    if (!lost(file))
        return real(file, message, flags);
    size_t size = 0;
    for (size_t i = 0; i < message->msg_iovlen; i++)
        size += message->msg_iov[i].iov_len;
    return (ssize_t)size;
}

ssize_t recvfrom(int file, void *restrict data, size_t size, int flags, struct sockaddr *restrict from,
                 socklen_t *restrict length)
{
    REAL(recvfrom, ssize_t, int, void *, size_t, int, struct sockaddr *, socklen_t *);
    ssize_t got;
    do
        got = real(file, data, size, flags, from, length);
    while (got >= 0 && lost(file));
    return got;
}

ssize_t recvmsg(int file, struct msghdr *message, int flags)
{
    REAL(recvmsg, ssize_t, int, struct msghdr *, int);
    ssize_t got;
    do
        got = real(file, message, flags);
    while (got >= 0 && lost(file));
    return got;
}
