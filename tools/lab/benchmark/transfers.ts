import { execFile } from 'node:child_process';
import { createCipheriv, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { peakMemoryMiB } from '../../../acceptance/sizes/process-memory.ts';
import { type SignedIn, seconds, signIn } from './client.ts';
import { readCpuSeconds, startProgram } from './processes.ts';
import type { Release } from './release.ts';
import type { Rates, Result } from './report.ts';

const run = promisify(execFile);
const mebibyte = 1024 ** 2;
/** The files of all rounds together have to fit into the demo's store, which frees overwritten data only hours later. */
const largeMiB = 512;
/** Files to scan, within the scanner's limit for one; of the small ones several in a row. */
const scannedSizes = [
  { mebibytes: 20, files: 4 },
  { mebibytes: 1, files: 40 },
] as const;

interface Options {
  readonly folder: string;
  readonly rounds: number;
  readonly progress: (what: string) => void;
}

/** Contenders take turns, so that other load on the machine affects all of them equally. */
export async function measureTransfers(
  releases: readonly Release[],
  { folder, rounds, progress }: Options,
): Promise<Result[]> {
  const large = join(folder, 'bytes');
  await writeRandomFile(large, largeMiB);
  const { bucket } = releases[0] as Release;
  await using pipe = await startTool('bare-pipe.ts', bucket);
  await using services = new AsyncDisposableStack();
  // The yardsticks do not scan.
  const unscanned = await Promise.all(releases.map((release) => open(release, services, { WAYBILL_SCAN: 'off' })));
  const scanning = await Promise.all(releases.map((release) => open(release, services, { WAYBILL_SCAN: 'required' })));

  const uploads: Contenders = {
    'bare pipe': { run: () => seconds('-T', large, `${pipe.line}/bytes`), pid: pipe.pid },
    'sealing pipe': { run: () => seconds('-T', large, `${pipe.line}/sealed/bytes`), pid: pipe.pid },
    'SDK, parts of 8 MiB': { run: () => sdk('parts', large, bucket) },
    'SDK, one stream': { run: () => sdk('put', large, bucket) },
    ...byName(unscanned, ({ sender }) => upload(sender, large)),
    ...byName(unscanned, ({ sender }) => uploadByTus(sender, large), ', tus'),
  };
  const uploadCosts = await measureInTurn(uploads, { rounds, unit: largeMiB, progress, what: 'upload' });
  for (const { sender, receiver, receiverName } of unscanned) {
    await sender.post('contacts_add.cgi', [{ email: receiverName }]);
    await sender.post('receivers_set.cgi', [{ email: receiverName }]);
    await sender.get('get_files.cgi');
    await sender.post('createdrop.cgi', {});
    await receiver.get('get_history.cgi');
  }
  const urls = new Map<string, string>();
  for (const { name, receiver, baseUrl, receiverName } of unscanned) {
    const { inbox } = JSON.parse(await receiver.get('get_history.cgi')) as { inbox: { url: string }[] };
    urls.set(name, `${baseUrl}/${receiverName}/${inbox[0]?.url}/files/bytes`);
  }
  const downloads: Contenders = {
    'bare pipe': { run: () => seconds(`${pipe.line}/bytes`), pid: pipe.pid },
    'SDK, one stream': { run: () => sdk('get', large, bucket) },
    ...byName(unscanned, ({ name, receiver }) => receiver.seconds(urls.get(name) as string)),
  };
  const downloadCosts = await measureInTurn(downloads, { rounds, unit: largeMiB, progress, what: 'download' });
  const unit = 'MiB/s';
  const scannedUploads: Result[] = [];
  for (const { mebibytes, files } of scannedSizes) {
    const path = join(folder, `scanned-${mebibytes}`);
    await writeRandomFile(path, mebibytes);
    const scans: Contenders = {
      'clamd alone': { run: () => sumTimes(files, () => clamd(path)) },
      ...byName(unscanned, ({ sender }) => sumTimes(files, () => upload(sender, path)), ', not scanned'),
      ...byName(scanning, ({ sender }) => sumTimes(files, () => upload(sender, path))),
    };
    const what = `scanned upload of ${mebibytes} MiB`;
    const costs = await measureInTurn(scans, { rounds, unit: mebibytes * files, progress, what });
    scannedUploads.push({ name: what, unit, ...costs });
  }
  return [
    { name: `upload of ${largeMiB} MiB`, unit, ...uploadCosts, memoryMiB: memory(unscanned) },
    { name: `download of ${largeMiB} MiB`, unit, ...downloadCosts },
    ...scannedUploads,
  ];
}

interface Service {
  readonly name: Release['name'];
  readonly pid: number;
  readonly baseUrl: string;
  readonly sender: SignedIn;
  readonly receiver: SignedIn;
  readonly receiverName: string;
}

async function open(release: Release, stack: AsyncDisposableStack, settings: Record<string, string>): Promise<Service> {
  const serve = stack.use(await release.serve(settings));
  const [sender, receiver] = release.accounts;
  return {
    name: release.name,
    pid: serve.pid,
    baseUrl: serve.baseUrl,
    sender: await signIn(serve.baseUrl, sender),
    receiver: await signIn(serve.baseUrl, receiver),
    receiverName: receiver.user,
  };
}

function upload(sender: SignedIn, file: string): Promise<number> {
  return sender.seconds('-F', 'do=upload', '-F', `file=@${file}`, sender.cgi('upload.cgi'));
}

/** Does it so many times, one after the other, and adds up how long each took. */
async function sumTimes(times: number, transfer: () => Promise<number>): Promise<number> {
  let sum = 0;
  for (let count = 0; count < times; count += 1) sum += await transfer();
  return sum;
}

/** Creates an upload and sends all of it in one request. */
async function uploadByTus(sender: SignedIn, file: string): Promise<number> {
  const tus = ['-H', 'Tus-Resumable: 1.0.0'];
  const name = `Upload-Metadata: filename ${Buffer.from('bytes').toString('base64')}`;
  const send = await sender.createUpload(...tus, '-H', `Upload-Length: ${statSync(file).size}`, '-H', name);
  const part = ['-H', 'Upload-Offset: 0', '-H', 'Content-Type: application/offset+octet-stream'];
  return send(...tus, ...part, '-X', 'PATCH', '-T', file);
}

interface Contender {
  /** Does the transfer once and returns how long it took, in seconds. */
  readonly run: () => Promise<number>;
  /** The process whose CPU time is measured. */
  readonly pid?: number;
}

type Contenders = Readonly<Record<string, Contender>>;

async function measureInTurn(
  contenders: Contenders,
  { rounds, unit, progress, what }: { rounds: number; unit: number; progress: Options['progress']; what: string },
): Promise<{ readonly rates: Rates; readonly cpu: Rates }> {
  const rates: Record<string, number[]> = {};
  const cpu: Record<string, number[]> = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, { run: transfer, pid }] of Object.entries(contenders)) {
      const before = pid === undefined ? 0 : readCpuSeconds(pid);
      const rate = unit / (await transfer());
      (rates[name] ??= []).push(rate);
      if (pid !== undefined) (cpu[name] ??= []).push((readCpuSeconds(pid) - before) / (unit / 1024));
      progress(`${what}, round ${round + 1} of ${rounds}, ${name}: ${rate.toFixed(0)} MiB/s`);
    }
  }
  return { rates, cpu };
}

function byName(
  services: readonly Service[],
  measure: (service: Service) => Promise<number>,
  suffix = '',
): Record<string, Contender> {
  return Object.fromEntries(
    services.map((service) => [`${service.name}${suffix}`, { run: () => measure(service), pid: service.pid }]),
  );
}

function memory(services: readonly Service[]): Record<string, number> {
  return Object.fromEntries(services.map(({ name, pid }) => [name, peakMemoryMiB(pid)]));
}

async function startTool(name: string, ...args: string[]) {
  return await startProgram(process.execPath, [join(import.meta.dirname, name), ...args], { sign: 'http' });
}

async function sdk(operation: string, file: string, bucket: string): Promise<number> {
  const args = [join(import.meta.dirname, 'sdk-transfer.ts'), operation, file, bucket];
  return Number((await run(process.execPath, args)).stdout);
}

async function clamd(file: string): Promise<number> {
  return Number((await run(process.execPath, [join(import.meta.dirname, 'clamd-scan.ts'), file])).stdout);
}

/** Incompressible bytes, generated without keeping them in memory. */
async function writeRandomFile(path: string, mebibytes: number): Promise<void> {
  const stream = createWriteStream(path);
  const noise = createCipheriv('aes-128-ctr', randomBytes(16), randomBytes(16));
  const zeros = Buffer.alloc(mebibyte);
  for (let written = 0; written < mebibytes; written += 1) {
    if (!stream.write(noise.update(zeros))) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'close');
}
