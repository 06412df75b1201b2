package trial

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseNumbers reads numbers between commas, each above 0 and at most 1000. The
// error names the one that is none by the given word, such as "load".
func ParseNumbers(word, text string) ([]float64, error) {
	var numbers []float64
	for _, field := range strings.Split(text, ",") {
		x, err := strconv.ParseFloat(field, 64)
		if err != nil || !(x > 0 && x <= 1000) {
			return nil, fmt.Errorf("%s %q is not a number between 0 and 1000", word, field)
		}
		numbers = append(numbers, x)
	}
	return numbers, nil
}
