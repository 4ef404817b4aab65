package protocol

// Questions, for which what goes on waits.
type (
	// Asked is a question to the people at the front ends. The first answer counts;
	// an abort takes it back.
	Asked struct {
		ID      string
		Text    string
		Choices []Choice
	}

	// Choice is one of the answers to a question.
	Choice struct{ ID, Text string }

	// Answered says that a question needs no answer any more. Choice is "" if it was
	// taken back.
	Answered struct{ ID, Choice string }

	// Answer answers a question with the id of one of its choices.
	Answer struct{ Question, Choice string }
)

func (Answer) Name() string { return "answer" }
func (Answer) answers(None) {}

func (Asked) event()    {}
func (Answered) event() {}
