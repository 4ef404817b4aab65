package awsauth

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// profiles are the profiles of the shared files by name, and the sections
// "sso-session NAME" by that.
type profiles map[string]map[string]string

func configFile(env func(string) string) string {
	return sharedFile(env, "AWS_CONFIG_FILE", "config")
}

func sharedFile(env func(string) string, variable, name string) string {
	if p := env(variable); p != "" {
		return p
	}
	return filepath.Join(home(env), ".aws", name)
}

func home(env func(string) string) string {
	if h := env("HOME"); h != "" {
		return h
	}
	return env("USERPROFILE")
}

// loadProfiles reads both files; the credentials go before the config.
func loadProfiles(env func(string) string) (profiles, error) {
	all := profiles{}
	for _, f := range []struct {
		path   string
		config bool
	}{{configFile(env), true}, {sharedFile(env, "AWS_SHARED_CREDENTIALS_FILE", "credentials"), false}} {
		text, err := os.ReadFile(f.path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, fmt.Errorf("read the AWS profiles: %w", err)
		}
		all.read(string(text), f.config)
	}
	return all, nil
}

// read takes the sections of a file. In config they are called "profile NAME",
// but for "default"; in credentials the name stands alone.
//
//	[profile work]
//	region = eu-central-1        # a comment
//	s3 =
//	    max_queue_size = 10      belongs to s3, and is of no interest
func (all profiles) read(text string, config bool) {
	var section map[string]string
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimRight(line, " \t\r\n")
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || trimmed[0] == '#' || trimmed[0] == ';' {
			continue
		}
		if trimmed[0] == '[' {
			section = all.section(trimmed, config)
			continue
		}
		if line[0] == ' ' || line[0] == '\t' || section == nil {
			continue
		}
		key, value, ok := strings.Cut(trimmed, "=")
		if !ok {
			continue
		}
		for _, mark := range []string{" #", " ;", "\t#", "\t;"} {
			value, _, _ = strings.Cut(value, mark)
		}
		section[strings.ToLower(strings.TrimSpace(key))] = strings.TrimSpace(value)
	}
}

// section returns the place for what stands below a heading, nil if nothing
// counts there.
func (all profiles) section(heading string, config bool) map[string]string {
	name, _, ok := strings.Cut(heading[1:], "]")
	if !ok {
		return nil
	}
	name = strings.TrimSpace(name)
	if config {
		kind, rest, _ := strings.Cut(strings.ReplaceAll(name, "\t", " "), " ")
		rest = strings.Trim(strings.TrimSpace(rest), `"'`)
		switch {
		case kind == "profile" && rest != "":
			name = rest
		case kind == "sso-session" && rest != "":
			name = "sso-session " + rest
		case name != "default":
			return nil
		}
	}
	if all[name] == nil {
		all[name] = map[string]string{}
	}
	return all[name]
}

// profile gets the keys of a profile of the shared files.
func (l *Login) profile(ctx context.Context, name string) (Keys, error) {
	all, err := loadProfiles(l.Env)
	if err != nil {
		return Keys{}, err
	}
	if all[name] == nil && name == "default" {
		return Keys{}, errors.New("there is no AWS login: set AWS_PROFILE, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_BEARER_TOKEN_BEDROCK")
	}
	return l.ofProfile(ctx, all, name, nil)
}

// ofProfile gets the keys of a profile; through are those that led to it.
func (l *Login) ofProfile(ctx context.Context, all profiles, name string, through []string) (Keys, error) {
	p := all[name]
	if p == nil {
		return Keys{}, fmt.Errorf("the AWS profile %q does not exist: look into %s", name, configFile(l.Env))
	}
	own := Keys{ID: p["aws_access_key_id"], Secret: p["aws_secret_access_key"], Token: p["aws_session_token"]}
	switch source := p["source_profile"]; {
	case p["role_arn"] != "" && p["web_identity_token_file"] != "":
		return l.webIdentity(ctx, p["web_identity_token_file"], p["role_arn"], p["role_session_name"])
	case p["role_arn"] != "" && (source != "" || p["credential_source"] != ""):
		var k Keys
		var err error
		switch {
		case source == name && own.ID != "":
			k = own
		case source == "":
			k, err = l.source(ctx, p["credential_source"])
		case len(through) > 8:
			return Keys{}, fmt.Errorf("the AWS profiles %s name each other as their source", strings.Join(through[:3], ", "))
		default:
			k, err = l.ofProfile(ctx, all, source, append(through, name))
		}
		if err != nil {
			return Keys{}, err
		}
		return l.assumeRole(ctx, k, p, regionOf(l.Env, p))
	case own.ID != "" && own.Secret != "":
		return own, nil
	case p["sso_session"] != "" || p["sso_start_url"] != "":
		return l.sso(ctx, all, name)
	case p["credential_process"] != "":
		return process(ctx, p["credential_process"], name)
	}
	return Keys{}, fmt.Errorf("the AWS profile %q has neither keys, a credential_process, a role nor a sign-in; run \"aws configure --profile %s\"", name, name)
}

// source gets keys from where a profile's credential_source says.
func (l *Login) source(ctx context.Context, name string) (Keys, error) {
	switch {
	case strings.EqualFold(name, "Environment") && hasKeys(l.Env):
		return envKeys(l.Env), nil
	case strings.EqualFold(name, "EcsContainer") && containerURL(l.Env) != "":
		return l.container(ctx)
	}
	return Keys{}, fmt.Errorf("the AWS login by credential_source = %s is not to be had here", name)
}

func regionOf(env func(string) string, p map[string]string) string {
	for _, r := range []string{env("AWS_REGION"), env("AWS_DEFAULT_REGION"), p["region"]} {
		if r != "" {
			return r
		}
	}
	return "us-east-1"
}
