import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { UploadOwner } from '../../domain/uploads/owner.ts';
import {
  abandonUploads,
  completeUploads,
  type StagedUpload,
  type StageNeeds,
  stageUpload,
} from '../../domain/uploads/stage-upload.ts';
import { type Part, parts } from './multipart.ts';

export type UploadNeeds = StageNeeds;

export interface Form {
  readonly contentType: string;
  readonly body: Readable;
  /** Many uploads may begin, or end, at the same time. */
  readonly turns: Pick<FastifyRequest, 'endTurn' | 'takeTurn'>;
}

/** A file's part of a form. */
export type FilePart = Part & { readonly fileName: string };

/**
 * Takes the files of a form, all or none. `choose` is given every part in turn: it answers the file to take, or reads the
 * part itself. `accept` has the last word before anything becomes visible.
 */
export async function receiveFiles(
  engines: UploadNeeds,
  owner: UploadOwner,
  form: Form,
  choose: (part: Part, filesSoFar: number) => Promise<FilePart | undefined>,
  accept: (files: readonly Pick<StagedUpload, 'sizeBytes'>[]) => void = () => undefined,
): Promise<void> {
  const staged: StagedUpload[] = [];
  // From here on the client sets the pace, and nobody else waits for it.
  form.turns.endTurn();
  try {
    for await (const part of parts(form.contentType, form.body)) {
      const file = await choose(part, staged.length);
      if (!file) continue;
      const { fileName: name, mediaType, bytes } = file;
      const endTurn = await form.turns.takeTurn();
      const incoming = { name, mediaType, bytes: whenFirstAsked(bytes, endTurn) };
      staged.push(await stageUpload(engines, owner, incoming).finally(endTurn));
    }
    accept(staged);
    const endTurn = await form.turns.takeTurn();
    await completeUploads(engines, owner, staged).finally(endTurn);
  } catch (error) {
    await abandonUploads(engines, staged);
    throw error;
  }
}

/** Its first byte is asked for when everything is ready to take it. */
async function* whenFirstAsked(bytes: AsyncIterable<Buffer>, begun: () => void): AsyncGenerator<Buffer, void, void> {
  begun();
  yield* bytes;
}

export function isFile(part: Part): part is FilePart {
  return part.name === 'file' && part.fileName !== undefined;
}
