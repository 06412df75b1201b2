// Package topology reads network topologies: GML and GraphML, the formats of the
// Internet Topology Zoo (Knight et al., 2011), and the native format of SNDlib (Orlowski
// et al., 2010). A graph has the parts that routing experiments need: nodes, their
// places, and links.
//
// Readers may be given any input: a fault in it is an *Error that names the line. They
// read MaxBytes at most, and use memory in proportion to the bytes read.
package topology
