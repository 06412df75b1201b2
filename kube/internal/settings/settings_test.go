package settings_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/kube/internal/settings"
)

// TestParse: what is left out has its default, and errors name field and value.
func TestParse(t *testing.T) {
	s, err := settings.Parse([]byte("backfill: -1\nprotection: {policy: taint}"))
	require.NoError(t, err)
	want := settings.New()
	want.Backfill, want.Protection.Policy = -1, settings.Taint
	require.Equal(t, want, s)
	for text, says := range map[string]string{
		"backfill: -2":               "settings: backfill -2 is less than -1",
		"backfil: 1":                 `unknown field "backfil"`,
		"grace: 0s":                  "settings: grace 0s is not a whole number of seconds from 1s to ten years",
		"startup: 1500ms":            "settings: startup 1.5s is not",
		"repair: -1s":                "settings: repair -1s is not",
		"topologyKeys: [rack, rack]": `settings: topologyKeys[1] "rack" is empty, or named twice`,
		"groups: [{size: x}]":        `settings: groups[0].name "" is empty`,
		"protection: {policy: wall}": `settings: protection.policy "wall" is none of none, taint, placeholder`,
		"protection: {policy: placeholder, image: \"\"}": "settings: protection.priorityClass",
	} {
		_, err := settings.Parse([]byte(text))
		require.ErrorContains(t, err, says, text)
	}
}
