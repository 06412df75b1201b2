package config

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // wherever it runs

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// Error says what is wrong in the file, and where.
type Error struct {
	File string
	Line int    // from 1; 0 if it is unknown
	Key  string // such as "schedules[2].units"
	What string
}

// Error formats the error as "bookahead.yaml:12: schedules[2].units: is less than 1".
func (e *Error) Error() string {
	s := e.File
	if e.Line > 0 {
		s += fmt.Sprintf(":%d", e.Line)
	}
	if e.Key != "" {
		s += ": " + e.Key
	}
	return s + ": " + e.What
}

// Load reads a file. Names of files and folders in it that are relative lie beside it.
func Load(file string) (*Config, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Read(data, file)
}

// Read reads the bytes of a file. The error is an *Error.
func Read(data []byte, file string) (*Config, error) {
	var c Config
	err := yaml.UnmarshalWithOptions(data, &c, yaml.Strict(), yaml.DisallowUnknownField())
	if err != nil {
		return nil, syntax(file, err)
	}
	x := checker{file: file, data: data, c: &c}
	x.defaults()
	x.check()
	if x.err != nil {
		return nil, x.err
	}
	return &c, nil
}

// syntax returns the error of the YAML with its line.
func syntax(file string, err error) error {
	e := &Error{File: file, What: err.Error()}
	var at yaml.Error
	if errors.As(err, &at) {
		e.What = at.GetMessage()
		if t := at.GetToken(); t != nil && t.Position != nil {
			e.Line, e.Key = t.Position.Line, t.Value
		}
	}
	return e
}

// checker checks a file. It keeps the first error.
type checker struct {
	file string
	data []byte
	c    *Config
	err  error
}

// fail notes what is wrong with a key, such as "schedules[2].units".
func (x *checker) fail(key, what string, args ...any) {
	if x.err != nil {
		return
	}
	e := &Error{File: x.file, Key: key, What: fmt.Sprintf(what, args...)}
	e.Line = x.line(key)
	x.err = e
}

// line returns the line of a key, or of the nearest that the file has around it; 0 if there is none.
func (x *checker) line(key string) int {
	parsed, err := parser.ParseBytes(x.data, 0)
	for err == nil && key != "" {
		path, wrong := yaml.PathString("$." + key)
		if wrong == nil {
			var node ast.Node
			node, wrong = path.FilterFile(parsed)
			if wrong == nil && node != nil && node.GetToken() != nil {
				return node.GetToken().Position.Line
			}
		}
		key = key[:max(0, lastOf(key))]
	}
	return 0
}

// lastOf returns where the last step of a key begins; -1 if there is none.
func lastOf(key string) int {
	for i := len(key) - 1; i >= 0; i-- {
		if key[i] == '.' || key[i] == '[' {
			return i
		}
	}
	return -1
}

func (x *checker) defaults() {
	c := x.c
	c.Folder, c.Listen = cmp.Or(c.Folder, "data"), cmp.Or(c.Listen, "localhost:8080")
	c.Zone, c.Epoch, c.Titles = cmp.Or(c.Zone, "UTC"), cmp.Or(c.Epoch, "2026-01-01"), cmp.Or(c.Titles, "all")
	c.Tick, c.Keep = cmp.Or(c.Tick, Length(time.Minute)), cmp.Or(c.Keep, Length(90*24*time.Hour))
	l := &c.Limits
	l.Body, l.Rate, l.Burst, l.Streams = cmp.Or(l.Body, 1<<20), cmp.Or(l.Rate, 50), cmp.Or(l.Burst, 200), cmp.Or(l.Streams, 16)
	l.Timeout = cmp.Or(l.Timeout, Length(30*time.Second))
	beside := func(name *string) {
		if *name != "" && !filepath.IsAbs(*name) && (*name)[0] != '$' {
			*name = filepath.Join(filepath.Dir(x.file), *name)
		}
	}
	beside(&c.Folder)
	if c.TLS != nil {
		beside(&c.TLS.Certificate)
		beside(&c.TLS.Key)
	}
	if c.Member != nil {
		beside(&c.Member.Certificate)
		beside(&c.Member.Key)
		beside(&c.Member.Authority)
	}
	if c.OIDC != nil {
		beside(&c.OIDC.Secret)
		c.OIDC.Owner, c.OIDC.Groups = cmp.Or(c.OIDC.Owner, "preferred_username"), cmp.Or(c.OIDC.Groups, "groups")
	}
	for i := range c.Webhooks {
		beside(&c.Webhooks[i].Secret)
	}
}

// check checks everything that can be checked without the folder and the network.
func (x *checker) check() {
	x.checkDoor()
	x.checkClock()
	if x.err != nil {
		return
	}
	x.checkMember()
	x.checkPeople()
	x.checkWebhooks()
	if x.err == nil {
		x.checkDesk()
	}
}

func (x *checker) checkDoor() {
	c := x.c
	_, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		x.fail("listen", "%q is no address such as localhost:8080", c.Listen)
	}
	if c.URL == "" {
		c.URL = "http://" + c.Listen
		if c.TLS != nil {
			c.URL = "https://" + c.Listen
		}
	}
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.Path != "" && u.Path != "/" || u.RawQuery != "" {
		x.fail("url", "%q is no address such as https://book.example.org, without a path", c.URL)
	}
	if c.TLS != nil && (c.TLS.Certificate == "" || c.TLS.Key == "") {
		x.fail("tls", "has not both certificate and key")
	}
	if c.Titles != "all" && c.Titles != "mine" {
		x.fail("titles", "%q is neither all nor mine", c.Titles)
	}
	l := c.Limits
	if l.Body < 1024 || l.Body > 1<<26 {
		x.fail("limits.body", "%d is not 1024 to %d", l.Body, 1<<26)
	}
	if !(l.Rate > 0) || l.Burst < 1 || l.Streams < 1 || l.Timeout < Length(time.Second) {
		x.fail("limits", "rate, burst and streams are more than 0, and timeout is a second or more")
	}
}

func (x *checker) checkClock() {
	c := x.c
	zone, err := time.LoadLocation(c.Zone)
	if err != nil || c.Zone == "Local" {
		x.fail("zone", "%q is no time zone such as Europe/Berlin", c.Zone)
		return
	}
	epoch, err := time.ParseInLocation(time.DateOnly, c.Epoch, zone)
	if err != nil {
		x.fail("epoch", "%q is no day such as 2026-01-01", c.Epoch)
	}
	if c.Tick.Time() < time.Second || time.Hour%c.Tick.Time() != 0 {
		x.fail("tick", "an hour is not a whole number of ticks of %v, of a second or more", c.Tick.Time())
	}
	c.clock = bookahead.Clock{Epoch: epoch, Tick: c.Tick.Time()}
}

func (x *checker) checkMember() {
	m := x.c.Member
	if m == nil {
		return
	}
	if !slices.ContainsFunc(m.Peers, func(p Peer) bool { return p.ID == m.ID }) {
		x.fail("member.id", "%q is none of the peers", m.ID)
	}
	for i, p := range m.Peers {
		_, _, err := net.SplitHostPort(p.Address)
		switch {
		case p.ID == "" || slices.ContainsFunc(m.Peers[:i], func(q Peer) bool { return q.ID == p.ID }):
			x.fail(fmt.Sprintf("member.peers[%d].id", i), "%q is empty, or named twice", p.ID)
		case err != nil:
			x.fail(fmt.Sprintf("member.peers[%d].address", i), "%q is no address such as 10.0.0.1:7000", p.Address)
		}
	}
	if _, _, err := net.SplitHostPort(m.Bind); err != nil {
		x.fail("member.bind", "%q is no address such as :7000", m.Bind)
	}
	if (m.Certificate == "") != (m.Key == "") || (m.Key == "") != (m.Authority == "") {
		x.fail("member", "has some of certificate, key and authority, and not all")
	}
}

// Roles are the names of roles.
var Roles = []string{"reader", "booker", "operator"}

func (x *checker) checkPeople() {
	for i, t := range x.c.Tokens {
		key := fmt.Sprintf("tokens[%d]", i)
		sum, err := hex.DecodeString(t.SHA256)
		_, wrong := time.Parse(time.DateOnly, t.Expires)
		switch {
		case err != nil || len(sum) != 32:
			x.fail(key+".sha256", "is not 64 hexadecimal digits, as bookaheadd token prints them")
		case slices.ContainsFunc(x.c.Tokens[:i], func(o Token) bool { return o.SHA256 == t.SHA256 }):
			x.fail(key+".sha256", "is given twice")
		case t.Owner == "" || len(t.Owner) > 256:
			x.fail(key+".owner", "%q is empty, or longer than 256 bytes", t.Owner)
		case !slices.Contains(Roles, t.Role):
			x.fail(key+".role", "%q is none of %q", t.Role, Roles)
		case t.Expires != "" && wrong != nil:
			x.fail(key+".expires", "%q is no day such as 2027-01-31", t.Expires)
		}
	}
	o := x.c.OIDC
	if o == nil {
		return
	}
	u, err := url.Parse(o.Issuer)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && !local(u):
		x.fail("oidc.issuer", "%q is no address of https", o.Issuer)
	case o.Client == "":
		x.fail("oidc.client", "is empty")
	}
}

// local reports whether an address is on this machine: there, HTTP is as good as HTTPS.
func local(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())
}

func (x *checker) checkWebhooks() {
	for i, w := range x.c.Webhooks {
		key := fmt.Sprintf("webhooks[%d]", i)
		u, err := url.Parse(w.URL)
		switch {
		case w.Name == "" || slices.ContainsFunc(x.c.Webhooks[:i], func(o Webhook) bool { return o.Name == w.Name }):
			x.fail(key+".name", "%q is empty, or named twice", w.Name)
		case err != nil || u.Host == "" || u.Scheme != "https" && !local(u):
			x.fail(key+".url", "%q is no address of https", w.URL)
		case w.Secret == "":
			x.fail(key+".secret", "is left out, and nobody could tell who calls")
		}
		for j, name := range w.What {
			if !isEvent(name) {
				x.fail(fmt.Sprintf("%s.what[%d]", key, j), "%q is no event such as booked, moved or cancelled", name)
			}
		}
		for j, name := range w.On {
			if x.c.Find(name) == nil {
				x.fail(fmt.Sprintf("%s.on[%d]", key, j), "%q is no schedule of the file", name)
			}
		}
	}
}

// isEvent reports whether an event of the desk has a name.
func isEvent(name string) bool {
	for w := desk.What(1); ; w++ {
		switch text := w.String(); {
		case text == name:
			return true
		case strings.HasPrefix(text, "event "): // there are no more
			return false
		}
	}
}

// checkDesk sets everything up on a desk that is thrown away, so that whatever a desk refuses is an error with its line.
func (x *checker) checkDesk() {
	c := x.c
	if len(c.Schedules) == 0 {
		x.fail("schedules", "there is none, so nothing can be booked")
	}
	d, err := desk.New(desk.Config{})
	if err != nil {
		x.fail("", "%v", err)
		return
	}
	do := func(key string, cmd desk.Command, err error) {
		if err == nil && x.err == nil {
			_, err = d.Do(cmd)
		}
		if err != nil {
			x.fail(key, "%v", err)
		}
	}
	total := int64(0)
	for i := range c.Schedules {
		s := &c.Schedules[i]
		key := fmt.Sprintf("schedules[%d]", i)
		for j, n := range s.Nodes {
			total += max(1, n.Count)
			if n.Count < 0 || total > desk.DefaultLimits().Nodes {
				x.fail(fmt.Sprintf("%s.nodes[%d].count", key, j), "%d is negative, or makes more than %d nodes", n.Count, desk.DefaultLimits().Nodes)
				return
			}
			for level := range n.In {
				if !slices.Contains(s.Levels, level) {
					x.fail(fmt.Sprintf("%s.nodes[%d].in", key, j), "%q is none of the levels %q", level, s.Levels)
				}
			}
		}
		x.checkUnused(key, s)
		add, err := c.AddSchedule(s)
		do(key, add, err)
		if s.Kind != "broker" {
			set, err := c.SetTerms(s, 0)
			do(key, set, err)
		}
	}
	for i := range c.Quotas {
		key := fmt.Sprintf("quotas[%d]", i)
		q := &c.Quotas[i]
		if q.Hours < 0 || q.Hours > 1<<50/int64(c.Ticks(time.Hour)) {
			x.fail(key+".hours", "%d is negative, or too large", q.Hours)
		}
		do(key, c.SetQuota(q), nil)
	}
}

// checkUnused refuses keys that a schedule of its kind does not have, since they would be passed over.
func (x *checker) checkUnused(key string, s *Schedule) {
	for _, one := range []struct {
		name  string
		given bool
		kinds []string
	}{
		{"units", s.Units != 0, []string{"pool"}},
		{"count", s.Count != 0, []string{"servers"}},
		{"prefer", s.Prefer != "", []string{"servers"}},
		{"resources", s.Resources != nil, []string{"nodes"}},
		{"levels", s.Levels != nil, []string{"nodes"}},
		{"nodes", s.Nodes != nil, []string{"nodes"}},
		{"policy", s.Policy != "", []string{"nodes", "broker"}},
		{"of", s.Of != nil, []string{"broker"}},
		{"open", s.Open != nil, []string{"pool", "servers", "nodes"}},
		{"longest", s.Longest != 0, []string{"pool", "servers", "nodes"}},
		{"notice", s.Notice != 0, []string{"pool", "servers", "nodes"}},
		{"ahead", s.Ahead != 0, []string{"pool", "servers", "nodes"}},
		{"before", s.Before != 0, []string{"pool", "servers", "nodes"}},
		{"after", s.After != 0, []string{"pool", "servers", "nodes"}},
		{"owners", s.Owners != nil, []string{"pool", "servers", "nodes"}},
		{"labels", s.Labels != nil, []string{"pool", "servers", "nodes"}},
	} {
		if one.given && !slices.Contains(one.kinds, s.Kind) {
			x.fail(key+"."+one.name, "is given, and a schedule of kind %q has none", s.Kind)
		}
	}
}
