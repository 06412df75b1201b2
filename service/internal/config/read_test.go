package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// right is a file without errors. Cases of the tests change one line of it, or add lines at its end.
const right = `folder: data
listen: localhost:8080
url: https://book.example.org/
zone: Europe/Berlin
epoch: 2026-01-01
tick: 5m
keep: 30d
titles: mine
schedules:
  - name: room
    kind: servers
    count: 3
    open: ["Mo-Fr 08:00-20:00", "Sa,Su 22:00-02:00"]
    longest: 4h
  - name: gpus
    kind: nodes
    resources: [gpus, cpus]
    levels: [rack]
    nodes:
      - {count: 2, has: [8, 96], in: {rack: a}}
      - {has: [4, 48], in: {rack: b}}
  - name: link
    kind: pool
    units: 100
  - name: any
    kind: broker
    of: [link]
quotas:
  - {name: week, each: true, on: [gpus], resource: gpus, hours: 100, every: 7d}
groups:
  physics: [ann, bob]
limits:
  body: 65536
  rate: 2.5
  burst: 10
  streams: 4
  timeout: 10s
`

func TestRightFile(t *testing.T) {
	c, err := Read([]byte(right), "/etc/bookahead/service.yaml")
	require.NoError(t, err)
	require.Equal(t, "/etc/bookahead/data", c.Folder)
	require.Equal(t, "https://book.example.org", c.URL)
	require.Equal(t, 5*time.Minute, c.Clock().Tick)
	require.Equal(t, "2026-01-01T00:00:00+01:00", c.Clock().Epoch.Format(time.RFC3339))
	require.Equal(t, Limits{Body: 65536, Rate: 2.5, Burst: 10, Streams: 4, Timeout: Length(10 * time.Second)}, c.Limits)
	require.EqualValues(t, 1, c.Ticks(time.Second), "a length is rounded up")
	require.NotNil(t, c.Find("link"))
	require.Nil(t, c.Find("lonk"))
}

func TestDefaults(t *testing.T) {
	c, err := Read([]byte("schedules: [{name: a, kind: pool, units: 1}]\ntls: {certificate: c.pem, key: /k.pem}\nlisten: :8443\nsecret: $KEY\n"), "/x/y.yaml")
	require.NoError(t, err)
	require.Equal(t, "/x/data", c.Folder)
	require.Equal(t, "https://localhost:8443", c.URL)
	require.Equal(t, "$KEY", c.Secret)
	require.Equal(t, TLS{"/x/c.pem", "/k.pem"}, *c.TLS)
	require.Equal(t, Limits{Body: 1 << 20, Rate: 50, Burst: 200, Streams: 16, Timeout: Length(30 * time.Second)}, c.Limits)
	require.Equal(t, "all", c.Titles)
	require.Equal(t, time.Minute, c.Clock().Tick)
}

// TestWrongFiles changes the right file, and checks the line and the key of each error, and a word of it.
func TestWrongFiles(t *testing.T) {
	sum := strings.Repeat("ab", 32)
	for _, one := range []struct{ old, new, key, word string }{ // old "" adds lines at the end
		{"titles: mine", "titels: mine", "titels", "unknown"},
		{"longest: 4h", "longst: 4h", "schedules[0].longst", "unknown"},
		{"  body: 65536", "  boddy: 65536", "limits.boddy", "unknown"},
		{"units: 100", "units: many", "schedules[2].units", "int64"},
		{"units: 100", "units: 0", "schedules[2].units", "0"},
		{"units: 100", "units: -4", "schedules[2].units", "-4"},
		{"units: 100", "units: 2.5", "schedules[2].units", "no whole number"},
		{"units: 100", "units: 99999999999999999999", "schedules[2].units", ""},
		{"units: 100", "units: [1]", "schedules[2].units", ""},
		{"units: 100", "units: 100\n    units: 5", "", "already defined"},
		{"units: 100", "count: 100", "schedules[2].count", "none"},
		{"units: 100", "units: 100\n    prefer: best", "schedules[2].prefer", "none"},
		{"kind: pool", "kind: pol", "schedules[2].kind", "pol"},
		{"    kind: pool\n", "", "schedules[2].kind", `""`},
		{"name: link", "name: gpus", "schedules[2].name", "two schedules"},
		{"name: link", "name: ' link'", "schedules[2].name", "space"},
		{"name: link", "name: \"li\\u202enk\"", "schedules[2].name", "cannot be seen"},
		{"name: link", "name: " + strings.Repeat("x", 257), "schedules[2].name", "257"},
		{"of: [link]", "of: [lonk]", "schedules[3].of[0]", "lonk"},
		{"of: [link]", "of: []", "schedules[3].of", ""},
		{"of: [link]", "of: [link, gpus]", "schedules[3].of[1]", ""},
		{"count: 3", "count: 0", "schedules[0].count", "0"},
		{"count: 3", "count: 9223372036854775807", "schedules[0].count", ""},
		{"count: 3", "count: 3\n    prefer: middle", "schedules[0].prefer", "middle"},
		{"{count: 2, has", "{count: 0, has", "schedules[1].nodes[0].count", "0"},
		{"{count: 2, has", "{count: -1, has", "schedules[1].nodes[0].count", "-1"},
		{"{count: 2, has", "{count: 9223372036854775807, has", "schedules[1].nodes[0].count", "more than"},
		{"{count: 2, has", "{count: 2.7, has", "schedules[1].nodes[0].count", "no whole number"},
		{"in: {rack: a}", "in: {row: a}", "schedules[1].nodes[0].in.row", "levels"},
		{"has: [4, 48]", "has: [4]", "schedules[1].nodes[1].has", ""},
		{"has: [4, 48]", "has: [4, -1]", "schedules[1].nodes[1].has", "-1"},
		{"resources: [gpus, cpus]", "resources: [gpus, gpus]", "schedules[1].resources[1]", "gpus"},
		{`"Mo-Fr 08:00-20:00"`, `"Mo-Fr 8-20"`, "schedules[0].open[0]", "8-20"},
		{`"Sa,Su 22:00-02:00"`, `"Sx 22:00-02:00"`, "schedules[0].open[1]", "Sx"},
		{`"Sa,Su 22:00-02:00"`, `"Sa,Sa 22:00-02:00"`, "schedules[0].open[1]", "Sa,Sa"},
		{`"Sa,Su 22:00-02:00"`, `"Su-Sa 22:00-02:00"`, "schedules[0].open[1]", "Su-Sa"},
		{`"Sa,Su 22:00-02:00"`, `"Sa 24:00-02:00"`, "schedules[0].open[1]", ""},
		{`"Sa,Su 22:00-02:00"`, `"Sa 22:60-23:00"`, "schedules[0].open[1]", ""},
		{`"Sa,Su 22:00-02:00"`, `"Sa 22:00-24:01"`, "schedules[0].open[1]", ""},
		{`["Mo-Fr 08:00-20:00", "Sa,Su 22:00-02:00"]`, "[" + strings.Repeat(`"Mo 08:00-20:00",`, 200) + "]", "schedules[0].open", "168"},
		{"longest: 4h", "longest: 4", "schedules[0].longest", "no length"},
		{"longest: 4h", "longest: -4h", "schedules[0].longest", "no length"},
		{"longest: 4h", "longest: 0h", "schedules[0].longest", "no length"},
		{"longest: 4h", "longest: 1.5h", "schedules[0].longest", "no length"},
		{"longest: 4h", "longest: 999999999999w", "schedules[0].longest", "292 years"},
		{"longest: 4h", "longest: [4h]", "schedules[0].longest", "no length"},
		{"tick: 5m", "tick: 7m", "tick", "whole number of ticks"},
		{"tick: 5m", "tick: 2h", "tick", "whole number of ticks"},
		{"keep: 30d", "keep: ever", "keep", "no length"},
		{"zone: Europe/Berlin", "zone: Europe/Atlantis", "zone", "Atlantis"},
		{"zone: Europe/Berlin", "zone: Local", "zone", "Local"},
		{"zone: Europe/Berlin", "zone: ../../etc/passwd", "zone", "passwd"},
		{"epoch: 2026-01-01", "epoch: 2026-02-30", "epoch", "2026-02-30"},
		{"epoch: 2026-01-01", "epoch: 0001-01-01", "epoch", "1970"},
		{"titles: mine", "titles: yours", "titles", "yours"},
		{"listen: localhost:8080", "listen: localhost", "listen", "localhost"},
		{"url: https://book.example.org/", "url: book.example.org", "url", "book.example.org"},
		{"url: https://book.example.org/", "url: https://book.example.org/path", "url", "path"},
		{"url: https://book.example.org/", "url: https://a:b@book.example.org", "url", ""},
		{"url: https://book.example.org/", "url: javascript:alert(1)", "url", "javascript"},
		{"  body: 65536", "  body: 10", "limits.body", "10"},
		{"  body: 65536", "  body: 0", "limits.body", "0"},
		{"  rate: 2.5", "  rate: -1", "limits.rate", "-1"},
		{"  rate: 2.5", "  rate: 0", "limits.rate", "0"},
		{"  rate: 2.5", "  rate: .nan", "limits.rate", "NaN"},
		{"  burst: 10", "  burst: -1", "limits.burst", "-1"},
		{"  streams: 4", "  streams: 0", "limits.streams", "0"},
		{"  timeout: 10s", "  timeout: 0s", "limits.timeout", "no length"},
		{"on: [gpus]", "on: [gups]", "quotas[0].on[0]", "gups"},
		{"hours: 100", "hours: -1", "quotas[0].hours", "negative"},
		{"hours: 100", "hours: 9223372036854775807", "quotas[0].hours", "too large"},
		{"hours: 100, every: 7d", "hours: 100", "quotas[0].hours", ""},
		{"resource: gpus", "resource: disks", "quotas[0].resource", "disks"},
		{"  physics: [ann, bob]", "  physics: [ann, '']", "groups.physics[1]", "0 bytes"},
		{"  physics: [ann, bob]", "  \"phys\\u200bics\": [ann]", "groups.phys\u200bics", "cannot be seen"},
		{"  physics: [ann, bob]", "  physics: ann", "groups.physics", ""},
		{"", "tls: {certificate: x}", "tls", "both"},
		{"", "proxy: perhaps", "proxy", ""},
		{"", "tokens: [{owner: ann, role: booker, sha256: ab}]", "tokens[0].sha256", "64"},
		{"", "tokens: [{owner: ann, role: booker}]", "tokens[0].sha256", "64"},
		{"", "tokens: [{owner: ann, role: king, sha256: " + sum + "}]", "tokens[0].role", "king"},
		{"", "tokens: [{owner: '', role: booker, sha256: " + sum + "}]", "tokens[0].owner", "0 bytes"},
		{"", "tokens: [{owner: \"a\\0b\", role: booker, sha256: " + sum + "}]", "tokens[0].owner", "cannot be seen"},
		{"", "tokens: [{owner: ann, role: booker, expires: soon, sha256: " + sum + "}]", "tokens[0].expires", "soon"},
		{"", "tokens:\n  - {owner: ann, role: booker, sha256: " + sum + "}\n  - {owner: bob, role: booker, sha256: " + strings.ToUpper(sum) + "}", "tokens[1].sha256", "twice"},
		{"", "oidc: {issuer: http://login.example.org, client: x}", "oidc.issuer", "https"},
		{"", "oidc: {issuer: https://login.example.org}", "oidc.client", "empty"},
		{"", "oidc: {issuer: https://login.example.org, client: x, operators: [' ']}", "oidc.operators[0]", "space"},
		{"", "webhooks: [{url: https://x.example.org, secret: s}]", "webhooks[0].name", "0 bytes"},
		{"", "webhooks: [{name: " + strings.Repeat("x", 257) + ", url: https://x.example.org, secret: s}]", "webhooks[0].name", "257"},
		{"", "webhooks: [{name: x, url: https://x.example.org, secret: s}, {name: x, url: https://y.example.org, secret: s}]", "webhooks[1].name", "two"},
		{"", "webhooks: [{name: x, url: http://x.example.org, secret: s}]", "webhooks[0].url", "https"},
		{"", "webhooks: [{name: x, url: https://x.example.org}]", "webhooks[0].secret", "left out"},
		{"", "webhooks: [{name: x, url: https://x.example.org, secret: s, on: [lab]}]", "webhooks[0].on[0]", "lab"},
		{"", "webhooks: [{name: x, url: https://x.example.org, secret: s, what: [boked]}]", "webhooks[0].what[0]", "boked"},
		{"", "member: {id: a, bind: :7000, peers: [{id: b, address: 'x:1'}]}", "member.id", `"a"`},
		{"", "member: {id: a, bind: :7000, peers: [{id: a, address: 'x:1'}, {id: a, address: 'y:1'}]}", "member.peers[1].id", "twice"},
		{"", "member: {id: a, bind: :7000, peers: [{id: a, address: x}]}", "member.peers[0].address", "address"},
		{"", "member: {id: a, bind: x, peers: [{id: a, address: 'x:1'}]}", "member.bind", "x"},
		{"", "member: {id: a, bind: :7000, certificate: c, peers: [{id: a, address: 'x:1'}]}", "member", "not all"},
		{"tick: 5m", "tick: &t 5m", "tick", "alias"},
		{"keep: 30d", "keep: *t", "keep", ""},
	} {
		name := strings.TrimSpace(one.new)
		t.Run(name[:min(len(name), 40)], func(t *testing.T) {
			require.Contains(t, right, one.old)
			text, line := right+one.new+"\n", strings.Count(right, "\n")+1+strings.Count(one.new, "\n")
			if one.old != "" {
				at := strings.Index(right, one.old)
				text = right[:at] + one.new + right[at+len(one.old):]
				line = strings.Count(right[:at], "\n") + 1 + strings.Count(one.new, "\n")
			}
			_, err := Read([]byte(text), "file.yaml")
			var e *Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, one.key, e.Key, "%v", e)
			require.Contains(t, e.What, one.word)
			require.True(t, strings.HasPrefix(e.Error(), fmt.Sprintf("file.yaml:%d: ", e.Line)), "%v", e)
			require.InDelta(t, line, e.Line, tolerance(one.new), "%v", e)
		})
	}
}

// tolerance is 0 unless the key that is missed is in no line: then the line of the thing around it is named.
func tolerance(text string) float64 {
	if text == "" {
		return 1
	}
	return 0
}

func TestFilesThatAreNoFile(t *testing.T) {
	for text, what := range map[string]string{
		"":                                      "there is none",
		"# nothing\n":                           "there is none",
		"- a\n- b\n":                            "",
		"folder: {":                             "",
		"folder: \"a":                           "",
		"\tfolder: a":                           "",
		right + "---\nfolder: other\n":          "second document",
		"a: " + strings.Repeat("[", 100_000):    "deep",
		strings.Repeat("- ", 100_000):           "deep",
		strings.Repeat("? ", 100_000):           "deep",
		"folder: " + strings.Repeat("x", 2<<20): "bytes",
		right + "# \xff\xfe\n":                  "no text",
		"folder: a\x00b\n" + strings.TrimPrefix(right, "folder: data\n"): "no text",
	} {
		_, err := Read([]byte(text), "file.yaml")
		var e *Error
		require.ErrorAs(t, err, &e, "%.40q", text)
		require.Contains(t, e.Error(), what)
	}
	_, err := Load(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestDemonstration checks the file that the service has with it.
func TestDemonstration(t *testing.T) {
	data, err := os.ReadFile("../../cmd/bookaheadd/demo.yaml")
	require.NoError(t, err)
	c, err := Read(data, "demo.yaml")
	require.NoError(t, err)
	require.Len(t, c.Schedules, 3)
}

// TestCommentOfThePackage checks the file in the comment of the package.
func TestCommentOfThePackage(t *testing.T) {
	data, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	var file strings.Builder
	for line := range strings.Lines(string(data)) {
		text, ok := strings.CutPrefix(line, "//\t")
		if ok {
			file.WriteString(text)
		}
	}
	_, err = Read([]byte(file.String()), "doc.yaml")
	require.NoError(t, err)
}

func TestNamesAndSecrets(t *testing.T) {
	for _, name := range []string{"ann", "Ann Müller", "ann@example.org", "組", strings.Repeat("x", 256)} {
		require.NoError(t, CheckName(name), name)
	}
	for _, name := range []string{"", " ann", "ann\n", "a\x00b", "a\u202eb", "a\u200bb", "a\u2028b", "a\xffb", "\ufeffann", strings.Repeat("x", 257)} {
		require.Error(t, CheckName(name), "%q", name)
	}
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte("  open sesame\n"), 0o600))
	text, err := ReadSecret(file)
	require.NoError(t, err)
	require.Equal(t, "open sesame", string(text))
	t.Setenv("BOOKAHEAD_TEST_SECRET", "from outside")
	text, err = ReadSecret("$BOOKAHEAD_TEST_SECRET")
	require.NoError(t, err)
	require.Equal(t, "from outside", string(text))
	for _, name := range []string{"$BOOKAHEAD_TEST_NONE", file + "x"} {
		_, err = ReadSecret(name)
		require.Error(t, err)
	}
}

// FuzzRead reads any bytes: no panic, an *Error or a file, and in time.
func FuzzRead(f *testing.F) {
	f.Add([]byte(right))
	for _, seed := range []string{"count: 9223372036854775807", "a: &a [*a]", "schedules: [{name: a, kind: pool, units: 1}]", "<<: {a: 1}", "? [a]: b",
		"schedules:\n- {name: s, kind: servers, count: 9223372036854775807, horizon: 99999d}", "!!binary x", "a: |\n  b\n c", "tick: 1s\nkeep: 99999w"} {
		f.Add([]byte(seed))
		f.Add([]byte(right + seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		began := time.Now()
		c, err := Read(data, "fuzz.yaml")
		var e *Error
		if (c == nil) != errors.As(err, &e) {
			t.Fatalf("%v, and the error is %v", c, err)
		}
		if e != nil && (e.Line < 0 || e.Line > strings.Count(string(data), "\n")+2) {
			t.Fatalf("line %d: %v", e.Line, e)
		}
		took := time.Since(began)
		if took > 5*time.Second {
			t.Fatalf("%d bytes took %v", len(data), took)
		}
	})
}
