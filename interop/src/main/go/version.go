package main

import (
	"errors"
	"runtime/debug"
)

// version prints which asynq this program was built with.
func version([]string) error {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "github.com/hibiken/asynq" {
			say(module.Version)
			return nil
		}
	}
	return errors.New("this was built without asynq")
}
