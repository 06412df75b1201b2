package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// chromium is the path of a browser. Without one the test is skipped, but fails
// where one is required: with CI=true or BOOKAHEAD_CHROMIUM=required.
func chromium(t *testing.T) string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	const missing = "there is no Chromium (Debian: apt-get install chromium), so nobody looks at the page"
	if os.Getenv("CI") == "true" || os.Getenv("BOOKAHEAD_CHROMIUM") == "required" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

// browse opens the page in a window of that size. It returns the complaints of the browser, and the addresses
// from which the browser fetched something else.
func browse(t *testing.T, path string, width, height int64, actions ...chromedp.Action) []string {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // it refuses to have one then
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	defer cancel()
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()

	address := "file://" + path
	var complaints []string
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			complaints = append(complaints, "exception: "+e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			complaints = append(complaints, "console: "+string(e.Type))
		case *log.EventEntryAdded:
			complaints = append(complaints, "log: "+e.Entry.Text)
		case *network.EventRequestWillBeSent:
			url := e.Request.URL
			if url != address && !strings.HasPrefix(url, "data:") {
				complaints = append(complaints, "request: "+url)
			}
		}
	})
	all := append([]chromedp.Action{
		runtime.Enable(), log.Enable(), network.Enable(),
		emulation.SetDeviceMetricsOverride(width, height, 1, width < 600),
		chromedp.Navigate(address),
	}, actions...)
	require.NoError(t, chromedp.Run(ctx, all...))
	return complaints
}

// drawn is a figure as the browser has drawn it.
type drawn struct {
	ID            string
	Width, Height float64 // of the picture, or of the table if there is none
	Font          float64 // the smallest in the picture, in pixels of the screen
	Overlap       string  // two texts that cover each other, or a text and a bar
	Outside       string  // a text that is cut at the picture's edge
}

const look = `[...document.querySelectorAll('figure')].map(figure => {
	const picture = figure.querySelector('.picture > *') || figure.querySelector('details')
	const box = picture.getBoundingClientRect()
	const seen = {ID: figure.id, Width: box.width, Height: box.height, Font: 99, Overlap: '', Outside: ''}
	const texts = [...figure.querySelectorAll('svg text')].map(t => ({t, r: t.getBoundingClientRect(),
		font: parseFloat(getComputedStyle(t).fontSize) * Math.hypot(t.getScreenCTM().a, t.getScreenCTM().b)}))
	texts.forEach((a, i) => {
		seen.Font = Math.min(seen.Font, a.font)
		if (a.r.left < box.left - 1 || a.r.right > box.right + 1 || a.r.top < box.top - 1 || a.r.bottom > box.bottom + 1) seen.Outside = a.t.textContent
		figure.querySelectorAll('svg.plot path[style*="fill:var(--hue"]').forEach(bar => {
			const r = bar.getBoundingClientRect()
			const x = Math.min(a.r.right, r.right) - Math.max(a.r.left, r.left)
			const y = Math.min(a.r.bottom, r.bottom) - Math.max(a.r.top, r.top)
			if (x > 1.5 && y > a.r.height / 2) seen.Overlap = a.t.textContent + ' | a bar'
		})
		texts.slice(i + 1).forEach(b => {
			const x = Math.min(a.r.right, b.r.right) - Math.max(a.r.left, b.r.left)
			const y = Math.min(a.r.bottom, b.r.bottom) - Math.max(a.r.top, b.r.top)
			if (x > 1.5 && y > Math.min(a.r.height, b.r.height) / 2) seen.Overlap = a.t.textContent + ' | ' + b.t.textContent
		})
	})
	return seen
})`

// TestInChromium opens the page of stored numbers, on a desktop and on a telephone.
func TestInChromium(t *testing.T) {
	chromium(t) // or skip before anything is made
	path := filepath.Join(t.TempDir(), "page.html")
	var out, stderr strings.Builder
	require.Equal(t, 0, run([]string{"-from", stored, "-out", path}, &out, &stderr), stderr.String())
	p, failed := compose(stored, chapters)
	require.False(t, failed)
	var want []string
	for _, s := range p.Sections {
		for _, f := range s.Figures {
			want = append(want, f.ID)
		}
	}

	for _, screen := range []struct {
		name          string
		width, height int64
		dark          bool
	}{{"desktop", 1280, 900, false}, {"telephone", 390, 844, false}, {"telephone in the dark", 390, 844, true}} {
		t.Run(screen.name, func(t *testing.T) {
			scheme := "light"
			if screen.dark {
				scheme = "dark"
			}
			var figures []drawn
			var wide, inner float64
			var ground, ink, text string
			complaints := browse(t, path, screen.width, screen.height,
				emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
				chromedp.Evaluate(look, &figures),
				chromedp.Evaluate(`document.documentElement.scrollWidth`, &wide),
				chromedp.Evaluate(`window.innerWidth`, &inner),
				chromedp.Evaluate(`getComputedStyle(document.body).backgroundColor`, &ground),
				chromedp.Evaluate(`getComputedStyle(document.body).color`, &ink),
				chromedp.Evaluate(`getComputedStyle(document.querySelector('.plot text')).fill`, &text))
			require.Empty(t, complaints)
			require.LessOrEqual(t, wide, float64(screen.width), "the page overflows")
			require.Equal(t, float64(screen.width), inner, "the browser widened the page")
			require.Equal(t, ink, text, "pictures follow the reader's setting")
			require.Equal(t, map[bool]string{false: "rgb(246, 247, 249)", true: "rgb(18, 23, 28)"}[screen.dark], ground)
			var got []string
			for _, f := range figures {
				got = append(got, f.ID)
				require.Greater(t, f.Width, 100.0, f.ID)
				require.Greater(t, f.Height, 20.0, f.ID)
				require.GreaterOrEqual(t, f.Font, 8.0, "%s: letters are too small to be read", f.ID)
				require.Empty(t, f.Overlap, "%s: texts overlap", f.ID)
				require.Empty(t, f.Outside, "%s: a text is cut", f.ID)
			}
			require.Equal(t, want, got)
		})
	}
}
