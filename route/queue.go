package route

// queue is a heap of numbers with their keys beside them, for searches that make many
// labels: a comparison reads no label, unless both keys are equal. Then tie decides, by the
// rest of the labels' order.
//
// Each item has four items below it, which lie side by side. So the queue is half as deep as a
// heap with two items below each:
//
//	item i    items 4i+1 to 4i+4 are below it, none of them less (Q1)
type queue struct {
	items []queued
	tie   func(a, b int32) bool // of equal keys
}

type queued struct {
	key, second float64
	x           int32
}

func (q *queue) less(a, b *queued) bool {
	return a.key < b.key || a.key == b.key && (a.second < b.second || a.second == b.second && q.tie(a.x, b.x))
}

func (q *queue) len() int { return len(q.items) }

func (q *queue) push(key, second float64, x int32) {
	q.items = append(q.items, queued{})
	i, item := len(q.items)-1, queued{key, second, x}
	for i > 0 {
		above := (i - 1) / 4
		if !q.less(&item, &q.items[above]) {
			break
		}
		q.items[i] = q.items[above]
		i = above
	}
	q.items[i] = item
}

// pop takes the least item out. The last item fills the hole, and sinks.
func (q *queue) pop() queued {
	top, last := q.items[0], len(q.items)-1
	item := q.items[last]
	q.items = q.items[:last]
	i := 0
	for {
		least := 4*i + 1
		if least >= last {
			break
		}
		for other := least + 1; other < min(4*i+5, last); other++ {
			if q.less(&q.items[other], &q.items[least]) {
				least = other
			}
		}
		if !q.less(&q.items[least], &item) {
			break
		}
		q.items[i] = q.items[least]
		i = least
	}
	if last > 0 {
		q.items[i] = item
	}
	return top
}
