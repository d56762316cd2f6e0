import { safeLocalName } from '@waybill/protocol';
import { create as contentDisposition } from 'content-disposition';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Engines } from '../../domain/engines.ts';
import type { SealedFile } from '../../domain/files/file-store.ts';
import { type ByteRange, readSealed } from '../../domain/files/read-sealed.ts';
import type { Delivery } from '../../domain/links/link-store.ts';
import { replyWithBody } from './reply-with-body.ts';
import type { ZipLayout } from './zip-layout.ts';
import { ZipLayouts } from './zip-layouts.ts';

/** Room for the layouts of 29 drops with 960 files. */
const layouts = new ZipLayouts({ count: 1_000, bytes: 32 * 1024 ** 2 });

/** The files of a drop, and the sender and time for the name of their ZIP. */
interface ZippedDrop {
  readonly dropId: string;
  readonly sender: string;
  /** The reference that people use for the drop, for the name. */
  readonly reference?: string | undefined;
  readonly createdAt: Date;
  /** The path of the folder whose files these are, if they are not those of the drop. */
  readonly folder?: string | undefined;
  readonly files: readonly SealedFile[];
}

/**
 * Replies with all files as one ZIP, which can be resumed. `onSent` gets the bytes of each file that were sent, even if the
 * transfer failed.
 */
export async function replyWithZip(
  engines: Pick<Engines, 'objects' | 'dayKeys' | 'downloads'>,
  drop: ZippedDrop,
  request: FastifyRequest,
  reply: FastifyReply,
  signal: AbortSignal,
  onSent: (deliveries: readonly Delivery[]) => Promise<void>,
): Promise<FastifyReply> {
  const { files } = drop;
  const { layout, etag } = layouts.of(drop);
  const body = {
    headers: {
      'content-type': 'application/zip',
      'content-disposition': contentDisposition(zipName(drop)),
    },
    sizeBytes: layout.sizeBytes,
    etag,
    about: { dropId: drop.dropId },
    read: (range: ByteRange) => readZip(engines, layout, files, range, signal),
    async onSent(sent: ByteRange) {
      const deliveries = [...deliveriesIn(layout, files, sent)];
      if (deliveries.length > 0) await onSent(deliveries);
    },
  };
  return replyWithBody(body, request, reply, signal);
}

/**
 * Names the ZIP after its sender, day and reference, if it has one, and after its folder, if it is one:
 * `acme-example.org 2026-11-15 WB-7F3K-29QD.zip`.
 */
function zipName({ sender, createdAt, reference, folder }: ZippedDrop): string {
  const day = createdAt.toISOString().slice(0, 10);
  const name = folder?.split('/').at(-2);
  return safeLocalName(`${[sender.replace('@', '-'), day, reference, name].filter(Boolean).join(' ')}.zip`);
}

async function* readZip(
  engines: Pick<Engines, 'objects' | 'dayKeys' | 'downloads'>,
  { pieces }: ZipLayout,
  files: readonly SealedFile[],
  range: ByteRange,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, void> {
  for (const piece of pieces) {
    const part = within(piece, range);
    if (part.start >= part.end) continue;
    if ('header' in piece) {
      yield piece.header().subarray(part.start, part.end);
      continue;
    }
    yield* readSealed(engines, files[piece.entry] as SealedFile, part, signal);
  }
}

/**
 * Finds the bytes of each file in these bytes of the ZIP. An empty file is included if the range passes its position.
 */
function* deliveriesIn({ pieces }: ZipLayout, files: readonly SealedFile[], sent: ByteRange): Generator<Delivery> {
  if (sent.start === sent.end) return;
  for (const piece of pieces) {
    if ('header' in piece) continue;
    const part = within(piece, sent);
    const isEmpty = piece.start === piece.end;
    if (part.start < part.end || (isEmpty && part.start === part.end)) {
      yield { file: files[piece.entry] as SealedFile, sent: part };
    }
  }
}

/** Returns the part of a piece that lies in the range, counted from the start of the piece. */
function within(piece: ByteRange, range: ByteRange): ByteRange {
  return {
    start: Math.max(range.start, piece.start) - piece.start,
    end: Math.min(range.end, piece.end) - piece.start,
  };
}
