// The other side of the interop tests: all that the real asynq can do, as one program.
//
//	peer version                                of asynq, as JSON
//	peer enqueue  -redis URI [-batch]           tasks as JSON lines on stdin, an answer for each as a JSON line
//	peer work     -redis URI -queue Q [flags]   processes tasks until TERM, logs each in JSON lines
//	peer fleet    -redis URI -queue Q [flags]   the same for many tasks that fail by chance, in lines of a few words
//	peer schedule -redis URI                    a scheduler until TERM, its entries as JSON lines on stdin
//	peer inspect  -redis URI VERB [arguments]   what the inspector says, as JSON
//
// It is built with each version of asynq: what not all of them have is in newer.go and older.go, batch.go and nobatch.go.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/hibiken/asynq"
)

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("usage: peer version|enqueue|work|fleet|schedule|inspect -redis URI ..."))
	}
	commands := map[string]func([]string) error{
		"enqueue": enqueue, "work": work, "fleet": fleet, "schedule": schedule, "inspect": inspect,
		"version": version,
	}
	command, ok := commands[os.Args[1]]
	if !ok {
		fail(fmt.Errorf("unknown command %q: use version, enqueue, work, fleet, schedule or inspect", os.Args[1]))
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
	if nodes, isCluster := strings.CutPrefix(uri, "redis-cluster://"); isCluster {
		return asynq.RedisClusterClientOpt{Addrs: strings.Split(nodes, ",")}, nil
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

// untilTold waits for TERM or INT.
func untilTold() {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	<-stop
}
