//go:build !asynq024

package main

import (
	"time"

	"github.com/hibiken/asynq"
)

// What asynq 0.24 does not have.

func makeTask(kind string, payload []byte, headers map[string]string) (*asynq.Task, error) {
	return asynq.NewTaskWithHeaders(kind, payload, headers), nil
}

func headersOf(task *asynq.Task) map[string]string {
	return task.Headers()
}

func headersOfInfo(info *asynq.TaskInfo) map[string]string {
	return info.Headers
}

// hurry has a server look at empty queues, and for completed tasks to delete, more often than it would.
func hurry(config *asynq.Config, check time.Duration) {
	config.TaskCheckInterval = check
	config.JanitorInterval = 500 * time.Millisecond
}

func schedulerOptions() *asynq.SchedulerOpts {
	return &asynq.SchedulerOpts{LogLevel: asynq.WarnLevel, HeartbeatInterval: time.Second}
}

func updatePayload(inspector *asynq.Inspector, queue, id string, payload []byte) error {
	return inspector.UpdateTaskPayload(queue, id, payload)
}

func revoke() error {
	return asynq.RevokeTask
}
