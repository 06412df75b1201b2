package replicated

import (
	"context"
	"log/slog"
	"net"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
)

// network is how a member with Config.Bind reaches the others, and how they and clients reach it.
type network struct {
	transport *raft.NetworkTransport
	peers     *remotes
	mux       *mux
}

// pooled is how many connections Raft keeps to each peer: for entries, for heartbeats and for votes.
const pooled = 3

// leastBeat is how often other members are asked at least whether they are there. Below it a busy machine is taken for one
// that is away.
const leastBeat = 500 * time.Millisecond

// openNetwork listens on Config.Bind. Peers know the member by Config.Address, or else by its Address in Config.Peers, or by Bind. The calls of others begin to come at once. The error wraps bookahead.ErrInvalid if Bind has no host.
func openNetwork(c *Config, calls memberCalls, log *slog.Logger, raftLog hclog.Logger) (*network, error) {
	known := c.Address
	for _, p := range c.Peers {
		if p.ID == c.ID {
			known = p.Address
		}
	}
	s := newService(calls, log)
	x, err := newMux(c.Bind, known, c.TLS, s.serve, log)
	if err != nil {
		return nil, err
	}
	n := &network{mux: x}
	n.transport = raft.NewNetworkTransportWithConfig(&raft.NetworkTransportConfig{
		Stream: x, MaxPool: pooled, Timeout: 10 * c.Election, Logger: raftLog.Named("net"),
	})
	n.peers = newRemotes(func(ctx context.Context, to string) (net.Conn, error) { return x.dial(ctx, to, forCalls) }, max(c.Election, leastBeat))
	return n, nil
}

// close ends all connections, and waits for the calls of others, whose contexts it ends. Raft should have been shut down
// before. Calling it again does nothing.
func (n *network) close() error {
	n.peers.close()
	err := n.transport.Close() // which closes the mux
	return err
}
