/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/clock.h"
#include "base/macro.h"

static struct hist *filled(uint64_t count, uint64_t ns)
{
	struct hist *h = hist_new();

	if (!h)
		abort();
	hist_record_many(h, ns, count - 1);
	hist_record(h, 3 * ns);
	return h;
}

static void set_params(struct sample_play *s)
{
	s->cpus[0] = 1;
	s->cpus[1] = 3;
	strcpy(s->setting, "/sys/read_ahead_kb");
	s->device = (struct readahead){.file = s->setting, .was = 131072, .is = 4096, .fd = -1};
	s->ahead = (struct ahead){.bytes = 4096, .device = &s->device, .count = 1};
	s->cold = (struct span){4096, 8192};
	s->hints[0] = (struct io_hint){.advice = ADVISE_HUGEPAGE, .length = HINT_TO_END};
	s->hints[1] = (struct io_hint){.advice = ADVISE_COLD, .offset = 4096, .length = 8192};
	s->cgroup = (struct cgroup){.folder = s->folder, .made = true, .limit = 64 << 20};
	strcpy(s->folder, "/sys/fs/cgroup/g");
	s->params = (struct play_params){
	    .target = "f",
	    .engine = "mmap",
	    .max_requests = 1000,
	    .max_bytes = PLAY_UNLIMITED,
	    .max_ns = INT64_MAX,
	    .continue_on_error = true,
	    .use = USE_NOWAIT | USE_POPULATE,
	    .hints = s->hints,
	    .hint_count = 2,
	    .cache = CACHE_COLD,
	    .cold = &s->cold,
	    .cold_count = 1,
	    .behind = ADVISE_DONTNEED,
	    .behind_bytes = 1 << 20,
	    .touch = TOUCH_COPY,
	    .miss = MISS_REREAD,
	    .depth = 1,
	    .jobs = 2,
	    .split = SPLIT_CHUNK,
	    .cpus = s->cpus,
	    .cpu_count = 2,
	    .loops = 3,
	    .after = {AFTER_BARRIER, AFTER_DONTNEED},
	    .after_count = 2,
	    .timing = TIMING_TRACE,
	    .speed = 2.5,
	    .write = true,
	    .data = DATA_OFFSET,
	    .latency = true,
	    .cgroup = &s->cgroup,
	};
}

static void set_result(struct sample_play *s)
{
	s->result = (struct play_result){
	    .requests = 110,
	    .bytes = 450560,
	    .seeks = 5,
	    .short_reads = 2,
	    .short_bytes = 30,
	    .past_end_requests = 4,
	    .past_end_bytes = 4096,
	    .misses = 6,
	    .miss_bytes = 700,
	    .bad_words = 9,
	    .bad_requests = 8,
	    .first_bad_offset = 8192,
	    .first_bad_value = 4096,
	    .first_bad_request = 7,
	    .errors = 3,
	    .error = {{.error = EIO, .count = 2, .first_offset = 8192, .first_length = 4096, .first_request = 4},
		      {.error = ENODATA, .count = 1, .first_offset = 7, .first_length = 1, .first_request = 6}},
	    .error_kinds = 2,
	    .minor_faults = 11,
	    .major_faults = 12,
	    .user_ns = 13 * NS_PER_MSEC,
	    .system_ns = 14 * NS_PER_MSEC,
	    .elapsed_ns = NS_PER_SEC,
	    .cache_left = 100,
	    .cache = {.times = 3, .ns = NS_PER_MSEC, .warm = 50, .missing = 2},
	    .op[OP_READ] = {.requests = 100, .bytes = 409600, .latency = s->reads},
	    .op[OP_WRITE] = {.requests = 10, .bytes = 40960, .latency = s->writes},
	    .hits = HITS_PROBE,
	    .hit = s->job_reads,
	    .miss = s->writes,
	    .fidelity = {.due_ns = NS_PER_SEC,
			 .issue_ns = NS_PER_SEC + 2000,
			 .median_gap_ns = NS_PER_MSEC,
			 .late = 1,
			 .inversions = 2,
			 .untimed = 3,
			 .skipped = 4,
			 .lag = s->lag},
	    .effect = {.before = {.pages = 10, .cached = 1},
		       .after = {.pages = 10, .cached = 9, .evicted = 2, .exact = true},
		       .told = true,
		       .process_told = true,
		       .process_reads = 819200,
		       .device_told = true,
		       .device_reads = 901120},
	    .loops = 3,
	    .added_syncs = 2,
	    .most_in_flight = 2,
	    .behind_calls = 4,
	    .behind_bytes = 4 << 20,
	    .behind_ns = NS_PER_MSEC,
	    .ramp_requests = 15,
	    .timed = 55,
	    .clock = "clock_gettime",
	    .clock_why = "the counter is slow",
	    .engine_text = "populated",
	    .cgroup = {.now = 60 << 20, .peak = 64 << 20, .at_limit = 3},
	    .job_cpu = -1,
	    .job = s->job,
	    .jobs = 2,
	};
	for (int i = 0; i < 2; i++) {
		s->job[i] = (struct play_result){
		    .requests = 55,
		    .bytes = 225280,
		    .elapsed_ns = NS_PER_SEC / 2,
		    .job_cpu = i == 0 ? 1 : -1,
		    .op[OP_READ] = {.requests = 55, .bytes = 225280, .latency = s->job_reads},
		};
	}
}

void sample_init(struct sample_play *s)
{
	static char first[] = "f", second[] = "g";

	*s = (struct sample_play){.target = {.size = 40960, .kind = TARGET_FILE}};
	s->reads = filled(100, 1000);
	s->writes = filled(10, 2000);
	s->lag = filled(110, 80000);
	s->job_reads = filled(55, 1000);
	s->target.fd = open(".", O_RDONLY | O_CLOEXEC);
	s->both[0] = s->target;
	s->both[0].path = first;
	s->both[1] = (struct target){.fd = -1, .size = 4096, .path = second};
	s->targets = (struct targets){.count = 2, .target = s->both};
	set_params(s);
	set_result(s);
	s->report = (struct report){
	    .tool = "iotrace",
	    .command = "--load t --play f",
	    .file = "f",
	    .seed = 77,
	    .info = {.target = &s->target,
		     .targets = &s->targets,
		     .engine = engine_of_name("mmap"),
		     .extent = {.bytes_sum = 450560, .end = 45056},
		     .requests = 110,
		     .past_end = true,
		     .jobs = 2},
	    .params = &s->params,
	    .ahead = &s->ahead,
	    .log_name = "log.csv",
	    .log = {.records = 110, .waits = 2, .waited_ns = NS_PER_MSEC},
	};
}

void sample_fini(struct sample_play *s)
{
	if (s->target.fd >= 0)
		close(s->target.fd);
	hist_free(s->reads);
	hist_free(s->writes);
	hist_free(s->lag);
	hist_free(s->job_reads);
}
