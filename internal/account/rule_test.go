package account

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRuleCounts(t *testing.T) {
	ann := map[string]bool{"ann": true}
	for _, c := range []struct {
		rule   Rule
		owner  string
		labels []string
		want   bool
	}{
		{Rule{}, "bob", nil, true},
		{Rule{Owners: ann}, "ann", nil, true},
		{Rule{Owners: ann}, "bob", nil, false},
		{Rule{Label: "x"}, "ann", []string{"y", "x"}, true},
		{Rule{Label: "x"}, "ann", []string{"y"}, false},
		{Rule{Owners: ann, Label: "x"}, "ann", nil, false},
	} {
		require.Equal(t, c.want, c.rule.Counts(c.owner, c.labels), "%+v", c)
	}
	all, some, none := Rule{}, Rule{On: []int32{2, 5, 9}}, Rule{On: []int32{}}
	for on := range int32(11) {
		require.True(t, all.Covers(on))
		require.False(t, none.Covers(on))
		require.Equal(t, on == 2 || on == 5 || on == 9, some.Covers(on), on)
	}
}

func TestRuleKey(t *testing.T) {
	each, joint := Rule{Each: true, number: 1}, Rule{number: 2}
	require.NotEqual(t, each.Key("ann"), each.Key("bob"))
	require.Equal(t, joint.Key("ann"), joint.Key("bob"))
	require.NotEqual(t, each.Key(""), joint.Key(""))
	require.Equal(t, "ann", each.Key("ann").Owner)
	require.Equal(t, "", joint.Key("ann").Owner)
}
