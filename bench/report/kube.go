package main

// kube is a day of a Kubernetes cluster, with the stock scheduler alone and with bookahead beside it. It needs the programs of a control
// plane.
var kube = chapter{
	id: "kube", title: "Beside the scheduler of Kubernetes", apart: true,
	command: "-C kube test -v -timeout 30m ./internal/real -run TestBeside -programs ../../../out/controlplane -out ../../../out/kube",
	intro: []string{
		"A real API server, scheduler and etcd on this machine, with kubelets that are fake: 16 nodes of 8 GPUs in four racks, and a day of two minutes. Small jobs come all the time, five gangs want half of the cluster each, and four lessons want a rack at their times.",
		"Alone, the scheduler binds the pods of a gang one by one, as nodes become free. Two gangs may each hold what the other waits for, and neither ever begins. With bookahead the pods of a gang are let go together, small jobs run before it only if they end in time, and a lesson is a reservation. A day is broken off after four minutes; what still waits then counts with its wait so far.",
	},
	views: []view{
		{file: "seconds.csv", title: "GPUs that do work",
			caption: "In each second, of 128. The pods of a gang work once all of them run.",
			by:      "scheduler", x: "second", y: []string{"works"}, xAxis: "second", yAxis: "GPUs", linear: true},
		{file: "seconds.csv", title: "GPUs that are held",
			caption: "In each second, of 128: by pods that work, and by pods of a gang that wait for the others.",
			by:      "scheduler", x: "second", y: []string{"holds"}, xAxis: "second", yAxis: "GPUs", linear: true},
		{file: "days.csv", title: "All numbers of the day", caption: "Waits are in seconds, until a pod is bound, and until the last pod of a gang is. A lesson is in time if its four pods are bound within two seconds. GPUs that work are counted while jobs come."},
	},
}
