import { announceFile } from '../../domain/grants/announce-file.ts';
import { deskOwner } from '../../domain/grants/desk.ts';
import type { Link } from '../../domain/ports/index.ts';
import type { AnnouncedFile } from '../../domain/uploads/begin-upload.ts';
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
