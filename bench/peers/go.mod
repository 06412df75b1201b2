module github.com/bookahead/bookahead/bench/peers

go 1.24

require (
	github.com/bookahead/bookahead v0.0.0
	github.com/google/btree v1.1.3
	github.com/rdleal/intervalst v1.5.0
)

require github.com/bits-and-blooms/bitset v1.29.0 // indirect

replace github.com/bookahead/bookahead => ../..
