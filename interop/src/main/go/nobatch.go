//go:build !asynqmaster

package main

import (
	"errors"

	"github.com/hibiken/asynq"
)

func enqueueTogether(*asynq.Client, []newTask) error {
	return errors.New("no released asynq enqueues tasks together")
}
