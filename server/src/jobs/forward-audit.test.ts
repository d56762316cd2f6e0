// A real rsyslog and an HTTPS server that are killed, stand still and refuse, and a sender that is killed: each gets
// every audit entry, and the first copy of each in order. `npm run lab -- audit-forward` runs it at full size.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { useTestExchange } from '../../test/exchange.ts';
import { startRsyslog } from '../../test/servers/own-rsyslog.ts';
import { makeCertificate } from '../../test/transports.ts';
import { systemAuthor } from '../domain/audit/author.ts';

const isFullSize = process.env['WAYBILL_AUDIT_STORM'] === '1';
const size = isFullSize
  ? { entries: 60_000, perSecond: 400, kills: 30, senderKills: 20, deadlineMs: 600_000 }
  : { entries: 1_000, perSecond: 500, kills: 1, senderKills: 1, deadlineMs: 60_000 };
const writers = 8;

const exchange = await useTestExchange();
const certificate = makeCertificate();
const { database } = exchange;
const { store } = exchange.engines;

/** Writes entries in transactions that commit in any order, some of which are rolled back. */
async function writeEntries(): Promise<void> {
  const accountId = randomUUID();
  const write = async () => {
    for (let written = 0; written < size.entries / writers; ) {
      const count = randomInt(1, 6);
      const fails = randomInt(20) === 0;
      await store
        .transaction(async (tx) => {
          for (let entry = 0; entry < count; entry += 1) {
            const details = { dropId: randomUUID(), note: 'é"]\n\\'.repeat(randomInt(1, 30)) };
            const author = systemAuthor('server', '2001:db8::1');
            await tx.audit.append(accountId, { id: randomUUID(), author, action: 'drop.extended', details });
          }
          if (fails) throw new Error('rolled back');
        })
        .catch((error: Error) => {
          if (error.message !== 'rolled back') throw error;
        });
      if (!fails) written += count;
      await pause((count * 1000 * writers) / size.perSecond);
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
}

/** Responds 200 to most requests, and otherwise refuses, breaks the connection or takes long. */
function startCollector() {
  const lines: string[] = [];
  const counts = { taken: 0, refused: 0, broken: 0 };
  let port = 0;
  const open = async () => {
    const server = createServer(certificate, (request, response) => {
      const pieces: Buffer[] = [];
      request.on('error', () => undefined);
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const fate = randomInt(12);
        if (fate === 0) {
          counts.refused += 1;
          response.writeHead(randomInt(2) === 0 ? 500 : 429, { 'retry-after': '1' }).end('busy');
          return;
        }
        lines.push(...Buffer.concat(pieces).toString().split('\n').slice(0, -1));
        // The sender learns nothing, and must send them again.
        if (fate === 1) {
          counts.broken += 1;
          request.socket.destroy();
          return;
        }
        counts.taken += 1;
        setTimeout(() => response.writeHead(200).end('{}'), fate === 2 ? 300 : 0);
      });
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
    return server;
  };
  let server: Awaited<ReturnType<typeof open>>;
  const stop = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return {
    lines,
    counts,
    start: async () => {
      server = await open();
      return port;
    },
    stop,
  };
}

/** Starts a sender in a process of its own, which remembers nothing. */
function startSender(settings: object) {
  const program = fileURLToPath(new URL('../../test/forward-audit-process.ts', import.meta.url));
  let child: ChildProcess;
  let peakKilobytes = 0;
  const start = () => {
    child = spawn(process.execPath, [program, database.url, JSON.stringify(settings)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  };
  const kill = async () => {
    if (child.exitCode !== null) throw new Error('the sender ended by itself; its last words are on standard error');
    const [, peak = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
    peakKilobytes = Math.max(peakKilobytes, Number(peak));
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    // As if the lease had ended, instead of waiting for it.
    await database.query('update audit_targets set lease_until = now()');
  };
  start();
  return { start, kill, peakKilobytes: () => peakKilobytes };
}

async function listExpected(): Promise<string[]> {
  const ids: string[] = [];
  for (let after: Parameters<typeof store.audit.follow>[0]; ; ) {
    const entries = await store.audit.follow(after, 500);
    const last = entries.at(-1);
    if (!last) return ids;
    ids.push(...entries.map(({ id }) => id));
    after = last.position;
  }
}

const firstCopies = (ids: readonly string[]) => [...new Set(ids)];

test('nothing is lost, and the order is kept', { timeout: size.deadlineMs }, async () => {
  const rsyslog = await startRsyslog(certificate);
  const collector = startCollector();
  const port = await collector.start();
  // Both are down when the sender starts.
  await rsyslog.kill();
  await collector.stop();
  const sender = startSender({
    WAYBILL_AUDIT_SYSLOG_URL: { host: 'localhost', port: rsyslog.port },
    WAYBILL_AUDIT_HTTPS_URL: `https://localhost:${port}/ingest`,
    WAYBILL_AUDIT_HTTPS_AUTHORIZATION: 'Bearer secret',
    WAYBILL_AUDIT_CA_FILE: rsyslog.caFile,
    WAYBILL_AUDIT_CERTIFICATE_FILE: '',
    WAYBILL_AUDIT_KEY_FILE: '',
    WAYBILL_PUBLIC_URL: 'https://files.example.org',
  });
  onTestFinished(async () => {
    await sender.kill();
    await rsyslog[Symbol.asyncDispose]();
    await collector.stop();
  });
  const bothFail = async () => {
    const failing = {
      failure: expect.stringContaining('ECONNREFUSED'),
      remedy: expect.stringContaining('Start the target'),
    };
    expect(await store.auditTargets.list()).toMatchObject([failing, failing]);
  };
  await store.audit.append(randomUUID(), {
    id: randomUUID(),
    author: systemAuthor('server'),
    action: 'drop.extended',
    details: {},
  });
  await vi.waitFor(bothFail, { timeout: size.deadlineMs, interval: 100 });
  await collector.start();
  await rsyslog.restart();
  let isWritten = false;
  const begin = performance.now();
  const writing = writeEntries().finally(() => {
    isWritten = true;
  });
  const spanMs = (size.entries / size.perSecond) * 1000;
  const disturbReceivers = async () => {
    for (let round = 0; round < size.kills; round += 1) {
      await pause(randomInt(spanMs / size.kills / 2, spanMs / size.kills));
      await rsyslog.kill();
      await collector.stop();
      await pause(randomInt(200));
      await collector.start();
      await rsyslog.restart();
      rsyslog.signal('SIGSTOP');
      await pause(randomInt(300));
      rsyslog.signal('SIGCONT');
    }
  };
  const disturbSender = async () => {
    for (let round = 0; round < size.senderKills; round += 1) {
      await pause(randomInt(spanMs / size.senderKills / 2, spanMs / size.senderKills));
      await sender.kill();
      sender.start();
    }
  };
  await Promise.all([writing, disturbReceivers(), disturbSender()]);
  expect(isWritten).toBe(true);
  const isDone = async () => {
    const states = await store.auditTargets.list();
    expect(states.map(({ name, oldestWaitingAt }) => ({ name, oldestWaitingAt }))).toEqual([
      { name: 'https', oldestWaitingAt: null },
      { name: 'syslog', oldestWaitingAt: null },
    ]);
  };
  await vi.waitFor(isDone, { timeout: size.deadlineMs, interval: 200 });
  // Not before: a transaction of another database that stays open delays what can be read.
  const expected = await listExpected();
  const seconds = (performance.now() - begin) / 1000;

  const bySyslog = rsyslog.readLines().flatMap((line) => {
    // An entry that a kill cut off is followed by the next one on the same line.
    const json = line.slice(line.lastIndexOf('{"id":'));
    return json.endsWith('}') ? [(JSON.parse(json) as { id: string }).id] : [];
  });
  const byHttps = collector.lines.map((line) => (JSON.parse(line) as { metadata: { uid: string } }).metadata.uid);
  expect(expected.length).toBeGreaterThanOrEqual(size.entries);
  expect(firstCopies(byHttps)).toEqual(expected);
  expect(firstCopies(bySyslog)).toEqual(expected);
  if (isFullSize) {
    const copies = { syslog: bySyslog.length - expected.length, https: byHttps.length - expected.length };
    const figures = {
      entries: expected.length,
      seconds,
      copies,
      responses: collector.counts,
      senderPeakKilobytes: sender.peakKilobytes(),
    };
    process.stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`);
  }
});
