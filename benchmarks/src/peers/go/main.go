// asynq for Go in the comparison: a client and a server that execute the commands on stdin, one per line. See
// io.asynq4j.benchmarks.compare.ContenderCommandLoop for the commands.
//
//	contender URI
package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hibiken/asynq"
)

const (
	taskType     = "bench:task"
	payloadBytes = 200
	stampDigits  = 19
)

type contender struct {
	redis  asynq.RedisConnOpt
	client *asynq.Client
	server *asynq.Server
}

func main() {
	if len(os.Args) != 2 {
		fail(fmt.Errorf("usage: contender URI"))
	}
	redis, err := asynq.ParseRedisURI(os.Args[1])
	if err != nil {
		fail(err)
	}
	c := &contender{redis: redis, client: asynq.NewClient(redis)}
	say("ready asynq %s on %s; defaults, one client shared by all producers", version(), runtime.Version())
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if err := c.obey(strings.Fields(lines.Text())); err != nil {
			fail(err)
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "contender:", err)
	os.Exit(1)
}

var out sync.Mutex

func say(format string, values ...any) {
	out.Lock()
	defer out.Unlock()
	fmt.Printf(format+"\n", values...)
}

func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "github.com/hibiken/asynq" {
			return module.Version
		}
	}
	return "?"
}

func (c *contender) obey(words []string) error {
	number := func(i int) int {
		n, err := strconv.Atoi(words[i])
		if err != nil {
			fail(err)
		}
		return n
	}
	switch words[0] {
	case "serve":
		if err := c.start(words[1], number(2), func(*asynq.Task) {}); err != nil {
			return err
		}
		say("serving")
	case "hold":
		err := c.start(words[1], number(2), func(*asynq.Task) {
			say("S")
			time.Sleep(time.Hour)
		})
		if err != nil {
			return err
		}
		say("serving")
	case "stop":
		c.server.Shutdown()
		say("stopped")
	case "enqueue":
		return c.enqueue(words[1], number(2), number(3))
	case "batch":
		return c.batch(words[1], number(2), number(3))
	case "pickup":
		return c.pickUp(words[1], number(2), number(3), number(4))
	case "due":
		return c.due(words[1], number(2), number(3), number(4))
	default:
		return fmt.Errorf("unknown order %q", words[0])
	}
	return nil
}

func (c *contender) start(queue string, concurrency int, handle func(*asynq.Task)) error {
	c.server = asynq.NewServer(c.redis, asynq.Config{
		Concurrency: concurrency,
		Queues:      map[string]int{queue: 1},
		LogLevel:    asynq.ErrorLevel,
	})
	return c.server.Start(asynq.HandlerFunc(func(_ context.Context, task *asynq.Task) error {
		handle(task)
		return nil
	}))
}

// newTask creates a task whose payload consists of ASCII characters and starts with a number.
func newTask(stamp int64) *asynq.Task {
	payload := make([]byte, payloadBytes)
	copy(payload, fmt.Sprintf("%0*d", stampDigits, stamp))
	for i := stampDigits; i < payloadBytes; i++ {
		payload[i] = byte('a' + rand.Intn(26))
	}
	return asynq.NewTask(taskType, payload)
}

func stampOf(task *asynq.Task) int64 {
	stamp, err := strconv.ParseInt(string(task.Payload()[:stampDigits]), 10, 64)
	if err != nil {
		fail(err)
	}
	return stamp
}

// together runs this many callers concurrently and passes each its number.
func together(callers int, call func(int) error) error {
	var all sync.WaitGroup
	errors := make(chan error, callers)
	for i := 0; i < callers; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			if err := call(i); err != nil {
				errors <- err
			}
		}()
	}
	all.Wait()
	close(errors)
	return <-errors
}

func (c *contender) enqueue(queue string, producers, tasks int) error {
	start := time.Now()
	err := together(producers, func(int) error {
		for i := 0; i < tasks/producers; i++ {
			if _, err := c.client.Enqueue(newTask(0), asynq.Queue(queue)); err != nil {
				return err
			}
		}
		return nil
	})
	say("took %d", time.Since(start))
	return err
}

// batch: asynq has no bulk call, so many goroutines share a client.
func (c *contender) batch(queue string, tasks, size int) error {
	all := make([]*asynq.Task, tasks)
	for i := range all {
		all[i] = newTask(0)
	}
	const callers = 50
	start := time.Now()
	for from := 0; from < tasks; from += size {
		chunk := all[from:min(from+size, tasks)]
		err := together(callers, func(caller int) error {
			for i := caller; i < len(chunk); i += callers {
				if _, err := c.client.Enqueue(chunk[i], asynq.Queue(queue)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	say("took %d", time.Since(start))
	return nil
}

func (c *contender) pickUp(queue string, samples, limitMillis, warmUpMillis int) error {
	epoch := time.Now()
	started := make(chan int64, 1)
	err := c.start(queue, 10, func(task *asynq.Task) {
		started <- time.Since(epoch).Nanoseconds() - stampOf(task)
	})
	if err != nil {
		return err
	}
	once := func() (int64, error) {
		_, err := c.client.Enqueue(newTask(time.Since(epoch).Nanoseconds()), asynq.Queue(queue))
		if err != nil {
			return 0, err
		}
		return <-started, nil
	}
	for end := time.Now().Add(millis(warmUpMillis)); time.Now().Before(end); {
		if _, err := once(); err != nil {
			return err
		}
	}
	var times []int64
	for end := time.Now().Add(millis(limitMillis)); len(times) < samples && time.Now().Before(end); {
		time.Sleep(millis(20 + rand.Intn(1000)))
		took, err := once()
		if err != nil {
			return err
		}
		times = append(times, took)
	}
	c.server.Shutdown()
	tell(times)
	return nil
}

func (c *contender) due(queue string, tasks, leadMillis, spanMillis int) error {
	var mutex sync.Mutex
	var times []int64
	done := make(chan struct{})
	err := c.start(queue, 100, func(task *asynq.Task) {
		late := time.Since(time.UnixMilli(stampOf(task))).Nanoseconds()
		mutex.Lock()
		defer mutex.Unlock()
		if times = append(times, late); len(times) == tasks {
			close(done)
		}
	})
	if err != nil {
		return err
	}
	first := time.Now().Add(millis(leadMillis))
	for i := 0; i < tasks; i++ {
		due := first.Add(millis(rand.Intn(spanMillis)))
		if _, err := c.client.Enqueue(newTask(due.UnixMilli()), asynq.Queue(queue), asynq.ProcessAt(due)); err != nil {
			return err
		}
	}
	<-done
	c.server.Shutdown()
	tell(times)
	return nil
}

func tell(times []int64) {
	text := make([]string, len(times))
	for i, time := range times {
		text[i] = strconv.FormatInt(time, 10)
	}
	say("times %s", strings.Join(text, ","))
}

func millis(n int) time.Duration {
	return time.Duration(n) * time.Millisecond
}
