package plan_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// faults are edits of the package that a test must notice. They run only if PLAN_FAULTS names files:
//
//	PLAN_FAULTS='pass.go renew.go' go test -v -run TestFaults -timeout 2h ./plan
var faults = []struct{ file, old, new string }{
	{"pass.go", "if q.done && now == q.now {", "if now == q.now && now > 0 {"},
	{"pass.go", "j.start == q.now && len(j.victims) == 0 {", "j.start == q.now {"},
	{"pass.go", "\t\tif j.promised == Never {\n\t\t\tq.giveBack(j)", "\t\tif true {\n\t\t\tq.giveBack(j)"},
	{"pass.go", "!ok || j.NotBefore > q.now {", "!ok || j.NotBefore >= q.now {"},
	{"pass.go", "j.state == Promised && j.start < q.now })", "j.state == Promised && j.start < q.now-1 })"},
	{"round.go", "j.state == Promised && j.start == q.now {", "j.state == Promised && j.start == q.now && false {"},
	{"round.go", "slices.SortFunc(due, q.turn)", ""},
	{"round.go", "if q.config.Order.moves() || q.plain || q.bent > 0 {", "if q.plain || q.bent > 0 {"},
	{"round.go", "q.config.Backfill.promises > len(q.waiting), false)", "false, false)"},
	{"round.go", "if q.config.Limits.Depth > 0 || q.config.Preempt {", "if q.config.Preempt {"},
	{"round.go", "if q.config.Limits.Depth > 0 || q.config.Preempt {", "if q.config.Limits.Depth > 0 {"},
	{"round.go", "\t\tif most == 0 {\n\t\t\tbreak", "\t\tif most <= 2 {\n\t\t\tbreak"},
	{"round.go", "heads++", ""},
	{"round.go", "case !q.config.Backfill.overtake:", "case false:"},
	{"round.go", "case j.state == Starting && q.config.Order.moves():", "case false:"},
	{"round.go", "rest = given //", "rest = bookahead.Interval{} //"},
	{"round.go", "(!q.config.Preempt || promises > 0)", "true"},
	{"round.go", "depth > 0 && seen > depth {", "depth > 0 && seen >= depth {"},
	{"round.go", "q.look(j, given, heads < promises, heads == 0)", "q.look(j, given, heads <= promises, heads == 0)"},
	{"round.go", "q.look(j, given, heads < promises, heads == 0)", "q.look(j, given, heads < promises, true)"},
	{"round.go", "j.state != Promised || q.preempt(j, first)", "j.state != Promised || q.preempt(j, false)"},
	{"round.go", "if byKind && heads >= promises {", "if byKind {"},
	{"contest.go", "if q.age != age {", "if false && q.age != age {"},
	{"contest.go", "if last.state == Starting && q.config.Order.moves() {", "if false {"},
	{"contest.go", "if len(line) > 0 && !q.hopeless(last.kind) {", "if len(line) < 0 {"},
	{"contest.go", "if last.state == Waiting && q.hopeless(last.kind) {", "if q.hopeless(last.kind) {"},
	{"contest.go", "if c.turn(c.lines[i], c.lines[first]) > 0 {", "if c.turn(c.lines[i], c.lines[first]) < 0 {"},
	{"contest.go", "slices.SortFunc(c.lines, c.turn)", ""},
	{"contest.go", "i, _ = slices.BinarySearchFunc(c.lines, line, c.turn)", ""},
	{"contest.go", "return other == nil || c.q.turn(other, j) < 0", "return other == nil"},
	{"contest.go", "slices.SortFunc(c.placed, q.turn)", ""},
	{"contest.go", "c.q.turn(c.placed[0], c.lines[end][0]) < 0) {", "false) {"},
	{"contest.go", "if k.units > most {", "if k.units >= most {"},
	{"contest.go", "for _, k := range c.q.mixed {", "for _, k := range c.q.mixed[:0] {"},
	{"contest.go", "for len(line) > 0 && (line[0].state >= Promised || ", "for len(line) > 0 && ("},
	{"line.go", "\tj.kind.line = insert(j.kind.line, j, q.turn)", "\tj.kind.line = append(j.kind.line, j)"},
	{"line.go", "if !found {", "if false && !found {"},
	{"line.go", "\tslices.SortFunc(q.waiting, q.turn)\n", ""},
	{"line.go", "j.kind.line = append(j.kind.line, j)\n", "_ = j\n"},
	{"room.go", "r.known, r.asked, r.steps = false, 0, r.steps[:0]", "r.known, r.asked = false, 0"},
	{"room.go", "if a.duration <= s.duration {", "if a.duration < s.duration {"},
	{"room.go", "return a.units > s.units", "return a.units >= s.units"},
	{"room.go", "bookahead.Duration(s.Start - now)}", "bookahead.Duration(s.Start - now - 1)}"},
	{"room.go", "\t\tleast = s.Free\n", "\t\tleast = s.Free - 1\n"},
	{"world.go", "release(id bookahead.ID) error {\n\tm.room.forget()\n", "release(id bookahead.ID) error {\n"},
	{"world.go", "advance(now bookahead.Time) error {\n\tm.room.forget()\n", "advance(now bookahead.Time) error {\n"},
	{"preempt.go", "want.units -= p.Units", "want.units -= min(p.Units, 1)"},
	{"pass.go", "if best == nil || span(at).End < span(best).End {", "if best == nil || span(at).End <= span(best).End {"},
	{"pass.go", "if w.Start <= by && (", "if ("},
	{"pass.go", "w.End < span(best).End) {", "w.Start < span(best).Start) {"},
	{"pass.go", "if at == nil || span(at).Start > q.now {", "if at == nil {"},
	{"pass.go", "return q.now + w", "return q.now + w - 1"},
	{"pass.go", "q.scan.all = q.scan.all || q.config.Limits.Window > 0", "//"},
	{"pass.go", "\t\tq.age++\n\t\tq.scan.all = true", "\t\tq.scan.all = true"},
	{"pass.go", "\t\tq.age++\n\t\tq.scan.all = true", "\t\tq.age++"},
	{"pass.go", "q.used.forget(now, share.HalfLife)", ""},
	{"pass.go", "cmp.Compare(a.found, b.found)", "cmp.Compare(a.seq, b.seq)"},
	{"pass.go", "\t\tj.tried, j.triedAt = q.age, q.now\n", "\t\tj.tried, j.triedAt = q.age+1, q.now\n"},

	{"renew.go", "if !ok || j.end > q.now {", "if !ok || j.end >= q.now {"},
	{"renew.go", "if p.End < j.end {", "if false {"},
	{"renew.go", "q.used.charge(&j.Job, cost, bookahead.Duration(e.To-j.until))", "_ = cost"},
	{"renew.go", "j.until, j.halved = e.To, q.used.halved", "j.halved = q.used.halved"},
	{"renew.go", "q.stale = q.stale || err != nil", "_ = err"},
	{"renew.go", "if j.ids == nil {\n\t\t\t\tcontinue", "if j.heir != nil {\n\t\t\t\tcontinue"},
	{"renew.go", "(q.now-j.end)/grace + 1", "(q.now-j.end)/grace + 2"},
	{"renew.go", "return cmp.Or(cmp.Compare(a.start, b.start), q.turn(a, b)) })", "return q.turn(a, b) })"},
	{"renew.go", "late := max(0, q.now-j.start)", "late := max(0, q.now-j.start-1)"},
	{"renew.go", "slices.SortFunc(out, q.turn)", ""},
	{"renew.go", "\t\tif j.promised == Never {\n\t\t\tcontinue", "\t\tif false {\n\t\t\tcontinue"},
	{"renew.go", "q.earliest(j, q.window(), 0)", "q.earliest(j, bookahead.MaxTime, 0)"},
	{"renew.go", "(j.start == Never || j.start > j.promised)", "(j.start == Never || j.start >= j.promised)"},
	{"renew.go", "x.overran == q.now &&", ""},
	{"renew.go", "p.meets(c.Servers) &&", ""},
	{"renew.go", "&& q.known[closureOf{on, c.ID}] != c.Interval {", "{"},
	{"renew.go", "if !(fresh && old) &&", "if (old || !old) &&"},
	{"renew.go", "old := around || id <= q.seen[on]", "old := id <= q.seen[on] && (around || !around)"},
	{"renew.go", "cmp.Or(cmp.Compare(b.began, a.began), cmp.Compare(b.seq, a.seq)) })\n\t\tfor", "cmp.Or(cmp.Compare(a.began, b.began), cmp.Compare(b.seq, a.seq)) })\n\t\tfor"},
	{"renew.go", "if hit && !j.lost {", "if hit {"},
	{"renew.go", "l.units -= p.Units", ""},
	{"renew.go", "|| p.Head >= 0 && l.named[p.Head]", ""},

	{"move.go", "q.gain(&j.kind.forms[form], places)", ""},
	{"move.go", "\tj.promised = j.start\n", ""},
	{"move.go", "|| given.Start < j.end && given.End > j.start-bookahead.Time(p.Duration)+1 && (m.nodes != nil || m.frame().Servers > 0)", ""},
	{"move.go", "given.Start < j.end && given.End", "given.Start < j.start && given.End"},
	{"move.go", "return given.Start < j.end, nil, true", "return given.Start < j.start, nil, true"},
	{"move.go", "j.tried == q.age && j.triedAt == q.now", "j.tried > 0"},

	{"life.go", "if len(j.victims) > 0 {", "if false {"},
	{"life.go", "\t\tq.Changed()\n\t\treturn fmt.Errorf", "\t\treturn fmt.Errorf"},
	{"life.go", "\t\tif x.after == 0 {\n\t\t\tq.line(x)", "\t\tif x.after < 0 {\n\t\t\tq.line(x)"},
	{"life.go", "j.promised, j.lost, j.overran = Never, false, Never\n", "j.lost, j.overran = false, Never\n"},
	{"life.go", "\tq.giveBack(j)\n\tq.settle(j, now)", "\tq.giveBack(j)"},
	{"life.go", "\t\tq.unline(j)\n\t\tq.unpropose(j)\n\t\tq.giveBack(j)", "\t\tq.unline(j)\n\t\tq.giveBack(j)"},
	{"life.go", "j.promised == Never || to.NotBefore > j.start ||", "to.NotBefore > j.start ||"},
	{"life.go", "if j.ids != nil && j.state == Held {", "if false {"},
	{"life.go", "if seen[q.jobs[id]] {", "if false {"},
	{"life.go", "\t\tv.heir = nil\n\t\tq.stale = true", "\t\tv.heir = nil"},
	{"life.go", "\t\tv.heir = nil\n\t\tq.stale = true", "\t\t_ = v\n\t\tq.stale = true"},
	{"life.go", "j.cost, j.until, j.halved = f.units(), j.end, q.used.halved", "j.cost, j.until = f.units(), j.end"},
	{"life.go", "if j.cost > 0 && j.until > now {", "if j.cost > 0 && j.until > now+1 {"},

	{"preempt.go", "v.Class < j.Class", "v.Class <= j.Class"},
	{"preempt.go", "if v.Preemptible && ", "if "},
	{"preempt.go", "cmp.Compare(a.Priority, b.Priority),", ""},
	{"preempt.go", "cmp.Compare(b.began, a.began)", "cmp.Compare(a.began, b.began)"},
	{"preempt.go", "for size := 1; size < len(greedy); size++ {", "for size := len(greedy); size < len(greedy); size++ {"},
	{"preempt.go", "for last := max(len(all), size) - 1;", "for last := max(len(all), size);"},
	{"preempt.go", "q.gain(&v.kind.forms[v.form], v.places)", "_ = v"},
	{"preempt.go", "\t\tq.gain(f, places)\n", "_ = places\n"},
	{"preempt.go", "!first && (q.config.Backfill.promises > 0 || !q.config.Backfill.overtake)", "!first"},

	{"firm.go", "case j.state != Waiting:", "case false:"},
	{"firm.go", "\tj.promised = start\n\tq.Changed()\n", "\tj.promised = start\n"},

	{"line.go", "q.scan.all = q.scan.all || j.state != Starting", "//"},
	{"line.go", "cmp.Compare(a.Submitted, b.Submitted), cmp.Compare(a.seq, b.seq))", "cmp.Compare(a.Submitted, b.Submitted), cmp.Compare(b.seq, a.seq))"},
	{"next.go", "\t\t\tat = min(at, j.start)\n", ""},
	{"next.go", "at = min(at, next.NotBefore)", "_ = next"},
	{"next.go", "at = min(at, (q.now/half+1)*half)", "_ = half"},
	{"next.go", "if t > after {", "if d == 0 && t > after {"},
	{"queue.go", "return d - rest + step", "return d - rest"},
	{"queue.go", "j.After = slices.DeleteFunc(j.After, func(id ID) bool { return q.jobs[id] == nil })", ""},
	{"queue.go", "q.given = cover(q.given, w)", ""},

	{"room.go", "a.units <= b.units && a.duration <= b.duration", "a.units <= b.units || a.duration <= b.duration"},
	{"queue.go", "if k.bound > q.now {", "if k.bound > q.now+1 {"},
	{"line.go", "for (*list)[i].kind != k {", "for false {"},
	{"line.go", "k.line, k.bound, k.open = nil, 0, bookahead.Interval{}", "k.line, k.open = nil, bookahead.Interval{}"},
	{"next.go", "if q.parted > 0 {", "if false {"},
	{"kind.go", "k.like.age == q.age && slices", "slices"},
	{"kind.go", "if k.failed == q.age {\n\t\treturn true", "if k.failed > 0 {\n\t\treturn true"},
	{"kind.go", "code.Number(x, \"duration\", &s[i].Duration)", ""},
	{"kind.go", "- 1\n\tk.open = cover(k.open, w)", "- 2\n\tk.open = cover(k.open, w)"},
	{"kind.go", "x.bound >= before && (x.open.Empty() || x.open.Start >= before) &&", "x.bound >= before &&"},

	{"forecast.go", "seen <= q.config.Limits.Depth", "seen < q.config.Limits.Depth"},
	{"forecast.go", "ready := max(q.ready(j), j.NotBefore)", "ready := q.ready(j)"},
	{"forecast.go", "ready = max(ready, end)", ""},
	{"line.go", "cmp.Compare(b.seq, a.seq)", "cmp.Compare(a.seq, b.seq)"},
	{"forecast.go", "if f.Places == nil || w.End < f.End {", "if f.Places == nil || w.Start < f.Start {"},
	{"forecast.go", "if ready <= max(x.q.now, x.from[j.kind]) {", "if true {"},

	{"firm.go", "if q.stale {\n\t\treturn", "if true {\n\t\treturn"},
	{"firm.go", "q.gainOn(i, at, nil)", "_ = at"},

	{"order.go", "d = min(d, s.length())", "_ = s"},
	{"order.go", "n >>= min(uint64(times), 64)", "n >>= 1"},
	{"order.go", ">> min(uint64(halvings), 64)", ""},
	{"order.go", "uint64(max(1, shareB))", "uint64(max(1, shareA))"},
	{"order.go", "compareUse(u.owners[a.Owner]", "-compareUse(u.owners[a.Owner]"},

	{"renew.go", "append(q.edges, c.Start, c.End)", "append(q.edges, c.Start)"},
	{"renew.go", "append(q.edges, c.Start, c.End)", "append(q.edges, c.End)"},
	{"renew.go", "q.edges = append(q.edges, r.End)", "_ = r"},

	{"snapshot.go", "code.Flag(x, \"stale\", &q.stale)", ""},
	{"snapshot.go", "code.Flag(x, \"lost\", &j.lost)", ""},
	{"snapshot.go", "code.Number(x, \"halved\", &j.halved)", ""},
	{"snapshot.go", "code.Uint(x, \"found\", &j.found, 1<<64-1)", ""},
	{"snapshot.go", "\tq.codeKnown(x)\n", ""},
	{"round.go", "if j.state == Waiting && !q.consider(", "if !q.consider("},
	{"pass.go", "if now == bookahead.MaxTime {", "if false {"},
	{"pass.go", "if f.Horizon < bookahead.MaxTime && now >", "if false && now >"},
	{"why.go", "b.Reservation = r.id // as", "// as"},
	{"why.go", "now = now || err == nil", "now = err == nil"},
	{"renew.go", "j.overran = q.now // so", "// so"},
	{"renew.go", "|| j.firm[k] == 0 && q.firm[i].shut(p, q.now))", ")"},
	{"renew.go", "q.meter, _ = effort.New(", "_, _ = effort.New("},
	{"move.go", "case q.plain, k.slides, k.bends:", "case q.plain, k.bends:"},
	{"firm.go", "&& q.now > deadline-length {", "&& false {"},
	{"firm.go", "q.forgetCopies()\n", ""},
	{"order.go", "if shares > 1 {", "if shares > 2 {"},
	{"order.go", "s.Groups, s.Owners = maps.Clone(s.Groups), maps.Clone(s.Owners)\n", ""},
	{"snapshot.go", "if j.after > 0 && j.state != Held {", "if false {"},
	{"snapshot.go", "if in := len(q.held()); in < waits {", "if in := len(q.held()); in < 0 {"},
	{"life.go", "if j.state >= Promised && j.start < until {", "if false {"},
	{"life.go", "j.from, j.tried = max(0, until), 0", "j.from = max(0, until)"},
	{"next.go", "at = min(at, j.from)", ""},
	{"world.go", "m.given = append(m.given, p.on()...)", "_ = p"},
	{"renew.go", "q.shifted == 0 && q.bent == 0 && !q.firm[i].closesIn", "!q.firm[i].closesIn"},
	{"next.go", "if len(q.known) > 0 && q.shifted > 0 || q.bent > 0 {", "if q.bent > 0 {"},

	{"bend.go", "if err == nil && at[0].Start > t {", "if err == nil && at[0].Start > t+1 {"},
	{"bend.go", "case last.End == list[0].Start && last.Units == list[0].Units:", "case false:"},
	{"bend.go", "works += bookahead.Time(p.Pieces.Restart)", "works += 0"},
	{"bend.go", "Stop: works + bookahead.Time(p.least())}", "Stop: works}"},
	{"bend.go", "if last.End > now {", "if false {"},
	{"bend.go", "most = x.End - 1", "most = x.End - 2"},
	{"replan.go", "j.told = -1 ", "_ = i "},
	{"replan.go", "q.settleUp(j, q.now)", "q.settleUp(j, j.start)"},
	{"replan.go", "if j.tried == q.age || j.lost", "if j.tried != 0 || j.lost"},
	{"replan.go", "case !paused:", "case !paused || true:"},
	{"replan.go", "|| j.heir != nil ", ""},
	{"replan.go", "|| j.lost ", ""},
	{"replan.go", "q.gain(f, old)", "_ = f"},
	{"queue.go", "\t\tq.tight = true\n", ""},
	{"move.go", "case q.plain, k.slides, k.bends:", "case q.plain, k.slides:"},
	{"preempt.go", "|| j.kind.bends ||", "||"},
	{"next.go", "len(q.used.owners)+len(q.used.groups) > 0", "len(q.used.owners) > 0"},
	{"snapshot.go", "code.NumberFrom(x, \"told\", &j.told, -1)", ""},

	{"replan.go", "return o.Start > now", "return true"},
	{"replan.go", "if at[i].meets(o.Servers) {", "if true {"},
	{"replan.go", "(len(q.known) == 0 || !q.firm[on].blocks(j.places, q.now))", "true"},
	{"replan.go", "return false, false\n\tcase err == ", "return false, true\n\tcase err == "},
	{"replan.go", "j.places[i], q.stale = to, true", "j.places[i] = to"},
	{"replan.go", "if len(gone) > 1 {", "if len(gone) > 9 {"},
	{"replan.go", "return !j.lost })", "return true })"},
	{"replan.go", "x.Nodes, x.Head = res.Tasks, res.Head", "x.Nodes = res.Tasks"},
	{"replan.go", "!j.places[i].Contains(q.now)", "false"},
	{"replan.go", "|| !p.Swap ", ""},
	{"replan.go", "q.swapped = append(q.swapped, Change{j.ID, []Place{to}})", ""},
	{"renew.go", "case slices.ContainsFunc(q.swapped,", "case false && slices.ContainsFunc(q.swapped,"},
	{"renew.go", "q.earliest(j, q.window(), 0)", "q.earliest(j, q.window(), j.kind.forms[0].Shape[0].patience())"},
	{"pass.go", "err != nil || at[0].Start > q.window()", "err != nil"},
	{"pass.go", "if err == nil && at[0].Start > by && f.Shape", "if false && f.Shape"},
	{"pass.go", "at, ok = q.await(j, form, at)", "_ = q.await"},
	{"move.go", "q.earliest(j, old.Start, q.patience(j))", "q.earliest(j, old.Start, 0)"},
	{"move.go", "return bookahead.Duration(j.start - q.ready(j))", "return p.patience()"},
	{"move.go", ", task.Bundle, task.Bundled = m.given, \"\", \"\", 0, \"\"", " = m.given, \"\", \"\""},
	{"queue.go", " || shapes[0][0].patience() > 0 {", " {"},
	{"keeps.go", "delete(tasks, k)", "_ = k"},
	{"keeps.go", "return within(on, on[:1]) || ", "return "},
	{"keeps.go", "if n%r.Bundle != 0 {", "if false {"},
	{"code.go", "code.Number(x, \"patience\", &t.Patience)", ""},
	{"code.go", "code.Number(x, \"bundle\", &t.Bundle)", ""},
	{"code.go", "code.Flag(x, \"swap\", &p.Swap)", ""},
	{"snapshot.go", "|| p.Units < 1 ", ""},
	{"rule.go", "n += min(math.MaxInt64-n, p.does(i, &at[i], by))", "n += p.does(i, &at[i], by)"},
	{"rule.go", "int64(min(math.MaxInt64, product(x.Units, ticks)))", "x.Units * int64(ticks)"},
	{"replan.go", "holds(j.places, q.now) && !holds(at, q.now)", "false"},
	{"replan.go", "> product(p.Units, p.Duration) })", ">= product(p.Units, p.Duration) })"},
	{"replan.go", "return cmp.Compare(a.yields(on, q.now), b.yields(on, q.now))", "return cmp.Compare(b.yields(on, q.now), a.yields(on, q.now))"},
	{"replan.go", "\tq.fail(plan[on].releaseAll(j.ids))\n", ""},
	{"replan.go", "\tif j.ids != nil {\n\t\tq.gain(f, j.places)", "\tif false {\n\t\tq.gain(f, j.places)"},
	{"replan.go", "_, err = firm[0].reserveRest(part, rests[i], q.now)", ""},
	{"replan.go", "|| j.began == now ", ""},
	{"replan.go", "j.ids == nil && j.kind.barred == q.age", "j.kind.barred == q.age"},
	{"replan.go", "j.kind.barred = q.age", "j.kind.barred = q.age + 1"},
	{"pass.go", "q.inexact || q.begins() ||", "q.inexact ||"},
	{"next.go", "if q.begins() {", "if false {"},
	{"round.go", " && !q.config.Yield ", " "},
}

// TestFaults seeds each fault, and runs the other tests.
func TestFaults(t *testing.T) {
	files := strings.Fields(os.Getenv("PLAN_FAULTS"))
	if len(files) == 0 {
		t.Skip("PLAN_FAULTS is not set")
	}
	here, err := os.Getwd()
	require.NoError(t, err)
	caught, all := 0, 0
	for _, f := range faults {
		if !slices.Contains(files, f.file) {
			continue
		}
		all++
		path := filepath.Join(here, f.file)
		source, err := os.ReadFile(path)
		require.NoError(t, err)
		if n := strings.Count(string(source), f.old); n == 0 {
			t.Errorf("%s does not have %q", f.file, f.old)
			continue
		}
		dir := t.TempDir()
		wrong := filepath.Join(dir, f.file)
		require.NoError(t, os.WriteFile(wrong, []byte(strings.Replace(string(source), f.old, f.new, 1)), 0o600))
		overlay, err := json.Marshal(map[string]map[string]string{"Replace": {path: wrong}})
		require.NoError(t, err)
		list := filepath.Join(dir, "overlay.json")
		require.NoError(t, os.WriteFile(list, overlay, 0o600))
		run := exec.Command("go", "test", "-failfast", "-vet=off", "-ldflags=-s -w", "-skip", "TestFaults", "-timeout", "2m", "-overlay", list, ".")
		run.Env = append(os.Environ(), "PLAN_FAULTS=")
		out, err := run.CombinedOutput()
		switch {
		case strings.Contains(string(out), "[build failed]"):
			t.Errorf("%s: %q for %q does not build:\n%s", f.file, f.new, f.old, out)
		case err == nil:
			t.Errorf("%s: %q for %q lives", f.file, f.new, f.old)
		default:
			caught++
			t.Logf("%s: %q for %q is caught", f.file, f.new, f.old)
		}
	}
	t.Logf("%d of %d faults were caught", caught, all)
}
