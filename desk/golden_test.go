package desk

import (
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/pieces"
	"github.com/bookahead/bookahead/volume"
)

// goldenValues are values of all kinds, and goldenBytes their bytes in version 1, which must never change.
var goldenValues = []any{
	AddSchedule{"gpus", Pool{8, 500}},
	AddSchedule{"lab\xff", Servers{4, 0, "lowest"}},
	AddSchedule{"farm", Nodes{60, []string{"gpus", "cores"}, []nodes.Vector{{4, 16}, {8, 8}}, []nodes.Level{{Name: "rack", Groups: [][]int{{0, 1}}}},
		map[string][]int{"old": {0}, "big": {1}}, "best"}},
	AddSchedule{"any", Broker{[]string{"gpus", "lab"}, "least-loaded"}},
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
	Given{"ann by token 4f1c", 7, 1<<63 + 5, Batch{[]Command{Cancel{7}}}},
	Given{By: "a note"},
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
	Book{Request: Request{Owner: "ann"}.OfVolume("link", volume.Request{Ready: 3, Deadline: 90, Volume: 300, Most: 8, Least: 1, Stretches: 5, Price: 2})},
	Change{2, Request{
		Pieces: &Pieces{Ticks: 9, Rule: pieces.Rule{Least: 2, Gap: 7, Restart: 1}, Stopped: 30},
		Shapes: []Shape{{{On: "lab", Units: 2, Duration: 4}, {On: "lab", Units: 2, Duration: 6, Offset: 5}}},
	}, Lower},
	Book{Request: Request{Shapes: []Shape{{{On: "farm", Units: 3, Duration: 7, Swap: true, Tasks: &nodes.Request{Each: nodes.Vector{1}, Together: "rack", Exclusive: true, Patience: 60}}}}}},
	Book{Request: Request{Shapes: []Shape{{{On: "farm", Units: 8, Duration: 7, Tasks: &nodes.Request{Each: nodes.Vector{1}, Bundle: 4, Bundled: "rack"}}}}}},
}
var goldenBytes = []string{
	"010104677075730110e807",
	"0101046c6162ff020800066c6f77657374",
	"0101046661726d037802046770757305636f7265730202082002101001047261636b0102000202036269670102036f6c6401000462657374",
	"010103616e7904020467707573036c61620c6c656173742d6c6f61646564",
	"0102056a6f62203103616e6e0961203c7469746c653e01097465616d3d626c7565030a880e0201046770757310780000000002036c6162041202000102060500046661726d060e000104faffffffffffffffff010001010202010401020002010003626967010102047261636b009a01056c6f77657200",
	"010301",
	"0104020000000000000101046770757302020000000007616e79626f6479",
	"0105ac02",
	"010604",
	"010705b401056c6f776572",
	"0108036c616206f8ffffffffffffffff0100010202020366616e07616e79626f647912",
	"01090658",
	"010a046770757305140400046c656e74",
	"010a046661726d0608000102082002047261636b0003726f7704010362696700",
	"010b80897a",
	"010c0205030b0e",
	"010d04796f67610365766500000000000101036c61620200000000000210081e0800041e",
	"010e031e012c080200",
	"010f0328",
	"0110036c61620110182608023c02040103616e6e01057374616666",
	"0111047765656b0203616e6e03626f62097465616d3d626c75650201046770757305636f72657310c80101000e0e120a0600",
	"011107626c6f636b65640103657665000000000000000000000002",
	"0112047765656b",
	"011311616e6e20627920746f6b656e20346631630785808080808080808001020c010507",
	"01130661206e6f7465000000",
	"01070503030000000000000000",
	"01080c020902000503000000000000000002000200000000000000030000000000000000",
	"01080200000000000000010103616e79040a000000000007616e79626f6479b40104000001036c6162040a04010200060000000002010000020201046661726d12020600020002020402000000000000",
	"010906050204626f62800000010404010a0401036c61620404020101000000000001036c61620a0402010106000000000200",
	"010a000b0000036c6162010001060c00000004676f6c64",
	"01020003616e6e00000006b401020001046c696e6b02020000000001d80410020a0400000000",
	"010402000000000000020002036c6162040800000000036c6162040c0a000000000112040e023c056c6f776572",
	"0102000000000000000101046661726d060e00000002010102000000000000047261636b027802000000",
	"0102000000000000000101046661726d100e000000030101020000000000000000000008047261636b000000",
}
