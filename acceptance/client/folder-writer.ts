/**
 * A process that writes files into a watched folder in all the ways in which programs do, and prints a line for each
 * content that it has completed. Its instructions come as JSON on the command line.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { closeSync, ftruncateSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { seeded } from '../lib/seeded.ts';

export interface WriterOrders {
  folder: string;
  writer: number;
  files: number;
  seed: number;
  /** Files with longer pauses than this are reported as late. */
  maxGapMs: number;
  marker: boolean;
}

/** A content, which was complete under its name. */
export interface WrittenContent {
  name: string;
  sha256: string;
  /** Whether it was removed or replaced, perhaps before it could be sent. */
  mayBeMissing: boolean;
  /** Whether the process was halted for so long that the file looked complete before it was. */
  isLate: boolean;
}

const largeBytes = 9 * 1024 * 1024;
const smallBytes = 60_000;
const maxPauseMs = 120;
const maxPieces = 6;
/** The time before a complete file is replaced or removed: some are sent before, and some are not. */
const maxStayMs = 2_500;

class Writer {
  readonly #orders: WriterOrders;
  readonly #random: () => number;

  constructor(orders: WriterOrders) {
    this.#orders = orders;
    this.#random = seeded(orders.seed + orders.writer);
  }

  async run(): Promise<void> {
    const { files, writer } = this.#orders;
    const ways = this.#orders.marker
      ? [this.#announce]
      : [
          this.#writeSlowly,
          this.#writeSlowly,
          this.#rename,
          this.#rename,
          this.#replace,
          this.#truncate,
          this.#overwrite,
          this.#remove,
        ];
    for (let file = 0; file < files; file += 1) {
      const way = ways[Math.floor(this.#random() * ways.length)] ?? this.#rename;
      // Names are used again, as programs do that write the same report every day.
      const name = file % 5 === 4 ? `report-${writer}.csv` : `file-${writer}-${file}.bin`;
      await way.call(this, name);
      await pause(this.#random() * maxPauseMs);
    }
  }

  #content(): Buffer {
    const size = this.#random() < 0.005 ? largeBytes : Math.floor(this.#random() * smallBytes);
    return Buffer.concat([Buffer.from(`${randomUUID()}\n`), randomBytes(size)]);
  }

  #path(name: string): string {
    return join(this.#orders.folder, name);
  }

  /** Writes with pauses, and returns whether one of them was too long. */
  async #writePieces(path: string, content: Buffer): Promise<boolean> {
    const handle = openSync(path, 'w');
    const isLate = await this.#writeTo(handle, content);
    closeSync(handle);
    return isLate;
  }

  async #writeTo(handle: number, content: Buffer): Promise<boolean> {
    let [longest, last] = [0, performance.now()];
    const pieces = 1 + Math.floor(this.#random() * maxPieces);
    const length = Math.ceil(content.length / pieces);
    for (let offset = 0; offset < content.length; offset += length) {
      if (offset > 0) await pause(this.#random() * maxPauseMs);
      writeSync(handle, content, offset, Math.min(length, content.length - offset), offset);
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }
    return longest > this.#orders.maxGapMs;
  }

  #report(name: string, content: Buffer, mayBeMissing: boolean, isLate = false): void {
    const sha256 = createHash('sha256').update(content).digest('hex');
    const written: WrittenContent = { name, sha256, mayBeMissing, isLate };
    writeSync(process.stdout.fd, `${JSON.stringify(written)}\n`);
  }

  /** Under a name of its own: another writer, or a later file, could not be told from a half one. */
  async #writeSlowly(name: string): Promise<void> {
    const own = `slow-${randomUUID()}-${name}`;
    const content = this.#content();
    this.#report(own, content, false, await this.#writePieces(this.#path(own), content));
  }

  async #rename(name: string): Promise<void> {
    const own = `${randomUUID()}-${name}`;
    const content = this.#content();
    await this.#writePieces(this.#path(`${own}.part`), content);
    renameSync(this.#path(`${own}.part`), this.#path(own));
    this.#report(own, content, false);
  }

  /** The same name every time: an earlier file that has not been sent yet is replaced. */
  async #replace(name: string): Promise<void> {
    const own = `replaced-${this.#orders.writer}-${randomUUID()}-${name}`;
    for (const isLast of [false, true]) {
      const content = this.#content();
      await this.#writePieces(this.#path(`.${own}`), content);
      renameSync(this.#path(`.${own}`), this.#path(own));
      this.#report(own, content, !isLast);
      if (!isLast) await pause(this.#random() * maxStayMs);
    }
  }

  /** Writes over a complete file in place, which may be on its way to the server meanwhile. */
  async #truncate(name: string): Promise<void> {
    const own = `truncated-${randomUUID()}-${name}`;
    const first = this.#content();
    writeFileSync(this.#path(own), first);
    this.#report(own, first, true);
    await pause(this.#random() * maxStayMs);
    const second = this.#content();
    this.#report(own, second, false, await this.#writePieces(this.#path(own), second));
  }

  /** Does so through a handle, which still leads to the file when it has been claimed: it may be sent, but not half. */
  async #overwrite(name: string): Promise<void> {
    const own = `overwritten-${randomUUID()}-${name}`;
    const handle = openSync(this.#path(own), 'w');
    const first = this.#content();
    writeSync(handle, first);
    this.#report(own, first, true);
    await pause(this.#random() * maxStayMs);
    ftruncateSync(handle);
    const second = this.#content();
    this.#report(own, second, true, await this.#writeTo(handle, second));
    closeSync(handle);
  }

  async #remove(name: string): Promise<void> {
    const own = `removed-${randomUUID()}-${name}`;
    const content = this.#content();
    writeFileSync(this.#path(own), content);
    this.#report(own, content, true);
    await pause(this.#random() * maxStayMs);
    rmSync(this.#path(own), { force: true });
  }

  /** Writes slowly under the final name, with pauses of any length, and announces the complete file. */
  async #announce(name: string): Promise<void> {
    const own = `${randomUUID()}-${name}`;
    const content = this.#content();
    await this.#writePieces(this.#path(own), content);
    writeFileSync(this.#path(`${own}.ready`), '');
    this.#report(own, content, false);
  }
}

if (import.meta.main) await new Writer(JSON.parse(process.argv[2] ?? '') as WriterOrders).run();
