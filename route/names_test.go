package route

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

func TestNames(t *testing.T) {
	links := []Link{{Name: "AMS-FRA", From: 0, To: 1}, {From: 1, To: 2}, {Name: "FRA-GVA", From: 1, To: 2}}
	names := []string{"Amsterdam", "Frankfurt", ""}
	clusters := []Cluster{{Node: 2, CPUs: 1, Speed: 1, Pool: indexed(t, 1)}, {Name: "CERN", Node: 2, CPUs: 1, Speed: 1, Pool: indexed(t, 1)}}
	n, err := New(3, links, clusters, Config{Nodes: names})
	require.NoError(t, err)
	names[0] = "changed by the caller"
	require.Equal(t, "Amsterdam", n.NodeName(0))
	require.Equal(t, "2", n.NodeName(2), "it has none")
	v, ok := n.NodeNamed("Frankfurt")
	require.True(t, ok)
	require.Equal(t, 1, v)
	l, ok := n.LinkNamed("FRA-GVA")
	require.True(t, ok)
	require.Equal(t, 2, l)
	require.Equal(t, "FRA-GVA", n.Link(2).Name)
	m, ok := n.ClusterNamed("CERN")
	require.True(t, ok)
	require.Equal(t, 1, m)
	for _, find := range []func(string) (int, bool){n.NodeNamed, n.LinkNamed, n.ClusterNamed} {
		for _, none := range []string{"", "Geneva", "changed by the caller"} {
			_, ok := find(none)
			require.False(t, ok)
		}
	}
	bare, err := New(3, nil, nil, Config{})
	require.NoError(t, err)
	require.Equal(t, "1", bare.NodeName(1))
	for _, of := range []*Network{n, bare} {
		require.Equal(t, "7", of.NodeName(7), "there is no such node")
		require.Equal(t, "-1", of.NodeName(-1))
	}
	_, ok = bare.NodeNamed("1")
	require.False(t, ok)
}

func TestNamesAreRefused(t *testing.T) {
	for want, open := range map[string]func() (*Network, error){
		"bookahead: Config.Nodes 1 names, not one for each of 2 nodes": func() (*Network, error) {
			return New(2, nil, nil, Config{Nodes: []string{"A"}})
		},
		`bookahead: Config.Nodes[1] "A" is the name of 0 as well`: func() (*Network, error) {
			return New(2, nil, nil, Config{Nodes: []string{"A", "A"}})
		},
		`bookahead: Link[2].Name "A-B" is the name of 0 as well`: func() (*Network, error) {
			return New(2, []Link{{Name: "A-B", To: 1}, {To: 1}, {Name: "A-B", To: 1}}, nil, Config{})
		},
		`bookahead: Cluster[1].Name "C" is the name of 0 as well`: func() (*Network, error) {
			return New(2, nil, []Cluster{{Name: "C"}, {Name: "C"}}, Config{})
		},
		`bookahead: Cluster[1].Name "A-B" is the name of Link[0] as well`: func() (*Network, error) {
			return New(2, []Link{{Name: "A-B", To: 1}}, []Cluster{{}, {Name: "A-B"}}, Config{})
		},
		`bookahead: Cluster[0, "C"].Node 3 is not one of 2 nodes`: func() (*Network, error) {
			return New(2, nil, []Cluster{{Name: "C", Node: 3}}, Config{})
		},
		`bookahead: Link[0, "A-B"].To 5 is not one of 2 nodes`: func() (*Network, error) {
			return New(2, []Link{{Name: "A-B", To: 5}}, nil, Config{})
		},
		"bookahead: Link[0].To 5 is not one of 2 nodes": func() (*Network, error) {
			return New(2, []Link{{To: 5}}, nil, Config{})
		},
	} {
		_, err := open()
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.EqualError(t, err, want)
	}
}

// Nobody changes a network by the Link that it returns.
func TestALinkIsTheCallers(t *testing.T) {
	n, err := New(2, []Link{{To: 1, Weights: []float64{1, 2}}}, nil, Config{Weights: 2})
	require.NoError(t, err)
	n.Link(0).Weights[0] = 90
	require.Equal(t, []float64{1, 2}, n.Link(0).Weights)
	r, err := n.SAMCRA(Query{Servers: []Server{{Node: 1}}, Limits: []float64{10, 10}})
	require.NoError(t, err)
	require.Equal(t, []float64{1, 2}, r.Weights)
}
