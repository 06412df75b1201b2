package real_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestScale: 1 000 nodes and 5 000 pods. It shows how late gates are opened, what the API server is asked for, and what the controller takes.
func TestScale(t *testing.T) {
	const racks, each, singles = 50, 20, 4_000
	p, k, w := run(t, racks, each)
	listen := fmt.Sprintf("127.0.0.1:%d", free(t, 1)[0])
	p.replica(t, 1, build(t), "-listen", listen)

	began := time.Now()
	for i := range 4 {
		p.reserve(t, fmt.Sprintf("lesson-%d", i), each, began.Add(time.Duration(120+40*i)*time.Second).Truncate(time.Second), 30*time.Second)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	pods := 0
	for i := range singles {
		says := time.Duration(20+rng.IntN(100)) * time.Second
		p.submit(t, job{name: fmt.Sprintf("batch-%04d", i), pods: 1, gpus: 1 + rng.Int64N(8), says: says, runs: says - time.Duration(1+rng.IntN(15))*time.Second})
		pods++
	}
	for i := range 15 {
		p.submit(t, job{name: fmt.Sprintf("gang-%02d", i), pods: 64, gpus: 2, says: 40 * time.Second, runs: 30 * time.Second, within: rack})
		pods += 64
	}
	for i := range 4 {
		name := fmt.Sprintf("lesson-%d", i)
		p.submit(t, job{name: name, pods: each / 2, gpus: 8, says: 25 * time.Second, runs: 20 * time.Second, reservation: name})
		pods += each / 2
	}
	t.Logf("%d pods submitted in %v", pods, time.Since(began).Round(time.Second))
	p.eventually(t, 20*time.Minute, "all pods have ended", func() bool {
		time.Sleep(time.Second)
		return ended(t, k, pods)
	})
	late := w.fine(t, "lesson-0", "lesson-1", "lesson-2", "lesson-3")
	m := scrape(t, listen)
	writes := 0.0
	for name, x := range m {
		if strings.HasPrefix(name, "bookahead_writes_total") {
			writes += x
		}
	}
	passes := m["bookahead_pass_seconds_count"]
	t.Logf("%d pods on %d nodes ended after %v", pods, racks*each, time.Since(began).Round(time.Second))
	t.Logf("%d gates had a promise: opened after it by %v in the median, %v at 99 %%, %v at the most", len(late),
		late[len(late)/2].Round(time.Millisecond), late[len(late)*99/100].Round(time.Millisecond), late[len(late)-1].Round(time.Millisecond))
	t.Logf("%.0f passes that decide in %.2f s; %.1f writes a pod; %.0f s of the processor, %.0f MB", passes, m["bookahead_pass_seconds_sum"]/passes,
		writes/float64(pods), m["process_cpu_seconds_total"], m["process_resident_memory_bytes"]/1e6)
}

// scrape returns the metrics of a controller, by name with labels.
func scrape(t *testing.T, listen string) map[string]float64 {
	r, err := http.Get("http://" + listen + "/metrics")
	require.NoError(t, err)
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	m := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), " ")
		x, err := strconv.ParseFloat(value, 64)
		if ok && err == nil {
			m[name] = x
		}
	}
	return m
}
