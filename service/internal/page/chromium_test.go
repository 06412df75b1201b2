package page_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// chromium is the path of a browser. Without one the test is skipped, but fails where one is required: with CI=true or
// BOOKAHEAD_CHROMIUM=required. Short runs have none: what a browser sees depends neither on the race detector nor on bits.
func chromium(t *testing.T) string {
	if testing.Short() {
		t.Skip("-short: no browser")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		path, err := exec.LookPath(name)
		if err == nil {
			return path
		}
	}
	const missing = "there is no Chromium (Debian: apt-get install chromium), so nobody looks at the pages"
	if os.Getenv("CI") == "true" || os.Getenv("BOOKAHEAD_CHROMIUM") == "required" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

// axeVersion is the version of axe-core, which npm fetches.
const axeVersion = "4.14.1"

// axe returns the script of axe-core: from the cache of the user, or else from npm. Without it nothing is checked by it, but the test
// fails in CI, where .ci/run has fetched it.
var axe = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "bookahead", "axe-core-"+axeVersion)
	file := filepath.Join(folder, "package", "axe.min.js")
	data, err := os.ReadFile(file)
	if err == nil {
		return string(data), nil
	}
	err = os.MkdirAll(folder, 0o755)
	if err != nil {
		return "", err
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	pack := exec.CommandContext(ctx, "npm", "pack", "axe-core@"+axeVersion, "--silent")
	pack.Dir = folder
	out, err := pack.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("npm pack axe-core: %w: %s", err, out)
	}
	out, err = exec.CommandContext(ctx, "tar", "-C", folder, "-xzf", filepath.Join(folder, "axe-core-"+axeVersion+".tgz"), "package/axe.min.js").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("tar: %w: %s", err, out)
	}
	data, err = os.ReadFile(file)
	return string(data), err
})

// browser is one browser for all tests, which begins with the first and is ended by TestMain.
var browser struct {
	sync.Once
	ctx context.Context
	err error
	end context.CancelFunc
}

func TestMain(m *testing.M) {
	code := m.Run()
	if browser.end != nil {
		browser.end()
	}
	os.Exit(code)
}

// browse returns the browser.
func browse(t *testing.T) context.Context {
	path := chromium(t)
	browser.Do(func() {
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path))
		if os.Geteuid() == 0 {
			options = append(options, chromedp.NoSandbox) // it refuses to have one then
		}
		ctx, end := chromedp.NewExecAllocator(context.Background(), options...)
		browser.ctx, _ = chromedp.NewContext(ctx)
		browser.err, browser.end = chromedp.Run(browser.ctx), end
	})
	require.NoError(t, browser.err)
	return browser.ctx
}

// tab is a page of a person, with cookies of its own.
type tab struct {
	*service
	ctx        context.Context
	by         string
	mu         sync.Mutex
	complaints []string
}

// open opens a page as somebody, by a header; "" is nobody.
func (s *service) open(by, path string, width, height int64, more ...chromedp.Action) *tab {
	s.Helper()
	parent := browse(s.T)
	tell := cdp.WithExecutor(parent, chromedp.FromContext(parent).Browser)
	own, err := target.CreateBrowserContext().Do(tell)
	require.NoError(s, err)
	window, err := target.CreateTarget("about:blank").WithBrowserContextID(own).WithNewWindow(true).Do(tell)
	require.NoError(s, err)
	ctx, cancel := chromedp.NewContext(parent, chromedp.WithTargetID(window))
	s.Cleanup(func() {
		cancel()
		require.NoError(s, target.DisposeBrowserContext(own).Do(tell))
	})
	t := &tab{service: s, ctx: ctx, by: by}
	chromedp.ListenTarget(ctx, func(event any) {
		text := ""
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			text = "exception: " + e.ExceptionDetails.Error()
		case *runtime.EventConsoleAPICalled:
			text = "console: " + string(e.Type)
		case *log.EventEntryAdded:
			text = "log: " + e.Entry.Text + " " + e.Entry.URL
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, s.server.URL) && !strings.HasPrefix(e.Request.URL, "data:") && (s.friend == "" || !strings.HasPrefix(e.Request.URL, s.friend)) {
				text = "request: " + e.Request.URL
			}
		}
		refused := wanted.MatchString(text)
		if text != "" && !refused {
			t.mu.Lock()
			t.complaints = append(t.complaints, text)
			t.mu.Unlock()
		}
	})
	s.Cleanup(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		require.Empty(s, t.complaints, by)
	})
	require.NoError(s, chromedp.Run(ctx)) // the tab lives as long as the context of the first call
	headers := network.Headers{}
	if by != "" {
		headers["Authorization"] = "Bearer " + by + "'s token"
	}
	t.do(append([]chromedp.Action{
		runtime.Enable(), log.Enable(), network.Enable(), network.SetExtraHTTPHeaders(headers),
		emulation.SetDeviceMetricsOverride(width, height, 1, width < 600),
		emulation.SetTimezoneOverride("Europe/Berlin"),
	}, more...)...)
	t.visit(path)
	return t
}

// wanted are the complaints about answers that a test wants.
var wanted = regexp.MustCompile(`status of (401|403|409|412|502)|Password forms should have`)

func (t *tab) do(actions ...chromedp.Action) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.ctx, time.Minute)
	defer cancel()
	require.NoError(t, chromedp.Run(ctx, actions...))
}

// visit goes to a page, and waits until its script has run and the picture fits.
func (t *tab) visit(path string) {
	t.Helper()
	t.do(chromedp.Navigate(t.server.URL + path))
	t.until(`document.readyState === 'complete' && (!document.querySelector('script') || document.documentElement.classList.contains('live'))`)
	t.settle()
}

// settle waits until the picture fits.
func (t *tab) settle() {
	t.Helper()
	t.until(`!document.querySelector('.picture') || Math.abs(document.querySelector('.picture').clientWidth - Math.max(320, document.querySelector('.picture svg').clientWidth)) < 9`)
}

// eval returns the value of an expression.
func eval[T any](t *tab, expression string) (v T) {
	t.Helper()
	t.do(chromedp.Evaluate(expression, &v))
	return v
}

// until waits for an expression to be true.
func (t *tab) until(expression string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		var is bool
		err := chromedp.Run(t.ctx, chromedp.Evaluate(`!!(`+expression+`)`, &is))
		if err == nil && is {
			return
		}
		if time.Now().After(end) {
			t.shot("failed-" + t.Name())
			require.Fail(t, "it never came", "%s: %v\n%s", expression, err, eval[string](t, `location.href + "\n" + document.body.innerText`))
		}
	}
}

// sees waits for a text.
func (t *tab) sees(text string) {
	t.Helper()
	t.until(`document.body.innerText.replace(/\s+/g, ' ').includes(` + quoted(text) + `)`)
}

// reaches waits for a page.
func (t *tab) reaches(path string) {
	t.Helper()
	t.until(`document.readyState === 'complete' && location.pathname === ` + quoted(path))
}

func quoted(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

// set types into a field of the form that books, as a person would have.
func (t *tab) set(fields ...string) {
	t.Helper()
	for i := 0; i+1 < len(fields); i += 2 {
		t.do(chromedp.Evaluate(fmt.Sprintf(`(() => {
			const field = document.querySelector('main form [name="%s"]:not([type=hidden])')
			if (field.type === 'checkbox') {
				field.checked = true;
			} else {
				field.value = %s
			}
			field.dispatchEvent(new Event('input', {bubbles: true}))
		})()`, fields[i], quoted(fields[i+1])), nil))
	}
}

// press clicks a button or a link by its text, and waits for the page behind it.
func (t *tab) press(button string) {
	t.Helper()
	t.do(chromedp.Evaluate(`window.old = true; [...document.querySelectorAll('button, main a')].find(b => b.textContent.trim().startsWith(`+quoted(button)+`)).click()`, nil))
	t.until(`!window.old && document.readyState === 'complete'`)
}

// at returns where in the window a time and a lane of the picture are.
func (t *tab) at(lane int, hours float64) (x, y float64) {
	t.Helper()
	p := eval[[]float64](t, fmt.Sprintf(`(() => {
		const svg = document.querySelector('.picture svg')
		svg.scrollIntoView({block: 'center'})
		const d = svg.dataset, box = svg.getBoundingClientRect()
		const length = (d.end - d.start) * document.body.dataset.tick / 3600000
		return [box.left + +d.left + (d.right - d.left) * %v / length, box.top + +d.rows + d.row * (%d + .5)]
	})()`, hours, lane))
	return p[0], p[1]
}

// drag presses the mouse at a time of a lane, and lets it go at another; between is done before.
func (t *tab) drag(lane int, from, to float64, between func()) {
	t.Helper()
	x, y := t.at(lane, from)
	end, _ := t.at(lane, to)
	mouse := func(kind input.MouseType, x float64) chromedp.Action {
		return input.DispatchMouseEvent(kind, x, y).WithButton(input.Left).WithButtons(1).WithClickCount(1)
	}
	t.do(mouse(input.MouseMoved, x), mouse(input.MousePressed, x), mouse(input.MouseMoved, (x+end)/2), mouse(input.MouseMoved, end))
	if between != nil {
		between()
	}
	t.do(mouse(input.MouseReleased, end))
}

// shot keeps a screenshot in the folder BOOKAHEAD_SCREENSHOTS, if there is one.
func (t *tab) shot(name string) {
	t.Helper()
	folder := os.Getenv("BOOKAHEAD_SCREENSHOTS")
	if folder == "" {
		return
	}
	var data []byte
	t.do(chromedp.FullScreenshot(&data, 100))
	require.NoError(t, os.MkdirAll(folder, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, name+".png"), data, 0o644))
}

// fits checks that the page is no wider than the window.
func (t *tab) fits() {
	t.Helper()
	require.LessOrEqual(t, eval[float64](t, `document.documentElement.scrollWidth`), eval[float64](t, `innerWidth`), "%s overflows", eval[string](t, `location.pathname`))
}

// isAccessible checks that axe-core finds nothing serious.
func (t *tab) isAccessible() {
	t.Helper()
	t.fits()
	script, err := axe()
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Logf("axe-core is neither in the cache nor at npm, so nobody checks for it: %v", err)
		return
	}
	var found []struct {
		ID, Impact, Help string
		Nodes            []struct{ HTML, FailureSummary string }
	}
	t.do(chromedp.Evaluate(script+";0", nil), chromedp.Evaluate(`axe.run({resultTypes: ['violations']}).then(r => r.violations.map(v => ({ID: v.id, Impact: v.impact, Help: v.help, Nodes: v.nodes.map(n => ({HTML: n.html.slice(0, 300), FailureSummary: n.failureSummary}))})))`,
		&found, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	for _, v := range found {
		if v.Impact == "serious" || v.Impact == "critical" {
			require.Fail(t, "axe-core has found "+v.ID, "%s: %+v", eval[string](t, `location.pathname`), v)
		}
		t.Logf("%s: %s, %s: %+v", eval[string](t, `location.pathname`), v.Impact, v.Help, v.Nodes)
	}
}

func dark(yes bool) chromedp.Action {
	scheme := map[bool]string{true: "dark", false: "light"}[yes]
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}})
}

// keys presses keys.
func (t *tab) keys(list ...string) {
	t.Helper()
	for _, k := range list {
		t.do(chromedp.KeyEvent(k))
	}
}

// shifted presses a key with Shift.
func (t *tab) shifted(key string) {
	t.Helper()
	t.do(chromedp.KeyEvent(key, chromedp.KeyModifiers(input.ModifierShift)))
}
