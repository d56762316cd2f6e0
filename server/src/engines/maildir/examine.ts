import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '../../domain/doctor/finding.ts';
import { fault, ok, reason } from '../../domain/doctor/finding.ts';

/** `work` lists and removes mails in `new`, and moves others to `cur`. */
export async function* examineMaildir(folder: string): AsyncGenerator<Finding> {
  try {
    for (const name of ['new', 'cur']) {
      await access(join(folder, name), constants.R_OK | constants.W_OK | constants.X_OK);
    }
    yield ok('bounces.maildir', `Returned mails can be read from ${folder} and removed.`);
  } catch (error) {
    yield fault(
      'bounces.maildir',
      `Returned mails cannot be read: ${reason(error)}.`,
      `Give Waybill’s user read and write access to ${folder}/new and ${folder}/cur, units of systemd with ReadWritePaths (docs/mail.md), or correct WAYBILL_BOUNCE_MAILDIR.`,
    );
  }
}
