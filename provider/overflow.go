package provider

import "strings"

// The lists below hold what servers say, in lower case. A * stands for anything
// in between.

// tooLong reports whether a text says that the conversation does not fit.
func tooLong(text string) bool { return anyOf(text, overflowTexts) }

// SaysTooLong reports whether what an answer failed with, as sessions keep it, says
// that the conversation does not fit.
func SaysTooLong(text string) bool {
	text = strings.ToLower(text)
	return !throttled(text) && (tooLong(text) || strings.HasPrefix(text, "413"))
}

// throttled reports whether a text is about too many requests, or tokens in too
// short a time, which may read like an overflow.
func throttled(text string) bool { return anyOf(text, throttleTexts) }

// outOfMoney reports whether a text says that the account is used up.
func outOfMoney(text string) bool { return anyOf(text, moneyTexts) }

// daily reports whether a text says that a limit of the day is used up.
func daily(text string) bool { return anyOf(text, dailyTexts) }

// brokenOff reports whether a text tells of a connection that broke, or of a
// server that had no time, somewhere behind the one that answered.
func brokenOff(text string) bool { return anyOf(text, brokenTexts) }

var overflowTexts = []string{
	"prompt is too long",                                // Anthropic, Fireworks
	"input length and*exceed context limit",             // Anthropic
	"request exceeds the maximum size",                  // Anthropic
	"maximum context length",                            // OpenAI, DeepSeek, vLLM, OpenRouter, Mistral
	"exceeds the context window",                        // OpenAI Responses
	"context window exceed",                             // MiniMax
	"exceeds*context window",                            //
	"input token count*exceeds the maximum",             // Google
	"maximum prompt length is",                          // xAI
	"reduce the length of the messages",                 // Groq, Azure
	"input is too long",                                 // Bedrock
	"exceeds the limit of*prompt token",                 //
	"prompt token count of*exceeds the limit",           // GitHub Copilot
	"exceeds the available context size",                // llama.cpp
	"tokens to keep from the initial prompt is greater", // LM Studio
	"longer than the maximum model length",              // vLLM
	"longer than the model's context length",            // SGLang
	"exceeded model token limit",                        // Moonshot
	"prompt too long",                                   // Ollama
	"prompt exceeds max length",                         // Zhipu
	"too large for model with*maximum context",          // Mistral
	"inputs` tokens + `max_new_tokens` must be",         // Together, TGI
	"range of input length should be",                   // DashScope
	"number of tokens in the prompt cannot exceed",      // Cohere
	"exceeds the model's maximum*length",                //
	"maximum allowed input length",                      //
	"context length exceeded",                           //
	"context_length_exceeded",                           // inside a wrapped error
	"input exceeds*token limit",                         //
	"too many input tokens",                             //
	"tokens exceeds the model's*limit",                  //
}

var throttleTexts = []string{
	"rate limit", "rate_limit", "ratelimit", "too many requests", "throttl", "tokens per min", "per minute", "per-minute",
	"(tpm)", "(tpd)", "(rpm)", "tokens per day", "per day", "concurren", "overloaded", "service unavailable", "try again later", "temporarily",
}

var moneyTexts = []string{
	"insufficient_quota", "exceeded your current quota", "credit balance is too low", "insufficient balance", "insufficient credit",
	"insufficient funds", "not enough credit", "out of credits", "billing details", "billing hard limit", "billing_hard_limit", "payment required", "spending limit", "spend limit",
	"monthly limit", "usage limit", "quota exceeded*plan", "upgrade your plan", "subscription*expired", "account*suspended", "in arrears",
}

var dailyTexts = []string{
	"perday", "daily limit", "daily quota", "daily request limit", "dailylimitexceeded", "free-models-per-day", "requests per day", "midnight pacific",
}

var brokenTexts = []string{
	"socket hang up", "connection closed", "connection was closed", "connection reset", "connection refused", "connection error", "connection lost", "network error", "econnreset", "econnrefused", "etimedout", "enotfound", "eai_again", "epipe",
	"fetch failed", "other side closed", "upstream connect", "upstream request", "upstream error", "reset before headers", "socket connection", "unable to connect", "cannot connect", "\"terminated\"",
	"premature close", "premature eof", "unexpected eof", "stream ended", "stream closed", "bad gateway", "gateway timeout", "gateway time-out", "service unavailable", "temporarily unavailable",
	"overloaded", "over capacity", "at capacity", "try again later", "loading model", "model is loading", "goaway", "refused_stream", "internal_error; received", "timed out", "deadline exceeded", "network connection lost",
}

func anyOf(text string, patterns []string) bool {
	for _, p := range patterns {
		if matches(text, p) {
			return true
		}
	}
	return false
}

func matches(text, pattern string) bool {
	for {
		part, rest, more := strings.Cut(pattern, "*")
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		if !more {
			return true
		}
		text, pattern = text[i+len(part):], rest
	}
}
