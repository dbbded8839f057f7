// BullMQ in the comparison: a queue and a worker that execute the commands on stdin, one per line. See
// io.asynq4j.benchmarks.compare.ContenderCommandLoop for the commands.
//
//   node contender.mjs URI
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker as Thread, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { Queue, Worker } from 'bullmq';

const PAYLOAD_CHARACTERS = 200;
const STAMP_DIGITS = 19;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

// One worker per CPU, as the documentation recommends. They are threads, so that their CPU time is that of this process.
const THREADS = availableParallelism();

const uri = new URL(isMainThread ? process.argv[2] : workerData);
const connection = { host: uri.hostname, port: Number(uri.port) };

const queues = new Map();
let worker;

function say(line) {
  process.stdout.write(line + '\n');
}

async function queueOf(name) {
  if (!queues.has(name)) {
    const queue = new Queue(name, {
      connection,
      defaultJobOptions: { removeOnComplete: true, removeOnFail: 1000 },
    });
    queue.on('error', fail);
    await queue.waitUntilReady();
    queues.set(name, queue);
  }
  return queues.get(name);
}

function fail(error) {
  process.stderr.write(`contender: ${error.stack}\n`);
  process.exit(1);
}

function newData(stamp) {
  let text = String(stamp).padStart(STAMP_DIGITS, '0');
  while (text.length < PAYLOAD_CHARACTERS) {
    text += LETTERS[Math.floor(Math.random() * LETTERS.length)];
  }
  return { text };
}

function stampOf(job) {
  return BigInt(job.data.text.slice(0, STAMP_DIGITS));
}

async function start(name, concurrency, handle) {
  worker = new Worker(name, handle, { connection, concurrency });
  worker.on('error', fail);
  await worker.waitUntilReady();
}

async function stop() {
  await worker.close();
}

// The other threads wait for messages.
const others = isMainThread
  ? Array.from({ length: THREADS - 1 }, () => new Thread(new URL(import.meta.url), { workerData: process.argv[2] }))
  : [];
others.forEach((thread) => thread.on('error', fail).unref());

function tellOthers(order) {
  return Promise.all(
    others.map((thread) => {
      const answered = new Promise((resolve) => thread.once('message', resolve));
      thread.postMessage(order);
      return answered;
    }),
  );
}

// One worker is faster for few concurrent tasks, and for very many.
const LEAST_SHARED = 20;
const MOST_SHARED = 500;
let shared = false;

async function serve(name, concurrency) {
  shared = concurrency >= LEAST_SHARED && concurrency <= MOST_SHARED;
  await Promise.all([
    start(name, shared ? Math.ceil(concurrency / THREADS) : concurrency, async () => {}),
    ...(shared ? [tellOthers({ name, concurrency: Math.floor(concurrency / THREADS) })] : []),
  ]);
}

async function stopServing() {
  await Promise.all([stop(), ...(shared ? [tellOthers({})] : [])]);
  shared = false;
}

async function addAll(queue, data, size) {
  for (let from = 0; from < data.length; from += size) {
    await queue.addBulk(data.slice(from, from + size).map((one) => ({ name: 'task', data: one })));
  }
}

async function took(work) {
  const start = process.hrtime.bigint();
  await work();
  say(`took ${process.hrtime.bigint() - start}`);
}

async function enqueue(name, producers, tasks) {
  const queue = await queueOf(name);
  const each = Math.floor(tasks / producers);
  const produce = async () => {
    for (let i = 0; i < each; i++) {
      await queue.add('task', newData(0));
    }
  };
  await took(() => Promise.all(Array.from({ length: producers }, produce)));
}

async function pickUp(name, samples, limitMillis, warmUpMillis) {
  const queue = await queueOf(name);
  let started;
  await start(name, 10, async (job) => started(process.hrtime.bigint() - stampOf(job)));
  const once = async () => {
    const start = new Promise((resolve) => (started = resolve));
    await queue.add('task', newData(process.hrtime.bigint()));
    return start;
  };
  for (const end = Date.now() + warmUpMillis; Date.now() < end; ) {
    await once();
  }
  const times = [];
  for (const end = Date.now() + limitMillis; times.length < samples && Date.now() < end; ) {
    await sleep(20 + Math.floor(Math.random() * 1000));
    times.push(await once());
  }
  await stop();
  say(`times ${times.join(',')}`);
}

async function due(name, tasks, leadMillis, spanMillis) {
  const queue = await queueOf(name);
  const times = [];
  let done;
  const all = new Promise((resolve) => (done = resolve));
  await start(name, 100, async (job) => {
    times.push((performance.timeOrigin + performance.now() - Number(stampOf(job))) * 1e6);
    if (times.length === tasks) {
      done();
    }
  });
  const first = Date.now() + leadMillis;
  for (let i = 0; i < tasks; i++) {
    const at = first + Math.floor(Math.random() * spanMillis);
    await queue.add('task', newData(at), { delay: Math.max(0, at - Date.now()) });
  }
  await all;
  await stop();
  say(`times ${times.map(Math.round).join(',')}`);
}

const orders = {
  fill: async (name, tasks) => {
    await addAll(await queueOf(name), Array.from({ length: Number(tasks) }, () => newData(0)), 1000);
    say('filled');
  },
  serve: async (name, concurrency) => {
    await serve(name, Number(concurrency));
    say('serving');
  },
  hold: async (name, concurrency) => {
    await start(name, Number(concurrency), async () => {
      say('S');
      await sleep(3_600_000);
    });
    say('serving');
  },
  stop: async () => {
    await stopServing();
    say('stopped');
  },
  enqueue: (name, producers, tasks) => enqueue(name, Number(producers), Number(tasks)),
  batch: async (name, tasks, size) => {
    const queue = await queueOf(name);
    const data = Array.from({ length: Number(tasks) }, () => newData(0));
    await took(() => addAll(queue, data, Number(size)));
  },
  pickup: (name, ...numbers) => pickUp(name, ...numbers.map(Number)),
  due: (name, ...numbers) => due(name, ...numbers.slice(0, 3).map(Number)),
};

if (!isMainThread) {
  parentPort.on('message', async ({ name, concurrency }) => {
    await (name ? start(name, concurrency, async () => {}) : stop());
    parentPort.postMessage('done');
  });
  // Until the process ends.
  await new Promise(() => {});
}

const { version } = JSON.parse(readFileSync(new URL('node_modules/bullmq/package.json', import.meta.url)));
say(
  `ready BullMQ ${version} on Node ${process.version}; at concurrency 100 ${THREADS} workers that share it, one for ` +
    'each processor, otherwise one, which is faster; removeOnComplete, addBulk for many, ioredis; everything else as it is by default',
);
for await (const line of createInterface({ input: process.stdin })) {
  const [order, ...words] = line.trim().split(' ');
  await orders[order](...words).catch(fail);
}
process.exit(0);
