// Package config reads the file of the service. The file is YAML, and says what there is to book, for whom, and how the
// service is reached:
//
//	folder: /var/lib/bookahead
//	listen: localhost:8080
//	zone: Europe/Berlin
//	tick: 5m
//	schedules:
//	  - name: classroom
//	    kind: servers
//	    count: 1
//	    open: ["Mo-Fr 08:00-20:00", "Sa 09:00-13:00"]
//	    longest: 4h
//	  - name: gpus
//	    kind: nodes
//	    resources: [gpus, cpus]
//	    levels: [rack]
//	    nodes:
//	      - {count: 4, has: [8, 96], in: {rack: a}}
//	      - {count: 4, has: [8, 96], in: {rack: b}}
//	quotas:
//	  - {name: week, each: true, on: [gpus], hours: 100, every: 7d}
//
// Nothing is passed over: an unknown key, a value of another kind and a name that means nothing are errors, each with the line
// and the key. Secrets are no part of the file: the file names a file or a variable of the environment that has the secret.
package config
