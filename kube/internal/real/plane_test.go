package real_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/yaml"

	"github.com/bookahead/bookahead/kube/api/v1alpha1"
)

var programs = flag.String("programs", "", "the `folder` of etcd, kube-apiserver and kube-scheduler; empty skips the tests")

// plane is a control plane that listens on loopback.
type plane struct {
	*kubernetes.Clientset
	dynamic    dynamic.Interface
	config     *rest.Config // of an administrator
	dir        string       // of logs, certificates and kubeconfigs
	kubeconfig string
}

// token is the administrator's.
const token = "administrator"

// start starts a control plane, which stops with the test.
func start(t *testing.T) *plane {
	if *programs == "" {
		t.Skip("-programs is not set")
	}
	p := &plane{dir: t.TempDir()}
	ports := free(t, 4)
	client, peer, secure, scheduler := ports[0], ports[1], ports[2], ports[3]
	etcd := fmt.Sprintf("http://127.0.0.1:%d", client)
	beside := fmt.Sprintf("http://127.0.0.1:%d", peer)
	p.run(t, "etcd", "--data-dir", filepath.Join(p.dir, "etcd"), "--unsafe-no-fsync", "--name", "one",
		"--listen-client-urls", etcd, "--advertise-client-urls", etcd,
		"--listen-peer-urls", beside, "--initial-advertise-peer-urls", beside, "--initial-cluster", "one="+beside)

	key := filepath.Join(p.dir, "accounts.key")
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	block := &pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(private)}
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(block), 0o600))
	tokens := filepath.Join(p.dir, "tokens.csv")
	require.NoError(t, os.WriteFile(tokens, []byte(token+",administrator,1,\"system:masters\"\n"), 0o600))
	certificates := filepath.Join(p.dir, "certificates")
	p.run(t, "kube-apiserver", "--etcd-servers", etcd, "--bind-address", "127.0.0.1", "--secure-port", fmt.Sprint(secure),
		"--cert-dir", certificates, "--token-auth-file", tokens, "--authorization-mode", "RBAC", "--service-cluster-ip-range", "10.0.0.0/24",
		"--service-account-issuer", "https://kubernetes", "--service-account-key-file", key, "--service-account-signing-key-file", key,
		// No controller manager makes service accounts, or takes the taint off new nodes.
		"--disable-admission-plugins", "ServiceAccount,TaintNodesByCondition")
	p.config = &rest.Config{
		Host: fmt.Sprintf("https://127.0.0.1:%d", secure), BearerToken: token, QPS: 1000, Burst: 2000,
		TLSClientConfig: rest.TLSClientConfig{Insecure: true}, // a certificate of its own making
	}
	p.Clientset, err = kubernetes.NewForConfig(p.config)
	require.NoError(t, err)
	p.dynamic, err = dynamic.NewForConfig(p.config)
	require.NoError(t, err)
	p.eventually(t, time.Minute, "the API server is ready", func() bool {
		text, err := p.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(t.Context())
		return err == nil && string(text) == "ok"
	})

	p.kubeconfig = p.writeKubeconfig(t, "administrator", "")
	p.run(t, "kube-scheduler", "--kubeconfig", p.kubeconfig, "--leader-elect=false", "--bind-address", "127.0.0.1",
		"--secure-port", fmt.Sprint(scheduler), "--authentication-skip-lookup")
	return p
}

// writeKubeconfig writes a kubeconfig for the administrator, who acts as a user if there is one.
func (p *plane) writeKubeconfig(t *testing.T, name, as string) string {
	user := map[string]any{"token": token}
	if as != "" {
		user["as"] = as
	}
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "c",
		"clusters": []any{map[string]any{"name": "c", "cluster": map[string]any{"server": p.config.Host, "insecure-skip-tls-verify": true}}},
		"users":    []any{map[string]any{"name": "u", "user": user}},
		"contexts": []any{map[string]any{"name": "c", "context": map[string]any{"cluster": "c", "user": "u"}}},
	})
	require.NoError(t, err)
	return p.write(t, name+".kubeconfig", text)
}

// write writes a file once: others may read it.
func (p *plane) write(t *testing.T, name string, text []byte) (path string) {
	path = filepath.Join(p.dir, name)
	_, err := os.Stat(path)
	if err != nil {
		require.NoError(t, os.WriteFile(path, text, 0o600))
	}
	return path
}

// run starts a program of the control plane, whose last lines are shown if the test fails.
func (p *plane) run(t *testing.T, name string, args ...string) *exec.Cmd {
	return p.exec(t, name, filepath.Join(*programs, name), args...)
}

func (p *plane) exec(t *testing.T, name, path string, args ...string) *exec.Cmd {
	log, err := os.Create(filepath.Join(p.dir, name+".log"))
	require.NoError(t, err)
	c := exec.Command(path, args...)
	c.Stdout, c.Stderr = log, log
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
		_ = log.Close()
		if !t.Failed() {
			return
		}
		text, _ := os.ReadFile(log.Name())
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		t.Logf("the last lines of %s:\n%s", name, strings.Join(lines[max(0, len(lines)-15):], "\n"))
	})
	return c
}

// free returns n ports that are free.
func free(t *testing.T, n int) (list []int) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer l.Close() // all stay open until the last is taken, so none is given twice
		list = append(list, l.Addr().(*net.TCPAddr).Port)
	}
	return list
}

// eventually waits for something.
func (p *plane) eventually(t *testing.T, most time.Duration, what string, is func() bool) {
	t.Helper()
	for began := time.Now(); !is(); time.Sleep(50 * time.Millisecond) {
		require.Less(t, time.Since(began), most, what)
	}
}

// config is where the manifests are.
const config = "../../config"

// install applies the manifests as kustomize would, but for the Deployment.
func (p *plane) install(t *testing.T) {
	for _, name := range []string{"crd/reservations.yaml", "manager/manager.yaml", "rbac/rbac.yaml", "policy/gate.yaml"} {
		text, err := os.ReadFile(filepath.Join(config, name))
		require.NoError(t, err)
		for _, doc := range bytes.Split(text, []byte("\n---\n")) {
			var u unstructured.Unstructured
			require.NoError(t, yaml.Unmarshal(doc, &u.Object))
			if u.GetKind() == "Deployment" {
				continue
			}
			p.eventually(t, 10*time.Second, "create "+u.GetKind()+" "+u.GetName(), func() bool {
				err = p.create(t.Context(), &u)
				return err == nil
			})
			require.NoError(t, err)
		}
	}
	p.planned(t)
}

// planned waits until the policy gives gates: the server compiles it some time after it is there.
func (p *plane) planned(t *testing.T) {
	o := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "try", Labels: map[string]string{v1alpha1.LabelPlan: "true"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "none"}}},
	}
	p.eventually(t, 30*time.Second, "the policy gives the gate", func() bool {
		got, err := p.CoreV1().Pods("default").Create(t.Context(), o, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		require.NoError(t, err)
		return len(got.Spec.SchedulingGates) == 1
	})
}

// create creates an object of any kind.
func (p *plane) create(ctx context.Context, u *unstructured.Unstructured) error {
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(p.Discovery()))
	gvk := u.GroupVersionKind()
	m, err := mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return err
	}
	_, err = p.dynamic.Resource(m.Resource).Namespace(u.GetNamespace()).Create(ctx, u, metav1.CreateOptions{})
	return err
}

// object returns an object of any kind with some fields.
func object(fields map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: fields}
}
