import type { Link } from '../../domain/links/link-store.ts';
import { announceFile } from '../../domain/requests/announce-file.ts';
import { contactDraftOwner } from '../../domain/uploads/contact-draft.ts';
import type { UploadOwner } from '../../domain/uploads/owner.ts';
import { type NewUpload, type RequestEnds, ResumableUploads } from '../shared/resumable-uploads.ts';
import type { PageEngines } from './routes.tsx';

/** The resumable uploads into the contact draft of one link. */
export class ContactUploads extends ResumableUploads {
  readonly #engines: PageEngines;
  readonly #link: Link;
  readonly #address: string;

  constructor(
    engines: PageEngines,
    link: Link,
    { contentLength, address }: { readonly contentLength?: number | undefined; readonly address: string },
    ends: RequestEnds,
  ) {
    super(engines, contentLength, ends);
    this.#engines = engines;
    this.#link = link;
    this.#address = address;
  }

  protected override findOwner(): UploadOwner {
    return contactDraftOwner(this.#link, this.#address);
  }

  protected override async announce(file: NewUpload): Promise<string> {
    await announceFile(this.#engines, this.#link, file);
    return file.id;
  }
}
