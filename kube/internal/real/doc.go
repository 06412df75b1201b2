// Package real has the tests against a real control plane: etcd, kube-apiserver and kube-scheduler on loopback, and kubelets that are
// fake. They take minutes, and run only if they are told where the programs are:
//
//	kube/internal/real/build out/controlplane
//	go -C kube test -v -timeout 30m ./internal/real -programs "$PWD/out/controlplane"
//
// A story goes by in wall time, with seconds for hours.
//
//	plane_test.go     the processes
//	kubelets_test.go  nodes, and pods that run and end on them
//	watch_test.go     what no moment of a story may show
package real
