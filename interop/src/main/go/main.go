// The other side of the interop tests: a producer, a worker and an inspector on the real asynq, as one program.
//
//	peer enqueue -redis URI                    tasks as JSON lines on stdin, an answer for each as a JSON line
//	peer work    -redis URI -queue Q [flags]   processes tasks until TERM, tells of each in JSON lines
//	peer inspect -redis URI VERB [arguments]   what the inspector says, as JSON
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"github.com/hibiken/asynq"
)

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("usage: peer enqueue|work|inspect -redis URI ..."))
	}
	commands := map[string]func([]string) error{"enqueue": enqueue, "work": work, "inspect": inspect}
	command, ok := commands[os.Args[1]]
	if !ok {
		fail(fmt.Errorf("unknown command %q: use enqueue, work or inspect", os.Args[1]))
	}
	if err := command(os.Args[2:]); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "peer:", err)
	os.Exit(1)
}

func connect(uri string) (asynq.RedisConnOpt, error) {
	if uri == "" {
		return nil, fmt.Errorf("-redis is missing: which Redis to work on")
	}
	return asynq.ParseRedisURI(uri)
}

var out = struct {
	sync.Mutex
	*json.Encoder
}{Encoder: json.NewEncoder(os.Stdout)}

// say writes one JSON line; handlers do so at the same time.
func say(line any) {
	out.Lock()
	defer out.Unlock()
	if err := out.Encode(line); err != nil {
		fail(err)
	}
}
