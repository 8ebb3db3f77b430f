/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/macro.h"

#define PROGRAM "gnuplot"

extern char **environ;

int gnuplot_form(const char *path, struct fault *fault)
{
	size_t n = strlen(path);
	const char *end = n > 4 ? path + n - 4 : "";

	if (strcmp(path, "-") == 0)
		return GNUPLOT_TEXT;
	if (strcmp(end, ".svg") == 0)
		return GNUPLOT_SVG;
	if (strcmp(end, ".png") == 0)
		return GNUPLOT_PNG;
	return fault_set(fault, -EINVAL, "the name must end in .svg or .png, or be - for a picture of letters");
}

int gnuplot_check(struct fault *fault)
{
	const char *path = getenv("PATH");
	char name[4096];

	while (path && *path) {
		size_t n = strcspn(path, ":");

		if (n && n < sizeof(name) - sizeof("/" PROGRAM)) {
			snprintf(name, sizeof(name), "%.*s/" PROGRAM, (int)n, path);
			if (access(name, X_OK) == 0)
				return 0;
		}
		path += n + (path[n] == ':');
	}
	return fault_set(fault, -ENOENT,
			 "there is no gnuplot here, which draws the picture (Debian: apt-get install gnuplot-nox)");
}

/* Our environment, in which text is UTF-8 and decimal points are points; the texts are borrowed. NULL: no memory. */
static char **utf8_environ(char *locale)
{
	size_t n = 0, kept = 0;
	char **env;

	while (environ[n])
		n++;
	env = calloc(n + 2, sizeof(*env));
	if (!env)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (strncmp(environ[i], "LC_ALL=", 7) != 0)
			env[kept++] = environ[i];
	env[kept] = locale;
	return env;
}

/*
 * The child gets back what we ignore: a gnuplot whose reader left, or whose file may not grow, should end, as it does
 * not look at its writes.
 */
static int spawn(pid_t *pid, int in, int out)
{
	char program[] = PROGRAM, script[] = "-", *argv[] = {program, script, NULL}, locale[] = "LC_ALL=C.UTF-8";
	_cleanup_free_ char **env = utf8_environ(locale);
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t given_back;
	int err;

	if (!env)
		return -ENOMEM;
	sigemptyset(&given_back);
	sigaddset(&given_back, SIGPIPE);
	sigaddset(&given_back, SIGXFSZ);
	err = posix_spawn_file_actions_init(&files);
	if (err)
		return -err;
	err = posix_spawnattr_init(&attr);
	if (err) {
		posix_spawn_file_actions_destroy(&files);
		return -err;
	}
	posix_spawnattr_setsigdefault(&attr, &given_back);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	err = posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
	if (!err)
		err = posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	if (!err)
		err = posix_spawnp(pid, PROGRAM, &files, &attr, argv, env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return -err;
}

int gnuplot_start(struct gnuplot *g, enum gnuplot_form form, int out, struct fault *fault)
{
	_cleanup_close_ int in = -1, script = -1;
	int ends[2], err;

	*g = (struct gnuplot){.form = form};
	if (pipe2(ends, O_CLOEXEC) < 0)
		return fault_set(fault, -errno, "a pipe to gnuplot: %s", strerror(errno));
	in = ends[0];
	script = ends[1];
	err = spawn(&g->pid, in, out);
	if (err) {
		g->pid = 0;
		return fault_set(fault, err, "gnuplot: %s", strerror(-err));
	}
	g->script = fdopen(script, "w");
	if (!g->script) {
		gnuplot_abort(g);
		return fault_set(fault, -ENOMEM, "no memory");
	}
	(void)TAKE_FD(script);
	return 0;
}

/* The wait status. */
static int reap(struct gnuplot *g)
{
	int status = 0;

	while (waitpid(g->pid, &status, 0) < 0 && errno == EINTR)
		;
	g->pid = 0;
	return status;
}

int gnuplot_end(struct gnuplot *g, struct fault *fault)
{
	bool written = fclose(TAKE_PTR(g->script)) == 0;
	int status = reap(g);

	if (WIFSIGNALED(status))
		return fault_set(fault, -EIO, "gnuplot was ended by signal %d", WTERMSIG(status));
	if (status || !written)
		return fault_set(fault, -EIO, "gnuplot failed, exit status %d", WEXITSTATUS(status));
	return 0;
}

void gnuplot_abort(struct gnuplot *g)
{
	if (!g->pid)
		return;
	kill(g->pid, SIGKILL);
	if (g->script)
		fclose(TAKE_PTR(g->script));
	reap(g);
}

void gnuplot_quote(FILE *script, const char *text)
{
	fputc('\'', script);
	for (; *text; text++) {
		if (*text == '\'')
			fputc('\'', script);
		fputc((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text, script);
	}
	fputc('\'', script);
}

void gnuplot_title(FILE *script, const char *text, size_t max)
{
	size_t n = strlen(text);
	char part[256];

	max = MIN(max, sizeof(part) - 1);
	if (n > max) {
		for (n = max - 4; n && ((unsigned char)text[n] & 0xc0) == 0x80; n--)
			;
		snprintf(part, sizeof(part), "%.*s ...", (int)n, text);
		text = part;
	}
	gnuplot_quote(script, text);
}

const char *gnuplot_unit(uint64_t max, double *bytes)
{
	static const char *const name[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(name) && max >> (10 * (i + 1)) >= 2)
		i++;
	*bytes = (double)(UINT64_C(1) << (10 * i));
	return name[i];
}
