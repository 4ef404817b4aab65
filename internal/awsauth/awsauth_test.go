package awsauth

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// user is one who has the shared files and an environment.
type user struct {
	t    *testing.T
	vars map[string]string
}

func newHome(t *testing.T, config, credentials string) *user {
	h := &user{t, map[string]string{"HOME": t.TempDir()}}
	h.write(".aws/config", config)
	h.write(".aws/credentials", credentials)
	return h
}

func (h *user) path(name string) string { return filepath.Join(h.vars["HOME"], name) }

func (h *user) write(name, text string) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(h.path(name)), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(h.path(name), []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

func (h *user) env(name string) string { return h.vars[name] }

// set sets variables, NAME=VALUE each.
func (h *user) set(vars ...string) *user {
	for _, v := range vars {
		name, value, _ := strings.Cut(v, "=")
		h.vars[name] = value
	}
	return h
}

const configText = "\ufeff# of the team\n[default]\nregion = eu-west-1\r\n\n[ profile\twork ]\nregion=us-west-2 # near\ns3 =\n  region = nowhere\noutput\n" +
	"[profile \"two words\"]\nregion = eu-north-1\n[profile role]\nrole_arn = arn:aws:iam::1:role/r\nsource_profile = work\nexternal_id = e\nregion = us-east-2\n" +
	"[profile own]\nrole_arn = arn:aws:iam::1:role/r\nsource_profile = own\naws_access_key_id = OWN\naws_secret_access_key = s\n" +
	"[profile loop]\nrole_arn = arn\nsource_profile = pool\n[profile pool]\nrole_arn = arn\nsource_profile = loop\n" +
	"[profile mfa]\nrole_arn = arn\nmfa_serial = m\nsource_profile = work\n[profile fromenv]\nrole_arn = arn:aws:iam::1:role/r\ncredential_source = Environment\n[profile ec2]\nrole_arn = arn\ncredential_source = Ec2InstanceMetadata\n" +
	"[profile sso]\nsso_session = corp\nsso_account_id = 1\nsso_role_name = dev\n[sso-session corp]\nsso_region = eu-central-1\nsso_start_url = https://corp.example\n" +
	"[profile oldsso]\nsso_start_url = https://corp.example\nsso_region = eu-central-1\nsso_account_id = 1\nsso_role_name = dev\n[profile halfsso]\nsso_session = corp\n[profile nosso]\nsso_session = gone\n" +
	"[profile pod]\nrole_arn = arn:aws:iam::1:role/p\nweb_identity_token_file = TOKEN\n[profile empty]\n[profile bad\n[plain]\nregion = nowhere\n"

const credentialsText = "[default]\naws_access_key_id = DEF\naws_secret_access_key = s=1\n[work]\naws_access_key_id=WORK\naws_secret_access_key=s\naws_session_token=t\n"

func TestKeys(t *testing.T) {
	tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		switch {
		case r.URL.Path == "/federation/credentials" && r.Header.Get("x-amz-sso_bearer_token") == "good":
			fmt.Fprintf(w, `{"roleCredentials":{"accessKeyId":"SSO-%s-%s","secretAccessKey":"s","sessionToken":"t","expiration":%d}}`, r.URL.Query().Get("account_id"), r.URL.Query().Get("role_name"), time.Now().Add(time.Hour).UnixMilli())
		case r.URL.Path == "/federation/credentials":
			w.WriteHeader(401)
		case r.Form.Get("Action") == "AssumeRole" && r.Header.Get("Signed") != "":
			fmt.Fprintf(w, `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>ROLE-%s-%s</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2100-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`, r.Header.Get("Signed"), r.Form.Get("ExternalId"))
		case r.Form.Get("Action") == "AssumeRoleWithWebIdentity" && r.Form.Get("WebIdentityToken") == "webtoken":
			fmt.Fprint(w, `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>WEB</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2100-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`)
		case r.URL.Path == "/container" && r.Header.Get("Authorization") == "ctoken":
			fmt.Fprint(w, `{"AccessKeyId":"BOX","SecretAccessKey":"s","Token":"t","Expiration":"2100-01-01T00:00:00Z"}`)
		case r.URL.Path == "/container/empty":
			fmt.Fprint(w, `{}`)
		default:
			w.WriteHeader(403)
			fmt.Fprint(w, `<ErrorResponse><Error><Code>AccessDenied</Code><Message>you may not</Message></Error></ErrorResponse>`)
		}
	}))
	defer tokens.Close()
	at := []string{"AWS_ENDPOINT_URL_STS=" + tokens.URL, "AWS_ENDPOINT_URL_SSO=" + tokens.URL}
	for _, tt := range []struct {
		name string
		vars []string
		want string // the id of the key, or, behind "!", part of the error
	}{
		{"the profile default", nil, "DEF"},
		{"keys of the environment go before it", []string{"AWS_ACCESS_KEY_ID=ENV", "AWS_SECRET_ACCESS_KEY=s"}, "ENV"},
		{"a profile that is asked for goes before them", []string{"AWS_PROFILE=work", "AWS_ACCESS_KEY_ID=ENV", "AWS_SECRET_ACCESS_KEY=s"}, "WORK"},
		{"a profile that there is not", []string{"AWS_PROFILE=wrok"}, `!the AWS profile "wrok" does not exist: look into`},
		{"a profile with nothing in it", []string{"AWS_PROFILE=empty"}, "!aws configure --profile empty"},
		{"a role", []string{"AWS_PROFILE=role"}, "ROLE-WORK/sts/us-east-2-e"},
		{"a role that takes on itself", []string{"AWS_PROFILE=own"}, "ROLE-OWN/sts/us-east-1-"},
		{"a role of the environment", []string{"AWS_PROFILE=fromenv", "AWS_ACCESS_KEY_ID=ENV", "AWS_SECRET_ACCESS_KEY=s"}, "ROLE-ENV/sts/us-east-1-"},
		{"a role of what is not to be had", []string{"AWS_PROFILE=ec2"}, "!Ec2InstanceMetadata is not to be had"},
		{"roles in a ring", []string{"AWS_PROFILE=loop"}, "!name each other"},
		{"a role with a code", []string{"AWS_PROFILE=mfa"}, "!MFA"},
		{"a sign-in", []string{"AWS_PROFILE=sso"}, "SSO-1-dev"},
		{"a sign-in of the older kind, which is over", []string{"AWS_PROFILE=oldsso"}, "!aws sso login --profile oldsso"},
		{"a sign-in that is not complete", []string{"AWS_PROFILE=halfsso"}, "!aws configure sso --profile halfsso"},
		{"a sign-in that is not there", []string{"AWS_PROFILE=nosso"}, `!sso-session "gone"`},
		{"a pod", []string{"AWS_WEB_IDENTITY_TOKEN_FILE=TOKEN", "AWS_ROLE_ARN=arn"}, "WEB"},
		{"a profile of a pod", []string{"AWS_PROFILE=pod"}, "!read the AWS web identity token"},
		{"a pod without its token", []string{"AWS_WEB_IDENTITY_TOKEN_FILE=/nowhere", "AWS_ROLE_ARN=arn"}, "!read the AWS web identity token"},
		{"a container", []string{"AWS_CONTAINER_CREDENTIALS_FULL_URI=" + tokens.URL + "/container", "AWS_CONTAINER_AUTHORIZATION_TOKEN=ctoken"}, "BOX"},
		{"a container's token in a file", []string{"AWS_CONTAINER_CREDENTIALS_FULL_URI=" + tokens.URL + "/container", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE=CTOKEN"}, "BOX"},
		{"a container that refuses", []string{"AWS_CONTAINER_CREDENTIALS_FULL_URI=" + tokens.URL + "/container"}, "!403 Forbidden: you may not"},
		{"a container that has none", []string{"AWS_CONTAINER_CREDENTIALS_FULL_URI=" + tokens.URL + "/container/empty"}, "!gave no keys"},
		{"a container somewhere else", []string{"AWS_CONTAINER_CREDENTIALS_FULL_URI=http://evil.example/"}, "!must be https"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHome(t, configText, credentialsText).set(at...)
			h.write("TOKEN", "webtoken\n")
			h.write("CTOKEN", "ctoken\n")
			h.write(".aws/sso/cache/"+sha1hex("corp")+".json", `{"accessToken":"good","expiresAt":"2100-01-01T00:00:00Z"}`)
			h.write(".aws/sso/cache/"+sha1hex("https://corp.example")+".json", `{"accessToken":"good","expiresAt":"2001-01-01T00:00:00Z"}`)
			for _, v := range tt.vars {
				if n, v, _ := strings.Cut(v, "="); v == "TOKEN" || v == "CTOKEN" {
					h.set(n + "=" + h.path(v))
				} else {
					h.set(n + "=" + v)
				}
			}
			l := &Login{Env: h.env, Client: tokens.Client(), Sign: func(r *http.Request, body []byte, k Keys, service, region string) error {
				r.Header.Set("Signed", k.ID+"/"+service+"/"+region)
				return nil
			}}
			k, err := l.Keys(t.Context())
			if want, bad := strings.CutPrefix(tt.want, "!"); bad {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%+v, %v, want an error with %q", k, err, want)
				}
			} else if err != nil || k.ID != want || k.Secret == "" {
				t.Errorf("%+v, %v, want %s", k, err, want)
			}
		})
	}
}

func TestProcess(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	h := newHome(t, "[profile p]\ncredential_process = echo x >> \"$OUT\"; echo '{\"Version\":1,\"AccessKeyId\":\"P\",\"SecretAccessKey\":\"s\",\"Expiration\":\"2100-01-01T00:00:00Z\"}'\n"+
		"[profile f]\ncredential_process = echo secret; echo secret >&2; exit 3\n[profile e]\ncredential_process = echo secret\n", "").set("AWS_PROFILE=p")
	t.Setenv("OUT", h.path("runs"))
	l := &Login{Env: h.env}
	for range 3 {
		if k, err := l.Keys(t.Context()); err != nil || k.ID != "P" {
			t.Fatalf("%+v, %v", k, err)
		}
	}
	l.Forget()
	if _, err := l.Keys(t.Context()); err != nil {
		t.Fatal(err)
	}
	if runs, err := os.ReadFile(h.path("runs")); err != nil || string(runs) != "x\nx\n" {
		t.Errorf("it ran %q times, %v", runs, err)
	}
	for profile, want := range map[string]string{"f": "exit status 3", "e": "printed no keys"} {
		_, err := (&Login{Env: h.set("AWS_PROFILE=" + profile).env}).Keys(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", profile, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (&Login{Env: h.set("AWS_PROFILE=p").env}).Keys(ctx); err != context.Canceled {
		t.Errorf("with a context that is over: %v", err)
	}
}

// Keys are asked for once as long as they hold, and who waits may stop waiting.
func TestKeysAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		l := &Login{
			Env: func(n string) string {
				return map[string]string{"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1/x"}[n]
			},
			Client: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
				asked++
				time.Sleep(5 * time.Second)
				w := httptest.NewRecorder()
				fmt.Fprintf(w, `{"AccessKeyId":"K%d","SecretAccessKey":"s","Expiration":%q}`, asked, time.Now().Add(10*time.Minute).Format(time.RFC3339))
				return w.Result(), nil
			})},
		}
		got := make(chan string, 4)
		for range 3 {
			go func() {
				k, err := l.Keys(t.Context())
				got <- fmt.Sprint(k.ID, err)
			}()
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		synctest.Wait()
		if _, err := l.Keys(ctx); err != context.DeadlineExceeded {
			t.Errorf("who waited for another: %v", err)
		}
		for range 3 {
			if s := <-got; s != "K1<nil>" {
				t.Errorf("keys %s", s)
			}
		}
		time.Sleep(7 * time.Minute)
		if k, err := l.Keys(t.Context()); err != nil || k.ID != "K1" {
			t.Errorf("they still hold: %s, %v", k.ID, err)
		}
		time.Sleep(90 * time.Second)
		if k, err := l.Keys(t.Context()); err != nil || k.ID != "K2" {
			t.Errorf("they are nearly over: %s, %v", k.ID, err)
		}
	})
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestFoundAndRegion(t *testing.T) {
	for _, tt := range []struct {
		name, vars, by, region string
		problem                string
	}{
		{"only a profile default", "", "", "eu-west-1", ""},
		{"a profile", "AWS_PROFILE=work", "AWS_PROFILE", "us-west-2", ""},
		{"a profile of two words", "AWS_PROFILE=two_words", "AWS_PROFILE", "eu-north-1", ""},
		{"a section of another kind", "AWS_PROFILE=plain", "AWS_PROFILE", "", `"plain", but`},
		{"a region goes before that of the profile", "AWS_PROFILE=work AWS_REGION=x", "AWS_PROFILE", "x", ""},
		{"by its other name", "AWS_DEFAULT_REGION=y", "", "y", ""},
		{"half a key", "AWS_ACCESS_KEY_ID=a", "AWS_ACCESS_KEY_ID", "eu-west-1", "AWS_SECRET_ACCESS_KEY is not"},
		{"half a pod", "AWS_ROLE_ARN=a", "", "eu-west-1", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHome(t, configText, credentialsText)
			for _, v := range strings.Fields(tt.vars) {
				h.set(strings.ReplaceAll(v, "two_words", "two words"))
			}
			by, err := Found(h.env)
			if by != tt.by || (err != nil) != (tt.problem != "") || err != nil && !strings.Contains(err.Error(), tt.problem) {
				t.Errorf("by %q, %v", by, err)
			}
			if got := Region(h.env); got != tt.region {
				t.Errorf("region %q, want %q", got, tt.region)
			}
		})
	}
	h := newHome(t, "", "").set("AWS_CONFIG_FILE=/nowhere/config", "AWS_SHARED_CREDENTIALS_FILE="+t.TempDir(), "AWS_PROFILE=x")
	if _, err := Found(h.env); err == nil || Region(h.env) != "" {
		t.Errorf("a folder in the place of a file: %v", err)
	}
}

func FuzzProfiles(f *testing.F) {
	f.Add(configText, true)
	f.Add(credentialsText, false)
	f.Add("[profile ]\n[]\n=\n a\n[x", true)
	f.Fuzz(func(t *testing.T, text string, config bool) {
		all := profiles{}
		all.read(text, config)
		for name, p := range all {
			if p == nil || strings.ContainsAny(name, "]\n") {
				t.Fatalf("section %q of %q", name, text)
			}
		}
	})
}
