/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of files on the command line: can they be read or written, before anything is opened.
 *
 * Opening to find out would take bytes from a pipe, or make a file; so these ask by name, and the open itself may
 * still fail later.
 */
#pragma once

#include <stdbool.h>

#include "base/fault.h"

/* "-" and the names under which the system knows the descriptors 0 and 1. */
bool file_is_stdin(const char *path);
bool file_is_stdout(const char *path);

/* Could this be read? 0, or -errno with the text (without the name): missing, not permitted, a folder, a socket. */
int file_check_input(const char *path, struct fault *fault);

/*
 * Could this be written by outfile_open()? 0, or -errno with the text: the file may not be written, its folder is
 * missing or may not be written, it is a folder or a socket.
 */
int file_check_output(const char *path, struct fault *fault);

/* A descriptor to read from: a copy of standard input, or the file opened. -errno with the text. */
int file_open_input(const char *path, struct fault *fault);

/*
 * To be called before anything is opened: a closed standard stream is put on /dev/null, opened so that using it still
 * fails. Otherwise a target or a saved file would become that stream, and take what is meant for a terminal.
 */
void file_hold_streams(void);
