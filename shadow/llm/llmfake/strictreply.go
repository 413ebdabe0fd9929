package llmfake

import (
	"regexp"
	"slices"
	"strings"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// replyRefusal says what a provider would refuse of how a reply is to be formed and of
// how much is to be thought before it; "" if nothing.
func replyRefusal(d llm.Dialect, model string, body object) string {
	if name := forced(d, body); name != "" && !slices.Contains(offered(d, body), name) {
		return "tool_choice: there is no tool " + name
	}
	switch d {
	case llm.OpenAIChat, llm.OpenAIResponses:
		return openAIReply(model, body)
	case llm.AnthropicMessages:
		return anthropicReply(body)
	case llm.GeminiGenerate:
		return geminiReply(model, body)
	}
	if think, set := body["think"]; set && think != false && unthinking.MatchString(model) {
		return model + " does not support thinking"
	}
	return ""
}

var (
	unthinking = regexp.MustCompile(`^(?:llama|gemma2|gemma3|mistral|qwen2)`)
	series     = regexp.MustCompile(`^o[1-9](?:-|$)`)
	firstFive  = regexp.MustCompile(`^gpt-5(?:-|$)`)
	before     = regexp.MustCompile(`^gpt-[34]`)
)

// forced is the name of the one tool that has to be called, if any.
func forced(d llm.Dialect, body object) string {
	choice := member(body, "tool_choice")
	switch d {
	case llm.OpenAIChat:
		return str(member(choice, "function")["name"])
	case llm.GeminiGenerate:
		names, _ := member(body, "toolConfig", "functionCallingConfig")["allowedFunctionNames"].([]any)
		if len(names) == 1 {
			return str(names[0])
		}
		return ""
	}
	return str(choice["name"])
}

// offered are the names of the tools.
func offered(d llm.Dialect, body object) []string {
	var names []string
	tools, _ := body["tools"].([]any)
	for _, t := range tools {
		tool, _ := t.(object)
		switch d {
		case llm.OpenAIChat:
			tool = member(tool, "function")
		case llm.GeminiGenerate:
			list, _ := tool["functionDeclarations"].([]any)
			for _, f := range list {
				f, _ := f.(object)
				names = append(names, str(f["name"]))
			}
		}
		names = append(names, str(tool["name"]))
	}
	return names
}

func openAIReply(model string, body object) string {
	effort := str(body["reasoning_effort"])
	if effort == "" {
		effort = str(member(body, "reasoning")["effort"])
	}
	first := firstFive.MatchString(model)
	switch {
	case effort != "" && before.MatchString(model):
		return "unsupported_parameter: reasoning_effort"
	case effort == "none" && (first || series.MatchString(model)), effort == "minimal" && !first && thinking.MatchString(model):
		return "unsupported_value: reasoning_effort " + effort
	}
	for _, format := range []object{member(body, "response_format", "json_schema"), member(body, "text", "format")} {
		if format["schema"] != nil && str(format["name"]) == "" {
			return "missing_required_parameter: name of the format"
		}
	}
	if limit, set := body["max_output_tokens"].(float64); set && limit < 16 {
		return "integer_below_min_value: max_output_tokens"
	}
	return ""
}

func anthropicReply(body object) string {
	thoughts, limit := member(body, "thinking"), body["max_tokens"]
	if kind := str(thoughts["type"]); kind == "" || kind == "disabled" {
		return ""
	}
	if kind := str(member(body, "tool_choice")["type"]); kind == "tool" || kind == "any" {
		return "thinking may not be enabled when tool_choice forces tool use"
	}
	budget, _ := thoughts["budget_tokens"].(float64)
	if most, _ := limit.(float64); budget >= most {
		return "max_tokens must be greater than thinking.budget_tokens"
	}
	return ""
}

func geminiReply(model string, body object) string {
	config := member(body, "generationConfig")
	thoughts := member(config, "thinkingConfig")
	_, budget := thoughts["thinkingBudget"]
	_, level := thoughts["thinkingLevel"]
	switch {
	case budget && level:
		return "thinkingBudget and thinkingLevel are not both allowed"
	case budget && thoughts["thinkingBudget"] == 0.0 && strings.Contains(model, "-pro"):
		return "Budget 0 is invalid. This model only works in thinking mode."
	case config["responseJsonSchema"] != nil && config["responseMimeType"] != "application/json":
		return "responseJsonSchema needs responseMimeType application/json"
	}
	return ""
}

// member is an object inside of others; nil if there is none.
func member(o object, names ...string) object {
	for _, name := range names {
		o, _ = o[name].(object)
	}
	return o
}
