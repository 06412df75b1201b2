/* Drives a planner by a trace of operations, and prints the line of results that
 * bench/peers reads. The format of both is that of the Go package bench/trace.
 *
 *   cc -O2 -o planner planner.c
 *   ./planner FILE.trace
 *
 * The planner here is the plainest: all bookings in an array, and a search that tries
 * one start after the other. Put another project's in its place: the functions below the line
 * "the planner" are all that must change. Those of flux-sched, for example, are
 * planner_new (plan_open), planner_avail_time_first and planner_add_span (plan_reserve), and
 * planner_rem_span (plan_release).
 */
#define _POSIX_C_SOURCE 199309L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int64_t i64;

static void die(long line, const char *why) {
	fprintf(stderr, "line %ld: %s\n", line, why);
	exit(1);
}

static void *more(void *list, i64 used, size_t size) {
	if ((used & (used - 1)) != 0 && used != 0)
		return list; /* room is doubled at powers of two */
	list = realloc(list, (size_t)(used ? 2 * used : 1) * size);
	if (!list)
		die(0, "out of memory");
	return list;
}

/* ---- the planner ---- */

struct booking { i64 start, end, units; }; /* none if units is 0 */

static i64 capacity, horizon, now;
static struct booking *held; /* by number, less 1 */
static i64 count;

static void plan_open(void) {}

/* used returns how many units are in use at t. */
static i64 used(i64 t) {
	i64 sum = 0;
	for (i64 k = 0; k < count; k++)
		if (held[k].start <= t && t < held[k].end)
			sum += held[k].units;
	return sum;
}

/* plan_search returns the earliest start, or -1. The use rises where bookings start and falls
 * where they end, so that only these times are looked at. */
static i64 plan_search(i64 ready, i64 duration, i64 units, i64 deadline) {
	i64 t = ready > now ? ready : now, last = INT64_MAX;
	if (horizon > 0)
		last = now + horizon;
	if (deadline != 0 && deadline < last)
		last = deadline;
	last -= duration;
	if (units > capacity)
		return -1;
	while (t <= last) {
		i64 blocked = -1; /* the last time in the window at which too many are in use */
		if (used(t) + units > capacity)
			blocked = t;
		for (i64 k = 0; k < count; k++)
			if (held[k].start > t && held[k].start < t + duration && held[k].start > blocked && used(held[k].start) + units > capacity)
				blocked = held[k].start;
		if (blocked < 0)
			return t;
		i64 next = INT64_MAX; /* the first end behind it */
		for (i64 k = 0; k < count; k++)
			if (held[k].units > 0 && held[k].end > blocked && held[k].start <= blocked && held[k].end < next)
				next = held[k].end;
		t = next;
	}
	return -1;
}

/* plan_reserve books the number, which is count+1, and returns its start, or -1. */
static i64 plan_reserve(i64 ready, i64 duration, i64 units, i64 deadline) {
	i64 start = plan_search(ready, duration, units, deadline);
	held = more(held, count, sizeof *held);
	held[count++] = start < 0 ? (struct booking){0, 0, 0} : (struct booking){start, start + duration, units};
	return start;
}

/* plan_release gives a booking back; there may be nothing to give. */
static int plan_release(i64 number) {
	struct booking *b = &held[number - 1];
	int live = b->units > 0 && b->end > now;
	b->units = 0;
	return live;
}

static void plan_advance(i64 to) { now = to; }

/* ---- the driver ---- */

enum { RESERVE, SEARCH, RELEASE, ADVANCE, KINDS };
static const char *kind_names[KINDS] = {"reserve", "search", "release", "advance"};

struct times { double *ns; i64 n; };
static struct times took[KINDS];

static double clock_ns(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void note(int kind, double ns) {
	struct times *t = &took[kind];
	t->ns = more(t->ns, t->n, sizeof *t->ns);
	t->ns[t->n++] = ns;
}

static int by_size(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

int main(int argc, char **argv) {
	static char text[1 << 16];
	char word[64], name[256] = "unnamed";
	long line = 0;
	int opened = 0;
	i64 operations = 0, answers = 0, accepted = 0, v[5];
	uint64_t checksum = UINT64_C(14695981039346656037);
	double began = 0, ended = 0;
	FILE *in = argc == 2 ? fopen(argv[1], "r") : NULL;
	if (!in) {
		fprintf(stderr, "usage: planner FILE.trace\n");
		return 2;
	}
	while (fgets(text, sizeof text, in)) {
		line++;
		text[strcspn(text, "#")] = 0;
		if (sscanf(text, "%63s", word) != 1)
			continue;
		if (!strcmp(word, "name")) {
			if (sscanf(text, "%*s %255s", name) != 1)
				die(line, "no name");
			continue;
		}
		int n = sscanf(text, "%*s %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64, v, v + 1, v + 2, v + 3, v + 4);
		if (!strcmp(word, "bookahead-trace")) {
			if (n != 1 || v[0] != 1)
				die(line, "not bookahead-trace 1");
			continue;
		}
		if (!strcmp(word, "capacity") && n == 1) {
			capacity = v[0];
			continue;
		} else if (!strcmp(word, "origin") && n == 1) {
			now = v[0];
			continue;
		} else if (!strcmp(word, "horizon") && n == 1) {
			horizon = v[0];
			continue;
		}
		if (!opened) {
			opened = 1;
			plan_open();
		}
		if ((!strcmp(word, "booked") || !strcmp(word, "reserve")) && v[0] != count + 1)
			die(line, "not the next number");
		if (!strcmp(word, "release") && (n < 1 || v[0] < 1 || v[0] > count))
			die(line, "no such number");
		if (!strcmp(word, "booked") && n == 4) { /* number start duration units */
			if (plan_reserve(v[1], v[2], v[3], v[1] + v[2]) != v[1])
				die(line, "the booked line does not fit");
			continue;
		}
		i64 start = -1;
		int kind = 0;
		while (kind < KINDS && strcmp(word, kind_names[kind]))
			kind++;
		double started = clock_ns();
		if (operations == 0)
			began = started;
		if (kind == RESERVE && n == 5) /* number ready duration units deadline */
			start = plan_reserve(v[1], v[2], v[3], v[4]);
		else if (kind == SEARCH && n == 4)
			start = plan_search(v[0], v[1], v[2], v[3]);
		else if (kind == RELEASE && n == 1) {
			if (!plan_release(v[0]))
				started = -1; /* passed over: not a call */
		} else if (kind == ADVANCE && n == 1)
			plan_advance(v[0]);
		else
			die(line, "no operation");
		ended = clock_ns();
		if (started >= 0)
			note(kind, ended - started);
		operations++;
		if (kind == RESERVE || kind == SEARCH) {
			answers++;
			accepted += start >= 0;
			checksum = (checksum ^ (uint64_t)start) * UINT64_C(1099511628211);
		}
	}
	fclose(in);
	printf("planner=plain-c trace=%s operations=%" PRId64 " of=%" PRId64 " answers=%" PRId64 " accepted=%" PRId64 " checksum=0x%016" PRIx64 " seconds=%.3f",
	       name, operations, operations, answers, accepted, checksum, (ended - began) / 1e9);
	for (int k = 0; k < KINDS; k++) {
		struct times t = took[k];
		if (t.n == 0)
			continue;
		double sum = 0;
		for (i64 i = 0; i < t.n; i++)
			sum += t.ns[i];
		qsort(t.ns, (size_t)t.n, sizeof *t.ns, by_size);
		printf(" %s-ns=%.1f/%.0f/%.0f", kind_names[k], sum / (double)t.n, t.ns[t.n / 2], t.ns[t.n * 99 / 100]);
	}
	printf("\n");
	return 0;
}
