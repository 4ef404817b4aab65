module github.com/boughdev/bough

go 1.26.0

require (
	github.com/bmatcuk/doublestar/v4 v4.10.4
	github.com/clipperhouse/displaywidth v0.11.0
	github.com/google/uuid v1.6.0
	github.com/rogpeppe/go-internal v1.16.0
	go.yaml.in/yaml/v3 v3.0.6
	golang.org/x/image v0.48.0
	golang.org/x/term v0.45.0
	golang.org/x/text v0.44.0
)

require (
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)
