package workspace

import "os"

// Real returns where the links in a path lead, whose last parts need not exist, and
// whether the file there has other names too.
func (l *Local) Real(path string) (real string, names bool, err error) {
	if real, err = realPath(path); err != nil {
		return "", false, err
	}
	if info, err := os.Lstat(real); err == nil {
		names = linkedID(info) != ""
	}
	return real, names, nil
}
