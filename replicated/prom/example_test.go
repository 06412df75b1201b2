package prom_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/replicated"
	"github.com/bookahead/bookahead/replicated/prom"
)

// A member counts its calls.
func Example() {
	dir, err := os.MkdirTemp("", "desk")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	registry := prometheus.NewRegistry()
	m, err := replicated.Open(replicated.Config{
		Dir: dir, Metrics: prom.New(registry), Reserve: 1, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		panic(err)
	}
	defer m.Close()
	_, err = m.Do(context.Background(), desk.AddSchedule{Name: "gpus", Kind: desk.Pool{Units: 8}})
	fmt.Println(err)
	families, err := registry.Gather()
	for _, f := range families {
		if f.GetName() == "replicated_calls_total" {
			fmt.Println(f.GetMetric()[0].GetCounter().GetValue(), "calls", err) // one opens a session
		}
	}
	// Output:
	// <nil>
	// 2 calls <nil>
}
