package replicated

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/code"
)

// Restore replaces the state by a snapshot. After an error the machine has failed: Raft would otherwise go on with an
// older snapshot, and the entries between the two may be gone from the log.
func (x *machine) Restore(r io.ReadCloser) error {
	err := x.err()
	if err != nil {
		return err
	}
	m, err := readImage(r, x.config, x.version)
	if err == nil {
		err = x.checkDesk(m.agreed)
	}
	if err == nil && m.agreed != nil && !m.sealed {
		err = x.checkOwn(m.agreed)
	}
	if err != nil {
		err = fmt.Errorf("snapshot: %w", err)
		x.fail(err)
		return err
	}
	x.prints.forget()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.desk, x.sessions, x.clocked, x.older = m.desk, m.sessions, m.clocked, m.older
	x.setAgreed(m.agreed)
	x.sealedAt.Store(0)
	if m.sealed {
		x.seal(m.index)
	}
	x.last.Store(m.index)
	x.bytes.Store(0)
	x.wake()
	return nil
}

// readImage reads the output of write to its end, for a machine of some version. An image of an older version that
// was sealed becomes unsealed. The error wraps ErrVersion if the image is of a newer version, and ErrDamaged, with
// the place, if it is not as it was written. Beside the memory of desk.Read, readImage takes memory in proportion to
// the bytes.
func readImage(from io.Reader, c desk.Config, version uint32) (*image, error) {
	r := &imageReader{r: bufio.NewReaderSize(from, imageChunk)}
	m := &image{sessions: newSessionTable()}
	err := r.magic()
	if err == nil {
		err = r.head(&m.imageHead, version)
	}
	if err == nil {
		err = r.sessions(&m.sessions, &m.imageHead)
	}
	if err != nil {
		return nil, err
	}
	m.desk, err = desk.Read(r.r, c)
	if err != nil {
		return nil, r.desk(err)
	}
	if m.version < version {
		m.older = olderFails
		if m.sealed {
			m.older, m.sealed, m.agreed = olderPasses, false, nil
		}
	}
	return m, nil
}

// imageReader reads frames.
type imageReader struct {
	r  *bufio.Reader
	at int64 // first byte of the frame that is being read
}

// damaged returns an error that wraps ErrDamaged, with the part and the byte.
func (r *imageReader) damaged(what string, err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = errors.New("the bytes are cut off")
	}
	return fmt.Errorf("%w: %s at byte %d: %w", ErrDamaged, what, r.at, err)
}

func (r *imageReader) magic() error {
	b := make([]byte, len(imageMagic)+1)
	_, err := io.ReadFull(r.r, b)
	if err == nil && string(b[:len(imageMagic)]) != imageMagic {
		err = fmt.Errorf("%q is not the beginning of a snapshot", b)
	}
	if err != nil {
		return r.damaged("magic", err)
	}
	format := b[len(imageMagic)]
	if format > imageFormat {
		return fmt.Errorf("%w: format %d is newer than %d: this binary is too old", ErrVersion, format, imageFormat)
	}
	if format != imageFormat {
		return r.damaged("format", fmt.Errorf("%d is unknown", format))
	}
	r.at = int64(len(b))
	return nil
}

// frame reads a frame. Its memory grows with the bytes that come, so a forged length costs nothing.
func (r *imageReader) frame(what string) ([]byte, error) {
	var head [8]byte
	_, err := io.ReadFull(r.r, head[:])
	if err != nil {
		return nil, r.damaged(what, err)
	}
	length := binary.LittleEndian.Uint32(head[:4])
	if binary.LittleEndian.Uint32(head[4:]) != crc32.Checksum(head[:4], castagnoli) || length > maxImageFrame {
		return nil, r.damaged(what, fmt.Errorf("the length %d does not match its sum", length))
	}
	var body bytes.Buffer
	n, err := io.CopyN(&body, r.r, int64(length)+crc32.Size)
	if err != nil {
		return nil, r.damaged(what, err)
	}
	data := body.Bytes()[:length]
	if binary.LittleEndian.Uint32(body.Bytes()[length:]) != crc32.Checksum(data, castagnoli) {
		return nil, r.damaged(what, errors.New("the sum does not match"))
	}
	r.at += int64(len(head)) + n
	return data, nil
}

func (r *imageReader) head(h *imageHead, version uint32) error {
	began := r.at
	body, err := r.frame("head")
	if err != nil {
		return err
	}
	x := code.NewReader("head", body)
	h.code(x)
	if h.version > version {
		return fmt.Errorf("%w: %d is newer than %d: this binary is too old", ErrVersion, h.version, version)
	}
	err = x.Close()
	if err != nil {
		r.at = began
		return r.damaged("head", err)
	}
	return nil
}

// sessions reads the sessions of all frames. It checks that they are divided among the frames as write divides them.
func (r *imageReader) sessions(t *sessionTable, h *imageHead) error {
	left := h.count
	for left > 0 {
		began := r.at
		what := fmt.Sprintf("sessions after %d of %d", h.count-left, h.count)
		body, err := r.frame(what)
		if err != nil {
			return err
		}
		x := code.NewReader("sessions", body)
		for x.OK() && left > 0 && (x.Left() > 0 || len(body) == 0) {
			// Equal states must have equal bytes, so there is only one way to divide sessions among frames.
			if x.At() >= imageChunk {
				x.Fail("length", len(body), "bytes should be in two frames")
				break
			}
			var s slot
			s.code(x, true)
			_, twice := t.at[s.id]
			if s.id == 0 || twice {
				x.Fail("id", s.id, "is 0, or is there twice")
			}
			if x.OK() {
				t.add(s)
				left--
			}
		}
		if left > 0 && len(body) < imageChunk {
			x.Fail("length", len(body), "bytes are too few, as more sessions follow")
		}
		err = x.Close()
		if err != nil {
			r.at = began
			return r.damaged(what, err)
		}
	}
	return nil
}

// desk returns the error for a desk that cannot be read. Config.Desk may have other settings than the desk, which is
// no damage.
func (r *imageReader) desk(err error) error {
	var invalid *bookahead.InvalidError
	if errors.As(err, &invalid) && strings.HasPrefix(invalid.Field, "Config.") {
		return err
	}
	return r.damaged("desk", err)
}
