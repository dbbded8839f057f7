package main

import (
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"time"

	"github.com/hibiken/asynq"
)

// newTask is a line on stdin. Times are in milliseconds; 0 leaves an option out.
type newTask struct {
	Type      string            `json:"type"`
	Payload   []byte            `json:"payload"`
	Headers   map[string]string `json:"headers"`
	ID        string            `json:"id"`
	Queue     string            `json:"queue"`
	Group     string            `json:"group"`
	MaxRetry  *int              `json:"maxRetry"`
	Timeout   int64             `json:"timeout"`
	Deadline  int64             `json:"deadline"`
	Unique    int64             `json:"unique"`
	ProcessIn int64             `json:"processIn"`
	ProcessAt int64             `json:"processAt"`
	Retention int64             `json:"retention"`
}

// enqueued is the answer to a line.
type enqueued struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

func enqueue(args []string) error {
	flags := flag.NewFlagSet("enqueue", flag.ExitOnError)
	uri := flags.String("redis", "", "URI of the Redis")
	batch := flags.Bool("batch", false, "whether all are enqueued together")
	_ = flags.Parse(args)
	redis, err := connect(*uri)
	if err != nil {
		return err
	}
	client := asynq.NewClient(redis)
	defer client.Close()

	var tasks []newTask
	for lines := json.NewDecoder(os.Stdin); ; {
		var task newTask
		if err := lines.Decode(&task); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		tasks = append(tasks, task)
	}
	if *batch {
		return enqueueTogether(client, tasks)
	}
	for _, task := range tasks {
		if err := enqueueOne(client, task); err != nil {
			return err
		}
	}
	return nil
}

func enqueueOne(client *asynq.Client, task newTask) error {
	made, err := makeTask(task.Type, task.Payload, task.Headers)
	if err != nil {
		return err
	}
	info, err := client.Enqueue(made, task.options()...)
	answer := enqueued{ID: task.ID}
	switch {
	case err == nil:
		answer.ID, answer.Status = info.ID, "enqueued"
	case errors.Is(err, asynq.ErrDuplicateTask):
		answer.Status = "duplicate"
	case errors.Is(err, asynq.ErrTaskIDConflict):
		answer.Status = "conflict"
	default:
		return err
	}
	say(answer)
	return nil
}

func (t newTask) options() []asynq.Option {
	var options []asynq.Option
	add := func(wanted bool, option asynq.Option) {
		if wanted {
			options = append(options, option)
		}
	}
	add(t.ID != "", asynq.TaskID(t.ID))
	add(t.Queue != "", asynq.Queue(t.Queue))
	add(t.Group != "", asynq.Group(t.Group))
	add(t.Timeout != 0, asynq.Timeout(millis(t.Timeout)))
	add(t.Deadline != 0, asynq.Deadline(time.UnixMilli(t.Deadline)))
	add(t.Unique != 0, asynq.Unique(millis(t.Unique)))
	add(t.ProcessIn != 0, asynq.ProcessIn(millis(t.ProcessIn)))
	add(t.ProcessAt != 0, asynq.ProcessAt(time.UnixMilli(t.ProcessAt)))
	add(t.Retention != 0, asynq.Retention(millis(t.Retention)))
	if t.MaxRetry != nil {
		add(true, asynq.MaxRetry(*t.MaxRetry))
	}
	return options
}

func millis(n int64) time.Duration {
	return time.Duration(n) * time.Millisecond
}
