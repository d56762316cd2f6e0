import type { Caller } from './caller.ts';
import { SentCollection } from './sent-collection.ts';
import type { CheckedDrop, CreatedDrop, Drop, DropDetails, NewDrop } from './wire.ts';

interface DropShapes {
  wish: NewDrop;
  created: CreatedDrop;
  checked: CheckedDrop;
  listed: Drop;
  details: DropDetails;
}

/** What the account has sent. `Waybill.send` uploads files and makes a drop of them in one call. */
export class Drops extends SentCollection<DropShapes> {
  /** @internal */
  constructor(caller: Caller) {
    super(caller, 'drops');
  }
}
