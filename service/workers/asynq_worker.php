<?php
/**
 * Worker for the asynq4j task service. One file without dependencies; copy it into your project.
 *
 *     require 'asynq_worker.php';
 *
 *     $worker = new AsynqWorker('http://localhost:8080', 'asq_...');
 *     $worker->task('thumbnail', function (AsynqTask $task) {
 *         $task->progress(50, 'half of it');   // also extends the lease
 *         return ['size' => 42];               // the result; if the handler throws, the task fails and is retried
 *     });
 *     $worker->run();                          // until SIGTERM or SIGINT; the active task is finished first
 *
 * With the pcntl extension, an alarm extends the lease while a task runs. Without it, a handler that takes
 * longer than the lease must call extend() or progress() periodically. If the process dies, its lease expires and another
 * worker receives the task. The protocol is described in docs/reference/lease-protocol.md.
 */

/** Thrown by a handler to run the task again after this many seconds without counting a failure. */
class AsynqSnooze extends Exception
{
    public int $seconds;

    public function __construct(int $seconds)
    {
        parent::__construct('snoozed');
        $this->seconds = $seconds;
    }
}

/** Thrown by a handler to fail the task permanently, without further retries. */
class AsynqGiveUp extends Exception
{
}

/** The task service rejected a request. */
class AsynqRefused extends Exception
{
}

/** One attempt of a task. */
class AsynqTask
{
    public string $id;
    public string $name;
    /** @var mixed JSON objects are associative arrays */
    public $params;
    public int $attempt;
    public ?string $deadline;
    /** Set when the lease is lost. Stop then, because another worker may run the task. */
    public bool $lost = false;
    /** Set when cancellation of the task is requested. Throw any exception to stop; the service applies the requested outcome. */
    public bool $cancelled = false;

    private AsynqWorker $worker;
    private string $token;

    public function __construct(AsynqWorker $worker, array $fields)
    {
        $this->worker = $worker;
        $this->token = $fields['token'];
        $this->id = $fields['id'];
        $this->name = $fields['name'];
        $this->params = $fields['params'];
        $this->attempt = $fields['attempt'];
        $this->deadline = $fields['deadline'] ?? null;
    }

    public function progress(int $percent, string $note = ''): void
    {
        $this->send('progress', ['percent' => $percent, 'note' => $note]);
        $this->extend();
    }

    /** Returns false if the lease is lost. */
    public function extend(): bool
    {
        return $this->send('extend', ['lease' => $this->worker->lease . 's']);
    }

    /** Returns false if the lease is lost. Retries while the service is unavailable; settling is idempotent. */
    public function send(string $verb, array $fields): bool
    {
        $fields['token'] = $this->token;
        $until = microtime(true) + 2 * $this->worker->lease;
        $pause = 0.2;
        while (true) {
            [$status, $answer] = $this->worker->post('/v1/' . $verb, $fields);
            if ($status === 200) {
                $this->cancelled = $this->cancelled || json_decode($answer, true)['state'] === 'cancelled';
                return true;
            }
            if ($status === 409) {
                $this->lost = true;
                return false;
            }
            if ($status >= 400 && $status < 500 && $status !== 429) {
                throw new AsynqRefused("request $verb rejected by the task service: $answer");
            }
            if (microtime(true) > $until) {
                return false;
            }
            usleep((int) ($pause * 1e6));
            $pause = min($pause * 2, 5);
        }
    }
}

/** Leases tasks of the registered names and runs their handlers one at a time. */
class AsynqWorker
{
    public int $lease;

    private string $url;
    private ?string $key;
    private int $wait;
    /** @var array<string, callable> */
    private array $handlers = [];
    private bool $stopped = false;
    private ?AsynqTask $running = null;

    public function __construct(string $url, ?string $key = null, int $lease = 30, int $wait = 20)
    {
        $this->url = rtrim($url, '/');
        $this->key = $key;
        $this->lease = $lease;
        $this->wait = $wait;
    }

    public function task(string $name, callable $handler): void
    {
        $this->handlers[$name] = $handler;
    }

    public function stop(): void
    {
        $this->stopped = true;
    }

    /** Processes tasks until stop(), SIGTERM or SIGINT. */
    public function run(): void
    {
        $signals = function_exists('pcntl_async_signals');
        if ($signals) {
            pcntl_async_signals(true);
            pcntl_signal(SIGTERM, fn () => $this->stop());
            pcntl_signal(SIGINT, fn () => $this->stop());
            pcntl_signal(SIGALRM, fn () => $this->alarm());
        }
        while (!$this->stopped) {
            foreach ($this->ask() as $fields) {
                $this->running = new AsynqTask($this, $fields);
                if ($signals) {
                    pcntl_alarm(max(1, intdiv($this->lease, 3)));
                }
                try {
                    $this->handle($this->running);
                } finally {
                    if ($signals) {
                        pcntl_alarm(0);
                    }
                    $this->running = null;
                }
            }
        }
    }

    private function alarm(): void
    {
        if ($this->running !== null) {
            $this->running->extend();
            pcntl_alarm(max(1, intdiv($this->lease, 3)));
        }
    }

    private function ask(): array
    {
        [$status, $answer] = $this->post('/v1/lease', [
            'names' => array_keys($this->handlers),
            'max' => 1,
            'wait' => $this->wait . 's',
            'lease' => $this->lease . 's',
        ], $this->wait + 15);
        if ($status === 200) {
            return json_decode($answer, true)['tasks'];
        }
        if ($status >= 400 && $status < 500 && $status !== 429) {
            throw new AsynqRefused("lease request rejected by the task service: $answer");
        }
        usleep(random_int(500000, 1500000));
        return [];
    }

    private function handle(AsynqTask $task): void
    {
        try {
            $result = ($this->handlers[$task->name])($task);
            $task->send('complete', $result === null ? [] : ['result' => $result]);
        } catch (AsynqSnooze $snooze) {
            $task->send('snooze', ['in' => max(1, $snooze->seconds) . 's']);
        } catch (AsynqGiveUp $error) {
            $task->send('fail', ['error' => $error->getMessage() ?: 'given up', 'retry' => false]);
        } catch (AsynqRefused $error) {
            // The lease expires, and the task is retried.
            fwrite(STDERR, $error->getMessage() . "\n");
        } catch (Throwable $error) {
            $text = get_class($error) . ': ' . $error->getMessage();
            $task->send('fail', ['error' => substr($text, 0, 1500)]);
        }
    }

    /** Returns the status (0 if there was no response) and the body. */
    public function post(string $path, array $body, int $timeout = 30): array
    {
        $headers = "Content-Type: application/json\r\nConnection: close\r\n";
        if ($this->key !== null) {
            $headers .= "Authorization: Bearer {$this->key}\r\n";
        }
        $context = stream_context_create(['http' => [
            'method' => 'POST',
            'header' => $headers,
            'content' => json_encode($body, JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE),
            'timeout' => $timeout,
            'ignore_errors' => true,
            'follow_location' => 0,
        ]]);
        $http_response_header = [];
        $answer = @file_get_contents($this->url . $path, false, $context);
        $status = 0;
        if ($answer !== false && isset($http_response_header[0])) {
            $status = (int) explode(' ', $http_response_header[0])[1];
        }
        return [$status, $answer === false ? '' : $answer];
    }
}
