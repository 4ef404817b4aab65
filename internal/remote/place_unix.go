//go:build unix

package remote

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// place says which machine this is, and which file one of it; "" if that cannot be
// known.
func place(file string) (machine, inode string) {
	if file == "" {
		return "", ""
	}
	info, err := os.Stat(file)
	if err != nil {
		return "", ""
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", ""
	}
	// That of Linux is another one after each start; others have but a name.
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	machine = strings.TrimSpace(string(boot))
	if err != nil {
		if machine, err = os.Hostname(); err != nil {
			return "", ""
		}
	}
	return machine, fmt.Sprintf("%d:%d", st.Dev, st.Ino)
}
