package office

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/replicated"
)

// joins takes a member that has lost its disk out of its own list of peers: it waits for the others to add it. The error says that its
// folder is not empty, since a member that has a state needs no join.
func joins(s *replicated.Config) (self replicated.Peer, err error) {
	i := slices.IndexFunc(s.Peers, func(p replicated.Peer) bool { return p.ID == s.ID })
	if i < 0 || len(s.Peers) < 2 {
		return self, errors.New("a member joins others: there are no other peers in the file")
	}
	files, err := os.ReadDir(s.Dir)
	switch {
	case len(files) > 0:
		return self, fmt.Errorf("%s is not empty: only a member that has lost its disk joins", s.Dir)
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return self, err
	}
	self = s.Peers[i]
	s.Peers, s.Address = slices.Delete(slices.Clone(s.Peers), i, i+1), self.Address
	return self, nil
}

// join asks the other members to forget the member that was here, and to add this one. It tries until it succeeds or ctx ends.
func (o *Office) join(ctx context.Context, s *replicated.Config, self replicated.Peer) {
	c := replicated.ClientConfig{TLS: s.TLS, Desk: s.Desk}
	for _, p := range s.Peers {
		c.Addresses = append(c.Addresses, p.Address)
	}
	others, err := replicated.NewClient(c)
	for removed := false; err == nil; err = ctx.Err() {
		try, stop := context.WithTimeout(ctx, 30*time.Second)
		var wrong error
		if !removed {
			wrong = others.Remove(try, self.ID)
			removed = wrong == nil || errors.Is(wrong, bookahead.ErrNotFound)
		}
		if removed {
			wrong = others.Add(try, self)
		}
		stop()
		if wrong == nil {
			o.log.Info("the others have added this member", "id", self.ID)
			break
		}
		o.log.Warn("the others have not added this member yet", "err", wrong)
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	if err == nil {
		err = others.Close()
	}
	if err != nil && ctx.Err() == nil {
		o.log.Error("this member does not join", "err", err)
	}
}
