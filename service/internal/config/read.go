package config

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // wherever it runs

	"github.com/goccy/go-yaml"

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
	x := checker{file: file, c: &Config{}}
	x.parse(data)
	if x.err == nil {
		err := yaml.UnmarshalWithOptions(data, x.c, yaml.Strict())
		if err != nil {
			x.err = x.syntax(err)
		}
	}
	if x.err == nil {
		x.defaults()
		x.check()
	}
	if x.err != nil {
		return nil, x.err
	}
	return x.c, nil
}

// checker checks a file. It keeps the first error.
type checker struct {
	file string
	keys keys
	c    *Config
	err  error
}

// fail notes what is wrong with a key, such as "schedules[2].units".
func (x *checker) fail(key, what string, args ...any) {
	if x.err == nil {
		x.err = &Error{File: x.file, Line: x.keys.line(key), Key: key, What: fmt.Sprintf(what, args...)}
	}
}

// zero refuses a number that is given as 0, where leaving it out means another.
func (x *checker) zero(key string, is bool) {
	if is && x.keys.given(key) {
		x.fail(key, "is 0")
	}
}

func (x *checker) defaults() {
	c := x.c
	c.Folder, c.Listen = cmp.Or(c.Folder, "data"), cmp.Or(c.Listen, "localhost:8080")
	c.Zone, c.Epoch, c.Titles = cmp.Or(c.Zone, "UTC"), cmp.Or(c.Epoch, "2026-01-01"), cmp.Or(c.Titles, "all")
	c.Tick, c.Keep = cmp.Or(c.Tick, Length(time.Minute)), cmp.Or(c.Keep, Length(90*24*time.Hour))
	x.zero("limits.body", c.Limits.Body == 0)
	x.zero("limits.rate", c.Limits.Rate == 0)
	x.zero("limits.burst", c.Limits.Burst == 0)
	x.zero("limits.streams", c.Limits.Streams == 0)
	l := &c.Limits
	l.Body, l.Rate, l.Burst, l.Streams = cmp.Or(l.Body, 1<<20), cmp.Or(l.Rate, 50), cmp.Or(l.Burst, 200), cmp.Or(l.Streams, 16)
	l.Timeout = cmp.Or(l.Timeout, Length(30*time.Second))
	beside := func(name *string) {
		if *name != "" && !filepath.IsAbs(*name) && (*name)[0] != '$' {
			*name = filepath.Join(filepath.Dir(x.file), *name)
		}
	}
	beside(&c.Folder)
	beside(&c.Secret)
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
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		x.fail("listen", "%q is no address such as localhost:8080", c.Listen)
	}
	if c.URL == "" {
		c.URL = "http://" + net.JoinHostPort(cmp.Or(host, "localhost"), port)
		if c.TLS != nil {
			c.URL = "https" + strings.TrimPrefix(c.URL, "http")
		}
	}
	u, err := url.Parse(c.URL)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		x.fail("url", "%q is no address such as https://book.example.org, without a path", c.URL)
	} else {
		c.URL = u.Scheme + "://" + u.Host
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
	switch {
	case !(l.Rate > 0):
		x.fail("limits.rate", "%g is not more than 0", l.Rate)
	case l.Burst < 1:
		x.fail("limits.burst", "%d is less than 1", l.Burst)
	case l.Streams < 1:
		x.fail("limits.streams", "%d is less than 1", l.Streams)
	case l.Timeout < Length(time.Second):
		x.fail("limits.timeout", "%v is less than a second", l.Timeout.Time())
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
	if err != nil || epoch.Year() < 1970 || epoch.Year() > 2100 {
		x.fail("epoch", "%q is no day such as 2026-01-01, from 1970 to 2100", c.Epoch)
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
		case slices.ContainsFunc(x.c.Tokens[:i], func(o Token) bool { return strings.EqualFold(o.SHA256, t.SHA256) }):
			x.fail(key+".sha256", "is given twice")
		case !slices.Contains(Roles, t.Role):
			x.fail(key+".role", "%q is none of %q", t.Role, Roles)
		case t.Expires != "" && wrong != nil:
			x.fail(key+".expires", "%q is no day such as 2027-01-31", t.Expires)
		}
		x.name(key+".owner", t.Owner)
		x.names(key+".groups", t.Groups)
	}
	for _, name := range slices.Sorted(maps.Keys(x.c.Groups)) {
		x.name("groups."+name, name)
		x.names("groups."+name, x.c.Groups[name])
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
	x.names("oidc.operators", o.Operators)
	x.names("oidc.bookers", o.Bookers)
}

func (x *checker) name(key, name string) {
	err := CheckName(name)
	if err != nil {
		x.fail(key, "%v", err)
	}
}

func (x *checker) names(key string, list []string) {
	for i, name := range list {
		x.name(fmt.Sprintf("%s[%d]", key, i), name)
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
		x.name(key+".name", w.Name)
		u, err := url.Parse(w.URL)
		switch {
		case slices.ContainsFunc(x.c.Webhooks[:i], func(o Webhook) bool { return o.Name == w.Name }):
			x.fail(key+".name", "%q is the name of two webhooks", w.Name)
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

// isEvent reports whether a text is the name of an event.
func isEvent(name string) bool {
	for w := desk.WasAdded; w <= desk.WasDropped; w++ {
		if w.String() == name {
			return true
		}
	}
	return false
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
			x.fail(x.near(key, err), "%v", err)
		}
	}
	total := int64(0)
	for i := range c.Schedules {
		s := &c.Schedules[i]
		key := fmt.Sprintf("schedules[%d]", i)
		x.name(key+".name", s.Name)
		switch {
		case c.Find(s.Name) != s:
			x.fail(key+".name", "%q is the name of two schedules", s.Name)
		case !slices.Contains(Kinds, s.Kind):
			x.fail(key+".kind", "%q is none of %q", s.Kind, Kinds)
		case len(s.Open) > maxOpen:
			x.fail(key+".open", "has more than %d lines", maxOpen)
		}
		for j, n := range s.Nodes {
			x.zero(fmt.Sprintf("%s.nodes[%d].count", key, j), n.Count == 0)
			total += max(1, n.Count)
			if n.Count < 0 || total > desk.DefaultLimits().Nodes {
				x.fail(fmt.Sprintf("%s.nodes[%d].count", key, j), "%d is negative, or makes more than %d nodes", n.Count, desk.DefaultLimits().Nodes)
				return
			}
			if len(n.Has) != len(s.Resources) || slices.ContainsFunc(n.Has, func(amount int64) bool { return amount < 0 }) {
				x.fail(fmt.Sprintf("%s.nodes[%d].has", key, j), "%d are not an amount, of 0 or more, for each of the resources %q", n.Has, s.Resources)
			}
			for _, level := range slices.Sorted(maps.Keys(n.In)) {
				if !slices.Contains(s.Levels, level) {
					x.fail(fmt.Sprintf("%s.nodes[%d].in.%s", key, j, level), "%q is none of the levels %q", level, s.Levels)
				}
			}
		}
		x.checkUnused(key, s)
		add, err := c.AddSchedule(s)
		do(key, add, err)
		for j, text := range s.Open {
			_, err := parseHours(text, c.clock.Epoch)
			if err != nil {
				x.fail(fmt.Sprintf("%s.open[%d]", key, j), "%v", err)
			}
		}
		if s.Kind != "broker" && x.err == nil {
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

// Kinds are the kinds of schedules.
var Kinds = []string{"pool", "servers", "nodes", "broker"}

// maxOpen is the most lines of opening hours: a line for each hour of a week.
const maxOpen = 168

// near returns the key of the file for a field that a desk refuses, if the file has it, and else the key around it.
func (x *checker) near(key string, err error) string {
	var invalid *bookahead.InvalidError
	if !errors.As(err, &invalid) {
		return key
	}
	field := strings.ToLower(invalid.Field[strings.LastIndex(invalid.Field, ".")+1:])
	if other, ok := fileKeys[field]; ok {
		field = other
	}
	if !x.keys.given(key + "." + field) {
		return key
	}
	return key + "." + field
}

// fileKeys are the fields of a desk that have another name in the file.
var fileKeys = map[string]string{"ticks": "hours", "window": "any"}

// checkUnused refuses keys that a schedule of its kind does not have, since they would be passed over. The tag "kinds" of a field names
// the kinds that have it.
func (x *checker) checkUnused(key string, s *Schedule) {
	v := reflect.ValueOf(s).Elem()
	for i, f := range reflect.VisibleFields(v.Type()) {
		kinds, limited := f.Tag.Lookup("kinds")
		if limited && !v.Field(i).IsZero() && !slices.Contains(strings.Fields(kinds), s.Kind) {
			x.fail(key+"."+f.Tag.Get("yaml"), "is given, and a schedule of kind %q has none", s.Kind)
		}
	}
}
