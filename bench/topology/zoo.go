package topology

// The names that GML and GraphML have in common for the values of nodes and edges. In
// GraphML, those that identify are attributes, and those that describe are data.
var (
	identifying = []string{"id", "source", "target"}
	describing  = []string{"label", "Longitude", "Latitude", "LinkSpeedRaw"}
)

// add adds a node or an edge, whose values are given by their names.
func (b *builder) add(kind string, line int, values map[string]value) error {
	id := values["id"].text
	if kind == "node" {
		if id == "" {
			return b.fault(line, "node without an id")
		}
		return b.node(line, id, values["label"].text, values["Longitude"], values["Latitude"])
	}
	e := ends{values["source"].text, values["target"].text, line}
	if e.from == "" || e.to == "" {
		return b.fault(line, "edge without a source or target")
	}
	return b.link(id, values["LinkSpeedRaw"], e)
}
