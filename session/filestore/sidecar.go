package filestore

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/boughdev/bough/session"
)

// A sidecar is a file in the cache folder that holds the index of one session
// file. It is mapped, not read, so that opening a session of a gigabyte touches
// only the records that are needed. It may be deleted at any time, and is not
// believed if the session file does not fit:
//
//	magic 8 | covered 8 | records 8 | device and inode 16 | hash of the first and the
//	last 256 covered bytes 32 | record that names the session 4 | zeros up to 128 |
//	records, 64 bytes each
//
// Numbers are in the order of the machine, which the magic tells.
type sidecar struct {
	path string // "": there is none
}

const (
	sideHeader = 128
	sideMagic  = uint64(0x32_78_64_69_68_67_62_01) // changes with the record
)

func newSidecar(cache, file string) sidecar {
	if cache == "" {
		return sidecar{}
	}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	if abs, err := filepath.Abs(file); err == nil {
		file = abs
	}
	sum := sha256.Sum256([]byte(file))
	return sidecar{filepath.Join(cache, "index", hex.EncodeToString(sum[:16])+".idx")}
}

// load returns the index of what the sidecar covers of a session file; an empty
// one if it does not fit.
func (s sidecar) load(f *os.File, info fs.FileInfo) (x *session.Index, covered int64) {
	none := session.NewIndex()
	if s.path == "" || info.Size() < worthKeeping {
		return none, 0
	}
	m, err := mapFile(s.path)
	if err != nil {
		return none, 0
	}
	b := m.data
	if len(b) < sideHeader || binary.NativeEndian.Uint64(b) != sideMagic {
		return none, 0
	}
	covered = int64(binary.NativeEndian.Uint64(b[8:]))
	n := binary.NativeEndian.Uint64(b[16:])
	if covered <= 0 || covered > info.Size() || n > uint64(len(b)-sideHeader) || uint64(len(b)-sideHeader) != n*session.RecordSize {
		return none, 0
	}
	dev, ino := identity(info)
	if binary.NativeEndian.Uint64(b[24:]) != dev || binary.NativeEndian.Uint64(b[32:]) != ino {
		return none, 0
	}
	if print, err := fingerprint(f, covered); err != nil || string(print) != string(b[40:72]) {
		return none, 0
	}
	x, ok := session.IndexOf(b[sideHeader:], covered, int32(binary.NativeEndian.Uint32(b[72:])))
	if !ok {
		return none, 0
	}
	x.Hold(m)
	return x, covered
}

// save keeps an index that covers a session file up to its end as info has it.
func (s sidecar) save(f *os.File, info fs.FileInfo, x *session.Index) {
	covered := int64(x.End())
	if s.path == "" || covered == 0 {
		return
	}
	print, err := fingerprint(f, covered)
	if err != nil {
		return
	}
	head := make([]byte, sideHeader)
	binary.NativeEndian.PutUint64(head, sideMagic)
	binary.NativeEndian.PutUint64(head[8:], uint64(covered))
	binary.NativeEndian.PutUint64(head[16:], uint64(x.Len()))
	dev, ino := identity(info)
	binary.NativeEndian.PutUint64(head[24:], dev)
	binary.NativeEndian.PutUint64(head[32:], ino)
	copy(head[40:], print)
	binary.NativeEndian.PutUint32(head[72:], uint32(x.Named()))
	dir := filepath.Dir(s.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return
	}
	t, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return
	}
	defer os.Remove(t.Name()) // gone already, or of no use
	_, err = t.Write(head)
	if err == nil {
		err = x.Dump(t)
	}
	if cerr := t.Close(); err == nil && cerr == nil {
		os.Rename(t.Name(), s.path) // a cache: without it the next one reads more
	}
}

// fingerprint tells two files of the same size apart, as a rule: the hash of the
// first and the last 256 bytes of what is covered.
func fingerprint(f io.ReaderAt, covered int64) ([]byte, error) {
	b := make([]byte, 512)
	n := min(256, covered)
	if _, err := f.ReadAt(b[:n], 0); err != nil {
		return nil, err
	}
	if _, err := f.ReadAt(b[256:256+n], covered-n); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	return sum[:], nil
}
