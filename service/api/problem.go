package api

// Problem is an error as RFC 9457 has it, with content type application/problem+json.
type Problem struct {
	Type    string   `json:"type,omitempty" format:"uri" default:"about:blank" doc:"about:blank: the status says it all."`
	Title   string   `json:"title,omitempty"`
	Status  int      `json:"status,omitempty"`
	Detail  string   `json:"detail,omitempty"`
	Errors  []Detail `json:"errors,omitempty" doc:"Which fields are wrong."`
	Refusal *Refusal `json:"refusal,omitempty" doc:"With status 409: why there is no place, and what else there is."`
}

// Detail is what is wrong with a field.
type Detail struct {
	Field string `json:"field,omitempty" doc:"Such as body.parts[0].duration."`
	What  string `json:"what"`
}

// Error returns the detail, and which fields are wrong.
func (p *Problem) Error() string {
	s := p.Detail
	for i, d := range p.Errors {
		if i == 0 && s != "" {
			s += ": "
		} else if i > 0 {
			s += "; "
		}
		if d.Field != "" {
			s += d.Field + " "
		}
		s += d.What
	}
	return s
}

// GetStatus returns the status of the answer.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType returns the content type of a problem.
func (p *Problem) ContentType(of string) string {
	if of == "application/json" {
		return "application/problem+json"
	}
	return of
}
