import type { ComponentChildren, JSX } from 'preact';
import { oneLine } from '../../../present/texts/plain.ts';
import { Breakable } from '../../shared/components/breakable.tsx';
import { Avatar } from './avatar.tsx';

/** A person by name and address; without a name, the address is the name. */
export interface Person {
  readonly name: string | null;
  readonly email: string;
}

/** The name by which a person is listed. */
export function namePerson({ name, email }: Person): string {
  return oneLine(name ?? '') || oneLine(email);
}

/** A person with their address, because anyone can choose a name, and beside it what can be done. */
export function PersonLine({ person, children }: { person: Person; children?: ComponentChildren }): JSX.Element {
  const name = namePerson(person);
  const address = oneLine(person.email);
  return (
    <div class="person">
      <Avatar name={name} />
      <div class="person-text">
        <div class="person-about">
          <h3>
            <bdi>
              <Breakable>{name}</Breakable>
            </bdi>
          </h3>
          {name !== address && (
            <p class="quiet">
              <bdi>
                <Breakable>{address}</Breakable>
              </bdi>
            </p>
          )}
        </div>
        {children && <div class="actions">{children}</div>}
      </div>
    </div>
  );
}
