package bookahead
