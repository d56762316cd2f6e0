import type {
  CheckedFileRequest,
  CreatedFileRequest,
  FileRequest,
  FileRequestDetails,
  NewFileRequest,
} from '../generated/wire.ts';
import type { Caller } from '../http/api-client.ts';
import { type AddressedOptions, addressedTo } from './delivery-options.ts';
import { SentCollection } from './sent-collection.ts';

/** Whom to ask for files, and until when. */
export interface RequestOptions extends AddressedOptions {
  /** Each may send files any number of times until the end, not only once. */
  reusable?: boolean | undefined;
}

interface RequestShapes {
  wish: NewFileRequest;
  created: CreatedFileRequest;
  checked: CheckedFileRequest;
  listed: FileRequest;
  details: FileRequestDetails;
}

/** Whom the account has asked for files. `Waybill.request` asks in one call. */
export class Requests extends SentCollection<RequestShapes> {
  /** @internal */
  constructor(caller: Caller) {
    super(caller, 'requests');
  }
}

export async function request(requests: Requests, options: RequestOptions): Promise<CreatedFileRequest> {
  const { reusable, idempotencyKey, signal } = options;
  const wish = { ...addressedTo(options), ...(reusable === undefined ? {} : { reusable }) };
  return await requests.create(wish, { idempotencyKey, signal });
}
