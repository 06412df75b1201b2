package replicated

import (
	"encoding/binary"
	"hash/crc32"
)

// mendSums returns a snapshot whose frames have right sums, as far as their lengths can be followed. So a fuzzer gets
// past the sums.
func mendSums(data []byte) []byte {
	data = append([]byte{}, data...)
	at := len(imageMagic) + 1
	for at+8 <= len(data) {
		n := int(binary.LittleEndian.Uint32(data[at:]))
		body := at + 8
		if n < 0 || n > len(data)-body-crc32.Size {
			break
		}
		putSum(data[at+4:], data[at:at+4])
		putSum(data[body+n:], data[body:body+n])
		at = body + n + crc32.Size
		if at < len(data) && data[at] == 'D' { // here the frames of the desk begin
			mendDesk(data[at:])
			break
		}
	}
	return data
}

// mendDesk mends the frames of a desk: a mark, the length as a varint, a sum of both, the body and its sum.
func mendDesk(data []byte) {
	for len(data) > 0 {
		n, size := binary.Uvarint(data[1:])
		head := 1 + size
		if size <= 0 || n > uint64(len(data)) || head+int(n)+2*crc32.Size > len(data) {
			return
		}
		putSum(data[head:], data[:head])
		body := data[head+crc32.Size:][:n]
		putSum(data[head+crc32.Size+int(n):], body)
		data = data[head+int(n)+2*crc32.Size:]
	}
}

func putSum(to, of []byte) { binary.LittleEndian.PutUint32(to, crc32.Checksum(of, castagnoli)) }
