import { readFileSync } from 'node:fs';
import { expect, expectTypeOf, test } from 'vitest';
import type * as client from '../client/src/wire.ts';
import type * as protocol from '../protocol/src/index.ts';
import { clientSafeNames, clientTypes } from './generate-client-types.ts';

test('the client’s types are what the schemas say', () => {
  const written = readFileSync(new URL('../client/src/wire.ts', import.meta.url), 'utf8');
  expect(written, 'run node tools/generate-client-types.ts').toBe(clientTypes());
});

test('the client makes names safe by the same rules as the server', () => {
  const written = readFileSync(new URL('../client/src/safe-name.ts', import.meta.url), 'utf8');
  expect(written, 'run node tools/generate-client-types.ts').toBe(clientSafeNames());
});

test('they are the same types as the protocol’s', () => {
  // Checked by the compiler.
  expectTypeOf<client.NewDrop>().toEqualTypeOf<protocol.NewDrop>();
  expectTypeOf<client.Key>().toEqualTypeOf<protocol.Key>();
  expectTypeOf<client.UploadView>().toEqualTypeOf<protocol.UploadView>();
  expectTypeOf<client.EntryDetails>().toEqualTypeOf<protocol.InboxEntryWithFiles>();
  expectTypeOf<client.ImportedContact>().toEqualTypeOf<protocol.ImportedContact>();
  expectTypeOf<client.NewRequest>().toEqualTypeOf<protocol.NewRequest>();
  expectTypeOf<client.ErrorCode>().toEqualTypeOf<protocol.ErrorCode>();
});
