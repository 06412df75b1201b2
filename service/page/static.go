package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"path"
	"strings"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/gantt"
)

//go:embed static templates
var embedded embed.FS

// asset is an embedded file that browsers may keep for ever: its name has a sum of its bytes.
type asset struct {
	kind string
	data []byte
}

// assets returns the embedded files by their addresses, and the address of each name.
func assets() (files map[string]asset, address map[string]string, err error) {
	kinds := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
	files, address = map[string]asset{}, map[string]string{}
	entries, err := embedded.ReadDir("static")
	for _, e := range entries {
		data, err := embedded.ReadFile("static/" + e.Name())
		if err != nil {
			return nil, nil, err
		}
		sum := sha256.Sum256(data)
		ext := path.Ext(e.Name())
		at := "/static/" + strings.TrimSuffix(e.Name(), ext) + "." + hex.EncodeToString(sum[:6]) + ext
		files[at], address[e.Name()] = asset{kinds[ext], data}, at
	}
	return files, address, err
}

func (p *Pages) static(w http.ResponseWriter, r *http.Request) {
	a, ok := p.files[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", a.kind)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	w.Write(a.data)
}

// policy returns the content security policy. The only style that may stand in a page is that of a picture, which has the same bytes
// in each.
func policy() (string, error) {
	var picture bytes.Buffer
	c := gantt.Chart{Window: bookahead.Interval{End: 1}, Rows: 1}
	_, err := c.WriteTo(&picture)
	if err != nil {
		return "", err
	}
	_, rest, _ := strings.Cut(picture.String(), "<style>")
	style, _, ok := strings.Cut(rest, "</style>")
	if !ok {
		return "", fmt.Errorf("page: a picture of gantt has no style")
	}
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'", nil
}
