"""Worker for the asynq4j task service. One file without dependencies; copy it into your project.

    from asynq_worker import Worker, Snooze, GiveUp

    worker = Worker("http://localhost:8080", key="asq_...")

    @worker.task("thumbnail")
    def thumbnail(task):
        task.progress(50, "half of it")
        return {"size": 42}          # the result; if the handler raises, the task fails and is retried

    worker.run()                     # until SIGTERM or SIGINT; active tasks are finished first

A thread extends the leases of active tasks. If the process dies, its leases expire and other workers receive the tasks. The
protocol is described in docs/reference/lease-protocol.md.
"""

import json
import random
import signal
import threading
import time
import traceback
import urllib.error
import urllib.request


class Snooze(Exception):
    """Raised by a handler to run the task again after this many seconds without counting a failure."""

    def __init__(self, seconds):
        super().__init__("snoozed")
        self.seconds = seconds


class GiveUp(Exception):
    """Raised by a handler to fail the task permanently, without further retries."""


class Task:
    """One attempt of a task."""

    def __init__(self, worker, fields):
        self._worker = worker
        self._token = fields["token"]
        self.id = fields["id"]
        self.name = fields["name"]
        self.params = fields["params"]
        self.attempt = fields["attempt"]
        self.deadline = fields.get("deadline")
        #: Set when the lease is lost. Stop then, because another worker may run the task.
        self.lost = threading.Event()
        #: Set when cancellation of the task is requested. Raise any exception to stop; the service applies the requested outcome.
        self.cancelled = threading.Event()

    def progress(self, percent, note=""):
        self._send("progress", percent=percent, note=note)

    def _send(self, verb, **fields):
        """Returns False if the lease is lost. Retries while the service is unavailable; settling is idempotent."""
        for pause in self._worker.pauses():
            try:
                answer = self._worker.post("/v1/" + verb, dict(fields, token=self._token))
                self._update(answer["state"])
                return True
            except urllib.error.HTTPError as error:
                if error.code == 409:
                    self.lost.set()
                    return False
                if error.code < 500 and error.code != 429:
                    raise
            except OSError:
                pass
            time.sleep(pause)
        return False

    def _update(self, state):
        if state == "lost":
            self.lost.set()
        elif state == "cancelled":
            self.cancelled.set()


class Worker:
    """Leases tasks of the registered names and runs their handlers in up to `concurrency` threads."""

    def __init__(self, url, key=None, concurrency=1, lease=30, wait=20):
        self.url = url.rstrip("/")
        self.key = key
        self.concurrency = concurrency
        self.lease = lease
        self.wait = wait
        self.handlers = {}
        self._stop = threading.Event()
        self._running = {}
        self._lock = threading.Lock()
        self._free = threading.Semaphore(concurrency)

    def task(self, name):
        """Registers the decorated function as the handler of a task name."""

        def register(function):
            self.handlers[name] = function
            return function

        return register

    def stop(self, *_):
        self._stop.set()

    def run(self):
        """Processes tasks until stop(), SIGTERM or SIGINT."""
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, self.stop)
            signal.signal(signal.SIGINT, self.stop)
        threading.Thread(target=self._extend, daemon=True).start()
        while not self._stop.is_set():
            if not self._free.acquire(timeout=0.5):
                continue
            free = 1
            while free < self.concurrency and self._free.acquire(blocking=False):
                free += 1
            tasks = self._ask(free)
            for _ in range(free - len(tasks)):
                self._free.release()
            for task in tasks:
                threading.Thread(target=self._handle, args=(task,)).start()
        for _ in range(self.concurrency):
            self._free.acquire()

    def _ask(self, free):
        body = {
            "names": list(self.handlers),
            "max": free,
            # Limits how long a stop takes.
            "wait": "%ds" % self.wait,
            "lease": "%ds" % self.lease,
        }
        try:
            answer = self.post("/v1/lease", body, timeout=self.wait + 15)
            return [Task(self, fields) for fields in answer["tasks"]]
        except urllib.error.HTTPError as error:
            if error.code < 500 and error.code != 429:
                raise RuntimeError("lease request rejected by the task service: " + error.read().decode("utf-8", "replace"))
        except OSError:
            pass
        self._stop.wait(random.uniform(0.5, 1.5))
        return []

    def _handle(self, task):
        with self._lock:
            self._running[task.id, task.name] = task
        try:
            try:
                result = self.handlers[task.name](task)
                task._send("complete", result=result)
            except Snooze as snooze:
                task._send("snooze", **{"in": "%ds" % max(1, round(snooze.seconds))})
            except GiveUp as error:
                task._send("fail", error=str(error) or "given up", retry=False)
            except Exception as error:
                text = "".join(traceback.format_exception_only(type(error), error)).strip()
                task._send("fail", error=text[-1500:])
        except Exception:
            # The lease expires, and the task is retried.
            traceback.print_exc()
        finally:
            with self._lock:
                del self._running[task.id, task.name]
            self._free.release()

    def _extend(self):
        while True:
            time.sleep(self.lease / 3)
            with self._lock:
                tasks = list(self._running.values())
            if not tasks:
                continue
            try:
                items = [{"token": task._token, "lease": "%ds" % self.lease} for task in tasks]
                answer = self.post("/v1/extend", {"tasks": items})
                for task, state in zip(tasks, answer["tasks"]):
                    task._update(state["state"])
            except OSError:
                pass

    def pauses(self):
        """Yields the delays between retries in seconds, for up to twice the lease duration."""
        pause, left = 0.2, self.lease * 2.0
        while left > 0:
            yield pause
            left -= pause
            pause = min(pause * 2, 5)

    def post(self, path, body, timeout=30):
        headers = {"Content-Type": "application/json"}
        if self.key:
            headers["Authorization"] = "Bearer " + self.key
        data = json.dumps(body).encode("utf-8")
        request = urllib.request.Request(self.url + path, data, headers)
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return json.load(answer)
