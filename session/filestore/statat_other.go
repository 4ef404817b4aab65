//go:build !linux || (!amd64 && !arm64)

package filestore

import "os"

// A folder looks at files by their names in it.
type folder struct {
	path string
	f    *os.File
}

func openFolder(path string) (*folder, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &folder{path, f}, nil
}

func (d *folder) Close() error { return d.f.Close() }

// stamp is [stampOf] for a file of the folder.
func (d *folder) stamp(name string) (stamp, bool) { return stampOf(d.path + name) }
