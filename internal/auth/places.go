package auth

// Page returns the page of a provider that gives out keys, or "".
func Page(provider string) string {
	switch provider {
	case "amazon-bedrock":
		return "https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html"
	case "anthropic":
		return "https://platform.claude.com/settings/keys"
	case "azure":
		return "https://ai.azure.com"
	case "baseten":
		return "https://app.baseten.co/settings/api_keys"
	case "cerebras":
		return "https://cloud.cerebras.ai"
	case "cloudflare-ai-gateway", "cloudflare-workers-ai":
		return "https://dash.cloudflare.com/profile/api-tokens"
	case "deepseek":
		return "https://platform.deepseek.com/api_keys"
	case "fireworks":
		return "https://app.fireworks.ai/settings/users/api-keys"
	case "google":
		return "https://aistudio.google.com/apikey"
	case "google-vertex":
		return "https://console.cloud.google.com/apis/credentials"
	case "groq":
		return "https://console.groq.com/keys"
	case "huggingface":
		return "https://huggingface.co/settings/tokens"
	case "kimi-coding":
		return "https://www.kimi.com/code/console"
	case "minimax":
		return "https://platform.minimax.io"
	case "minimax-cn":
		return "https://platform.minimaxi.com"
	case "mistral":
		return "https://console.mistral.ai/api-keys"
	case "moonshotai":
		return "https://platform.moonshot.ai/console/api-keys"
	case "moonshotai-cn":
		return "https://platform.moonshot.cn/console/api-keys"
	case "nvidia":
		return "https://build.nvidia.com/settings/api-keys"
	case "openai":
		return "https://platform.openai.com/api-keys"
	case "opencode", "opencode-go":
		return "https://opencode.ai/auth"
	case "openrouter":
		return "https://openrouter.ai/settings/keys"
	case "together":
		return "https://api.together.ai/settings/api-keys"
	case "vercel-ai-gateway":
		return "https://vercel.com/docs/ai-gateway/authentication"
	case "xai":
		return "https://console.x.ai"
	case "zai":
		return "https://z.ai/manage-apikey/apikey-list"
	case "zai-coding-cn":
		return "https://open.bigmodel.cn/usercenter/apikeys"
	}
	return ""
}

// CanSignIn reports whether bough can sign in to an account of a provider: where
// the provider describes that for programs of others.
func CanSignIn(provider string) bool { return provider == "openrouter" }

// plainToken reports whether the token of a provider's sign-in is a key like any
// other, so that whoever got it may use it.
func plainToken(provider string) bool { return provider == "openrouter" }

// NoSignIn says why bough does not sign in to an account of a provider, "" if
// there is nothing to say. only is set if a key is no way in either.
func NoSignIn(provider string) (why string, only bool) {
	switch provider {
	case "anthropic":
		return "Anthropic offers the sign-in with a Claude account to its own programs only; an API key works.", false
	case "openai":
		return "OpenAI offers the sign-in with a ChatGPT account to its own programs only; an API key works.", false
	case "openai-codex":
		return "OpenAI offers the sign-in with a ChatGPT account to its own programs only. An API key of the provider openai works: bough auth login openai", true
	case "github-copilot":
		return "GitHub describes no sign-in to Copilot's models for programs of others. A token of yours in models.json (providers.github-copilot.apiKey) is used as it is; many of the same models are at openrouter: bough auth login openrouter", true
	case "radius":
		return "Radius speaks a protocol of pi's own that is not published; use pi for it.", true
	case "huggingface":
		return "The sign-in of Hugging Face is for applications that are registered there, and bough is not; an access token works.", false
	}
	return "", false
}
