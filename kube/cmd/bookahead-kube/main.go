// Bookahead-kube is the controller: it holds pods with its gate back, decides when they start and on which nodes, and keeps the
// capacity of reservations free.
//
//	bookahead-kube -kubeconfig ~/.kube/config -config settings.yaml
//
// In a cluster it needs no -kubeconfig. It ends with an error when it loses its lease, so that its Deployment starts it anew.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
	_ "time/tzdata" // an image with the binary alone has no time zones

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/bookahead/bookahead/kube/internal/controller"
	"github.com/bookahead/bookahead/kube/internal/settings"
)

func main() {
	var o options
	flag.StringVar(&o.kubeconfig, "kubeconfig", "", "the `file` that says where the cluster is; empty in a cluster")
	flag.StringVar(&o.config, "config", "", "the `file` with settings; empty for the defaults")
	flag.StringVar(&o.listen, "listen", ":8080", "the `address` of /metrics and /healthz; empty for none")
	flag.StringVar(&o.namespace, "lease-namespace", "bookahead", "the `namespace` of the lease")
	flag.StringVar(&o.lease, "lease", "bookahead", "the `name` of the lease; empty to lead without one")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := o.run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bookahead-kube:", err)
		os.Exit(1)
	}
}

type options struct{ kubeconfig, config, listen, namespace, lease string }

// run runs the controller until ctx is done.
func (o *options) run(ctx context.Context) error {
	s := settings.New()
	if o.config != "" {
		text, err := os.ReadFile(o.config)
		if err == nil {
			s, err = settings.Parse(text)
		}
		if err != nil {
			return fmt.Errorf("-config %s: %w", o.config, err)
		}
	}
	clients, err := o.clients()
	if err != nil {
		return err
	}
	name, err := os.Hostname()
	if err != nil {
		return err
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	c, err := controller.New(controller.Config{
		Clients: clients, Settings: s, Identity: fmt.Sprintf("%s-%d", name, os.Getpid()), LeaseNamespace: o.namespace, LeaseName: o.lease,
		Metrics: registry, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if o.listen != "" {
		server := &http.Server{Addr: o.listen, Handler: handler(registry, c.Healthy), ReadHeaderTimeout: 5 * time.Second}
		go func() {
			err := server.ListenAndServe()
			if !errors.Is(err, http.ErrServerClosed) {
				cancel(fmt.Errorf("-listen %s: %w", o.listen, err))
			}
		}()
		defer server.Close()
	}
	err = c.Run(ctx)
	if cause := context.Cause(ctx); err == nil && cause != nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	return err
}

// clients returns clients of the cluster.
func (o *options) clients() (c controller.Clients, err error) {
	var config *rest.Config
	if o.kubeconfig == "" {
		config, err = rest.InClusterConfig()
	} else {
		config, err = clientcmd.BuildConfigFromFlags("", o.kubeconfig)
	}
	if err != nil {
		return c, fmt.Errorf("-kubeconfig %q: %w", o.kubeconfig, err)
	}
	config.UserAgent = "bookahead-kube"
	config.QPS, config.Burst = 1000, 2000 // gates should wait for the server, and not for the limit of the client
	c.Kube, err = kubernetes.NewForConfig(config)
	if err == nil {
		c.Dynamic, err = dynamic.NewForConfig(config)
	}
	if err == nil {
		config = rest.CopyConfig(config)
		config.QPS, config.Burst, config.Timeout = 0, 0, 5*time.Second // a call that hangs must not lose the lease
		c.Lease, err = kubernetes.NewForConfig(config)
	}
	return c, err
}

// handler serves metrics and health.
func handler(registry *prometheus.Registry, healthy func() bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if !healthy() {
			http.Error(w, "the loop has made no pass for a minute", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	return mux
}
