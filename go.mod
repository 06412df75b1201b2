module github.com/bookahead/bookahead

go 1.24

require (
	github.com/bits-and-blooms/bitset v1.29.0
	github.com/google/btree v1.1.3
	pgregory.net/rapid v1.3.0
)
