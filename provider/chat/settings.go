package chat

import (
	"strings"

	"github.com/boughdev/bough/provider"
)

// settings is what a server wants otherwise than others. The names in quotes are
// those of the switches in pi's models.json; what a model does not set there goes
// by its provider and address.
type settings struct {
	store           bool   // "supportsStore": takes store
	developer       bool   // "supportsDeveloperRole"
	effort          bool   // "supportsReasoningEffort"
	usage           bool   // "supportsUsageInStreaming"
	finishReason    bool   // "supportsFinishReason": an answer that ends has one
	maxTokens       string // "maxTokensField"
	resultName      bool   // "requiresToolResultName"
	assistantAfter  bool   // "requiresAssistantAfterToolResult": before the user's next words
	neverNull       bool   // "requiresNonNullAssistantContent"
	alwaysTools     bool   // "requiresToolsWithToolHistory"
	thinkingAsText  bool   // "requiresThinkingAsText"
	alwaysReasoning bool   // "requiresReasoningContentOnAssistantMessages"
	thinking        string // "thinkingFormat"
	budgetField     string // "thinkingTokenBudgetField"
	toolStream      bool   // "zaiToolStream"
	systemInPlace   bool   // "supportsMidConvoSystemMessages"
	cacheControl    bool   // "cacheControlFormat": "anthropic"
	affinity        bool   // "sendSessionAffinityHeaders"
	affinityFormat  string // "sessionAffinityFormat"
	cacheKey        bool   // "promptCacheKeyMode"
	mistral         bool   // Mistral's own form of the API
}

func settingsOf(i provider.Info) settings {
	var (
		openAI     = i.At("openai", "api.openai.com")
		openRouter = i.At("openrouter", "openrouter.ai")
		xai        = i.At("xai", "api.x.ai")
		zai        = i.At("zai", "zai-coding-cn", "api.z.ai", "open.bigmodel.cn")
		together   = i.At("together", "api.together.ai", "api.together.xyz")
		moonshot   = i.At("moonshotai", "moonshotai-cn", "api.moonshot.")
		nvidia     = i.At("nvidia", "integrate.api.nvidia.com")
		antLing    = i.At("ant-ling", "api.ant-ling.com")
		deepSeek   = i.At("deepseek", "deepseek.com")
		cfWorkers  = i.At("cloudflare-workers-ai", "api.cloudflare.com")
		cfGateway  = i.At("cloudflare-ai-gateway", "gateway.ai.cloudflare.com")
		chutes     = i.At("chutes.ai")
		plain      = xai || zai || together || moonshot || nvidia || antLing || deepSeek || cfWorkers || cfGateway || chutes ||
			i.At("cerebras", "cerebras.ai", "opencode", "opencode.ai")
	)
	s := settings{
		store:           i.Flag("supportsStore", !plain),
		developer:       i.Flag("supportsDeveloperRole", openAI),
		effort:          i.Flag("supportsReasoningEffort", !(xai || zai || moonshot || together || cfGateway || nvidia || antLing)),
		usage:           i.Flag("supportsUsageInStreaming", true),
		finishReason:    i.Flag("supportsFinishReason", true),
		maxTokens:       i.Word("maxTokensField", ""),
		resultName:      i.Flag("requiresToolResultName", false),
		assistantAfter:  i.Flag("requiresAssistantAfterToolResult", false),
		neverNull:       i.Flag("requiresNonNullAssistantContent", false),
		alwaysTools:     i.Flag("requiresToolsWithToolHistory", false),
		thinkingAsText:  i.Flag("requiresThinkingAsText", false),
		alwaysReasoning: i.Reasoning && i.Flag("requiresReasoningContentOnAssistantMessages", deepSeek),
		thinking:        i.Word("thinkingFormat", ""),
		budgetField:     i.Word("thinkingTokenBudgetField", ""),
		toolStream:      i.Flag("zaiToolStream", false),
		systemInPlace:   i.Flag("supportsMidConvoSystemMessages", false),
		cacheControl:    i.Word("cacheControlFormat", "") == "anthropic" || i.Compat["cacheControlFormat"] == nil && i.Provider == "openrouter" && strings.HasPrefix(i.ID, "anthropic/"),
		affinity:        i.Flag("sendSessionAffinityHeaders", openRouter),
		affinityFormat:  i.Word("sessionAffinityFormat", ""),
	}
	if s.maxTokens == "" {
		s.maxTokens = "max_completion_tokens"
		if chutes || deepSeek || moonshot || cfGateway || together || nvidia || antLing || zai {
			s.maxTokens = "max_tokens"
		}
	}
	if s.thinking == "" {
		switch {
		case deepSeek:
			s.thinking = "deepseek"
		case zai:
			s.thinking = "zai"
		case together:
			s.thinking = "together"
		case antLing:
			s.thinking = "ant-ling"
		case openRouter:
			s.thinking = "openrouter"
		}
	}
	if s.budgetField == "" && i.Flag("supportsThinkingTokenBudget", false) {
		s.budgetField = "thinking_token_budget"
	}
	if s.affinityFormat == "" {
		s.affinityFormat = "openai"
		if openRouter {
			s.affinityFormat = "openrouter"
		}
	}
	switch i.Word("promptCacheKeyMode", "auto") {
	case "enabled":
		s.cacheKey = true
	case "auto":
		s.cacheKey = i.At("api.openai.com")
	}
	if isMistral(i) {
		s = s.asMistral(i)
	}
	return s
}
