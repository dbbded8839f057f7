package main

import (
	"encoding/json"
	"flag"
	"io"
	"os"

	"github.com/hibiken/asynq"
)

// entry is a line on stdin: when, and what.
type entry struct {
	Spec string  `json:"spec"`
	Task newTask `json:"task"`
}

func schedule(args []string) error {
	flags := flag.NewFlagSet("schedule", flag.ExitOnError)
	uri := flags.String("redis", "", "URI of the Redis")
	_ = flags.Parse(args)
	redis, err := connect(*uri)
	if err != nil {
		return err
	}
	scheduler := asynq.NewScheduler(redis, schedulerOptions())
	for lines := json.NewDecoder(os.Stdin); ; {
		var line entry
		if err := lines.Decode(&line); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		id, err := scheduler.Register(line.Spec, asynq.NewTask(line.Task.Type, line.Task.Payload), line.Task.options()...)
		if err != nil {
			return err
		}
		say(event{Event: "registered", ID: id})
	}
	if err := scheduler.Start(); err != nil {
		return err
	}
	say(event{Event: "ready"})
	untilTold()
	scheduler.Shutdown()
	return nil
}
