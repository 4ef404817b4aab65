package message

// Output is what a tool gives back: content for the model, and details of its
// own for front ends.
type Output struct {
	Content []Block
	Details Value // JSON, or nil
	IsError bool
	Usage   *Usage // nested model work, or nil
}

// TextOutput makes an output of one text.
func TextOutput(s string) Output { return Output{Content: []Block{Text(s)}} }

// ErrorOutput makes the output of a tool that failed.
func ErrorOutput(s string) Output { return Output{Content: []Block{Text(s)}, IsError: true} }

// Result makes the tool result message of an output.
func (o Output) Result(call Block, timestamp int64, durationMs *int64) Message {
	content := o.Content
	if content == nil {
		content = []Block{}
	}
	return Message{Role: ToolResult, ToolCallID: call.ID, ToolName: call.Name, Content: content, Details: o.Details,
		IsError: o.IsError, Usage: o.Usage, Timestamp: timestamp, DurationMs: durationMs}
}
