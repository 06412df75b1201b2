package route

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

func TestNamesAreRefused(t *testing.T) {
	for want, open := range map[string]func() (*Network, error){
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
