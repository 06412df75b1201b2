// Package cow has the parts that a structure needs to copy on write: an owner of nodes, a tree and a map. With them Clone
// may run beside queries and beside other Clones; only writes must wait.
package cow

import "sync/atomic"

// Owner says to which nodes a structure may write: to the nodes with the same Owner as the
// structure. After a Clone neither side may write to the nodes that both have. But a Clone cannot
// take the Owner away from the original, since that would be a write to the original. So the
// Clone notes that the Owner is shared, as any number of Clones may do at once. Both sides keep
// the Owner until they write:
//
//	                  original       nodes     clone
//	before            A              A A A
//	Clone             A, shared      A A A     A, shared
//	original writes   B              A B A     A, shared      the original has copied a node
//	clone writes      B              A B A     C              so has the clone
//
// An Owner may be copied. The zero Owner belongs to a structure without nodes.
type Owner struct{ mark *mark }

type mark struct{ shared atomic.Bool }

// Share notes that a clone has the same Owner. It may run beside reads and beside other calls of
// Share.
func (o Owner) Share() {
	if o.mark != nil {
		o.mark.shared.Store(true)
	}
}

// Renew makes o a new Owner if it is shared, or zero. Every write to a structure begins with
// Renew.
func (o *Owner) Renew() {
	if o.mark == nil || o.mark.shared.Load() {
		o.mark = new(mark)
	}
}
