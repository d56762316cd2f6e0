import { type Static, Type } from 'typebox';
import { Parse } from 'typebox/value';
import { checkUpload, checkUploadJob } from '../domain/files/check-upload.ts';
import type { Engines } from '../domain/ports.ts';

const Payload = Type.Object({ accountId: Type.String(), fileId: Type.String() });

export const checkUploadTask = {
  name: checkUploadJob,
  parse: (payload: unknown) => Parse(Payload, payload),
  run: (engines: Engines, { accountId, fileId }: Static<typeof Payload>, signal: AbortSignal) =>
    checkUpload(engines, accountId, fileId, signal),
};
