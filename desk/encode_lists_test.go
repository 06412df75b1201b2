package desk

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// sameAfterJSON checks the JSON of a value, and that it is the same after it is read.
func sameAfterJSON[T any](t *testing.T, want string, v T) {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	require.Equal(t, want, string(text))
	var read T
	require.NoError(t, json.Unmarshal(text, &read))
	require.Equal(t, v, read)
}

// TestGoldenLists has the other answers of a service, beside bookings and events.
func TestGoldenLists(t *testing.T) {
	d := deskWith(t, "gpus", Pool{Units: 8}, "lab", Servers{Count: 3})
	for _, c := range []Command{
		Close{On: "gpus", Interval: ticks(2, 5), Units: 1, Title: "fan"},
		Extend{On: "lab", Interval: ticks(3, 9), Units: 1},
		SetTerms{"lab", Terms{Longest: 4, Owners: []string{"bob"}}},
		BookSeries{Key: "k", Request: Request{Owner: "ann", Shapes: []Shape{{{On: "gpus", Units: 5, Duration: 4}}}}, At: Occurrences{ticks(0, 9), ticks(10, 19)}, Needs: 30},
		SetQuota{"gold", Quota{Owners: []string{"ann"}, Units: 3}},
	} {
		_, err := d.Do(c)
		require.NoError(t, err)
	}
	outages := d.Outages("")
	require.NotZero(t, outages[0].closure, "which only the desk sees")
	for i := range outages {
		outages[i].closure = 0
	}
	sameAfterJSON(t, `[{"id":1,"on":"gpus","start":2,"end":5,"units":1,"title":"fan"},{"id":2,"on":"lab","start":3,"end":9,"units":1,"servers":[3],"added":1}]`, outages)
	sameAfterJSON(t, `[{"name":"gold","owners":["ann"],"units":3}]`, d.Quotas())
	sameAfterJSON(t, `[{"quota":"gold","end":4,"use":5,"bound":3},{"quota":"gold","start":10,"end":14,"use":5,"bound":3}]`, d.OverQuota())
	sameAfterJSON(t, `[{"id":1,"key":"k","owner":"ann","shapes":[[{"on":"gpus","units":5,"duration":4}]],"needs":30}]`, d.AllSeries())

	for _, c := range []struct {
		r    Request
		want string
	}{
		{Request{Owner: "bob", Ready: 1, Deadline: 6, Shapes: []Shape{{{On: "gpus", Units: 4, Duration: 3}}}},
			`{"window":{"start":1,"end":6},"obstacles":[{"on":"gpus","units":4,"kind":"unit","window":{"start":1,"end":6},` +
				`"bookings":[1],"outages":[1],"until":4}],"next":{"start":4,"end":7}}`},
		{Request{Owner: "ann", Shapes: []Shape{{{On: "lab", Units: 1, Duration: 5, Servers: []int{1}}}}},
			`{"window":{},"obstacles":[{"on":"lab","rule":"Longest","owner":"ann","bound":4,"window":{}},` +
				`{"on":"lab","rule":"Owners","owner":"ann","window":{}}],"together":1}`},
		{Request{Owner: "ann", Deadline: 12, Shapes: []Shape{{{On: "gpus", Units: 1, Duration: 9}}}},
			`{"window":{"end":12},"obstacles":[{"quota":"gold","units":1,"bound":3,"use":5,"window":{"end":9},` +
				`"bookings":[1],"until":14}],"next":{"start":14,"end":23}}`},
	} {
		f, err := d.Why(c.r, bookahead.Effort{})
		require.NoError(t, err)
		sameAfterJSON(t, c.want, f)
		text, err := json.Marshal(f.Obstacles)
		require.NoError(t, err)
		var list []Obstacle
		require.NoError(t, json.Unmarshal(text, &list))
		require.Equal(t, f.Obstacles[0].String(), list[0].String())
	}
	for _, v := range []any{&Outage{ID: 7}, &SetQuota{Name: "x"}, &Excess{Use: 7}, &Series{ID: 7}, &Refusal{Together: true}, &Obstacle{Part: 7}} {
		require.ErrorIs(t, json.Unmarshal([]byte(`{"more than":1}`), v), bookahead.ErrInvalid, "%T", v)
		before, err := json.Marshal(v)
		require.NoError(t, err)
		require.Contains(t, string(before), ":", "which an error leaves as it was")
	}
}
