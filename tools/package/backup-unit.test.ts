// The unit that makes backups can write to its places only if they exist when it starts.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../deploy/${path}`, import.meta.url), 'utf8');

test('the package creates the places to which the unit for backups writes', () => {
  const unit = read('systemd/waybill-backup.service');
  const [, command = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? [];
  const [, writable = ''] = /^ReadWritePaths=(.*)$/m.exec(unit) ?? [];
  const places = [...command.matchAll(/--(?:to|day-keys) (\S+)/g)].map(([, path]) => path);
  expect(places).toHaveLength(2);
  expect(writable.split(' ')).toEqual(places.map((path) => `-${path}`));
  const created = [...read('tmpfiles.d/waybill.conf').matchAll(/^d (\S+) (.*)$/gm)].map(([, path, rest]) => [
    path,
    rest,
  ]);
  for (const path of places) expect(created).toContainEqual([path, ':0700 :waybill :waybill -']);
});
