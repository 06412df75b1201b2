package decide_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// faults are edits of the module that its tests must notice. They run only if KUBE_FAULTS names files, or is "all":
//
//	KUBE_FAULTS=all go -C kube test -v -run TestFaults -timeout 1h ./internal/decide
var faults = []struct{ file, old, new string }{
	{"decide/allowed.go", "if j.request.Nodes != nil && !", "if false && !"},
	{"decide/allowed.go", "if sum > has {", "if sum > has && has == 0 {"},
	{"decide/booking.go", "if !d.allows(&f.request, tasks) {", "if false {"},
	{"decide/booking.go", "(same || f.refused != \"\" || f", "(same || f"},
	{"decide/booking.go", "\t\t\td.keep(f)\n", ""},
	{"decide/booking.go", "p.start, d.Now), End: p.end}", "p.start, d.Now), End: p.end - 1}"},
	{"decide/booking.go", "case !slices.Contains(in, p.Namespace):", "case false:"},
	{"decide/decide.go", "cluster.Ticks(o.End.Time) <= d.Now ||", "cluster.Ticks(o.End.Time) < d.Now ||"},
	{"decide/decide.go", "err = d.placeNew(l) // promises", "err = nil // promises"},
	{"decide/decide.go", "return map[bool]int{true: -1, false: 1}[a.Open]", "return map[bool]int{true: 1, false: -1}[a.Open]"},
	{"decide/decide.go", "if len(silent) > 0 {", "if false {"},
	{"decide/groups.go", "return ok && start == at", "return ok && (start == at || start != at)"},
	{"decide/groups.go", "len(alive) <= size", "len(alive) <= 2*size"},
	{"decide/groups.go", "\t\t\tj.lacks(d, alive)\n\t\t\td.besideOpen(j, open)\n", "\t\t\tj.lacks(d, alive)\n"},
	{"decide/inside.go", "{Start: when.End, End: bookahead.MaxTime}} {", "} {"},
	{"decide/inside.go", "{{Start: d.Now, End: when.Start}, ", "{"},
	{"decide/inside.go", "cluster.Gated(p) || d.inside(p) != f {", "true {"},
	{"decide/jobs.go", "case len(all) < size:", "case false:"},
	{"decide/jobs.go", "r.Head = d.cluster.Takes(j.head)", "r.Head = nil"},
	{"decide/jobs.go", "(j.rest || j.in != \"\") && j.known", "false"},
	{"decide/launch.go", "keep := slices.Equal(", "keep := true || slices.Equal("},
	{"decide/launch.go", "if !d.Settings.Enforce || !j.said && j.in == \"\" {", "if true {"},
	{"decide/line.go", "\t\terr := l.queue.Promise(p.id, 0, []plan.Place{p.at})\n\t\tif err != nil {", "\t\tif false {"},
	{"decide/line.go", "j.place, j.expects = nil, f.Start", "j.expects = f.Start"},
	{"decide/note.go", "first := d.Now / turn % n * mostSentences % n", "first := 0 * n"},
	{"decide/note.go", "range append(fresh, again...) {", "range append(again, fresh...) {"},
	{"decide/note.go", "return next <= d.Now", "return true"},
	{"decide/placing.go", "starts[:min(len(starts), mostOccurrences)]", "starts[:min(len(starts), 1)]"},
	{"decide/protect.go", "if p.start-lead > d.Now {", "if p.start > d.Now {"},
	{"decide/protect.go", "has != tainted[n.Name] &&", "!has && tainted[n.Name] &&"},
	{"decide/repair.go", "p.start > d.Now && d.move(f, p)", "false"},
	{"decide/repair.go", "p.tasks[s.Node] += s.Tasks", "p.tasks[s.Node] = s.Tasks"},
	{"decide/repair.go", "r.Nodes = common(r.Nodes, d.cluster.Domain(r.Within, k))", "_ = common"},
	{"cluster/cluster.go", "case node.Spec.Unschedulable:", "case false:"},
	{"cluster/cluster.go", "if Over(p) || Gated(p) || without(p) {", "if Over(p) || Gated(p) || p.Spec.NodeName == \"\" || without(p) {"},
	{"cluster/cluster.go", "if x.Status == corev1.ConditionTrue {", "if true {"},
	{"cluster/resources.go", "cmp.Compare(a.rank, b.rank), ", ""},
	{"cluster/resources.go", "len(more) <= room || a.rank", "a.rank"},
	{"cluster/duration.go", "graced(end, s.Now+1, s)", "graced(end, s.Now, s)"},
	{"controller/fresh.go", "w.before[w.now.GetResourceVersion()] = true", "_ = w"},
	{"controller/pass.go", "if a.Written || alone {", "if true || a.Written || alone {"},
	{"controller/pass.go", "\tif judge(err) != refuses {\n\t\treturn err\n\t}\n\tf := c.failed[l.Job]\n", "\tif err != nil {\n\t\treturn err\n\t}\n\tf := c.failed[l.Job]\n"},
	{"controller/pass.go", "ended.Store(true)", "ended.Store(false)"},
	{"controller/pass.go", "err = c.startAll(ctx, d.Launches[:starts], s.Now)", "err = c.startAll(ctx, d.Launches, s.Now)"},
	{"controller/pass.go", "[]verdict{busy, changed, refuses}", "[]verdict{refuses, changed, busy}"},
	{"decide/note.go", "(old == nil || old.Reason != reason)", "true"},
	{"decide/decide.go", "d.due(d.Now + 1)", "d.due(d.Now + 9)"},
	{"controller/write.go", "patch[\"metadata\"].(object)[\"resourceVersion\"] = p.ResourceVersion", "_ = p"},
	{"controller/write.go", "list = append(list, corev1.Taint{", "_ = append(list, corev1.Taint{"},
	{"controller/controller.go", "wait := min(look, ", "wait := min(30*look, "},
}

// TestFaults: the tests notice each fault.
func TestFaults(t *testing.T) {
	names := os.Getenv("KUBE_FAULTS")
	if names == "" {
		t.Skip("KUBE_FAULTS names no files")
	}
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	for _, f := range faults {
		if names != "all" && !strings.Contains(names, f.file) {
			continue
		}
		t.Run(f.file+": "+f.new, func(t *testing.T) {
			name := filepath.Join(root, filepath.FromSlash(f.file))
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			require.Equal(t, 1, strings.Count(string(text), f.old), "%q is not once in %s", f.old, f.file)
			dir := t.TempDir()
			edited := filepath.Join(dir, "edited.go")
			require.NoError(t, os.WriteFile(edited, []byte(strings.Replace(string(text), f.old, f.new, 1)), 0o600))
			overlay, err := json.Marshal(map[string]map[string]string{"Replace": {name: edited}})
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600))
			for _, pkg := range []string{"./decide", "./controller"} {
				if pkg == "./decide" && strings.HasPrefix(f.file, "controller/") {
					continue
				}
				cmd := exec.Command("go", "test", "-vet=off", "-count=1", "-timeout=60s", "-overlay", filepath.Join(dir, "overlay.json"), pkg)
				cmd.Dir, cmd.Env = root, append(os.Environ(), "KUBE_FAULTS=")
				out, err := cmd.CombinedOutput()
				require.NotContains(t, string(out), "[build failed]", "%s", out)
				if err != nil {
					return // it was noticed
				}
			}
			t.Errorf("%s: %q for %q is not noticed", f.file, f.new, f.old)
		})
	}
}
