package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/gantt"
	"github.com/bookahead/bookahead/kube/api/v1alpha1"
)

// perNode is the lanes of a node: one for each GPU.
const perNode = 2

// picture collects what has run where. A tick is a second from the opening on.
type picture struct {
	lanes map[string][]string // who has each lane of a node
	bars  []gantt.Bar
	down  map[string]int // the bar of a node that has failed
}

func tick(t time.Time) bookahead.Time { return bookahead.Time(t.Sub(opens) / time.Second) }

// look notes who has begun to run, and who has ended.
func (p *picture) look(now time.Time, pods []corev1.Pod) {
	for _, x := range pods {
		lanes := p.lanes[x.Spec.NodeName]
		running := x.Status.Phase == corev1.PodRunning
		for lane, who := range lanes {
			if who == x.Name && !running {
				lanes[lane] = ""
				p.end(slices.Index(nodes, x.Spec.NodeName)*perNode+lane, now)
			}
		}
		if !running || slices.Contains(lanes, x.Name) {
			continue
		}
		if lanes == nil {
			lanes = make([]string, perNode)
			p.lanes[x.Spec.NodeName] = lanes
		}
		gpus := x.Spec.Containers[0].Resources.Requests["nvidia.com/gpu"]
		n := gpus.Value()
		for lane := range lanes {
			if lanes[lane] == "" && n > 0 {
				lanes[lane], n = x.Name, n-1
				key := base(x.Name)
				p.bars = append(p.bars, gantt.Bar{Interval: bookahead.Interval{Start: tick(now), End: tick(closes)}, Row: slices.Index(nodes, x.Spec.NodeName)*perNode + lane, Label: key, Key: key})
			}
		}
	}
}

// end ends the last bar of a lane.
func (p *picture) end(row int, now time.Time) {
	for i := len(p.bars) - 1; i >= 0; i-- {
		if p.bars[i].Row == row && !p.bars[i].Closed {
			p.bars[i].End = tick(now)
			return
		}
	}
}

// fail begins or ends the hatching of a node.
func (p *picture) fail(now time.Time, node string, ready bool) {
	if p.down == nil {
		p.down = map[string]int{}
	}
	if ready {
		p.bars[p.down[node]].End = tick(now)
		return
	}
	p.down[node] = len(p.bars)
	p.bars = append(p.bars, gantt.Bar{Interval: bookahead.Interval{Start: tick(now), End: tick(closes)}, Row: slices.Index(nodes, node) * perNode, Rows: perNode, Closed: true})
}

// chart returns the picture of the morning. The last bar of a place hides the others in a picture, and the first in a text, so the
// reservations are where pods hide them.
func (x *morning) chart(text bool) (*gantt.Chart, error) {
	list, err := x.Reservations.Resource(v1alpha1.Resource).Namespace("").List(context.Background(), metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	axis, err := gantt.WallClock(bookahead.Clock{Epoch: opens})
	if err != nil {
		return nil, err
	}
	c := &gantt.Chart{
		Title: "A morning on eight nodes", Window: bookahead.Interval{End: tick(closes)}, Axis: axis, Rows: len(nodes) * perNode,
		RowName: func(row int) string { return fmt.Sprintf("%s · GPU %d", nodes[row/perNode], row%perNode) },
	}
	var behind []gantt.Bar
	for _, r := range list.Items {
		behind = append(behind, reserved(&r)...)
	}
	c.Bars = slices.Concat(behind, x.picture.bars)
	if text {
		c.Bars = slices.Concat(x.picture.bars, behind)
	}
	return c, nil
}

// reserved returns the bars of a reservation, at the last place that it had.
func reserved(r *unstructured.Unstructured) (list []gantt.Bar) {
	from, _, _ := unstructured.NestedString(r.Object, "status", "start")
	to, _, _ := unstructured.NestedString(r.Object, "status", "end")
	start, err := time.Parse(time.RFC3339, from)
	end, bad := time.Parse(time.RFC3339, to)
	on, _, _ := unstructured.NestedSlice(r.Object, "status", "nodes")
	if err != nil || bad != nil {
		return nil
	}
	for _, n := range on {
		name, _, _ := unstructured.NestedString(n.(map[string]any), "name")
		for lane := range perNode {
			list = append(list, gantt.Bar{
				Interval: bookahead.Interval{Start: tick(start), End: tick(end)}, Row: slices.Index(nodes, name)*perNode + lane,
				Label: r.GetName(), Key: "reservation " + r.GetName(), Held: true,
			})
		}
	}
	return list
}

// draw writes the picture for a terminal.
func (x *morning) draw(w io.Writer) error {
	c, err := x.chart(true)
	if err == nil {
		_, err = c.WriteText(w, 100)
	}
	return err
}

// save writes the picture to a file.
func (x *morning) save(name string) error {
	c, err := x.chart(false)
	if err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = c.WriteTo(f)
	if bad := f.Close(); err == nil {
		err = bad
	}
	return err
}
