// Package topology reads network topologies in the native format of SNDlib (Orlowski et
// al., 2010). A graph has the parts that routing experiments need: nodes, their places,
// and links.
//
// The reader may be given any input: a fault in it is an *Error that names the line. It
// reads MaxBytes at most, and uses memory in proportion to the bytes read.
package topology
