module github.com/bookahead/bookahead/bench/peers

go 1.24

require (
	github.com/bookahead/bookahead v0.0.0
	github.com/google/btree v1.1.3
	github.com/rdleal/intervalst v1.5.0
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/bits-and-blooms/bitset v1.29.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)

replace github.com/bookahead/bookahead => ../..
