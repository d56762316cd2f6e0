import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Engines } from '../../domain/engines.ts';
import type { Link } from '../../domain/links/link-store.ts';
import { announceFile } from '../../domain/requests/announce-file.ts';
import { contactDraftOwner } from '../../domain/uploads/contact-draft.ts';
import type { UploadOwner } from '../../domain/uploads/owner.ts';
import { type NewUpload, type RequestEnds, ResumableUploads, type ResumeNeeds } from './resumable-uploads.ts';
import type { Transfers } from './transfers.ts';
import { handleTus, readContentLength, whenGone } from './tus.ts';

export type ContactUploadNeeds = ResumeNeeds & Pick<Engines, 'policy' | 'dayKeys'>;

/** A request of a contact about uploads, and the requests that it joins. */
interface ContactRequest {
  readonly link: Link;
  readonly transfers: Transfers;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The path at which uploads are created. */
  readonly path: string;
}

/** Responds by the tus protocol for the uploads into the contact draft of a link, until the link ends. */
export async function handleContactTus(
  engines: ContactUploadNeeds,
  { link, transfers, request, reply, path }: ContactRequest,
): Promise<FastifyReply> {
  return transfers.runSupervised(
    reply,
    async (revoked) => {
      const from = { contentLength: readContentLength(request), address: request.peer };
      return handleTus(request, reply, {
        path,
        uploads: new ContactUploads(engines, link, from, { gone: whenGone(reply), revoked }),
        maxFileBytes: engines.policy.maxFileBytes,
        random: engines.random,
      });
    },
    link,
  );
}

/** The resumable uploads into the contact draft of one link. */
export class ContactUploads extends ResumableUploads {
  readonly #engines: ContactUploadNeeds;
  readonly #link: Link;
  readonly #address: string;

  constructor(
    engines: ContactUploadNeeds,
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
