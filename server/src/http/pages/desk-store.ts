import type { Link } from '../../domain/links/link-store.ts';
import { announceFile } from '../../domain/requests/announce-file.ts';
import type { AnnouncedFile } from '../../domain/uploads/begin-upload.ts';
import { deskOwner } from '../../domain/uploads/desk.ts';
import type { UploadOwner } from '../../domain/uploads/owner.ts';
import { type RequestEnds, ResumableStore } from '../shared/resumable-store.ts';
import type { PageEngines } from './routes.tsx';

/** A contact's desk. It knows only this link. */
export class DeskStore extends ResumableStore {
  readonly #engines: PageEngines;
  readonly #link: Link;

  constructor(engines: PageEngines, link: Link, contentLength: number | undefined, ends: RequestEnds) {
    super(engines, contentLength, ends);
    this.#engines = engines;
    this.#link = link;
  }

  protected override ownerOf(): UploadOwner {
    return deskOwner(this.#link);
  }

  protected override async announce(
    file: AnnouncedFile & { readonly id: string; readonly sizeBytes: number },
  ): Promise<string> {
    await announceFile(this.#engines, this.#link, file);
    return file.id;
  }
}
