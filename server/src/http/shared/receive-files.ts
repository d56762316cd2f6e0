import type { Readable } from 'node:stream';
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

/** A file's part of a form. */
export type FilePart = Part & { readonly fileName: string };

/**
 * Takes the files of a form, all or none. `choose` is given every part in turn: it answers the file to take, or reads the
 * part itself. `accept` has the last word before anything becomes visible.
 */
export async function receiveFiles(
  engines: UploadNeeds,
  owner: UploadOwner,
  form: { readonly contentType: string; readonly body: Readable },
  choose: (part: Part, filesSoFar: number) => Promise<FilePart | undefined>,
  accept: (files: readonly Pick<StagedUpload, 'sizeBytes'>[]) => void = () => undefined,
): Promise<void> {
  const staged: StagedUpload[] = [];
  try {
    for await (const part of parts(form.contentType, form.body)) {
      const file = await choose(part, staged.length);
      if (!file) continue;
      const { fileName: name, mediaType, bytes } = file;
      staged.push(await stageUpload(engines, owner, { name, mediaType, bytes }));
    }
    accept(staged);
    await completeUploads(engines, owner, staged);
  } catch (error) {
    await abandonUploads(engines, staged);
    throw error;
  }
}

export function isFile(part: Part): part is FilePart {
  return part.name === 'file' && part.fileName !== undefined;
}
