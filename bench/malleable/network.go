package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"github.com/bookahead/bookahead/bench/lines"
	"github.com/bookahead/bookahead/bench/paper/trial"
)

// network has the links that leave each node. Links have numbers from 0 on.
type network struct {
	out   [][]link
	links int
}

type link struct{ to, number int }

func (n *network) add(from, to int) {
	for len(n.out) <= max(from, to) {
		n.out = append(n.out, nil)
	}
	n.out[from] = append(n.out[from], link{to, n.links})
	n.links++
}

const (
	sites     = 12 // nodes between which transfers go
	madeNodes = 1000
)

// network returns the network of the data, or one that is made: a cycle through all nodes in a random order, and five more
// links from each node to any other. netMaker has a cycle and six links for a node too.
func (s settings) network() (n network, about string, err error) {
	about = fmt.Sprintf("made, seed %d", s.seed)
	if s.data != "" {
		var path string
		path, err = trial.File(filepath.Join(s.data, "topologies", "mosp"), "netMaker_*.gr*")
		if err == nil {
			n, err = readArcs(path)
		}
		about = "netMaker"
	} else {
		rng := rand.New(rand.NewPCG(s.seed, 0))
		order := rng.Perm(madeNodes)
		for i, from := range order {
			n.add(from, order[(i+1)%madeNodes])
			for range 5 {
				n.add(from, (from+1+rng.IntN(madeNodes-1))%madeNodes)
			}
		}
	}
	if err == nil && len(n.out) < sites {
		err = fmt.Errorf("the network has %d nodes, fewer than the %d sites", len(n.out), sites)
	}
	return n, fmt.Sprintf("%s, %d nodes and %d links, %d sites", about, len(n.out), n.links, sites), err
}

// readArcs reads the links of a network in the format of DIMACS: lines "a from to weight ...".
func readArcs(path string) (n network, err error) {
	in, err := lines.Open(path)
	if err != nil {
		return n, err
	}
	defer in.Close()
	for {
		text, err := in.Next()
		switch {
		case err == io.EOF:
			return n, nil
		case err == nil && len(text) > 1 && text[0] == 'a':
			var from, to int
			_, err = fmt.Sscanf(string(text), "a %d %d", &from, &to)
			if err == nil && min(from, to) < 0 {
				err = fmt.Errorf("node %d is negative", min(from, to))
			}
			if err == nil {
				n.add(from, to)
			}
		}
		if err != nil {
			return n, fmt.Errorf("%s: line %d: %w", path, in.Line(), err)
		}
	}
}

// paths returns a path with the fewest links from each site to each other, as numbers of links. Sites without a path
// between them have none. busiest is the share of the paths that use the link which most of them use.
func (n network) paths(sites []int) (list [][]int, busiest float64) {
	uses := make([]int, n.links)
	for _, from := range sites {
		last, before := n.search(from)
		for _, to := range sites {
			if to == from || last[to] < 0 {
				continue
			}
			var path []int
			for node := to; node != from; node = before[node] {
				path = append(path, last[node])
				uses[last[node]]++
			}
			slices.Reverse(path)
			list = append(list, path)
		}
	}
	return list, float64(slices.Max(uses)) / float64(max(1, len(list)))
}

// search goes through the network breadth first. For each node that it reaches, last is the last link of the path, and
// before the node before; -1 for others.
func (n network) search(from int) (last, before []int) {
	last, before = slices.Repeat([]int{-1}, len(n.out)), slices.Repeat([]int{-1}, len(n.out))
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		for _, l := range n.out[queue[0]] {
			if l.to != from && last[l.to] < 0 {
				last[l.to], before[l.to] = l.number, queue[0]
				queue = append(queue, l.to)
			}
		}
	}
	return last, before
}
