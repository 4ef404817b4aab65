// Command sidebyside asks two questions at the same entry of a session at the same
// time. Each is answered on a branch of its own in the file.
//
//	go run ./examples/rpc/sidebyside SESSION-FILE ENTRY QUESTION QUESTION
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
)

type record struct {
	Type, View, Error string
	Success           *bool
	Data              struct{ View string }
	Message           struct {
		Role         string
		Content      json.RawMessage // a text or blocks
		ErrorMessage string
	}
}

func main() {
	if len(os.Args) < 5 {
		log.Fatal("sidebyside SESSION-FILE ENTRY QUESTION QUESTION [OPTION OF bough ...]")
	}
	file, entry, questions := os.Args[1], os.Args[2], os.Args[3:5]
	bough := exec.Command("bough", append([]string{"--mode", "rpc"}, os.Args[5:]...)...)
	bough.Stderr = os.Stderr
	in, err := bough.StdinPipe()
	if err != nil {
		log.Fatal(err)
	}
	out, err := bough.StdoutPipe()
	if err != nil {
		log.Fatal(err)
	}
	if err := bough.Start(); err != nil {
		log.Fatal(err)
	}
	send := json.NewEncoder(in).Encode // an error shows as the end of the output
	send(map[string]any{"type": "subscribe", "views": "*"})
	for range questions {
		send(map[string]any{"type": "open_view", "sessionPath": file, "entryId": entry})
	}
	asked, answered := map[string]string{}, 0
	for records := json.NewDecoder(out); answered < len(questions); {
		var r record
		if err := records.Decode(&r); err != nil {
			log.Fatal(err)
		}
		switch {
		case r.Success != nil && !*r.Success:
			log.Fatal(r.Error)
		case r.Type == "response" && r.Data.View != "": // a view is open
			asked[r.Data.View] = questions[len(asked)]
			send(map[string]any{"type": "prompt_at", "view": r.Data.View, "parentId": entry, "message": asked[r.Data.View]})
		case r.Type == "message_end" && r.Message.Role == "assistant":
			var blocks []struct{ Text string }
			if err := json.Unmarshal(r.Message.Content, &blocks); err != nil {
				log.Fatal(err)
			}
			for _, block := range blocks {
				fmt.Printf("%s\n  %s\n", asked[r.View], block.Text)
			}
			if r.Message.ErrorMessage != "" {
				log.Printf("%s\n  failed: %s", asked[r.View], r.Message.ErrorMessage)
			}
		case r.Type == "agent_settled":
			answered++
		}
	}
	in.Close()
	bough.Wait()
}
