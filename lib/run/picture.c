/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/picture.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/macro.h"
#include "base/outfile.h"

/*
 * Into memory, whose descriptor *picture is to be closed also when this fails: gnuplot says nothing of a picture that a
 * full disk has cut short.
 */
static int draw(int *picture, enum gnuplot_form form, picture_script *script, void *ctx, struct fault *fault)
{
	_cleanup_(gnuplot_abort) struct gnuplot g = {0};
	int err;

	*picture = memfd_create("picture", MFD_CLOEXEC);
	if (*picture < 0)
		return fault_set(fault, -errno, "memory for the picture: %s", strerror(errno));
	err = gnuplot_start(&g, form, *picture, fault);
	if (err == 0)
		err = script(ctx, &g, fault);
	return err < 0 ? err : gnuplot_end(&g, fault);
}

static void put_file(void *o, const char *part, size_t n)
{
	outfile_write(o, part, n);
}

/* Errors are seen by the owner of the text. */
static void put_text(void *text, const char *part, size_t n)
{
	fwrite(part, 1, n, text);
}

/* All that file fd holds. */
static int copy_picture(int fd, void (*put)(void *to, const char *part, size_t n), void *to, struct fault *fault)
{
	char part[16384];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, part, sizeof(part), at)) > 0) {
		put(to, part, (size_t)n);
		at += n;
	}
	return n < 0 ? fault_set(fault, -errno, "the picture: %s", strerror(errno)) : 0;
}

static int draw_file(const struct picture_file *p, enum gnuplot_form form, picture_script *script, void *ctx,
		     struct fault *fault)
{
	_cleanup_(outfile_abort) struct outfile o = {.fd = -1};
	_cleanup_close_ int picture = -1;
	int err = outfile_open(&o, p->path, fault);

	if (err < 0)
		return err;
	o.despite_stop = p->despite_stop;
	err = draw(&picture, form, script, ctx, fault);
	if (err == 0)
		err = copy_picture(picture, put_file, &o, fault);
	return err < 0 ? err : outfile_commit(&o, fault);
}

int picture_draw(const struct picture_file *p, picture_script *script, void *ctx, struct fault *fault)
{
	_cleanup_close_ int picture = -1;
	int form = gnuplot_form(p->path, fault), err;

	if (form < 0)
		return form;
	if (form != GNUPLOT_TEXT)
		return draw_file(p, (enum gnuplot_form)form, script, ctx, fault);
	err = draw(&picture, GNUPLOT_TEXT, script, ctx, fault);
	return err < 0 ? err : copy_picture(picture, put_text, p->text, fault);
}
