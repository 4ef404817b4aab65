package awsauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"time"
)

// processLimit is how long a credential_process may take; it may open a browser.
const processLimit = 2 * time.Minute

// process runs the credential_process of a profile. What it prints is a secret,
// so it is in no error.
func process(ctx context.Context, command, profile string) (Keys, error) {
	limited, cancel := context.WithTimeout(ctx, processLimit)
	defer cancel()
	shell := []string{"/bin/sh", "-c", command}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd.exe", "/C", command}
	}
	cmd := exec.CommandContext(limited, shell[0], shell[1:]...)
	cmd.WaitDelay = time.Second // of what it has left running
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return Keys{}, ctx.Err()
	}
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return Keys{}, fmt.Errorf("the credential_process of the AWS profile %q failed: %v; try it in a terminal", profile, err)
	}
	var k struct {
		Version                                    int
		AccessKeyId, SecretAccessKey, SessionToken string
		Expiration                                 time.Time
	}
	if json.Unmarshal(out, &k) != nil || k.AccessKeyId == "" || k.SecretAccessKey == "" {
		return Keys{}, fmt.Errorf("the credential_process of the AWS profile %q printed no keys; try it in a terminal", profile)
	}
	return Keys{ID: k.AccessKeyId, Secret: k.SecretAccessKey, Token: k.SessionToken, Expires: k.Expiration}, nil
}
