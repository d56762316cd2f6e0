import { readFileSync } from 'node:fs';
import { type Authorities, parseAuthorities } from '@waybill/evidence';
import type { SettingType } from './setting.ts';

/** A file of certificates in PEM. */
export const certificatesFile: SettingType<Authorities | undefined> = {
  name: 'path',
  parse(path) {
    if (path === '') return undefined;
    try {
      return parseAuthorities(readFileSync(path, 'utf8'));
    } catch (error) {
      throw new Error(`names a file that cannot be used: ${(error as Error).message}.`, { cause: error });
    }
  },
};
