// Image builds the service and writes it as an OCI image, without Docker: a layout in a tar file, which "podman load", "skopeo copy
// oci-archive:" and "ctr images import" read. The image has one static binary, which brings time zones and the roots of public
// certificates, and an empty folder /data. It runs as user 65532.
//
//	go -C service/cmd/image run . -o bookahead.tar
//
// The same source and the same Go give the same bytes.
package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

func main() {
	to := flag.String("o", "bookahead.tar", "the `file` to write")
	source := flag.String("source", "../..", "the `folder` of the module service")
	version := flag.String("version", "dev", "the version in the labels")
	platforms := flag.String("platforms", "linux/amd64,linux/arm64", "systems and processors")
	flag.Parse()
	err := run(*to, *source, *version, strings.Split(*platforms, ","))
	if err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

// run builds for each platform, and writes all images as one.
func run(to, source, version string, platforms []string) (err error) {
	work, err := os.MkdirTemp("", "image")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, p := range platforms {
		system, processor, ok := strings.Cut(p, "/")
		if !ok {
			return fmt.Errorf("%q is no platform such as linux/amd64", p)
		}
		binary, err := build(source, filepath.Join(work, "bookaheadd"), system, processor)
		if err != nil {
			return err
		}
		image, err := imageOf(binary, version, system, processor)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: system, Architecture: processor}}})
	}
	folder := filepath.Join(work, "layout")
	_, err = layout.Write(folder, index)
	if err != nil {
		return err
	}
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	return errors.Join(pack(f, folder), f.Close())
}

// build builds the service without anything of the system that builds it.
func build(source, to, system, processor string) ([]byte, error) {
	c := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", to, "./cmd/bookaheadd")
	c.Dir, c.Stderr = source, os.Stderr
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor, "GOWORK=off", "GOFLAGS=")
	err := c.Run()
	if err != nil {
		return nil, fmt.Errorf("go build for %s/%s: %w", system, processor, err)
	}
	return os.ReadFile(to)
}

// user is who the service runs as: nobody in particular, and not root.
const user = 65532

// imageOf returns the image of a binary, from nothing.
func imageOf(binary []byte, version, system, processor string) (v1.Image, error) {
	var files bytes.Buffer
	w := tar.NewWriter(&files)
	err := errors.Join(
		w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: "data/", Mode: 0o700, Uid: user, Gid: user}),
		w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "bookaheadd", Mode: 0o555, Size: int64(len(binary))}),
	)
	if err == nil {
		_, err = w.Write(binary)
	}
	err = errors.Join(err, w.Close())
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files.Bytes())), nil }, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err = mutate.AppendLayers(image, layer)
	if err != nil {
		return nil, err
	}
	return mutate.ConfigFile(image, configOf(image, version, system, processor))
}

// configOf returns the config of an image with its layers.
func configOf(image v1.Image, version, system, processor string) *v1.ConfigFile {
	c, err := image.ConfigFile()
	if err != nil {
		c = &v1.ConfigFile{} // of an image in memory there is one
	}
	c = c.DeepCopy()
	c.OS, c.Architecture = system, processor
	c.Config = v1.Config{
		User: fmt.Sprintf("%d:%d", user, user), WorkingDir: "/", Entrypoint: []string{"/bookaheadd"},
		ExposedPorts: map[string]struct{}{"8080/tcp": {}}, Volumes: map[string]struct{}{"/data": {}},
		Labels: map[string]string{
			"org.opencontainers.image.title":       "bookahead",
			"org.opencontainers.image.description": "A reservation service: exact, all or nothing",
			"org.opencontainers.image.licenses":    "Apache-2.0",
			"org.opencontainers.image.version":     version,
		},
	}
	return c
}

// pack writes the files of a folder as a tar, by name and without times.
func pack(to io.Writer, folder string) error {
	w := tar.NewWriter(to)
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		name, wrong := filepath.Rel(folder, path)
		if err != nil || wrong != nil || name == "." {
			return errors.Join(err, wrong)
		}
		h := &tar.Header{Typeflag: tar.TypeDir, Name: filepath.ToSlash(name) + "/", Mode: 0o755, ModTime: time.Unix(0, 0)}
		if d.IsDir() {
			return w.WriteHeader(h)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		h.Typeflag, h.Name, h.Mode, h.Size = tar.TypeReg, filepath.ToSlash(name), 0o644, int64(len(data))
		err = w.WriteHeader(h)
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	})
	return errors.Join(err, w.Close())
}
