import { type Static, Type } from 'typebox';
import { Parse } from 'typebox/value';
import type { Engines } from '../domain/engines.ts';
import { checkUpload, checkUploadJob } from '../domain/uploads/check-upload.ts';

const Payload = Type.Object({ accountId: Type.String(), fileId: Type.String() });

export const checkUploadTask = {
  name: checkUploadJob,
  parse: (payload: unknown) => Parse(Payload, payload),
  run: (engines: Engines, { accountId, fileId }: Static<typeof Payload>, signal: AbortSignal) =>
    checkUpload(engines, accountId, fileId, signal),
};
