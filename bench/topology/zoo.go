package topology

// The names of the values of nodes and edges, which GML and GraphML share. In GraphML the
// identifying values are attributes, and the describing values are data elements.
var (
	identifying = []string{"id", "source", "target"}
	describing  = []string{"label", "Longitude", "Latitude", "LinkSpeedRaw"}
)

// add adds a node or an edge. The values are given by name.
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
