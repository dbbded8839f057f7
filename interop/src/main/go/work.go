package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"strings"
	"time"

	"github.com/hibiken/asynq"
)

// event is a line that a worker prints. Payload, headers and the like are printed when a task starts.
type event struct {
	Event    string            `json:"event"`
	ID       string            `json:"id,omitempty"`
	Queue    string            `json:"queue,omitempty"`
	Type     string            `json:"type,omitempty"`
	Payload  []byte            `json:"payload,omitempty"`
	Headers  map[string]string `json:"headers,omitempty"`
	Retried  int               `json:"retried"`
	MaxRetry int               `json:"maxRetry"`
	Deadline int64             `json:"deadline"`
	Error    string            `json:"error,omitempty"`
	At       int64             `json:"at"` // Unix milliseconds
}

func work(args []string) error {
	flags := flag.NewFlagSet("work", flag.ExitOnError)
	uri := flags.String("redis", "", "URI of the Redis")
	queue := flags.String("queue", "default", "the queues to serve, with commas between them; each may have a weight, as in a=3,b")
	strict := flags.Bool("strict", false, "whether a queue of less weight waits until the others are empty")
	concurrency := flags.Int("concurrency", 5, "how many tasks at once")
	check := flags.Duration("check", 20*time.Millisecond, "how often an empty queue and due tasks are looked at")
	retryDelay := flags.Duration("retry-delay", 0, "how long a failed task waits")
	groupSize := flags.Int("group-size", 0, "how many tasks of a group become one; 0 = none ever do")
	_ = flags.Parse(args)
	redis, err := connect(*uri)
	if err != nil {
		return err
	}

	config := asynq.Config{
		Concurrency:              *concurrency,
		Queues:                   weights(*queue),
		StrictPriority:           *strict,
		DelayedTaskCheckInterval: *check,
		RetryDelayFunc:           func(int, error, *asynq.Task) time.Duration { return *retryDelay },
		LogLevel:                 asynq.WarnLevel,
	}
	if *groupSize > 0 {
		config.GroupAggregator = asynq.GroupAggregatorFunc(join)
		config.GroupMaxSize = *groupSize
		config.GroupGracePeriod = time.Second // the least that is allowed; groups are looked at as often
	}
	hurry(&config, *check)
	server := asynq.NewServer(redis, config)
	if err := server.Start(asynq.HandlerFunc(handle)); err != nil {
		return err
	}
	say(event{Event: "ready"})
	untilTold()
	server.Shutdown()
	return nil
}

// weights gives each of the queues the same, unless it says how much.
func weights(queues string) map[string]int {
	weights := map[string]int{}
	for _, queue := range strings.Split(queues, ",") {
		name, weight, _ := strings.Cut(queue, "=")
		weights[name] = orElse(weight, 1)
	}
	return weights
}

func handle(ctx context.Context, task *asynq.Task) error {
	now := time.Now().UnixMilli()
	id, _ := asynq.GetTaskID(ctx)
	queue, _ := asynq.GetQueueName(ctx)
	retried, _ := asynq.GetRetryCount(ctx)
	maxRetry, _ := asynq.GetMaxRetry(ctx)
	deadline, _ := ctx.Deadline()
	say(event{"started", id, queue, task.Type(), task.Payload(), headersOf(task), retried, maxRetry, deadline.Unix(), "", now})
	finished := event{Event: "finished", ID: id, Queue: queue}
	err := execute(ctx, task)
	if err != nil {
		finished.Error = err.Error()
	}
	say(finished)
	return err
}

// execute does what the payload says: "sleep 1s", "sleep-first 1s" (only in the first attempt), "fail why", "archive why",
// "panic why", "result what", "bytes 00ff" (a result in hex), "revoke". Anything else is done at once.
func execute(ctx context.Context, task *asynq.Task) error {
	verb, rest, _ := strings.Cut(string(task.Payload()), " ")
	switch verb {
	case "sleep-first":
		if retried, _ := asynq.GetRetryCount(ctx); retried > 0 {
			return nil
		}
		return execute(ctx, asynq.NewTask(task.Type(), []byte("sleep "+rest)))
	case "sleep":
		duration, err := time.ParseDuration(rest)
		if err != nil {
			return err
		}
		select {
		case <-time.After(duration):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	case "fail":
		return errors.New(rest)
	case "archive":
		return fmt.Errorf("%s: %w", rest, asynq.SkipRetry)
	case "panic":
		panic(rest)
	case "result":
		_, err := task.ResultWriter().Write([]byte(rest))
		return err
	case "bytes":
		result, err := hex.DecodeString(rest)
		if err != nil {
			return err
		}
		_, err = task.ResultWriter().Write(result)
		return err
	case "revoke":
		return revoke()
	}
	return nil
}

// join makes one task of many: its payload is theirs, one per line, in the order in which they are given.
func join(group string, tasks []*asynq.Task) *asynq.Task {
	var payloads [][]byte
	for _, task := range tasks {
		payloads = append(payloads, task.Payload())
	}
	return asynq.NewTask("joined:"+group, bytes.Join(payloads, []byte("\n")))
}
