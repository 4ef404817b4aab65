package filestore

import "syscall"

const sysFstatat = syscall.SYS_FSTATAT
