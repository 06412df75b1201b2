package config

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// ReadSecret returns the secret of a name in the file: of the variable $NAME of the environment, or else of the file of that name.
// Space around it is no part of it. The error names the secret, and does not have it.
func ReadSecret(name string) ([]byte, error) {
	variable, isVariable := strings.CutPrefix(name, "$")
	data, err := []byte(os.Getenv(variable)), error(nil)
	if !isVariable {
		data, err = os.ReadFile(name)
	}
	data = bytes.TrimSpace(data)
	if err == nil && len(data) == 0 {
		err = fmt.Errorf("the secret %s is empty", name)
	}
	return data, err
}
