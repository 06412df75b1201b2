// Package manifests has the tests of the manifests in the folder config: each is of its type, the CRD has the fields of the Go types,
// and the settings of the deployment are the defaults.
package manifests
