package hooks

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/bookahead/bookahead/service/api"
)

// tell posts an event until the receiver takes it. An event that is too old by then is given up with all that follow it, since a
// receiver that comes back after days reads the calendar more quickly.
func (h *hook) tell(ctx context.Context, e *api.Event) error {
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	begun := time.Now()
	for try := 0; ; try++ {
		err = h.post(ctx, e.Number, body)
		if err == nil || errors.Is(err, errEnded) || ctx.Err() != nil {
			return err
		}
		if try == 0 {
			h.log.Warn("the receiver does not take an event, which is tried again", "event", e.Number, "err", err)
		}
		if age := max(time.Since(e.At), time.Since(begun)); age > h.giveUp {
			h.log.Error("the receiver has not taken an event for too long: events are gone", "event", e.Number, "age", age, "err", err)
			return h.anew(ctx)
		}
		err = h.rest(ctx, h.backoff(try))
		if err != nil {
			return err
		}
	}
}

// backoff returns how long a hook waits after a try, from 0: half of a time that doubles, and a drawn part of the other half.
func (h *hook) backoff(try int) time.Duration {
	d := h.most
	if try < 30 {
		d = min(d, h.first<<try)
	}
	return d/2 + rand.N(d/2+1)
}

// post posts an event once. The error has nothing of the address, in which there may be a secret.
func (h *hook) post(ctx context.Context, number uint64, body []byte) error {
	ctx, stop := context.WithTimeout(ctx, h.timeout)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(body))
	if err != nil {
		return errors.New("the address of the webhook is wrong")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "bookahead")
	r.Header.Set("Bookahead-Delivery", strconv.FormatUint(number, 10))
	r.Header.Set("Bookahead-Signature", Sign(h.secret, time.Now(), body))
	answer, err := h.client.Do(r)
	if err != nil {
		var with *url.Error
		if errors.As(err, &with) {
			err = with.Err
		}
		return err
	}
	defer answer.Body.Close()
	io.CopyN(io.Discard, answer.Body, 1<<16) // so that the connection can be used again
	switch {
	case answer.StatusCode == http.StatusGone:
		return errEnded
	case answer.StatusCode < 200 || answer.StatusCode > 299:
		return fmt.Errorf("the receiver has answered with status %d", answer.StatusCode)
	}
	return nil
}

// stay follows a redirection that keeps the method, on the same host. Others are answers that are no success.
func stay(r *http.Request, before []*http.Request) error {
	first := before[0]
	if r.Method != http.MethodPost || r.URL.Host != first.URL.Host || r.URL.Scheme != first.URL.Scheme || len(before) > 3 {
		return http.ErrUseLastResponse
	}
	return nil
}

// Sign returns the header Bookahead-Signature of a body: "t=1796112000,v1=5257a8...", with the seconds since 1970 and
// the HMAC-SHA256 of "1796112000.body" in hexadecimal. A receiver makes the same sum, compares it in constant time, and refuses a time
// that is minutes away.
func Sign(secret []byte, now time.Time, body []byte) string {
	sum := hmac.New(sha256.New, secret)
	fmt.Fprintf(sum, "%d.", now.Unix())
	sum.Write(body)
	return fmt.Sprintf("t=%d,v1=%s", now.Unix(), hex.EncodeToString(sum.Sum(nil)))
}
