package controller

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestFresh: what was written counts until the source has it, also if a write was made from an older state than the one before it.
func TestFresh(t *testing.T) {
	pod := func(version string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "u", ResourceVersion: version}}
	}
	f := fresh[*corev1.Pod]{}
	f.wrote("7", pod("8"))
	f.wrote("7", pod("9"))
	for _, seen := range []string{"7", "8"} {
		require.Equal(t, "9", f.over([]*corev1.Pod{pod(seen)})[0].ResourceVersion, seen)
	}
	require.Equal(t, "9", f.over([]*corev1.Pod{pod("9")})[0].ResourceVersion)
	require.Empty(t, f)
	f.wrote("9", pod("10"))
	require.Empty(t, f.over(nil))
	require.Empty(t, f, "the pod is gone")
}
