module github.com/bookahead/bookahead/service

go 1.26.0

replace github.com/bookahead/bookahead => ../

replace github.com/bookahead/bookahead/replicated => ../replicated
