package replicated

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"log/slog"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/replicated/internal/peerlink"
)

// withDefaults checks the settings, and returns them with default values for the fields that are 0. A member in memory, as
// tests have it, needs no Dir.
func (c Config) withDefaults(inMemory bool) (Config, error) {
	clock := bookahead.Clock{}
	if c.Clock != nil {
		clock = *c.Clock
		c.Clock = &clock
	}
	c.ID = cmp.Or(c.ID, "1")
	c.MaxJump = cmp.Or(c.MaxJump, 30*time.Minute)
	c.Sessions = cmp.Or(c.Sessions, 1<<14)
	c.AnswerBytes = cmp.Or(c.AnswerBytes, 256<<20)
	c.SnapshotEvery = cmp.Or(c.SnapshotEvery, 64<<20)
	c.CheckEvery = cmp.Or(c.CheckEvery, 10*time.Minute)
	c.Reserve = cmp.Or(c.Reserve, 256<<20)
	c.Election = cmp.Or(c.Election, time.Second)
	c.Log = cmp.Or(c.Log, slog.Default())
	if c.Metrics == nil {
		c.Metrics = silent{}
	}
	switch {
	case c.Dir == "" && !inMemory:
		return c, limits.Invalid("Config.Dir", c.Dir, "is empty: name the folder of this member")
	case c.Bind != "" && c.Transport != nil:
		return c, limits.Invalid("Config.Bind", c.Bind, "is set, and so is Config.Transport: set one of them")
	case c.Address != "" && c.Bind == "":
		return c, limits.Invalid("Config.Address", c.Address, "is set, and Config.Bind is not")
	case clock.Tick < 0:
		return c, limits.Invalid("Config.Clock.Tick", clock.Tick, "is negative")
	case c.MaxJump < 0:
		return c, limits.Invalid("Config.MaxJump", c.MaxJump, "is negative")
	case c.Sessions < 0:
		return c, limits.Invalid("Config.Sessions", c.Sessions, "is negative")
	case c.AnswerBytes < 0:
		return c, limits.Invalid("Config.AnswerBytes", c.AnswerBytes, "is negative")
	case c.SnapshotEvery < 0:
		return c, limits.Invalid("Config.SnapshotEvery", c.SnapshotEvery, "is negative")
	case c.CheckEvery < 0:
		return c, limits.Invalid("Config.CheckEvery", c.CheckEvery, "is negative")
	case c.Reserve < 0:
		return c, limits.Invalid("Config.Reserve", c.Reserve, "is negative")
	case c.Election < leastElection:
		return c, limits.Invalid("Config.Election", c.Election, fmt.Sprintf("is less than %v", leastElection))
	}
	err := checkTLS("Config.TLS", c.TLS)
	if err == nil && c.TLS != nil && c.TLS.ClientAuth != tls.RequireAndVerifyClientCert && c.TLS.GetConfigForClient == nil {
		err = limits.Invalid("Config.TLS.ClientAuth", c.TLS.ClientAuth, "lets strangers in: set tls.RequireAndVerifyClientCert")
	}
	err = cmp.Or(err, c.checkPeers())
	if err == nil && c.Bind != "" {
		err = peerlink.CheckBind(c.Bind, c.known())
	}
	return c, err
}

// checkTLS checks that the settings have a certificate. Each end asks the other for one.
func checkTLS(field string, c *tls.Config) error {
	if c != nil && len(c.Certificates) == 0 && c.GetClientCertificate == nil {
		return limits.Invalid(field+".Certificates", len(c.Certificates), "certificates are too few: each end must show one")
	}
	return nil
}

// leastElection is twice the least lease that Raft takes, 5 ms: the lease is half of Election.
const leastElection = 10 * time.Millisecond

func (c *Config) checkPeers() error {
	ids, addresses := map[string]bool{}, map[string]bool{}
	voters := 0
	for i, p := range c.Peers {
		field := fmt.Sprintf("Config.Peers[%d]", i)
		switch {
		case p.ID == "":
			return limits.Invalid(field+".ID", p.ID, "is empty")
		case p.Address == "":
			return limits.Invalid(field+".Address", p.Address, "is empty")
		case ids[p.ID]:
			return limits.Invalid(field+".ID", p.ID, "is the ID of another peer")
		case p.ID == c.ID && c.Address != "" && p.Address != c.Address:
			return limits.Invalid(field+".Address", p.Address, fmt.Sprintf("is not Config.Address, %s", c.Address))
		case addresses[p.Address]:
			return limits.Invalid(field+".Address", p.Address, "is the address of another peer")
		}
		ids[p.ID], addresses[p.Address] = true, true
		if !p.Watches {
			voters++
		}
	}
	switch {
	case len(c.Peers) > 0 && c.Bind == "" && c.Transport == nil:
		return limits.Invalid("Config.Peers", len(c.Peers), "peers need a Bind or a Transport")
	case len(c.Peers) > 0 && voters == 0:
		return limits.Invalid("Config.Peers", len(c.Peers), "peers only watch: at least one must count for a majority")
	}
	return nil
}

// settings returns the settings of Raft. Raft counts entries to decide when it writes a snapshot; the members count
// bytes (snapshotter.go), so Raft itself never decides.
func (m *Member) settings(raftLog hclog.Logger) *raft.Config {
	s := raft.DefaultConfig()
	s.LocalID = raft.ServerID(m.config.ID)
	s.Logger = raftLog
	s.HeartbeatTimeout, s.ElectionTimeout = m.config.Election, m.config.Election
	s.LeaderLeaseTimeout = m.config.Election / 2
	s.CommitTimeout = commitTimeout
	s.BatchApplyCh = true
	s.MaxAppendEntries = appendEntries
	s.ShutdownOnRemove = false
	s.SnapshotThreshold, s.SnapshotInterval = never, 24*time.Hour
	s.TrailingLogs = leastTrailing
	s.NoLegacyTelemetry = true
	s.NoSnapshotRestoreOnStart = true // loadSnapshot has read it already
	return s
}

const (
	// commitTimeout bounds how late a follower hears that an entry is committed, if no other entry follows: after one
	// to two timeouts. A short timeout costs idle members time; a long one makes a linearizable read on a follower
	// wait, if the read comes just after a write. As measured with three members on one machine of two cores:
	//
	//	commitTimeout              5 ms   10 ms   20 ms   50 ms
	//	idle: of a core, all 3    5.5 %   4.1 %   3.1 %   1.8 %
	//	read, median               8 ms   16 ms   30 ms   77 ms
	commitTimeout = 10 * time.Millisecond
	// appendEntries is how many entries Raft sends, writes and carries out at once. Each entry may have 512 calls.
	appendEntries = 64
)
