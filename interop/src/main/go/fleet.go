package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hibiken/asynq"
)

// A fleet's member handles tasks that say how long they take, how often they fail, and how they end:
//
//	roll MILLIS PERCENT done|archive|result
//
// and tasks that were made of groups, one member a line. It logs each attempt in two lines, written at once, so that
// they are there even when it is killed right after: "MILLIS start ID QUEUE RETRIED [members]" and
// "MILLIS done|failed|archive ID"; "MILLIS lost ID" when a task was taken from it meanwhile, which Go's recoverer does
// without looking whether the lease that had run out is still the same; and "MILLIS joined ID members" before it enqueues
// what it has made of a group.
func fleet(args []string) error {
	flags := flag.NewFlagSet("fleet", flag.ExitOnError)
	uri := flags.String("redis", "", "URI of the Redis")
	queue := flags.String("queue", "default", "the queues to serve, with commas between them")
	concurrency := flags.Int("concurrency", 10, "how many tasks at once")
	_ = flags.Parse(args)
	redis, err := connect(*uri)
	if err != nil {
		return err
	}
	config := asynq.Config{
		Concurrency:              *concurrency,
		Queues:                   weights(*queue),
		DelayedTaskCheckInterval: 200 * time.Millisecond,
		RetryDelayFunc:           func(int, error, *asynq.Task) time.Duration { return 300 * time.Millisecond },
		LogLevel:                 asynq.WarnLevel,
		Logger:                   losses{},
		GroupAggregator:          asynq.GroupAggregatorFunc(joinAndLog),
		GroupMaxSize:             20,
		GroupGracePeriod:         time.Second,
		GroupMaxDelay:            2 * time.Second,
	}
	hurry(&config, 50*time.Millisecond)
	server := asynq.NewServer(redis, config)
	if err := server.Start(asynq.HandlerFunc(roll)); err != nil {
		return err
	}
	note("ready", "", "")
	untilTold()
	server.Shutdown()
	return nil
}

// What the library says of ends that it could not write is the only sign of a lost lease; the rest goes to the errors.
type losses struct{}

var unwritten = regexp.MustCompile(`^Could not (?:remove|move) task id=(\S+) `)

func (losses) log(args []any) {
	text := fmt.Sprint(args...)
	if found := unwritten.FindStringSubmatch(text); found != nil {
		note("lost", found[1], "")
	}
	fmt.Fprintln(os.Stderr, text)
}

func (l losses) Debug(args ...any) {}
func (l losses) Info(args ...any)  {}
func (l losses) Warn(args ...any)  { l.log(args) }
func (l losses) Error(args ...any) { l.log(args) }
func (l losses) Fatal(args ...any) { l.log(args); os.Exit(1) }

func note(what, id, more string) {
	line := fmt.Sprintf("%d %s %s %s\n", time.Now().UnixMilli(), what, id, more)
	if _, err := os.Stdout.WriteString(line); err != nil {
		fail(err)
	}
}

func roll(ctx context.Context, task *asynq.Task) error {
	id, _ := asynq.GetTaskID(ctx)
	queue, _ := asynq.GetQueueName(ctx)
	retried, _ := asynq.GetRetryCount(ctx)
	attempt := fmt.Sprintf("%s %d", queue, retried)
	if strings.HasPrefix(task.Type(), "joined:") {
		note("start", id, attempt+" "+membersOf(task))
		note("done", id, "")
		return nil
	}
	note("start", id, attempt)
	words := strings.Fields(string(task.Payload()))
	millis, _ := strconv.Atoi(words[1])
	percent, _ := strconv.Atoi(words[2])
	time.Sleep(time.Duration(millis) * time.Millisecond)
	switch {
	case rand.Intn(100) < percent:
		note("failed", id, "")
		return errors.New("by chance")
	case words[3] == "archive":
		note("archive", id, "")
		return fmt.Errorf("as requested: %w", asynq.SkipRetry)
	case words[3] == "result":
		if _, err := task.ResultWriter().Write([]byte(id)); err != nil {
			return err
		}
	}
	note("done", id, "")
	return nil
}

var (
	started  = time.Now().UnixNano()
	joinings atomic.Int64
)

// joinAndLog gives the task its own ID, so that a run can be matched with its aggregation.
func joinAndLog(group string, tasks []*asynq.Task) *asynq.Task {
	id := fmt.Sprintf("joined-%d-%d", started, joinings.Add(1))
	joined := join(group, tasks)
	note("joined", id, membersOf(joined))
	return asynq.NewTask(joined.Type(), joined.Payload(), asynq.TaskID(id))
}

func membersOf(task *asynq.Task) string {
	var members []string
	for lines := bufio.NewScanner(strings.NewReader(string(task.Payload()))); lines.Scan(); {
		members = append(members, lines.Text())
	}
	return strings.Join(members, " ")
}
