package slash

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/boughdev/bough/protocol"
)

// Queued finds the message that waits under a number, for a word of /queue.
func Queued(q protocol.Queue, what, number string) (protocol.Waiting, error) {
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(number, "["), "]"))
	if err != nil {
		return protocol.Waiting{}, fmt.Errorf("say which: /queue %s N; /queue numbers what waits", what)
	}
	if n < 1 || n > len(q.Items) {
		return protocol.Waiting{}, fmt.Errorf("no message [%d] waits; /queue shows those that do", n)
	}
	return q.Items[n-1], nil
}
