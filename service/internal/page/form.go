package page

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/office"
)

// form is the fields of a form, and the first that is wrong. Its names are those of the API where there are such.
type form struct {
	url.Values
	clock bookahead.Clock
	wrong error
}

// fail notes what is wrong with a field.
func (f *form) fail(field, what string, args ...any) {
	if f.wrong == nil {
		f.wrong = &office.Problem{Kind: office.Invalid, Field: field, Detail: fmt.Sprintf(what, args...)}
	}
}

// text returns a field without space around it.
func (f *form) text(field string) string { return strings.TrimSpace(f.Get(field)) }

// number returns a whole number of at least 0; 0 for an empty field.
func (f *form) number(field string) int64 {
	text := f.text(field)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		f.fail(field, "%q is no whole number of 0 or more", text)
	}
	return n
}

// exact returns the start and the length that the form was given. Its other fields show them in minutes, and do not say which 2:30 it
// is when clocks show 2:30 twice. So exact counts as long as it still looks like them:
//
//	exact 2027-10-31T02:30:00+01:00/PT90S    start 2027-10-31T02:30, hours 0, minutes 2
func (f *form) exact() (start time.Time, length time.Duration) {
	from, lasts, _ := strings.Cut(f.Get("exact"), "/")
	start, _ = time.Parse(time.RFC3339, from) // no field looks like the zero time,
	length, _ = api.Duration(lasts).Time()    // or like no length
	return start, length
}

// time returns a time, up to the next tick; nil for an empty field.
func (f *form) time(field string) *time.Time {
	text := f.text(field)
	if text == "" {
		return nil
	}
	zone := f.clock.Epoch.Location()
	at, err := readLocal(zone, text)
	if err != nil {
		f.fail(field, "%v", err)
		return nil
	}
	exact, _ := f.exact()
	if field == "start" && exact.In(zone).Format(minutes) == text {
		at = exact
	}
	tick, err := f.clock.Ceil(at)
	if err == nil {
		at, err = f.clock.Wall(tick)
	}
	if err != nil {
		f.fail(field, "%q is too far from now", text)
		return nil
	}
	return &at
}

// length returns a length of time in whole ticks.
func (f *form) length() time.Duration {
	hours, rest := f.number("hours"), f.number("minutes")
	if hours > 1<<20 || rest > 1<<20 {
		f.fail("hours", "are too many")
		return 0
	}
	d := time.Duration(hours)*time.Hour + time.Duration(rest)*time.Minute
	_, exact := f.exact()
	if exact > 0 && inMinutes(exact) == d {
		d = exact
	}
	if d == 0 {
		f.fail("hours", "are left out, and minutes: how long is it?")
	}
	n, _ := f.clock.Ticks(d) // the tick is positive
	return time.Duration(n) * f.clock.Tick
}

// inMinutes returns a length in whole minutes, rounded up.
func inMinutes(d time.Duration) time.Duration { return (d + time.Minute - 1).Truncate(time.Minute) }

// numbers returns a list such as "0-2, 5"; nil for an empty field.
func (f *form) numbers(field string) (list []int) {
	for _, item := range strings.FieldsFunc(f.Get(field), func(r rune) bool { return r == ',' || r == ' ' }) {
		first, last, span := strings.Cut(item, "-")
		from, err := strconv.Atoi(first)
		to := from
		if err == nil && span {
			to, err = strconv.Atoi(last)
		}
		if err != nil || from < 0 || to < from || len(list)+to-from >= 4096 {
			f.fail(field, "%q is no list such as 0-2, 5", f.Get(field))
			return nil
		}
		for ; from <= to; from++ {
			list = append(list, from)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// list writes numbers as a form has them.
func list(numbers []int) string {
	var texts []string
	for i := 0; i < len(numbers); {
		last := i
		for last+1 < len(numbers) && numbers[last+1] == numbers[last]+1 {
			last++
		}
		text := strconv.Itoa(numbers[i])
		if last > i {
			text += "-" + strconv.Itoa(numbers[last])
		}
		texts = append(texts, text)
		i = last + 1
	}
	return strings.Join(texts, ", ")
}

// slot is a field of a form, and its place in a wish of one part: a *string, *int64 or *[]int.
type slot struct {
	name string
	at   any
}

func slots(w *api.Wish) []slot {
	p := &w.Parts[0]
	return []slot{
		{"owner", &w.Owner}, {"title", &w.Title}, {"schedule", &p.Schedule}, {"units", &p.Units}, {"servers", &p.Servers}, {"nodes", &p.Nodes},
		{"perNode", &p.PerNode}, {"within", &p.Within}, {"packed", &p.Packed},
	}
}

// wish returns what the fields of a booking ask for, and its length: from start on and, unless by says otherwise, just then. What the
// form does not have stays as it is in w, which has one part.
func (f *form) wish(s *api.Schedule, w api.Wish) (api.Wish, time.Duration) {
	w.Parts = slices.Clone(w.Parts)
	p := &w.Parts[0]
	for _, x := range slots(&w) {
		if !f.Has(x.name) {
			continue
		}
		switch at := x.at.(type) {
		case *string:
			*at = f.text(x.name)
		case *int64:
			*at = f.number(x.name)
		case *[]int:
			*at = f.numbers(x.name)
		}
	}
	if len(s.Resources) > 0 {
		p.Each = map[string]int64{}
	}
	for _, name := range s.Resources {
		amount := f.number("each." + name)
		if amount > 0 {
			p.Each[name] = amount
		}
	}
	d := f.length()
	p.Duration = api.DurationOf(d)
	w.Ready, w.Deadline = f.time("start"), f.time("by")
	if w.Ready != nil && w.Deadline == nil {
		end := w.Ready.Add(d)
		w.Deadline = &end
	}
	return w, d
}

// moved returns the wish of a booking at another time, from start to end. One part alone may get another length.
func (f *form) moved(b *api.Booking) api.Wish {
	w := *b.Wish
	w.Ready, w.Deadline = f.time("start"), f.time("end")
	if w.Ready == nil || w.Deadline == nil || b.Start == nil {
		f.fail("start", "or end is left out, or the booking waits")
		return w
	}
	length := w.Deadline.Sub(*w.Ready)
	switch {
	case len(w.Parts) == 1 && len(w.Or) == 0 && w.Pieces == nil:
		w.Parts = slices.Clone(w.Parts)
		w.Parts[0].Duration = api.DurationOf(length)
	case length != b.End.Sub(*b.Start):
		f.fail("end", "makes the booking longer or shorter, and it has several parts, pieces or a volume: only its start can be another")
	}
	return w
}

// fieldsOf returns the fields that ask for a wish of one part; nil for another wish.
func fieldsOf(w *api.Wish, zone *time.Location) url.Values {
	if len(w.Parts) != 1 || len(w.Or) > 0 {
		return nil
	}
	v := url.Values{}
	number := func(name string, n int64) {
		if n != 0 {
			v.Set(name, strconv.FormatInt(n, 10))
		}
	}
	for _, x := range slots(w) {
		switch at := x.at.(type) {
		case *string:
			v.Set(x.name, *at)
		case *int64:
			number(x.name, *at)
		case *[]int:
			v.Set(x.name, list(*at))
		}
	}
	p := &w.Parts[0]
	for name, amount := range p.Each {
		number("each."+name, amount)
	}
	d, _ := p.Duration.Time() // of the service itself
	shown := inMinutes(d)
	number("hours", int64(shown/time.Hour))
	number("minutes", int64(shown%time.Hour/time.Minute))
	exact := ""
	if w.Ready != nil {
		exact = w.Ready.Format(time.RFC3339)
		v.Set("start", w.Ready.In(zone).Format(minutes))
	}
	v.Set("exact", exact+"/"+string(p.Duration))
	if w.Deadline != nil && (w.Ready == nil || !w.Deadline.Equal(w.Ready.Add(d))) {
		v.Set("by", w.Deadline.In(zone).Format(minutes))
	}
	return v
}

// key returns a key for a form that is sent again: the same as long as its fields are the same. Each form that is shown has a random
// part of its own.
func (f *form) key() string {
	if f.Get("key") == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(f.Encode()))
	return "page " + base64.RawURLEncoding.EncodeToString(sum[:])
}

// series returns the rule of a booking that recurs, and whether it does.
func (f *form) series(w *api.Wish, d time.Duration) (api.Series, bool) {
	if f.text("repeat") == "" {
		return api.Series{}, false
	}
	until, err := time.Parse(time.DateOnly, f.text("until"))
	if err != nil {
		f.fail("until", "%q is no day such as 2026-12-31", f.text("until"))
	}
	if w.Ready == nil {
		f.fail("start", "is left out: when is the first?")
		return api.Series{}, true
	}
	s := api.Series{Wish: *w, From: *w.Ready, Zone: f.clock.Epoch.Location().String(), Partly: f.Get("partly") != ""}
	s.Rule = "FREQ=" + strings.ToUpper(f.text("repeat")) + ";UNTIL=" + until.Format("20060102")
	s.Window = api.DurationOf(max(d, w.Deadline.Sub(*w.Ready)))
	s.Ready, s.Deadline = nil, nil
	return s, true
}
