import type { FastifyRequest } from 'fastify';
import type { UploadOwner } from '../../domain/uploads/owner.ts';
import {
  abandonUploads,
  completeUploads,
  type StagedUpload,
  type StageNeeds,
  stageUpload,
} from '../../domain/uploads/stage-upload.ts';
import type { Part } from './multipart.ts';

export type UploadNeeds = StageNeeds;

export interface Form {
  readonly parts: AsyncIterable<Part>;
  /** Limits how many uploads begin, or end, at the same time. */
  readonly request: Pick<FastifyRequest, 'headers' | 'transferLanes'>;
  /** Aborted when the sender may send no more. */
  readonly revoked?: AbortSignal;
}

/** A file's part of a form. */
export type FilePart = Part & { readonly fileName: string };

/**
 * Receives the files of a form, all or none. `choose` gets each part in turn: it returns the file to store, or reads
 * the part itself. The policy must be the account's. `accept` can still reject everything before anything becomes
 * visible.
 */
export async function receiveFiles(
  engines: UploadNeeds,
  owner: UploadOwner,
  form: Form,
  choose: (part: Part, filesSoFar: number) => Promise<FilePart | undefined>,
  accept: (files: readonly Pick<StagedUpload, 'writer' | 'sizeBytes'>[]) => void = () => undefined,
): Promise<void> {
  const staged: StagedUpload[] = [];
  // The first file reserves space for the whole request, so that of many requests some fit and the others are refused
  // at once, instead of all of them failing half-way.
  const length = form.request.headers['content-length'];
  const declared = length === undefined || !owner.reservesAhead ? undefined : Number(length);
  const { transferLanes } = form.request;
  try {
    for await (const part of form.parts) {
      const file = await choose(part, staged.length);
      if (!file) continue;
      const { fileName: name, path, mediaType, bytes } = file;
      const reservedBytes = staged.length === 0 ? declared : declared && 0;
      const upload = await transferLanes.beginning.run(({ release }) =>
        stageUpload(engines, owner, {
          name,
          path,
          mediaType,
          bytes: notifyOnStart(bytes, () => release('succeeded')),
          reservedBytes,
          revoked: form.revoked,
        }),
      );
      staged.push(upload);
    }
    form.revoked?.throwIfAborted();
    accept(staged);
    await transferLanes.ending.run(() => completeUploads(engines, owner, staged));
  } catch (error) {
    await abandonUploads(engines, staged);
    throw error;
  }
}

/** Calls `onStart` when the first byte is requested: by then everything is ready to receive it. */
export async function* notifyOnStart(
  bytes: AsyncIterable<Buffer>,
  onStart: () => void,
): AsyncGenerator<Buffer, void, void> {
  onStart();
  yield* bytes;
}

export function isFile(part: Part): part is FilePart {
  return part.name === 'file' && part.fileName !== undefined;
}
