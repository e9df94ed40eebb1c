// Notes what of a data folder would survive a power cut, for power_loss.py. Preloaded into the
// server, it stands before the functions that sync and remove files.
//
// POWER_LOSS_FOLDER is the data folder. POWER_LOSS_SHADOW gets what is on the disk:
//   bytes/<inode>  the content of a file when it was last synced
//   names          inode and name of each file when the folder was last synced
//   held/<inode>   files that were removed, so that their inodes are not used again
// A sync does not wait for the real disk.
//
// With POWER_LOSS_HOLD, a sync of a file whose name ends so never returns, for damage.py.

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static const char* folder(void) { return getenv("POWER_LOSS_FOLDER"); }

static void shadow_path(char* path, const char* part, unsigned long inode) {
  snprintf(path, PATH_MAX, "%s/%s/%lu", getenv("POWER_LOSS_SHADOW"), part, inode);
}

static void copy_bytes(int from, const struct stat* source) {
  char path[PATH_MAX];
  shadow_path(path, "bytes", source->st_ino);
  int to = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  struct stat target;
  if (to < 0 || fstat(to, &target) != 0) abort();
  // A file that has grown was appended to. Any other may have changed anywhere.
  off_t at = target.st_size < source->st_size ? target.st_size : 0;
  if (target.st_ino == source->st_ino) at = source->st_size;
  static char buffer[1 << 16];
  while (at < source->st_size) {
    size_t wanted = sizeof buffer;
    if ((off_t)wanted > source->st_size - at) wanted = (size_t)(source->st_size - at);
    ssize_t size = pread(from, buffer, wanted, at);
    if (size <= 0) break;
    if (pwrite(to, buffer, (size_t)size, at) != size) abort();
    at += size;
  }
  if (target.st_size > source->st_size && ftruncate(to, source->st_size) != 0) abort();
  close(to);
}

static void note_names(void) {
  char path[PATH_MAX];
  char temporary[PATH_MAX];
  snprintf(path, sizeof path, "%s/names", getenv("POWER_LOSS_SHADOW"));
  snprintf(temporary, sizeof temporary, "%s/names.new", getenv("POWER_LOSS_SHADOW"));
  FILE* names = fopen(temporary, "we");
  DIR* directory = opendir(folder());
  if (names == NULL || directory == NULL) abort();
  for (struct dirent* entry; (entry = readdir(directory)) != NULL;) {
    if (entry->d_type == DT_REG) fprintf(names, "%lu %s\n", entry->d_ino, entry->d_name);
  }
  closedir(directory);
  fclose(names);
  if (rename(temporary, path) != 0) abort();
}

// Whether a path is a file of the folder itself.
static int is_here(const char* path) {
  size_t length = strlen(folder());
  return strncmp(path, folder(), length) == 0 && path[length] == '/' &&
         strchr(path + length + 1, '/') == NULL;
}

// Whether the syncs of a file are held up.
static int is_held(const char* path) {
  const char* end = getenv("POWER_LOSS_HOLD");
  return end != NULL && strlen(path) >= strlen(end) &&
         strcmp(path + strlen(path) - strlen(end), end) == 0;
}

static int synced(int descriptor) {
  if (folder() == NULL) return 0;
  char link[64];
  char path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  struct stat status;
  if (length < 0 || fstat(descriptor, &status) != 0) return 0;
  path[length] = '\0';
  while (is_held(path)) pause();
  pthread_mutex_lock(&mutex);
  if (S_ISDIR(status.st_mode) && strcmp(path, folder()) == 0) note_names();
  if (S_ISREG(status.st_mode) && is_here(path)) {
    // The descriptor may be for writing only.
    int from = open(link, O_RDONLY | O_CLOEXEC);
    if (from < 0) abort();
    copy_bytes(from, &status);
    close(from);
  }
  pthread_mutex_unlock(&mutex);
  return 0;
}

static void hold(const char* path) {
  struct stat status;
  if (folder() == NULL || !is_here(path) || stat(path, &status) != 0) return;
  char held[PATH_MAX];
  shadow_path(held, "held", status.st_ino);
  (void)link(path, held);
}

int fsync(int descriptor) { return synced(descriptor); }
int fdatasync(int descriptor) { return synced(descriptor); }

int unlink(const char* path) {
  static int (*next)(const char*);
  if (next == NULL) next = (int (*)(const char*))dlsym(RTLD_NEXT, "unlink");
  hold(path);
  return next(path);
}

int rename(const char* from, const char* to) {
  static int (*next)(const char*, const char*);
  if (next == NULL) next = (int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename");
  hold(to);
  return next(from, to);
}
