package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"io/fs"
	"net/http"
	"strings"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/gantt"
)

//go:embed static templates
var embedded embed.FS

// addressOfFiles returns the address of the embedded files. It has a sum of their bytes, so that browsers may keep them for ever.
func addressOfFiles() string {
	sum := sha256.New()
	names, err := fs.Glob(embedded, "static/*")
	for _, name := range names {
		var data []byte
		data, err = embedded.ReadFile(name)
		sum.Write(data)
	}
	if err != nil {
		panic(err) // the files are part of the program
	}
	return "/static/" + hex.EncodeToString(sum.Sum(nil)[:6]) + "/"
}

// static answers with an embedded file.
func static(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeFileFS(w, r, embedded, "static/"+r.PathValue("name"))
}

// policy returns the content security policy. The only style that may stand in a page is that of a picture, which has the same bytes
// in each.
func policy() string {
	var picture bytes.Buffer
	c := gantt.Chart{Window: bookahead.Interval{End: 1}, Rows: 1}
	_, err := c.WriteTo(&picture)
	if err != nil {
		panic(err) // nothing in it depends on anything
	}
	_, rest, _ := strings.Cut(picture.String(), "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}
