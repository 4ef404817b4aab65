module github.com/boughdev/bough

go 1.26.0

require (
	github.com/aymanbagabas/go-udiff v0.4.2 // indirect
	github.com/bmatcuk/doublestar/v4 v4.10.4 // indirect
	github.com/google/uuid v1.6.0 // indirect
	golang.org/x/image v0.48.0 // indirect
	golang.org/x/text v0.44.0 // indirect
)
