package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// faults are edits of the protocol that the watch must notice.
var faults = []struct{ what, file, old, new string }{
	{"a hold that is not committed stays", "site.go", "desk.Book{Key: key, Request: r, Hold: until}", "desk.Book{Key: key, Request: r, Hold: until + 9}"},
	{"nobody looks at the clock", "site.go", "s.expire(until)\n", ""},
	{"a desk that comes back forgets when its holds are over", "site.go", "s.expire(k.Expiry)\n", "\n"},
	{"a part is never in doubt", "site.go", "s.later(s.Patience/4, func() { s.doubt(k.ID) })", ""},
	{"a desk that comes back has no doubts", "site.go", "case desk.Booked, desk.Running:\n\t\t\ts.doubt(k.ID)", "case desk.Booked, desk.Running:"},
	{"a part in doubt asks once", "site.go", "if !sure {", "if sure {"},
	{"a part in doubt takes a hold for an answer", "site.go", "|| r.state == desk.Held {", "{"},
	{"a part whose home has run is given up", "site.go", "if !r.ok && r.state != desk.Ended {", "if r.state != desk.Booked {"},
	{"a part whose home is gone stays", "site.go", "if !r.ok && r.state != desk.Ended {", "if false {"},
	{"a home tells nobody of a cancellation", "site.go", "if e.What == desk.WasCancelled {", "if e.What == desk.HasExpired {"},
	{"a home tells the others once", "site.go", "if !heard {", "if heard {"},
	{"a desk that comes back tells nobody", "site.go", "s.tellGone(k.ID)\n\t\t}\n\t}", "}\n\t}"},
	{"a desk that comes back has no bookings", "site.go", "s.desk, err = desk.Read(saved, desk.Config{Keep: keep})", "_ = saved\n\tfresh, err := newSite(s.world, s.name)\n\ts.desk = fresh.desk"},
	{"the home is committed first", "agent.go", "a.each(list[1:], committed", "a.each(list[:1], committed"},
	{"the home is committed with the others", "agent.go", "a.each(list[1:], committed", "a.each(list, committed"},
	{"nobody waits for the other parts", "agent.go", "if left == 0 {", "if left < len(list) {"},
	{"an agent promises a booking that its home has refused", "agent.go", "if !committed(r.state) {\n\t\t\ta.giveUp(late)\n\t\t\treturn\n\t\t}\n\t\ta.finish", "a.finish"},
	{"an agent goes on although a desk has refused its part", "agent.go", "if !good(r.state) {", "if false {"},
	{"tries share a key", "agent.go", `fmt.Sprintf("%d.%d", a.id, a.tries)`, `fmt.Sprintf("%d.%d", a.id, 0)`},
	{"each part lies where its desk likes", "site.go", "r := request(start, start+bookahead.Time(d), units", "r := request(start, 0, units"},
	{"a cancellation goes to another desk", "agent.go", "a.call(a.parts[0].desk, func(s *site) reply { return s.cancel(a.key()) }, answer)", "a.call(a.parts[1].desk, func(s *site) reply { return s.cancel(a.key()) }, answer)"},
}

// TestFaults seeds each fault, and runs the other tests.
func TestFaults(t *testing.T) {
	if os.Getenv("DESKS_FAULTS") == "" {
		t.Skip("DESKS_FAULTS is not set")
	}
	here, err := os.Getwd()
	require.NoError(t, err)
	for _, f := range faults {
		t.Run(f.what, func(t *testing.T) {
			path := filepath.Join(here, f.file)
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, 1, strings.Count(string(text), f.old), "%q is not once in %s", f.old, f.file)
			dir := t.TempDir()
			wrong, list := filepath.Join(dir, f.file), filepath.Join(dir, "overlay.json")
			require.NoError(t, os.WriteFile(wrong, []byte(strings.Replace(string(text), f.old, f.new, 1)), 0o600))
			overlay, err := json.Marshal(map[string]map[string]string{"Replace": {path: wrong}})
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(list, overlay, 0o600))
			run := exec.Command("go", "test", "-failfast", "-vet=off", "-timeout", "2m", "-overlay", list, ".")
			run.Env = append(os.Environ(), "DESKS_FAULTS=")
			out, err := run.CombinedOutput()
			require.NotContains(t, string(out), "[build failed]", "%s", out)
			require.Error(t, err, "the fault lives")
		})
	}
}
