import { readFile } from 'node:fs/promises';
import { demo } from '../servers/running-demo.ts';
import { eventually } from '../wait.ts';

/** The SMS that the carrier behind the gateway has received for a number so far. */
export async function textsTo(number: string): Promise<string[]> {
  const log = await readFile(demo().sms_log, 'utf8');
  return [...log.matchAll(new RegExp(`Got message \\d+: <\\S+ ${number} \\S+ (.*)>$`, 'gm'))].map(
    ([, text = '']) => text,
  );
}

/** The code in the nth text (or mail) to a receiver. */
export async function codeIn(what: string, ask: () => Promise<string[]>, nth = 1): Promise<string> {
  const text = await eventually(what, async () => (await ask())[nth - 1]);
  const [code, ...more] = text.match(/\b\d{6}\b/g) ?? [];
  if (code === undefined || more.some((other) => other !== code)) throw new Error(`not one code in: ${text}`);
  return code;
}
