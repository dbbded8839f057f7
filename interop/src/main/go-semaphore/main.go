// A worker whose handler takes a token of asynq's semaphore, for the interop tests. It is a program of its own: the newest
// semaphore that the module proxy gives needs an older Redis client than asynq itself.
//
//	semaphore -redis URI -queue Q -scope S -tokens N
//
// A task says how long to hold a token ("1s"). One line of JSON each: ready; acquired or refused; released.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-redis/redis/v8"
	"github.com/hibiken/asynq"
	"github.com/hibiken/asynq/x/rate"
)

type event struct {
	Event string `json:"event"`
	ID    string `json:"id,omitempty"`
}

var out = struct {
	sync.Mutex
	*json.Encoder
}{Encoder: json.NewEncoder(os.Stdout)}

func say(line event) {
	out.Lock()
	defer out.Unlock()
	if err := out.Encode(line); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "semaphore:", err)
	os.Exit(1)
}

func connect(uri string) (asynq.RedisConnOpt, error) {
	if nodes, isCluster := strings.CutPrefix(uri, "redis-cluster://"); isCluster {
		return asynq.RedisClusterClientOpt{Addrs: strings.Split(nodes, ",")}, nil
	}
	return asynq.ParseRedisURI(uri)
}

// olderClient connects in the way that the semaphore knows; asynq's own options make a newer client, at which it panics.
type olderClient string

func (uri olderClient) MakeRedisClient() interface{} {
	if nodes, isCluster := strings.CutPrefix(string(uri), "redis-cluster://"); isCluster {
		return redis.NewClusterClient(&redis.ClusterOptions{Addrs: strings.Split(nodes, ",")})
	}
	options, err := redis.ParseURL(string(uri))
	if err != nil {
		fail(err)
	}
	return redis.NewClient(options)
}

func main() {
	uri := flag.String("redis", "", "URI of the Redis")
	queue := flag.String("queue", "default", "the queue to serve")
	scope := flag.String("scope", "scope", "what the semaphore is for")
	tokens := flag.Int("tokens", 1, "how many tokens there are")
	flag.Parse()
	connection, err := connect(*uri)
	if err != nil {
		fail(err)
	}
	semaphore := rate.NewSemaphore(olderClient(*uri), *scope, *tokens)
	defer semaphore.Close()
	server := asynq.NewServer(connection, asynq.Config{
		Concurrency: 5, Queues: map[string]int{*queue: 1}, LogLevel: asynq.WarnLevel,
	})
	err = server.Start(asynq.HandlerFunc(func(ctx context.Context, task *asynq.Task) error {
		return hold(ctx, semaphore, string(task.Payload()))
	}))
	if err != nil {
		fail(err)
	}
	say(event{Event: "ready"})
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	<-stop
	server.Shutdown()
}

func hold(ctx context.Context, semaphore *rate.Semaphore, howLong string) error {
	id, _ := asynq.GetTaskID(ctx)
	duration, err := time.ParseDuration(howLong)
	if err != nil {
		return err
	}
	acquired, err := semaphore.Acquire(ctx)
	if err != nil {
		return err
	}
	if !acquired {
		say(event{"refused", id})
		return nil
	}
	say(event{"acquired", id})
	time.Sleep(duration)
	if err := semaphore.Release(ctx); err != nil {
		return err
	}
	say(event{"released", id})
	return nil
}
