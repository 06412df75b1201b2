package grid

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// readLike reads the snapshot of a member into a clone of the model. The clone has the settings that
// cannot be written, such as a PolicyFunc. The model stays as it is.
func readLike[S bookahead.Schedule](name string, model S, data []byte) (read S, err error) {
	s, ok := bookahead.Clone(model)
	if !ok {
		return read, limits.Invalid(name, fmt.Sprintf("%T", model), "cannot be cloned, and so is no model for reading")
	}
	if err := bookahead.Restore(s, data); err != nil {
		return read, fmt.Errorf("grid: %s: %w", name, err)
	}
	return s, nil
}
