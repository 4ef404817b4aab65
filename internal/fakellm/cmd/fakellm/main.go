// Command fakellm serves a scripted model on the loopback address. The first
// line of its output is the port.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/boughdev/bough/internal/fakellm"
	"github.com/boughdev/bough/internal/script"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fakellm:", err)
		os.Exit(1)
	}
}

func run(args []string, stdin io.Reader, stdout io.Writer) (err error) {
	f := flag.NewFlagSet("fakellm", flag.ContinueOnError)
	port := f.Int("port", 0, "port to listen on; 0: a free one")
	file := f.String("script", "", "file with the script; none: the built-in behaviour")
	strict := f.Bool("strict", false, "refuse what a real server would refuse")
	chunk := f.Int("chunk", script.DefaultChunk, "characters in a piece of a stream")
	delay := f.Int("delay", 0, "milliseconds before each piece")
	models := f.String("models", "", "names of the models, separated by commas")
	logFile := f.String("log", "", "file that gets a line of JSON for each request and its end")
	withStdin := f.Bool("exit-with-stdin", false, "end when the standard input closes")
	if err := f.Parse(args); err != nil {
		return err
	}
	o := fakellm.Options{Strict: *strict, Chunk: *chunk, Delay: time.Duration(*delay) * time.Millisecond}
	if *models != "" {
		o.Models = strings.Split(*models, ",")
	}
	if *file != "" {
		if o.Script, err = script.Load(*file); err != nil {
			return err
		}
	}
	if *logFile != "" {
		log, err := os.OpenFile(*logFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer log.Close()
		o.Log = log
	}
	s := fakellm.New(o)
	if err := s.Listen(*port); err != nil {
		return err
	}
	defer s.Close()
	if _, err := fmt.Fprintln(stdout, s.Port); err != nil {
		return err
	}
	quit := make(chan os.Signal, 2)
	signal.Notify(quit, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(quit)
	if *withStdin {
		go func() {
			_, _ = io.Copy(io.Discard, stdin) // only its end counts
			quit <- os.Interrupt
		}()
	}
	<-quit
	return nil
}
