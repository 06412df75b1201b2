package main

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// agent makes one booking of parts on several desks, all at the same time. It decides nothing, and may stop at any moment: the
// home, which is the desk of part 0, decides.
//
//	               home            desk of part 1
//	earliest       5               7                  ask in turn, until all name the same start
//	earliest       7               7
//	hold at 7      held to 30      held to 30         who is refused asks again from there
//	commit                         booked, in doubt   all but the home
//	commit         booked                             last, and this decides
//	               ◄── committed? ── asks             the part is no longer in doubt
//
// If the agent stops before the last step, the hold of the home expires, and the other desks hear that when they ask.
type agent struct {
	*world
	id    int
	parts []part
	d     bookahead.Duration
	tries int // with a key of its own each

	phase  phase
	start  bookahead.Time
	agreed int   // so many desks in turn have named the start
	until  int64 // of the holds
	turn   int   // counts the questions: an answer to an older one is void
	dead   bool
}

// part is units of a desk.
type part struct {
	desk  int
	units int64
}

type phase int

const (
	asking phase = iota
	holding
	committing
	deciding
	over
)

// key is the key of the booking on all of its desks, in this try.
func (a *agent) key() string { return fmt.Sprintf("%d.%d", a.id, a.tries) }

// mostTries is how often an agent looks for a place before it gives up.
const mostTries = 4

// ask asks the desks in turn for a start that suits all.
func (a *agent) ask() {
	p := a.parts[a.turn%len(a.parts)]
	from, d := a.start, a.d
	a.question(func(answer func(reply)) {
		a.call(p.desk, func(s *site) reply { return s.earliest(from, p.units, d) }, answer)
	}, func(r reply) {
		switch {
		case !r.ok:
			a.finish(refused)
			return
		case r.start > a.start:
			a.start, a.agreed = r.start, 1
		default:
			a.agreed++
		}
		if a.agreed < len(a.parts) {
			a.ask()
			return
		}
		a.hold()
	})
}

// question asks until an answer comes, which counts once.
func (a *agent) question(ask func(answer func(reply)), then func(reply)) {
	a.turn++
	turn := a.turn
	var again func()
	again = func() {
		if a.turn != turn || a.dead {
			return
		}
		if (a.phase == holding || a.phase == committing) && a.now >= a.until {
			a.giveUp(late)
			return
		}
		ask(func(r reply) {
			if a.turn == turn && !a.dead {
				then(r)
			}
		})
		a.after(a.Patience, again)
	}
	again()
}

// each asks some desks at once, until each has answered that its part is in a state that is good.
func (a *agent) each(list []int, good func(desk.State) bool, ask func(i int, s *site) reply, then func()) {
	has, left := make([]bool, len(a.parts)), len(list)
	a.question(func(answer func(reply)) {
		turn := a.turn
		for _, i := range list {
			if has[i] {
				continue
			}
			a.call(a.parts[i].desk, func(s *site) reply { return ask(i, s) }, func(r reply) {
				if has[i] || a.turn != turn {
					return
				}
				if !good(r.state) {
					answer(reply{})
					return
				}
				has[i] = true
				left--
				if left == 0 {
					answer(reply{ok: true})
				}
			})
		}
	}, func(r reply) {
		if !r.ok {
			a.giveUp(refused)
			return
		}
		then()
	})
}

// hold holds all parts.
func (a *agent) hold() {
	a.phase, a.until = holding, min(a.now+a.Expiry, 1000*int64(a.start)) // no booking is decided after its start
	key, start, until := a.key(), a.start, bookahead.Time(a.until/1000)
	list := make([]int, len(a.parts))
	for i := range list {
		list[i] = i
	}
	a.each(list, func(x desk.State) bool { return x == desk.Held }, func(i int, s *site) reply {
		labels := []string{link("home", a.parts[0].desk)}
		if i == 0 {
			labels = nil
			for _, p := range a.parts[1:] {
				labels = append(labels, link("also", p.desk))
			}
		}
		return s.hold(key, start, a.parts[i].units, a.d, until, labels)
	}, func() {
		a.phase = committing
		a.each(list[1:], committed, func(_ int, s *site) reply { return s.commit(key) }, a.decide)
	})
}

func committed(x desk.State) bool { return x == desk.Booked || x == desk.Running || x == desk.Ended }

// decide commits the home. From here on only the home knows how it ends, and the agent asks until it hears.
func (a *agent) decide() {
	a.phase = deciding
	key, home := a.key(), a.parts[0].desk
	a.question(func(answer func(reply)) {
		a.call(home, func(s *site) reply { return s.commit(key) }, answer)
	}, func(r reply) {
		if !committed(r.state) {
			a.giveUp(late)
			return
		}
		a.finish(booked)
		a.watch.promised(key)
		if a.happens(a.Regret) {
			a.after(a.rng.Int64N(1+max(0, 1000*int64(a.start)-a.now)), a.regret)
		}
	})
}

// regret cancels the booking at its home, which tells the other desks.
func (a *agent) regret() {
	if a.dead {
		return
	}
	a.watch.regretted(a.key())
	a.question(func(answer func(reply)) {
		a.call(a.parts[0].desk, func(s *site) reply { return s.cancel(a.key()) }, answer)
	}, func(reply) { a.turn++ })
}

// giveUp cancels all parts, and tries again. Nobody waits for the answers: a hold whose message is lost expires, and a part that was
// committed asks its home.
func (a *agent) giveUp(why result) {
	a.turn++
	key := a.key()
	for _, p := range a.parts {
		a.call(p.desk, func(s *site) reply { return s.cancel(key) }, func(reply) {})
	}
	a.tries++
	if a.tries == mostTries {
		a.finish(why)
		return
	}
	a.watch.again(why)
	a.phase, a.agreed = asking, 0
	a.ask()
}

func (a *agent) finish(how result) {
	a.turn++
	a.phase = over
	a.watch.finished(how)
}

// result is how an attempt or an agent ended.
type result int

const (
	booked  result = iota
	refused        // there was no place, or another took it between the question and the hold
	late           // the holds would have expired
)
