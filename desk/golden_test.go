package desk

import (
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// goldenValues are values of all kinds, and goldenForms their bytes in version 1 of the two forms, which must
// never change.
var goldenValues = []any{
	AddSchedule{"gpus", Pool{8, 500}},
	AddSchedule{"lab\xff", Servers{4, 0, "lowest"}},
	AddSchedule{"farm", Nodes{60, []string{"gpus", "cores"}, []nodes.Vector{{4, 16}, {8, 8}}, []nodes.Level{{Name: "rack", Groups: [][]int{{0, 1}}}},
		map[string][]int{"old": {0}, "big": {1}}, "best"}},
	AddSchedule{"any", Broker{[]string{"gpus", "lab"}, "least-loaded"}},
	AddSchedule{"own", Own{"flat", []byte{0, 255}}},
	Book{"job 1", Request{
		Owner: "ann", Title: "a <title>", Labels: []string{"team=blue"}, Priority: -2, Ready: 5, Deadline: 900,
		Shapes: []Shape{{{On: "gpus", Units: 8, Duration: 60}}, {
			{On: "lab", Units: 2, Duration: 9, Offset: 1, Servers: []int{3, 0}},
			{On: "farm", Units: 3, Duration: 7, After: &Gap{2, math.MaxInt64}, Tasks: &nodes.Request{
				Each: nodes.Vector{1, 0}, PerNode: 2, Head: nodes.Vector{0, 1}, Nodes: []int{}, Set: "big", Except: []int{1}, Within: "rack",
			}},
		}},
	}, 77, Lower, 0},
	Commit{1},
	Change{2, Request{Shapes: []Shape{{{On: "gpus", Units: 1, Duration: 1}}}}, Anybody},
	Cancel{300},
	End{4},
	Overrun{5, 90, Lower},
	Close{"lab", bookahead.Interval{Start: 3, End: bookahead.MaxTime}, 0, []int{1, 2}, "fan", Anybody, 9},
	Reopen{6, 44},
	Extend{"gpus", bookahead.Interval{Start: -3, End: 7}, 2, nil, "lent"},
	Extend{"farm", bookahead.Interval{Start: 3, End: 7}, 0, []nodes.Added{{Has: nodes.Vector{4, 16}, Groups: map[string]int{"row": 2, "rack": 0}, Sets: []string{"big"}}}, ""},
	Advance{1_000_000},
	Batch{[]Command{Cancel{3}, Advance{7}}},
	BookSeries{"yoga", Request{Owner: "eve", Shapes: []Shape{{{On: "lab", Units: 1}}}}, Occurrences{{Start: 8, End: 12}, {Start: 15, End: 19}}, false, 2, 15},
	Continue{3, 15, Occurrences{{Start: 22, End: 26}}, true, 0},
	CancelSeries{3, 20},
	SetTerms{"lab", Terms{
		Open: []bookahead.Interval{{Start: 8, End: 20}}, Needs: 19, Longest: 4, Notice: 1, Ahead: 30, Before: 1, After: 2,
		Owners: []string{"ann"}, Labels: []string{"staff"},
	}},
	SetQuota{"week", Quota{
		Owners: []string{"ann", "bob"}, Label: "team=blue", Each: true, On: []string{"gpus"}, Resource: "cores", Units: 8, Ticks: 100,
		Periods: []bookahead.Interval{{Start: 0, End: 7}}, From: 7, Every: 9, Window: 5, Waiting: 3,
	}},
	SetQuota{"blocked", Quota{Owners: []string{"eve"}, None: true}},
	DropQuota{"week"},
	Entry{7, Cancel{3}, Decision{Booking: 3}},
	Entry{8, Batch{[]Command{Reopen{ID: 2}, &Cancel{3}}}, Decision{Batch: []Decision{{Outage: 2}, {Booking: 3}}}},
	Entry{8, Book{"", Request{Shapes: []Shape{{{On: "any", Units: 2, Duration: 5}}}}, 0, Anybody, 90}, Decision{
		Booking: 4, Shape: 0,
		Places: []Place{{On: "lab", Interval: bookahead.Interval{Start: 2, End: 7}, Units: 2, Servers: []int{0, 3}, Head: -1}},
		Moved: []Moved{{Booking: 1}, {2, 1, []Place{{
			On: "farm", Interval: bookahead.Interval{Start: 9, End: 10}, Units: 3, Nodes: []nodes.Share{{Node: 0, Tasks: 1}, {Node: 1, Tasks: 2}}, Head: 0,
		}}}},
	}},
	Event{9, 3, WasMoved, 2, "bob\x80", "", 0, bookahead.Interval{Start: 2, End: 4}, bookahead.Interval{Start: 5, End: 7},
		[]Place{{On: "lab", Interval: bookahead.Interval{Start: 2, End: 4}, Units: 1, Servers: []int{0}, Head: -1}},
		[]Place{{On: "lab", Interval: bookahead.Interval{Start: 5, End: 7}, Units: 1, Servers: []int{3}, Head: -1}}, 2, ""},
	Event{10, 0, WasClosed, 0, "", "lab", 1, bookahead.Interval{}, bookahead.Interval{Start: 3, End: 9}, nil, nil, 0, "gold"},
}
var goldenForms = []struct{ bytes, text string }{
	{
		"010104677075730110e807",
		`{"do":"add","name":"gpus","kind":{"type":"pool","units":8,"horizon":500}}`,
	},
	{
		"0101046c6162ff020800066c6f77657374",
		`{"do":"add","name":{"base64":"bGFi/w=="},"kind":{"type":"servers","count":4,"prefer":"lowest"}}`,
	},
	{
		"0101046661726d037802046770757305636f7265730202082002101001047261636b0102000202036269670102036f6c6401000462657374",
		`{"do":"add","name":"farm","kind":{"type":"nodes","horizon":60,"resources":["gpus","cores"],"nodes":[[4,16],[8,8]],"levels":[{"name":"rack","groups":[[0,1]]}],"sets":[{"name":"big","nodes":[1]},{"name":"old","nodes":[0]}],"policy":"best"}}`,
	},
	{
		"010103616e7904020467707573036c61620c6c656173742d6c6f61646564",
		`{"do":"add","name":"any","kind":{"type":"broker","of":["gpus","lab"],"policy":"least-loaded"}}`,
	},
	{
		"0101036f776e0504666c61740200ff",
		`{"do":"add","name":"own","kind":{"type":"own","kind":"flat","config":{"base64":"AP8="}}}`,
	},
	{
		"0102056a6f62203103616e6e0961203c7469746c653e01097465616d3d626c7565030a880e0201046770757310780000000002036c6162041202000102060500046661726d060e000104faffffffffffffffff010001010202010401020002010003626967010102047261636b009a01056c6f77657200",
		`{"do":"book","key":"job 1","owner":"ann","title":"a <title>","labels":["team=blue"],"priority":-2,"ready":5,"deadline":900,"shapes":[[{"on":"gpus","units":8,"duration":60}],[{"on":"lab","units":2,"duration":9,"offset":1,"servers":[3,0]},{"on":"farm","units":3,"duration":7,"after":{"least":2,"most":9223372036854775807},"tasks":{"each":[1,0],"perNode":2,"head":[0,1],"nodes":[],"set":"big","except":[1],"within":"rack"}}]],"hold":77,"force":"lower"}`,
	},
	{
		"010301",
		`{"do":"commit","id":1}`,
	},
	{
		"0104020000000000000101046770757302020000000007616e79626f6479",
		`{"do":"change","id":2,"to":{"shapes":[[{"on":"gpus","units":1,"duration":1}]]},"force":"anybody"}`,
	},
	{
		"0105ac02",
		`{"do":"cancel","id":300}`,
	},
	{
		"010604",
		`{"do":"end","id":4}`,
	},
	{
		"010705b401056c6f776572",
		`{"do":"overrun","id":5,"until":90,"force":"lower"}`,
	},
	{
		"0108036c616206f8ffffffffffffffff0100010202020366616e07616e79626f647912",
		`{"do":"close","on":"lab","start":3,"end":9223372036854775807,"servers":[1,2],"title":"fan","force":"anybody","priority":9}`,
	},
	{
		"01090658",
		`{"do":"reopen","id":6,"at":44}`,
	},
	{
		"010a046770757305140400046c656e74",
		`{"do":"extend","on":"gpus","start":-3,"end":7,"units":2,"title":"lent"}`,
	},
	{
		"010a046661726d0608000102082002047261636b0003726f7704010362696700",
		`{"do":"extend","on":"farm","start":3,"end":7,"nodes":[{"has":[4,16],"groups":[{"level":"rack"},{"level":"row","group":2}],"sets":["big"]}]}`,
	},
	{
		"010b80897a",
		`{"do":"advance","now":1000000}`,
	},
	{
		"010c0205030b0e",
		`{"do":"batch","commands":[{"do":"cancel","id":3},{"do":"advance","now":7}]}`,
	},
	{
		"010d04796f67610365766500000000000101036c61620200000000000210081e0800041e",
		`{"do":"bookSeries","key":"yoga","owner":"eve","shapes":[[{"on":"lab","units":1}]],"at":[{"start":8,"end":12},{"start":15,"end":19}],"shift":2,"needs":15}`,
	},
	{
		"010e031e012c080200",
		`{"do":"continue","id":3,"needed":15,"at":[{"start":22,"end":26}],"partly":1}`,
	},
	{
		"010f0328",
		`{"do":"cancelSeries","id":3,"from":20}`,
	},
	{
		"0110036c61620110182608023c02040103616e6e01057374616666",
		`{"do":"setTerms","on":"lab","open":[{"start":8,"end":20}],"needs":19,"longest":4,"notice":1,"ahead":30,"before":1,"after":2,"owners":["ann"],"labels":["staff"]}`,
	},
	{
		"0111047765656b0203616e6e03626f62097465616d3d626c75650201046770757305636f72657310c80101000e0e120a0600",
		`{"do":"setQuota","name":"week","owners":["ann","bob"],"label":"team=blue","each":1,"on":["gpus"],"resource":"cores","units":8,"ticks":100,"periods":[{"end":7}],"from":7,"every":9,"window":5,"waiting":3}`,
	},
	{
		"011107626c6f636b65640103657665000000000000000000000002",
		`{"do":"setQuota","name":"blocked","owners":["eve"],"none":1}`,
	},
	{
		"0112047765656b",
		`{"do":"dropQuota","name":"week"}`,
	},
	{
		"01070503030000000000000000",
		`{"number":7,"command":{"do":"cancel","id":3},"decision":{"booking":3}}`,
	},
	{
		"01080c020902000503000000000000000002000200000000000000030000000000000000",
		`{"number":8,"command":{"do":"batch","commands":[{"do":"reopen","id":2},{"do":"cancel","id":3}]},"decision":{"batch":[{"outage":2},{"booking":3}]}}`,
	},
	{
		"01080200000000000000010103616e79040a000000000007616e79626f6479b40104000001036c6162040a04010200060000000002010000020201046661726d12020600020002020402000000000000",
		`{"number":8,"command":{"do":"book","shapes":[[{"on":"any","units":2,"duration":5}]],"force":"anybody","wait":90},"decision":{"booking":4,"places":[{"on":"lab","start":2,"end":7,"units":2,"servers":[0,3]}],"moved":[{"booking":1},{"booking":2,"shape":1,"places":[{"on":"farm","start":9,"end":10,"units":3,"nodes":[{"tasks":1},{"node":1,"tasks":2}],"head":0}]}]}}`,
	},
	{
		"010906050204626f62800000010404010a0401036c61620404020101000000000001036c61620a0402010106000000000200",
		`{"number":9,"at":3,"what":"moved","booking":2,"owner":{"base64":"Ym9igA=="},"from":{"start":2,"end":4},"to":{"start":5,"end":7},"before":[{"on":"lab","start":2,"end":4,"units":1,"servers":[0]}],"after":[{"on":"lab","start":5,"end":7,"units":1,"servers":[3]}],"series":2}`,
	},
	{
		"010a000b0000036c6162010001060c00000004676f6c64",
		`{"number":10,"what":"closed","schedule":"lab","outage":1,"to":{"start":3,"end":9},"quota":"gold"}`,
	},
}
