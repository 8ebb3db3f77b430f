/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run commands in turn, round after round, so that what changes on the machine meanwhile meets all of them alike.
 * Before each run WARM MiB (512) of memory are taken and given back: a virtual machine that hands free pages to its
 * host pays for them anew, several times what they cost else, and only the commands that need memory would pay.
 *
 *     rounds ROUNDS FOLDER [WARM] <COMMANDS
 *
 * COMMANDS holds one command a line, words divided by blanks, run without a shell. Round 0 warms up and is not told.
 * For each other run a line "command round wall_ns cpu_ns peak_kib", commands from 1; wall and CPU are those of the
 * whole process as wait4 tells. What the command prints is left in FOLDER/COMMAND.ROUND.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#define COMMANDS 32
#define WORDS 64

static char *words[COMMANDS][WORDS + 1];

static int split(char *line, char **word)
{
	char *rest = NULL;
	int n = 0;

	for (char *w = strtok_r(line, " \t\n", &rest); w && n < WORDS; w = strtok_r(NULL, " \t\n", &rest))
		word[n++] = w;
	return n;
}

static int64_t timeval_ns(struct timeval t)
{
	return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_usec * 1000;
}

/*
 * By vfork, inside: after a fork the child would pay for the pages that it shares with this program until it is
 * another.
 */
static pid_t spawn(char **word, const char *output)
{
	posix_spawn_file_actions_t files;
	pid_t pid;
	int err;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	err = posix_spawnp(&pid, word[0], &files, NULL, word, environ);
	posix_spawn_file_actions_destroy(&files);
	if (err != 0)
		fprintf(stderr, "rounds: %s: %s\n", word[0], strerror(err));
	return err ? -err : pid;
}

static void warm(size_t size)
{
	pid_t pid = size > 0 ? fork() : -1;

	if (pid == 0) {
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static int run(int command, int round, const char *folder, size_t memory)
{
	struct rusage usage;
	char output[4096];
	int64_t start;
	int status;
	pid_t pid;

	snprintf(output, sizeof(output), "%s/%d.%d", folder, command + 1, round);
	warm(memory);
	start = clock_now();
	pid = spawn(words[command], output);
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
		return -1;
	if (round > 0)
		printf("%d %d %lld %lld %ld\n", command + 1, round, (long long)(clock_now() - start),
		       (long long)(timeval_ns(usage.ru_utime) + timeval_ns(usage.ru_stime)), usage.ru_maxrss);
	if (status != 0) {
		fprintf(stderr, "rounds: %s ended with wait status 0x%x\n", words[command][0], (unsigned)status);
		return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int rounds = argc == 3 || argc == 4 ? atoi(argv[1]) : 0, n = 0;
	size_t memory = (argc == 4 ? (size_t)atoi(argv[3]) : 512) << 20;
	static char line[COMMANDS][8192];

	if (rounds < 1) {
		fprintf(stderr, "usage: rounds ROUNDS FOLDER [WARM] <COMMANDS\n");
		return 2;
	}
	while (n < COMMANDS && fgets(line[n], sizeof(line[n]), stdin))
		if (split(line[n], words[n]) > 0)
			n++;
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int round = 0; round <= rounds; round++)
		for (int command = 0; command < n; command++)
			if (run(command, round, argv[2], memory) < 0)
				return 1;
	return 0;
}
