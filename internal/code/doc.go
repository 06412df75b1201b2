// Package code writes values as bytes, and reads them back without trusting them. A type says once, for both directions,
// which fields it has and in which order, so that no direction can forget one:
//
//	func (p *Part) code(x *code.Coder) {
//		x.Text("on", &p.On)             // 4 "pool"
//		code.Number(x, "units", &p.Units) // 16
//	}
//
//	data, err := code.Append(nil, part.code)
//	err = code.Read("part", data, part.code)
//
// The names of fields are for errors; they are not written. A reader starts from zero values, and takes only bytes that a
// writer could have written, so that equal values have equal bytes. After its first error it reads only zeros. It makes
// room for no more items than there are bytes. A writer writes to nothing but its bytes, since others may look at the value.
//
// A frame is bytes with a mark, a length, and sums of both:
//
//	mark     1 byte: the kind of content
//	length   of the body, a varint
//	sum      CRC-32C of the mark and the length, 4 bytes, little endian
//	body
//	sum      CRC-32C of the body
//
// The head has a sum of its own. Otherwise a changed length would look as if the file were cut off there, and whoever
// truncates a torn end would lose everything that follows.
//
// The package knows the fields of a type by the functions that it is given, and no type of desk or replicated.
package code
