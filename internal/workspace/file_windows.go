package workspace

import "io/fs"

const openFlags = 0

// keptMode is what a copy of a file takes over of its mode.
func keptMode(info fs.FileInfo) fs.FileMode { return info.Mode() & fs.ModePerm }

// replaceable reports whether nothing is lost if temp replaces the file.
func replaceable(string, fs.FileInfo) bool { return true }

// linkedID names no file: names are all there is.
func linkedID(fs.FileInfo) string { return "" }

// syncDir has nothing to do: a rename is durable without it.
func syncDir(string) error { return nil }
