package builtin

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/boughdev/bough/internal/workspace"
)

// shellCommand makes the command that a shell runs. What is told of the session
// is in env; values of an agent that we run in are taken away.
func (o Options) shellCommand(command string, env []string, output func([]byte)) workspace.Command {
	if o.ShellPrefix != "" {
		command = o.ShellPrefix + "\n" + command
	}
	return workspace.Command{Args: []string{o.shell(), "-c", command}, Env: append(o.childEnv(), env...), Output: output}
}

func (o Options) shell() string {
	if o.ShellPath != "" {
		return o.ShellPath
	}
	usual := []string{"/bin/bash"}
	if runtime.GOOS == "windows" {
		// The bash of the path may be that of a Linux inside Windows.
		usual = []string{`C:\Program Files\Git\bin\bash.exe`, `C:\Program Files (x86)\Git\bin\bash.exe`}
	}
	for _, path := range usual {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	for _, name := range []string{"bash", "sh"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return "/bin/sh"
}

// childEnv is what all commands get (A7).
func (o Options) childEnv() []string {
	env := []string{"AI_AGENT=bough", "BOUGH=1"}
	for _, name := range sessionNames {
		env = append(env, "PI_"+name, "BOUGH_"+name)
	}
	if o.AgentDir != "" {
		path := filepath.Join(o.AgentDir, "bin")
		if rest := os.Getenv("PATH"); rest != "" {
			path += string(os.PathListSeparator) + rest
		}
		env = append(env, "PATH="+path)
	}
	return env
}

var sessionNames = [...]string{"SESSION_ID", "SESSION_FILE", "PROVIDER", "MODEL", "REASONING_LEVEL"}

func (s Session) env() []string {
	var env []string
	for i, value := range [...]string{s.ID, s.File, s.Provider, s.Model, s.ReasoningLevel} {
		if value != "" {
			env = append(env, "PI_"+sessionNames[i]+"="+value, "BOUGH_"+sessionNames[i]+"="+value)
		}
	}
	return env
}

func (o Options) tempDir() string {
	if o.TempDir != "" {
		return o.TempDir
	}
	return os.TempDir()
}
