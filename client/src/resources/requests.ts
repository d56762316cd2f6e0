import type {
  CheckedFileRequest,
  CreatedFileRequest,
  FileRequest,
  FileRequestDetails,
  NewFileRequest,
  NewWantedFile,
} from '../generated/wire.ts';
import type { ApiClient } from '../http/api-client.ts';
import { type DeliveryOptions, toDeliveryFields } from './delivery-options.ts';
import { SentCollection } from './sent-collection.ts';

/** The contacts to ask for files, and the lifetime of the request. */
export interface RequestOptions extends DeliveryOptions {
  /** Each receiver may send files any number of times until the deadline, not only once. */
  reusable?: boolean | undefined;
  /** The files that are wanted, each by a name, or with a note for the contacts. */
  wantedFiles?: readonly (string | NewWantedFile)[] | undefined;
}

/** Turns the options that only a request has into fields of its input. */
export function toAskedFields({
  reusable,
  wantedFiles,
}: Pick<RequestOptions, 'reusable' | 'wantedFiles'>): Partial<NewFileRequest> {
  return {
    ...(reusable === undefined ? {} : { reusable }),
    ...(wantedFiles === undefined
      ? {}
      : {
          wanted_files: wantedFiles.map((file) => (typeof file === 'string' ? { name: file } : file)),
        }),
  };
}

interface RequestShapes {
  input: NewFileRequest;
  created: CreatedFileRequest;
  checked: CheckedFileRequest;
  listed: FileRequest;
  details: FileRequestDetails;
}

/** The requests for files of the account. `Waybill.request` has simpler options. */
export class Requests extends SentCollection<RequestShapes> {
  /** @internal */
  constructor(api: ApiClient) {
    super(api, 'requests');
  }
}

export async function requestFiles(requests: Requests, options: RequestOptions): Promise<CreatedFileRequest> {
  const { idempotencyKey, signal } = options;
  const input = { ...toDeliveryFields(options), ...toAskedFields(options) };
  return await requests.create(input, { idempotencyKey, signal });
}
