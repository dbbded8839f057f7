//go:build asynqmaster

package main

import (
	"context"

	"github.com/hibiken/asynq"
)

// enqueueTogether is what no released asynq has. It says of a task whose id is taken that it was enqueued.
func enqueueTogether(client *asynq.Client, tasks []newTask) error {
	var made []*asynq.Task
	for _, task := range tasks {
		made = append(made, asynq.NewTaskWithHeaders(task.Type, task.Payload, task.Headers, task.options()...))
	}
	for _, result := range client.BatchEnqueueContext(context.Background(), made) {
		if result.Err != nil {
			return result.Err
		}
		say(enqueued{result.TaskInfo.ID, "enqueued"})
	}
	return nil
}
