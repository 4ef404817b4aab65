//go:build !unix

package remote

// place says which machine this is, and which file one of it; "" if that cannot be
// known.
func place(string) (machine, inode string) { return "", "" }
