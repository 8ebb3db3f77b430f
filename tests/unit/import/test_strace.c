/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/macro.h"
#include "helper.h"

#define STRACE(text, want, ...) EXPECT(text, want, .format = "strace", ##__VA_ARGS__)
#define TOLD(part)                                                        \
	do {                                                              \
		if (!strstr(remarks(), part))                             \
			fail_msg("'%s' is not in:\n%s", part, remarks()); \
	} while (0)

static void lengths_are_those_returned(void **state _unused_)
{
	STRACE("openat(AT_FDCWD, \"/d\", O_RDWR|O_CLOEXEC) = 3\n"
	       "read(3, \"x\\\"y\\\\\"..., 512)   = 512\n"
	       "read(3, \")= 9 <unfinished ...>\", 21) = 21\n"
	       "pread64(3, \"a, 1, 2) = 3\", 12, 40960) = 12\n"
	       "preadv(3, [{iov_base=\"a\"..., iov_len=100}, {iov_base=\"], 7, 8\"..., iov_len=50}], 2, 65536) = 150\n"
	       "preadv2(3, [{iov_base=\"b\", iov_len=9}], 1, -1, 0) = 9\n"
	       "pread64(3, \"\", 4096, 4398046511104) = 0\n"
	       "read(3, 0x7f0000001000, 4096) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)\n"
	       "pread64(3, 0x7f0000001000, 16, -1) = -1 EINVAL (Invalid argument)\n"
	       "read(3, \"q\"..., 4096)     = 4096\n",
	       "R 0 512 #/d\nR 512 21 #/d\nR 40960 12 #/d\nR 65536 150 #/d\nR 533 9 #/d\nR 542 4096 #/d\n");
}

static void writes_move_the_position_and_the_end(void **state _unused_)
{
	STRACE(
	    "openat(AT_FDCWD, \"/d\", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3\n"
	    "write(3, \"w\", 100) = 100\nwritev(3, [{iov_base=\"a\", iov_len=7}], 1) = 7\npwrite64(3, \"w\", 10, 5000) "
	    "= 10\n"
	    "write(3, \"w\", 1) = 1\n"
	    "open(\"/d\", O_WRONLY|O_APPEND) = 4\nwrite(4, \"end\", 3) = 3\nftruncate(3, 50) = 0\nwrite(4, \"end\", 3) "
	    "= 3\n"
	    "pwrite64(4, \"at the end all the same\", 5, 0) = 5\nwrite(4, \"x\", 1) = 1\n",
	    "W 0 100 #/d\nW 100 7 #/d\nW 5000 10 #/d\nW 107 1 #/d\nW 5010 3 #/d\nW 50 3 #/d\nW 53 5 #/d\nW 58 1 #/d\n");
}

static void the_end_for_appending_is_learned_or_left_out(void **state _unused_)
{
	STRACE("open(\"/d\", O_WRONLY|O_APPEND) = 3\nwrite(3, \"x\", 1) = 1\n", "");
	TOLD("1 appending write to a file of unknown size");
	STRACE("open(\"/d\", O_WRONLY|O_APPEND) = 3\nfstat(3, {st_mode=S_IFREG|0644, st_size=700, ...}) = 0\nwrite(3, "
	       "\"x\", 1) = 1\n",
	       "W 700 1 #/d\n");
	STRACE("open(\"/d\", O_WRONLY) = 3\nnewfstatat(3, \"\", {st_mode=S_IFREG|0644, st_size=700, ...}, "
	       "AT_EMPTY_PATH) = 0\n"
	       "fcntl(3, F_SETFL, O_WRONLY|O_APPEND) = 0\nwrite(3, \"x\", 1) = 1\nlseek(3, -1, SEEK_END) = "
	       "41\nwrite(3, \"y\", 2) = 2\n",
	       "W 700 1 #/d\nW 42 2 #/d\n");
}

static void descriptors_share_positions_as_in_the_kernel(void **state _unused_)
{
	STRACE(
	    "901 openat(AT_FDCWD, \"/d\", O_RDONLY) = 3\n901 read(3, \"a\"..., 4096) = 4096\n901 dup(3) = 4\n"
	    "901 read(4, \"b\"..., 4096) = 4096\n901 lseek(3, 100, SEEK_CUR) = 8292\n901 read(3, \"c\"..., 10) = 10\n"
	    "901 fcntl(3, F_DUPFD_CLOEXEC, 10) = 10\n901 close(3) = 0\n901 socket(AF_UNIX, SOCK_STREAM, 0) = 3\n"
	    "901 read(3, \"socket\"..., 4096) = 4096\n"
	    "901 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD, child_tidptr=0x7f0000000a10) = 902\n"
	    "902 lseek(10, 32768, SEEK_SET) = 32768\n901 read(4, \"e\"..., 512) = 512\n902 close(10) = 0\n"
	    "902 read(10, 0x7f0000001000, 4096) = -1 EBADF (Bad file descriptor)\n901 read(10, \"f\"..., 512) = 512\n",
	    "R 0 4096 #/d\nR 4096 4096 #/d\nR 8292 10 #/d\nR 32768 512 #/d\nR 33280 512 #/d\n");
}

static void exec_closes_what_is_marked_so(void **state _unused_)
{
	STRACE("7 open(\"/a\", O_RDONLY|O_CLOEXEC) = 3\n7 open(\"/b\", O_RDONLY) = 4\n7 open(\"/c\", O_RDONLY) = 5\n"
	       "7 fcntl(5, F_SETFD, FD_CLOEXEC) = 0\n7 execve(\"/bin/x\", [\"x\"], 0x7ffc /* 3 vars, a, b = 1 */) = 0\n"
	       "7 read(4, \"\", 1) = 1\n7 read(3, \"\", 1) = 1\n7 read(5, \"\", 1) = 1\n",
	       "R 0 1 #/b\n");
	TOLD("2 calls on descriptors whose opening is not in the log");
}

static void threads_share_descriptors_and_processes_do_not(void **state _unused_)
{
	STRACE("7 clone3({flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD, child_tid=0x7f}, 88) = 8\n"
	       "8 open(\"/a\", O_RDONLY) = 3\n7 read(3, \"\", 10) = 10\n7 vfork() = 9\n9 open(\"/b\", O_RDONLY) = 4\n"
	       "7 open(\"/c\", O_RDONLY) = 4\n8 read(4, \"\", 5) = 5\n9 read(4, \"\", 6) = 6\n9 read(3, \"\", 7) = 7\n",
	       "R 0 10 #/a\nR 0 5 #/c\nR 0 6 #/b\nR 10 7 #/a\n");
}

static void a_child_may_show_before_its_fork_ends(void **state _unused_)
{
	STRACE("7 open(\"/a\", O_RDONLY) = 3\n7 clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>\n8 read(3, "
	       "\"\", 5) = 5\n"
	       "7 <... clone resumed>, child_tidptr=0x7f) = 8\n7 read(3, \"\", 1) = 1\n",
	       "R 0 5 #/a\nR 5 1 #/a\n");
}

static void split_calls_are_put_together_with_the_time_of_their_beginning(void **state _unused_)
{
	STRACE("7 1700000000.000001 open(\"/a\", O_RDONLY) = 3\n7 1700000000.000002 open(\"/b\", O_RDONLY) = 4\n"
	       "7 1700000000.000010 read(3,  <unfinished ...>\n8 1700000000.000020 read(9, \"\", 1) = 0\n"
	       "7 1700000000.000030 <... read resumed>\"abc\", 512) = 3\n7 1700000000.000040 read(4, \"\", 9) = 9\n",
	       "R 0 3 @0 #/a\nR 0 9 @30000 #/b\n");
	STRACE("8 <... read resumed>\"abc\", 512) = 3\n", "");
	TOLD("1 call had begun before the log did");
}

static void decorations_name_files_and_what_is_none(void **state _unused_)
{
	STRACE("openat(AT_FDCWD</srv>, \"odd name>, 7, 8) = 9\", O_RDONLY|O_CLOEXEC) = 3</srv/odd name\\76, 7, 8) = 9> "
	       "<0.000020>\n"
	       "pread64(3</srv/odd name\\76, 7, 8) = 9>, \"a\"..., 4096, 8192) = 4096 <0.000020>\n"
	       "read(3</srv/odd name\\76, 7, 8) = 9>, \"b\"..., 512) = 512 <0.000020>\n"
	       "read(5<pipe:[42887]>, \"noise\", 65536) = 5 <0.000020>\n"
	       "read(6<TCP:[127.0.0.1:5000->127.0.0.1:6000]>, \"noise\", 65536) = 5 <0.000020>\n"
	       "read(7<UNIX-STREAM:[1->2,\"/run/x]>\"]>, \"noise\", 65536) = 5 <0.000020>\n"
	       "read(0</dev/pts/1<char 136:1>>, \"noise\", 1024) = 5 <0.000020>\n"
	       "pread64(3</srv/odd name\\76, 7, 8) = 9>(deleted), \"c\"..., 1024, 40960) = 1024 <0.000020>\n",
	       "R 8192 4096 #/srv/odd name>, 7, 8) = 9\nR 0 512 #/srv/odd name>, 7, 8) = 9\n"
	       "R 40960 1024 #/srv/odd name>, 7, 8) = 9\n");
}

static void relative_names_are_below_their_directory(void **state _unused_)
{
	STRACE("openat(5</srv/data>, \"x\\ty\", O_RDONLY) = 3\nread(3, \"\", 1) = 1\n"
	       "openat(AT_FDCWD, \"z\\\"\", O_RDONLY) = 4\nread(4, \"\", 1) = 1\n",
	       "R 0 1 #/srv/data/x\\011y\nR 0 1 #z\"\n");
}

static void an_unknown_beginning_is_not_guessed(void **state _unused_)
{
	STRACE("812 read(5, \"\", 10) = 10\n812 pread64(5, \"\", 8192, 16384) = 8192\n812 read(5, \"\", 10) = 10\n"
	       "812 lseek(5, 0, SEEK_CUR) = 77\n812 read(5, \"\", 10) = 10\n",
	       "R 16384 8192 #pid812-fd5\nR 77 10 #pid812-fd5\n");
	TOLD("1 call on a descriptor whose opening is not in the log");
	TOLD("1 read or write at a position that the log does not tell");
	STRACE("pread64(5</db>, \"\", 8192, 16384) = 8192\nread(5</db>, \"\", 10) = 10\n", "R 16384 8192 #/db\n");
}

static void copies_in_the_kernel_read_and_write(void **state _unused_)
{
	STRACE("open(\"/a\", O_RDONLY) = 3\nopen(\"/b\", O_RDWR) = 4\nsendfile(4, 3, NULL, 100) = 60\n"
	       "sendfile(4, 3, [1000] => [1010], 100) = 10\ncopy_file_range(3, NULL, 4, [5] => [12], 100, 0) = 7\n"
	       "splice(3, NULL, 9<pipe:[1]>, NULL, 4096, 0) = 20\n",
	       "R 0 60 #/a\nW 0 60 #/b\nR 1000 10 #/a\nW 60 10 #/b\nR 60 7 #/a\nW 5 7 #/b\nR 67 20 #/a\n");
}

static void syncs_and_holes_are_ops_of_their_own(void **state _unused_)
{
	STRACE("open(\"/a\", O_RDWR) = 3\nfsync(3) = 0\nfdatasync(3) = 0\n"
	       "fallocate(3, FALLOC_FL_KEEP_SIZE|FALLOC_FL_PUNCH_HOLE, 4096, 8192) = 0\nfallocate(3, 0, 0, 100) = 0\n"
	       "fsync(3) = -1 EIO (Input/output error)\n",
	       "S 0 0 #/a\nD 0 0 #/a\nT 4096 8192 #/a\n");
}

static void a_path_chooses(void **state _unused_)
{
	STRACE(
	    "open(\"/a/x\", O_RDONLY) = 3\nopen(\"/b/x\", O_RDONLY) = 4\nread(3, \"\", 1) = 1\nread(4, \"\", 2) = 2\n",
	    "R 0 2 #/b/x\n", .path = "/b/*");
}

static void every_style_of_time_is_read(void **state _unused_)
{
	static const char *const style[] = {
	    "23:59:59.930000 ",
	    "555 23:59:59.930000 ",
	    "[pid   555] 23:59:59.930000 ",
	    "1700000000.930000 ",
	    "555 1700000000.930000 (+     0.000001) ",
	    "[00007fff00000001] ",
	    "[????????????????] ",
	    "555<cat> ",
	    "[pid   555<a b>] ",
	    "     0.000111 ",
	    "555 1700000000 ",
	    "[ 257] ",
	    "23:59:59 [ 17] [00007fff00000001] ",
	    "",
	};

	for (size_t i = 0; i < ARRAY_SIZE(style); i++) {
		char text[512];
		int n = snprintf(text, sizeof(text),
				 "%sopen(\"/d\", O_RDONLY) = 3\n%spread64(3, \"a\"..., 4096, 1048576) = 4096\n",
				 style[i], style[i]);

		expect_import(text, (size_t)n, &(struct import_options){.format = "strace"},
			      strpbrk(style[i], ".") || strstr(style[i], ":59 ") || strstr(style[i], "170000")
				  ? "R 1048576 4096 @0 #/d\n"
				  : "R 1048576 4096 #/d\n");
	}
}

static void times_pass_midnight_and_distances_add_up(void **state _unused_)
{
	STRACE("23:59:58 open(\"/d\", O_RDONLY) = 3\n23:59:59 read(3, \"\", 1) = 1\n00:00:01 read(3, \"\", 1) = 1\n"
	       "23:59:59 read(3, \"\", 1) = 1\n00:00:00 read(3, \"\", 1) = 1\n",
	       "R 0 1 @0 #/d\nR 1 1 @2000000000 #/d\nR 2 1 @86400000000000 #/d\nR 3 1 @86401000000000 #/d\n");
	STRACE("     0.000000 open(\"/d\", O_RDONLY) = 3\n     0.000111 read(3, \"\", 1) = 1\n     0.000222 read(3, "
	       "\"\", 1) = 1\n"
	       "     0.000333 read(3, \"\", 1) = 1\n",
	       "R 0 1 @0 #/d\nR 1 1 @222000 #/d\nR 2 1 @555000 #/d\n");
}

static void on_a_terminal_pids_come_and_go(void **state _unused_)
{
	STRACE("open(\"/d\", O_RDONLY) = 3\nclone(child_stack=NULL, flags=SIGCHLDstrace: Process 902 attached\n"
	       ", child_tidptr=0x7f) = 902\n[pid   902] read(3, \"\", 5) = 5\n[pid   901] read(3, \"\", 6) = 6\n"
	       "[pid   902] +++ exited with 0 +++\nread(3, \"\", 7) = 7\n",
	       "R 0 5 #/d\nR 5 6 #/d\nR 11 7 #/d\n");
	STRACE("open(\"/d\", O_RDONLY) = 3\nclone(child_stack=NULL, flags=SIGCHLDstrace: Process 902 attached\n"
	       " <unfinished ...>\n[pid   902] read(3, \"\", 5) = 5\n[pid   901] <... clone resumed>) = 902\n"
	       "[pid   901] read(3, \"\", 6) = 6\n",
	       "R 0 5 #/d\nR 5 6 #/d\n");
	/* the fork is over before strace meets the child, and its parent has a number by then */
	STRACE("[pid   901] open(\"/d\", O_RDONLY) = 3\nclone(child_stack=NULL, flags=SIGCHLD) = 902\n"
	       "read(3, \"\", 5) = 5\nread(3, strace: Process 902 attached\n <unfinished ...>\n"
	       "[pid   902] read(3, \"\", 6) = 6\n[pid   901] <... read resumed>\"\", 7) = 7\n"
	       "[pid   902] +++ exited with 0 +++\nread(3, \"\", 8) = 8\n",
	       "R 0 5 #/d\nR 5 6 #/d\nR 11 7 #/d\nR 18 8 #/d\n");
}

static void what_options_of_strace_add_and_leave_out_is_understood(void **state _unused_)
{
	/* -s 0 and -s 1 */
	STRACE("pipe2([...], O_CLOEXEC) = 0\npipe([3, ...]) = 0\nopen(\"/d\", O_RDONLY) = 5\nread(5, \"\"..., 9) = 9\n"
	       "read(3, \"\"..., 9) = 9\n",
	       "R 0 9 #/d\n");
	/* -X verbose */
	STRACE("openat(-100 /* AT_FDCWD */, \"/d\", 0x402 /* O_RDWR|O_APPEND */) = 3\n"
	       "fcntl(3, 0 /* F_DUPFD */, 20) = 20\nlseek(20, 0, 0x2 /* SEEK_END */) = 100\nwrite(3, \"x\", 1) = 1\n",
	       "W 100 1 #/d\n");
	REFUSED("openat(-100, \"/d\", 0x402) = 3\n", 1, "strace -X raw", .format = "strace");
	/* -C, and another log behind it */
	STRACE(
	    "open(\"/d\", O_RDONLY) = 3\n+++ exited with 0 +++\n"
	    "% time     seconds  usecs/call     calls    errors syscall\n------ ----------- ----------- --------- "
	    "----\n"
	    "100.00    0.000009           9         1           open\n------ ----------- ----------- --------- ----\n"
	    "100.00    0.000009           9         1           total\nopen(\"/e\", O_RDONLY) = 3\nread(3, \"\", 1) = "
	    "1\n",
	    "R 0 1 #/e\n");
}

static void noise_is_no_error_and_nonsense_is(void **state _unused_)
{
	STRACE("open(\"/d\", O_RDONLY) = 3\n--- SIGALRM {si_signo=SIGALRM, si_code=SI_KERNEL} ---\n"
	       " > /lib/libc.so.6(read+0x10) [0xf1234]\nstrace: Process 12 attached\nread(3, \"\", 1) = 1\n"
	       "wait4(-1, 0x7ffc, 0, NULL) = ? ERESTARTSYS (x)\nread(3, \"\" <detached ...>\n+++ exited with 0 +++\n",
	       "R 0 1 #/d\n");
	REFUSED("open(\"/d\", O_RDONLY) = 3\nhello world\n", 2, "hello world", .format = "strace");
	REFUSED("open(\"/d\", O_RDONLY) = 3\nread(3, \"\\0\\0", 2, "RESULT", .format = "strace");
	REFUSED("open(\"/d\", O_RDONLY) = 3\nread(3) = 7\n", 2, "arguments are missing", .format = "strace");
	REFUSED("read(x, \"\", 7) = 7\n", 1, "descriptor 'x'", .format = "strace");
	REFUSED("25:61 read(3, \"\", 7) = 7\n", 1, "HH:MM:SS", .format = "strace");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lengths_are_those_returned),
	    cmocka_unit_test(writes_move_the_position_and_the_end),
	    cmocka_unit_test(the_end_for_appending_is_learned_or_left_out),
	    cmocka_unit_test(descriptors_share_positions_as_in_the_kernel),
	    cmocka_unit_test(exec_closes_what_is_marked_so),
	    cmocka_unit_test(threads_share_descriptors_and_processes_do_not),
	    cmocka_unit_test(a_child_may_show_before_its_fork_ends),
	    cmocka_unit_test(split_calls_are_put_together_with_the_time_of_their_beginning),
	    cmocka_unit_test(decorations_name_files_and_what_is_none),
	    cmocka_unit_test(relative_names_are_below_their_directory),
	    cmocka_unit_test(an_unknown_beginning_is_not_guessed),
	    cmocka_unit_test(copies_in_the_kernel_read_and_write),
	    cmocka_unit_test(syncs_and_holes_are_ops_of_their_own),
	    cmocka_unit_test(a_path_chooses),
	    cmocka_unit_test(every_style_of_time_is_read),
	    cmocka_unit_test(times_pass_midnight_and_distances_add_up),
	    cmocka_unit_test(on_a_terminal_pids_come_and_go),
	    cmocka_unit_test(what_options_of_strace_add_and_leave_out_is_understood),
	    cmocka_unit_test(noise_is_no_error_and_nonsense_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
