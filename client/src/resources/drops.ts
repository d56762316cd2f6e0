import type { CheckedDrop, CreatedDrop, Drop, DropDetails, NewDrop } from '../generated/wire.ts';
import type { ApiClient } from '../http/api-client.ts';
import { SentCollection } from './sent-collection.ts';

interface DropShapes {
  input: NewDrop;
  created: CreatedDrop;
  checked: CheckedDrop;
  listed: Drop;
  details: DropDetails;
}

/** The drops of the account. `Waybill.send` uploads files and creates a drop in one call. */
export class Drops extends SentCollection<DropShapes> {
  /** @internal */
  constructor(api: ApiClient) {
    super(api, 'drops');
  }
}
