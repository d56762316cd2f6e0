// Faults of all kinds, one after another, under load. Afterwards a separate checker looks for violated guarantees. `npm
// run storm` does the same for longer.
import { randomInt } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { check } from '../checker/checker.ts';
import { judgeConduct } from '../checker/conduct.ts';
import { judgeReceipts } from '../checker/judge-receipts.ts';
import { Lane, nothingSeen, type Seen, sail } from '../checker/lane.ts';
import { LogObserver } from '../checker/log-observer.ts';
import { seeded } from '../lib/seeded.ts';
import { stopwatch } from '../lib/stopwatch.ts';
import { eventually } from '../lib/wait.ts';
import { FaultyWorld } from './faulty-world.ts';
import { chooseFaults, type FaultKind, faultKinds } from './storm-faults.ts';

/** Every kind occurs. */
const faults = Number(process.env['WAYBILL_STORM_FAULTS'] ?? faultKinds.length);
const seed = Number(process.env['WAYBILL_STORM_SEED'] ?? randomInt(2 ** 31));
const laneCount = 3;
const recoversWithinMs = 10_000;
const memoryMiB = 512;

interface Tally extends Seen {
  times: number;
  slowestRecoveryMs: number;
}

test(`${faults} faults under load, seed ${seed}`, { timeout: 240_000 + faults * 2_500 }, async () => {
  await using world = await FaultyWorld.start({ WAYBILL_UPLOAD_LEASE_SECONDS: '5' });
  const random = seeded(seed);
  const lanes = await Promise.all(
    Array.from({ length: laneCount }, () => Lane.open(world, seeded(Math.floor(random() * 2 ** 31)), 0.1)),
  );
  const tallies = new Map<string, Tally>();
  const problems: string[] = [];
  const began = performance.now();
  let doubledMails = 0;

  await using observer = await LogObserver.start(world.serveUrls);
  await using sailing = sail(lanes);

  const kinds = chooseFaults(random);
  for (let count = 1; count <= faults; count++) {
    const kind = kinds.next().value;
    const { open, broken } = world.ways.smtp;
    const recoveryMs = await strike(world, lanes, kind, random);
    // A connection carries one mail at a time.
    if (kind.mayDoubleMails) doubledMails += Math.max(1, open, world.ways.smtp.broken - broken);
    if (recoveryMs > recoversWithinMs) problems.push(`${kind.name}: ${Math.round(recoveryMs)} ms to recover`);
    note(tallies, kind, lanes, recoveryMs);
    if (count % 50 === 0 || count === faults) {
      const seconds = Math.round((performance.now() - began) / 1000);
      say(
        `storm: ${count} of ${faults} faults, ${seconds} s, ${lanes.flatMap((lane) => lane.problems).length} problems`,
      );
    }
  }
  await world.heal();
  await sailing.end();

  const journals = lanes.map(({ journal }) => journal);
  problems.push(...lanes.flatMap((lane) => lane.problems));
  problems.push(...(await check(journals, { inside: world.exchange, doubledMails, scanned: true })));
  problems.push(...(await observer.end(world.exchange.baseUrl)));
  problems.push(...(await judgeReceipts(journals, world.exchange.baseUrl, observer.policy)));
  const logCheck = await world.exchange.admin('log', 'check');
  if (logCheck.exitCode !== 0) problems.push(`log: ${logCheck.stdout}${logCheck.stderr}`);
  say(`storm: ${observer.count} checkpoints seen; ${logCheck.stdout.trim()}`);
  const secrets = new Map(
    journals.flatMap(({ sender, receiver, dispatches }) => [
      [`the key of ${sender.user}`, sender.account.apiKey] as const,
      [`the key of ${receiver.user}`, receiver.account.apiKey] as const,
      ...dispatches.map(({ message }) => [`the text "${message}"`, message] as const),
    ]),
  );
  problems.push(...(await judgeConduct(world.conducts, { memoryMiB, secrets })));
  report(tallies, lanes, problems, performance.now() - began);
  expect(problems).toEqual([]);
});

/** Injects it, and returns how long after its end a request that needs every engine succeeded. */
async function strike(world: FaultyWorld, lanes: Lane[], kind: FaultKind, random: () => number): Promise<number> {
  await kind.inject(world, random);
  const elapsed = stopwatch();
  const before = lanes.map((lane) => lane.seen.uploads);
  // An upload has gone through all of them.
  await eventually(
    `an upload after "${kind.name}"`,
    async () => lanes.some((lane, index) => lane.seen.uploads > (before[index] ?? 0)) || undefined,
    { withinMs: 60_000, everyMs: 5 },
  );
  return elapsed();
}

function note(tallies: Map<string, Tally>, kind: FaultKind, lanes: Lane[], recoveryMs: number): void {
  const tally = tallies.get(kind.name) ?? { times: 0, slowestRecoveryMs: 0, ...nothingSeen() };
  tally.times += 1;
  tally.slowestRecoveryMs = Math.max(tally.slowestRecoveryMs, recoveryMs);
  for (const lane of lanes) {
    for (const key of Object.keys(lane.seen) as (keyof Seen)[]) tally[key] += lane.seen[key];
    lane.seen = nothingSeen();
  }
  tallies.set(kind.name, tally);
}

function report(tallies: Map<string, Tally>, lanes: Lane[], problems: string[], tookMs: number): void {
  const rows = [...tallies]
    .toSorted(([left], [right]) => left.localeCompare(right))
    .map(([name, { times, done, putOff, token, broken, slowestRecoveryMs }]) =>
      [name, times, done, putOff, token, broken, `${(slowestRecoveryMs / 1000).toFixed(1)} s`].join(' | '),
    );
  const intentions = lanes.flatMap(({ journal }) => [...journal.uploads, ...journal.dispatches]);
  const total = [...tallies.values()].reduce((sum, { times }) => sum + times, 0);
  const lines = [
    '| Fault | Times | Requests completed | 503 | New token | Broken off | Slowest recovery |',
    '| --- | --: | --: | --: | --: | --: | --: |',
    ...rows.map((row) => `| ${row} |`),
    '',
    `${total} faults in ${Math.round(tookMs / 60_000)} min with seed ${seed}; ${intentions.length} uploads and dispatches, ` +
      `${lanes.reduce((sum, { downloads }) => sum + downloads, 0)} downloads; ${problems.length} violations`,
  ];
  say(lines.join('\n'));
  for (const problem of problems) say(`violation: ${problem}`);
  const file = process.env['WAYBILL_STORM_REPORT'];
  if (file) appendFileSync(file, `${lines.join('\n')}\n`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
