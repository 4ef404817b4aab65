package auth

// BearerVariable is the one whose value must go out as a bearer token.
const BearerVariable = "ANTHROPIC_AUTH_TOKEN"

// Variables returns the names of the environment variables that may hold the key
// of a provider, the first of which wins.
func Variables(provider string) []string {
	for _, v := range variables {
		if v.provider == provider {
			return v.names[:len(v.names):len(v.names)]
		}
	}
	return nil
}

// AllVariables returns the names of the environment variables that may hold a key
// of any provider.
func AllVariables() []string {
	var all []string
	for _, v := range variables {
		all = append(all, v.names...)
	}
	return all
}

// variables has the names that pi uses (its docs/providers.md), and those of
// servers that a user runs.
var variables = []struct {
	provider string
	names    []string
}{
	{"anthropic", []string{"ANTHROPIC_API_KEY", "ANTHROPIC_OAUTH_TOKEN", BearerVariable}},
	{"ant-ling", []string{"ANT_LING_API_KEY"}},
	{"azure", []string{"AZURE_OPENAI_API_KEY"}},
	{"baseten", []string{"BASETEN_API_KEY"}},
	{"amazon-bedrock", []string{"AWS_BEARER_TOKEN_BEDROCK"}},
	{"cerebras", []string{"CEREBRAS_API_KEY"}},
	{"cloudflare-ai-gateway", []string{"CLOUDFLARE_API_KEY"}},
	{"cloudflare-workers-ai", []string{"CLOUDFLARE_API_KEY"}},
	{"deepseek", []string{"DEEPSEEK_API_KEY"}},
	{"fireworks", []string{"FIREWORKS_API_KEY"}},
	{"github-copilot", []string{"COPILOT_GITHUB_TOKEN"}},
	{"google", []string{"GEMINI_API_KEY"}},
	{"google-vertex", []string{"GOOGLE_CLOUD_API_KEY"}},
	{"groq", []string{"GROQ_API_KEY"}},
	{"huggingface", []string{"HF_TOKEN"}},
	{"kimi-coding", []string{"KIMI_API_KEY"}},
	{"litellm", []string{"LITELLM_API_KEY"}},
	{"llama.cpp", []string{"LLAMA_API_KEY"}},
	{"meta", []string{"META_API_KEY"}},
	{"minimax", []string{"MINIMAX_API_KEY"}},
	{"minimax-cn", []string{"MINIMAX_CN_API_KEY"}},
	{"mistral", []string{"MISTRAL_API_KEY"}},
	{"moonshotai", []string{"MOONSHOT_API_KEY"}},
	{"moonshotai-cn", []string{"MOONSHOT_API_KEY"}},
	{"nvidia", []string{"NVIDIA_API_KEY"}},
	{"openai", []string{"OPENAI_API_KEY"}},
	{"opencode", []string{"OPENCODE_API_KEY"}},
	{"opencode-go", []string{"OPENCODE_API_KEY"}},
	{"openrouter", []string{"OPENROUTER_API_KEY"}},
	{"qwen-token-plan", []string{"QWEN_TOKEN_PLAN_TEAM_API_KEY"}},
	{"qwen-token-plan-cn", []string{"QWEN_TOKEN_PLAN_TEAM_CN_API_KEY"}},
	{"qwen-token-plan-individual", []string{"QWEN_TOKEN_PLAN_INDIVIDUAL_API_KEY"}},
	{"qwen-token-plan-individual-cn", []string{"QWEN_TOKEN_PLAN_INDIVIDUAL_CN_API_KEY"}},
	{"radius", []string{"RADIUS_API_KEY"}},
	{"together", []string{"TOGETHER_API_KEY"}},
	{"typesafe", []string{"TYPESAFE_API_KEY"}},
	{"vercel-ai-gateway", []string{"AI_GATEWAY_API_KEY"}},
	{"vllm", []string{"VLLM_API_KEY"}},
	{"xai", []string{"XAI_API_KEY"}},
	{"xiaomi", []string{"XIAOMI_API_KEY"}},
	{"xiaomi-token-plan-ams", []string{"XIAOMI_TOKEN_PLAN_AMS_API_KEY"}},
	{"xiaomi-token-plan-cn", []string{"XIAOMI_TOKEN_PLAN_CN_API_KEY"}},
	{"xiaomi-token-plan-sgp", []string{"XIAOMI_TOKEN_PLAN_SGP_API_KEY"}},
	{"zai", []string{"ZAI_API_KEY"}},
	{"zai-coding-cn", []string{"ZAI_CODING_CN_API_KEY"}},
}
