//go:build asynq024

package main

import (
	"errors"
	"time"

	"github.com/hibiken/asynq"
)

// What asynq 0.24, on which asynqmon is built, has instead, or has not.

func makeTask(kind string, payload []byte, headers map[string]string) (*asynq.Task, error) {
	if len(headers) > 0 {
		return nil, errors.New("asynq 0.24 knows no headers")
	}
	return asynq.NewTask(kind, payload), nil
}

func headersOf(*asynq.Task) map[string]string {
	return nil
}

func headersOfInfo(*asynq.TaskInfo) map[string]string {
	return nil
}

func hurry(*asynq.Config, time.Duration) {
	// It looks once a second, and every 8 seconds for completed tasks to delete.
}

func schedulerOptions() *asynq.SchedulerOpts {
	return &asynq.SchedulerOpts{LogLevel: asynq.WarnLevel}
}

func updatePayload(*asynq.Inspector, string, string, []byte) error {
	return errors.New("asynq 0.24 cannot update payloads")
}

func revoke() error {
	return errors.New("asynq 0.24 cannot revoke tasks")
}
