package main

import (
	_ "golang.org/x/crypto/x509roots/fallback" // the roots of public certificates, where the system has none, as in a container
)
