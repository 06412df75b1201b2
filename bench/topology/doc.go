// Package topology reads network topologies: GML and GraphML, as of the Internet
// Topology Zoo (Knight et al., 2011), and the native format of SNDlib (Orlowski et
// al., 2010). It keeps what a routing experiment needs: nodes, where they are, and
// links.
//
// Readers take any input: a fault is an *Error that names the line. They read
// MaxBytes at most, and what they keep is in proportion to what they read.
package topology
