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
	"github.com/bookahead/bookahead/service/office"
)

// form is the fields of a form, and the first that is wrong. Its names are those of the API where there are such.
type form struct {
	url.Values
	clock bookahead.Clock
	wrong *office.Problem
	notes []string // what a reader should know: a time that comes twice
}

// fail notes what is wrong with a field.
func (f *form) fail(field, what string, args ...any) {
	if f.wrong == nil {
		f.wrong = &office.Problem{Kind: office.Invalid, Field: field, Detail: fmt.Sprintf(what, args...)}
	}
}

// err returns what is wrong; nil if nothing is.
func (f *form) err() error {
	if f.wrong == nil {
		return nil
	}
	return f.wrong
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

// time returns a time, up to the next tick; nil for an empty field.
func (f *form) time(field string) *time.Time {
	text := f.text(field)
	if text == "" {
		return nil
	}
	at, twice, err := readLocal(f.clock.Epoch.Location(), text)
	if err != nil {
		f.fail(field, "%v", err)
		return nil
	}
	tick, err := f.clock.Ceil(at)
	if err == nil {
		at, err = f.clock.Wall(tick)
	}
	if err != nil {
		f.fail(field, "%q is too far from now", text)
		return nil
	}
	if twice {
		f.notes = append(f.notes, fmt.Sprintf("Clocks show %s twice that day. The first time was taken.", at.Format("15:04")))
	}
	return &at
}

// length returns a length of time in whole ticks.
func (f *form) length() time.Duration {
	d, err := api.Duration(f.Get("duration")).Time() // of an alternative
	if err != nil {
		hours, rest := f.number("hours"), f.number("minutes")
		if hours > 1<<20 || rest > 1<<20 {
			f.fail("hours", "are too many")
			return 0
		}
		d = time.Duration(hours)*time.Hour + time.Duration(rest)*time.Minute
	}
	if d == 0 {
		f.fail("hours", "are left out, and minutes: how long is it?")
	}
	n, _ := f.clock.Ticks(d) // the tick is positive
	return time.Duration(n) * f.clock.Tick
}

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

// wish returns what the fields of a booking ask for: from start on and, unless by says otherwise, just then.
func (f *form) wish(s *api.Schedule) api.Wish {
	part := api.Part{Schedule: s.Name, Units: max(1, f.number("units")), Servers: f.numbers("servers")}
	d := f.length()
	part.Duration = api.DurationOf(d)
	for _, name := range s.Resources {
		amount := f.number("each." + name)
		if amount > 0 {
			if part.Each == nil {
				part.Each = map[string]int64{}
			}
			part.Each[name] = amount
		}
	}
	part.PerNode, part.Nodes, part.Within, part.Packed = f.number("perNode"), f.numbers("nodes"), f.text("within"), f.text("packed")
	w := api.Wish{Owner: f.text("owner"), Title: f.Get("title"), Ready: f.time("start"), Deadline: f.time("by"), Parts: []api.Part{part}}
	if w.Ready != nil && w.Deadline == nil {
		end := w.Ready.Add(d)
		w.Deadline = &end
	}
	return w
}

// fieldsOf returns the fields that ask for a wish of one part; nil for another wish.
func fieldsOf(w *api.Wish, zone *time.Location) url.Values {
	if len(w.Parts) != 1 || len(w.Or) > 0 {
		return nil
	}
	p := w.Parts[0]
	v := url.Values{}
	set := func(field, text string) {
		if text != "" && text != "0" {
			v.Set(field, text)
		}
	}
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	set("owner", w.Owner)
	set("title", w.Title)
	set("units", number(p.Units))
	set("servers", list(p.Servers))
	set("nodes", list(p.Nodes))
	set("perNode", number(p.PerNode))
	set("within", p.Within)
	set("packed", p.Packed)
	for name, amount := range p.Each {
		set("each."+name, number(amount))
	}
	d, _ := p.Duration.Time() // of the service itself
	set("hours", number(int64(d/time.Hour)))
	set("minutes", number(int64((d%time.Hour+time.Minute-1)/time.Minute)))
	if w.Ready != nil {
		set("start", w.Ready.In(zone).Format(minutes))
		if w.Deadline != nil && !w.Deadline.Equal(w.Ready.Add(d)) {
			set("by", w.Deadline.In(zone).Format(minutes))
		}
	}
	return v
}

// exactly returns the fields of an offer: its times have offsets, and its length is to the second.
func exactly(o *api.Offer) url.Values {
	v := fieldsOf(&o.Wish, o.Start.Location())
	if v == nil {
		return nil
	}
	v.Set("start", o.Start.Format(time.RFC3339))
	v.Set("duration", string(o.Wish.Parts[0].Duration))
	v.Del("by")
	return v
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

// key returns a key for a form that is sent again: the same as long as its fields are the same. Each form that is shown has a random
// part of its own.
func (f *form) key() string {
	if f.Get("key") == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(f.Encode()))
	return "page " + base64.RawURLEncoding.EncodeToString(sum[:])
}

// frequencies are how often a booking recurs.
var frequencies = []string{"daily", "weekly", "monthly"}

// series returns the rule of a booking that recurs, and whether it does.
func (f *form) series(w *api.Wish, d time.Duration) (api.Series, bool) {
	if f.text("repeat") == "" {
		return api.Series{}, false
	}
	if !slices.Contains(frequencies, f.text("repeat")) {
		f.fail("repeat", "%q is none of %s", f.text("repeat"), strings.Join(frequencies, ", "))
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
