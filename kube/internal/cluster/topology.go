package cluster

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/bookahead/bookahead/nodes"
)

// levels returns the domains of topology keys, from the smallest to the largest. A machine needs domains that nest, and labels
// need not: rack 1 of one zone is another rack than rack 1 of another zone. So a domain is named by its label and the labels of all
// larger domains.
//
//	rack=1 zone=a    rack "1/a"    zone "a"
//	rack=1 zone=b    rack "1/b"    zone "b"
//	rack=2           rack "2/"     in no zone
func levels(keys []string, list []*corev1.Node) (all []nodes.Level) {
	for l, key := range keys {
		level, index := nodes.Level{Name: key}, map[string]int{}
		for k, node := range list {
			if node.Labels[key] == "" {
				continue
			}
			var path []string
			for _, larger := range keys[l:] {
				path = append(path, node.Labels[larger])
			}
			name := strings.Join(path, "/")
			g, ok := index[name]
			if !ok {
				g = len(level.Groups)
				index[name] = g
				level.Groups = append(level.Groups, nil)
			}
			level.Groups[g] = append(level.Groups[g], k)
		}
		all = append(all, level)
	}
	return all
}
