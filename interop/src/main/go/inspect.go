package main

import (
	"flag"
	"fmt"
	"strconv"
	"time"

	"github.com/hibiken/asynq"
)

// taskInfo is what the inspector knows of a task. Times are Unix seconds, durations seconds; 0 = none.
type taskInfo struct {
	ID            string            `json:"id"`
	Queue         string            `json:"queue"`
	Type          string            `json:"type"`
	Payload       []byte            `json:"payload"`
	Headers       map[string]string `json:"headers"`
	State         string            `json:"state"`
	MaxRetry      int               `json:"maxRetry"`
	Retried       int               `json:"retried"`
	LastError     string            `json:"lastError"`
	LastFailedAt  int64             `json:"lastFailedAt"`
	Timeout       int64             `json:"timeout"`
	Deadline      int64             `json:"deadline"`
	Group         string            `json:"group"`
	NextProcessAt int64             `json:"nextProcessAt"`
	Orphaned      bool              `json:"orphaned"`
	Retention     int64             `json:"retention"`
	CompletedAt   int64             `json:"completedAt"`
	Result        []byte            `json:"result"`
}

func inspect(args []string) error {
	flags := flag.NewFlagSet("inspect", flag.ExitOnError)
	uri := flags.String("redis", "", "URI of the Redis")
	_ = flags.Parse(args)
	redis, err := connect(*uri)
	if err != nil {
		return err
	}
	inspector := asynq.NewInspector(redis)
	defer inspector.Close()

	switch verb, rest := flags.Arg(0), flags.Arg; verb {
	case "queues":
		return printResult(inspector.Queues())
	case "queue":
		return printResult(inspector.GetQueueInfo(rest(1)))
	case "history":
		return printResult(inspector.History(rest(1), 90))
	case "groups":
		return printResult(inspector.Groups(rest(1)))
	case "task":
		info, err := inspector.GetTaskInfo(rest(1), rest(2))
		if err != nil {
			return err
		}
		say(describe(info))
		return nil
	case "list":
		return list(inspector, rest(1), rest(2), rest(3), rest(4), rest(5))
	case "servers":
		return printResult(inspector.Servers())
	case "schedulers":
		return printEntries(inspector)
	case "events":
		return printResult(inspector.ListSchedulerEnqueueEvents(rest(1)))
	case "slot":
		return printResult(inspector.ClusterKeySlot(rest(1)))
	case "nodes":
		return printResult(inspector.ClusterNodes(rest(1)))
	case "pause":
		return inspector.PauseQueue(rest(1))
	case "unpause":
		return inspector.UnpauseQueue(rest(1))
	case "remove":
		return inspector.DeleteQueue(rest(1), rest(2) == "force")
	case "cancel":
		return inspector.CancelProcessing(rest(1))
	case "run":
		return inspector.RunTask(rest(1), rest(2))
	case "archive":
		return inspector.ArchiveTask(rest(1), rest(2))
	case "delete":
		return inspector.DeleteTask(rest(1), rest(2))
	case "update":
		return updatePayload(inspector, rest(1), rest(2), []byte(rest(3)))
	case "run-all", "archive-all", "delete-all":
		return doToAll(inspector, verb, rest(1), rest(2), rest(3))
	default:
		return fmt.Errorf("unknown verb %q", verb)
	}
}

// doToAll prints the number of tasks of a state that were changed.
func doToAll(inspector *asynq.Inspector, verb, queue, state, group string) error {
	inGroup := func(action func(queue, group string) (int, error)) func(string) (int, error) {
		return func(queue string) (int, error) { return action(queue, group) }
	}
	actions := map[string]func(string) (int, error){
		"run-all scheduled":       inspector.RunAllScheduledTasks,
		"run-all retry":           inspector.RunAllRetryTasks,
		"run-all archived":        inspector.RunAllArchivedTasks,
		"run-all aggregating":     inGroup(inspector.RunAllAggregatingTasks),
		"archive-all pending":     inspector.ArchiveAllPendingTasks,
		"archive-all scheduled":   inspector.ArchiveAllScheduledTasks,
		"archive-all retry":       inspector.ArchiveAllRetryTasks,
		"archive-all aggregating": inGroup(inspector.ArchiveAllAggregatingTasks),
		"delete-all pending":      inspector.DeleteAllPendingTasks,
		"delete-all scheduled":    inspector.DeleteAllScheduledTasks,
		"delete-all retry":        inspector.DeleteAllRetryTasks,
		"delete-all archived":     inspector.DeleteAllArchivedTasks,
		"delete-all completed":    inspector.DeleteAllCompletedTasks,
		"delete-all aggregating":  inGroup(inspector.DeleteAllAggregatingTasks),
	}
	action, ok := actions[verb+" "+state]
	if !ok {
		return fmt.Errorf("asynq cannot %s %s tasks", verb, state)
	}
	return printResult(action(queue))
}

func printResult[T any](answer T, err error) error {
	if err == nil {
		say(answer)
	}
	return err
}

// list prints the tasks of a page; without a size and a number, the first thousand.
func list(inspector *asynq.Inspector, queue, state, group, size, number string) error {
	page := []asynq.ListOption{asynq.PageSize(orElse(size, 1000)), asynq.Page(orElse(number, 1))}
	var infos []*asynq.TaskInfo
	var err error
	switch state {
	case "pending":
		infos, err = inspector.ListPendingTasks(queue, page...)
	case "active":
		infos, err = inspector.ListActiveTasks(queue, page...)
	case "scheduled":
		infos, err = inspector.ListScheduledTasks(queue, page...)
	case "retry":
		infos, err = inspector.ListRetryTasks(queue, page...)
	case "archived":
		infos, err = inspector.ListArchivedTasks(queue, page...)
	case "completed":
		infos, err = inspector.ListCompletedTasks(queue, page...)
	case "aggregating":
		infos, err = inspector.ListAggregatingTasks(queue, group, page...)
	default:
		err = fmt.Errorf("unknown state %q", state)
	}
	if err != nil {
		return err
	}
	for _, info := range infos {
		say(describe(info))
	}
	return nil
}

func orElse(text string, otherwise int) int {
	if number, err := strconv.Atoi(text); err == nil {
		return number
	}
	return otherwise
}

// printEntries omits what cannot be written as JSON: options are functions of asynq, printed as text.
func printEntries(inspector *asynq.Inspector) error {
	entries, err := inspector.SchedulerEntries()
	if err != nil {
		return err
	}
	for _, entry := range entries {
		options := []string{}
		for _, option := range entry.Opts {
			options = append(options, option.String())
		}
		say(map[string]any{
			"id": entry.ID, "spec": entry.Spec, "type": entry.Task.Type(), "payload": entry.Task.Payload(),
			"options": options, "next": unix(entry.Next), "previous": unix(entry.Prev),
		})
	}
	return nil
}

func describe(info *asynq.TaskInfo) taskInfo {
	return taskInfo{
		ID: info.ID, Queue: info.Queue, Type: info.Type, Payload: info.Payload, Headers: headersOfInfo(info),
		State: info.State.String(), MaxRetry: info.MaxRetry, Retried: info.Retried, LastError: info.LastErr,
		LastFailedAt: unix(info.LastFailedAt), Timeout: seconds(info.Timeout), Deadline: unix(info.Deadline),
		Group: info.Group, NextProcessAt: unix(info.NextProcessAt), Orphaned: info.IsOrphaned,
		Retention: seconds(info.Retention), CompletedAt: unix(info.CompletedAt), Result: info.Result,
	}
}

func unix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

func seconds(d time.Duration) int64 {
	return int64(d / time.Second)
}
