import { type Static, Type } from 'typebox';
import { Parse } from 'typebox/value';
import type { Engines } from '../domain/engines.ts';
import { recoverPerson, recoverPersonJob } from '../domain/people/recover-person.ts';

const Payload = Type.Object({ email: Type.String() });

export const recoverPersonTask = {
  name: recoverPersonJob,
  parse: (payload: unknown) => Parse(Payload, payload),
  run: (engines: Engines, { email }: Static<typeof Payload>) => recoverPerson(engines, email),
};
