package replicated

import (
	"context"
	"log/slog"
	"net"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"

	"github.com/bookahead/bookahead/replicated/internal/peerlink"
)

// network connects a member with Config.Bind to the others: Raft, calls to other members, and calls from them and
// from clients.
type network struct {
	transport *raft.NetworkTransport
	peers     *peerConns
	mux       *peerlink.Mux
}

// pooled is how many connections Raft keeps to each peer: for entries, heartbeats and votes.
const pooled = 3

// leastBeat is the least time between two pings to another member. With shorter beats, a busy machine would look like
// one that is away.
const leastBeat = 500 * time.Millisecond

// openNetwork listens on Config.Bind. Calls to other members name deskID. Calls of others may come before openNetwork
// returns.
func openNetwork(c *Config, calls memberAPI, deskID func() uint64, log *slog.Logger, raftLog hclog.Logger) (*network, error) {
	s := newServer(calls, deskID, log)
	x, err := peerlink.NewMux(c.Bind, c.known(), c.TLS, s.serve, log)
	if err != nil {
		return nil, err
	}
	n := &network{mux: x}
	n.transport = raft.NewNetworkTransportWithConfig(&raft.NetworkTransportConfig{
		Stream: x, MaxPool: pooled, Timeout: 10 * c.Election, Logger: raftLog.Named("net"),
	})
	n.peers = newPeerConns(func(ctx context.Context, to string) (net.Conn, error) { return x.DialCalls(ctx, to) }, deskID, max(c.Election, leastBeat))
	return n, nil
}

// close ends all connections. It cancels the calls of others, and waits for their end. Shut Raft down before. A
// second call does nothing.
func (n *network) close() error {
	n.peers.close()
	err := n.transport.Close() // closes the mux, too
	return err
}
