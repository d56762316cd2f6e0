import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { extname } from 'node:path';
import { parseNetwork } from '../domain/accounts/network.ts';
import type { SettingType } from './setting.ts';
import { resolveInStartDirectory } from './start-directory.ts';

export const text: SettingType<string> = { name: 'text', parse: (value) => value };

/** Empty stays empty: no file is named. */
export const filePath: SettingType<string> = {
  name: 'path',
  parse: (value) => (value === '' ? '' : resolveInStartDirectory(value)),
};

export const list: SettingType<readonly string[]> = { name: 'list', parse: splitList };

/** Undefined if the value is empty. */
export function optional<Value>({ name, parse }: SettingType<Value>): SettingType<Value | undefined> {
  return { name, parse: (value) => (value === '' ? undefined : parse(value)) };
}

/** Empty stays empty. */
export function emptyOr({ name, parse }: SettingType<string>): SettingType<string> {
  return { name, parse: (value) => (value === '' ? '' : parse(value)) };
}

export function oneOf<const Choice extends string>(...choices: readonly Choice[]): SettingType<Choice> {
  return {
    name: choices.map((choice) => `\`${choice}\``).join(', '),
    parse(value) {
      const choice = choices.find((candidate) => candidate === value);
      if (choice === undefined) throw new Error(`is one of ${choices.join(', ')}.`);
      return choice;
    },
  };
}

export function integer(min: number, max: number): SettingType<number> {
  return {
    name: `${min} to ${max}`,
    parse(value) {
      const number = Number(value);
      if (!/^\d+$/.test(value) || number < min || number > max) {
        throw new Error(`is a whole number from ${min} to ${max}.`);
      }
      return number;
    },
  };
}

export const ratio: SettingType<number> = {
  name: '0 to 1',
  parse(value) {
    const number = /^\d(?:\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
    if (!(number <= 1)) throw new Error('is a number from 0 to 1, such as 0.1.');
    return number;
  },
};

export const networks: SettingType<readonly string[]> = {
  name: 'list of networks',
  parse(value) {
    const wrong = splitList(value).find((network) => parseNetwork(network) === undefined);
    if (wrong !== undefined) throw new Error(`is a list of addresses and networks, and "${wrong}" is neither.`);
    return splitList(value);
  },
};

export const publicUrl: SettingType<string> = {
  name: 'URL',
  parse(value) {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (
      !url ||
      !/^https?:$/.test(url.protocol) ||
      url.pathname !== '/' ||
      url.search ||
      url.hash ||
      value.endsWith('/')
    ) {
      throw new Error('is an address such as https://files.example.org, without a path or a trailing slash.');
    }
    return value;
  },
};

/** The value is a secret or contains one, so error messages do not repeat it. */
export function address(...schemes: readonly string[]): SettingType<string> {
  return {
    name: 'URL',
    parse(value) {
      const parsed = URL.canParse(value) ? new URL(value) : undefined;
      const scheme = parsed?.protocol.slice(0, -1) ?? '';
      // PostgreSQL's URL may name a socket's directory instead of a host: postgres:///waybill?host=/run/postgresql.
      if (!parsed || !schemes.includes(scheme) || !(parsed.host || scheme.startsWith('postgres'))) {
        throw new Error(`is an address that starts with ${schemes.map((name) => `${name}://`).join(' or ')}.`);
      }
      return value;
    },
  };
}

export const redisAddress: SettingType<string> = {
  name: 'URL or path',
  parse: (value) => (value.startsWith('/') ? value : address('redis', 'rediss').parse(value)),
};

export const webAddress: SettingType<string> = {
  name: 'URL',
  parse(value) {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (!url || !/^https?:$/.test(url.protocol)) {
      throw new Error('is an address such as https://www.example.org/imprint.');
    }
    return url.href;
  },
};

export const hostAndPort: SettingType<{ host: string; port: number }> = {
  name: 'HOST:PORT',
  parse(value) {
    const [, bracketed, plain, port] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+)):(\d{1,5})$/i.exec(value) ?? [];
    const host = bracketed ?? plain;
    if (!host || Number(port) > 65_535 || (bracketed && isIP(bracketed) !== 6)) throw new Error('is HOST:PORT.');
    return { host, port: Number(port) };
  },
};

/** Without the brackets of an IPv6 address. */
export const syslogUrl: SettingType<{ host: string; port: number } | undefined> = {
  name: 'URL',
  parse(value) {
    if (value === '') return undefined;
    const [, host, port = '6514'] =
      /^syslog\+tls:\/\/(\[[0-9a-f:.]+\]|[^:[\]/?#@]+)(?::(\d{1,5}))?\/?$/i.exec(value) ?? [];
    if (!host) throw new Error('is syslog+tls://HOST:PORT.');
    return hostAndPort.parse(`${host}:${port}`);
  },
};

/** Error messages do not repeat it: its query may contain a secret. */
export const auditHttpsUrl: SettingType<string> = {
  name: 'URL',
  parse(value) {
    const url = URL.parse(value);
    if (value !== '' && (url?.protocol !== 'https:' || url.username || url.password || url.hash)) {
      throw new Error('is https://HOST/PATH, without a user name, a password or a fragment.');
    }
    return value;
  },
};

export const authorizationHeader: SettingType<string> = {
  name: 'text',
  parse(value) {
    if (value !== '' && !/^[!-~](?:[ -~]*[!-~])?$/.test(value))
      throw new Error('is one line of ASCII, such as Bearer TOKEN.');
    return value;
  },
};

export const transitKey: SettingType<string> = {
  name: 'URL',
  parse(value) {
    if (!/\/v1\/.+\/keys\/[\w.-]+$/.test(address('http', 'https').parse(value))) {
      throw new Error('is the address of a key, which ends with /v1/MOUNT/keys/NAME.');
    }
    return value;
  },
};

export const kmsKeys: SettingType<readonly { readonly version: number; readonly arn: string }[]> = {
  name: 'list of VERSION:ARN',
  parse(value) {
    const keys = value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
    return keys.map((item) => {
      const [, version, arn] =
        /^([1-9][0-9]{0,8}):(arn:[a-z-]+:kms:[a-z0-9-]+:[0-9]{12}:key\/[\w-]+)$/.exec(item) ?? [];
      if (!version || !arn) throw new Error('is a list of VERSION:ARN, with the ARNs of keys.');
      return { version: Number(version), arn };
    });
  },
};

export const pepper: SettingType<Buffer> = {
  name: 'base64',
  parse(value) {
    const bytes = Buffer.from(value, 'base64');
    if (bytes.length < 32) throw new Error('is at least 32 bytes in base64, such as `openssl rand -base64 32` makes.');
    return bytes;
  },
};

export const mailAddress: SettingType<string> = {
  name: 'mail address',
  parse(value) {
    if (!/^[^\s@<>()",:;\\[\]]+@[^\s@<>()",:;\\[\]]+$/.test(value)) {
      throw new Error('is one mail address such as waybill@files.example.org.');
    }
    return value;
  },
};

/** Short enough that the address with its token fits into the 64 characters allowed before an @. */
export const bounceAddress: SettingType<string> = {
  name: 'mail address',
  parse(value) {
    if (value !== '' && !/^[^+@]{1,11}@/.test(mailAddress.parse(value))) {
      throw new Error('has at most 11 characters before the @, and no +.');
    }
    return value;
  },
};

export const smsUrl: SettingType<{ address: string; username: string; password: string } | undefined> = {
  name: 'URL',
  parse(value) {
    if (value === '') return undefined;
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const credentials = [url?.username, url?.password].map((part = '') => unescapePart(part));
    // They are sent in headers, which can hold no other characters.
    const isSendable = credentials.every((part) => /^[!-~]+$/.test(part));
    if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || !isSendable) {
      throw new Error(
        'is http(s)://USER:PASSWORD@HOST:PORT/PATH, user and password in ASCII and escaped as in any URL.',
      );
    }
    const [username = '', password = ''] = credentials;
    url.username = '';
    url.password = '';
    return { address: url.href, username, password };
  },
};

export const smsSender: SettingType<string> = {
  name: 'sender',
  parse(value) {
    if (!/^(?:[a-z\d]{1,11}|\d{12,15})$/i.test(value)) {
      throw new Error('is up to 11 letters (A to Z) and digits, or up to 15 digits.');
    }
    return value;
  },
};

export const operatorName: SettingType<string> = {
  name: 'text',
  parse(value) {
    if (value.trim() !== value || value === '' || value.length > 60 || /[\p{Cc}<>"]/u.test(value)) {
      throw new Error('is a name of up to 60 characters, without quotation marks, < or >.');
    }
    return value;
  },
};

const logoTypes: Readonly<Record<string, 'svg' | 'png'>> = { '.svg': 'svg', '.png': 'png' };
const maxLogoBytes = 100_000;

export const logoFile: SettingType<{ type: 'svg' | 'png'; content: Buffer }> = {
  name: 'path',
  parse(given) {
    const path = resolveInStartDirectory(given);
    const type = logoTypes[extname(path).toLowerCase()];
    if (!type) throw new Error('is the path of a .svg or .png file.');
    const content = readFileSync(path);
    if (content.length > maxLogoBytes) {
      throw new Error(`is a file of up to ${maxLogoBytes / 1000} kB; ${path} is larger.`);
    }
    if (type === 'png' && !isPng(content)) throw new Error(`is a PNG if its name ends in .png; ${path} is not.`);
    return { type, content };
  },
};

/** Checks the signature and the first chunk, which has the size. */
function isPng(content: Buffer): boolean {
  return (
    content.length > 24 &&
    content.subarray(0, 16).equals(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')) &&
    content.readUInt32BE(16) > 0 &&
    content.readUInt32BE(20) > 0
  );
}

export const hexColor: SettingType<string> = {
  name: '#RRGGBB',
  parse(value) {
    if (!/^#[\da-f]{6}$/i.test(value)) throw new Error('is a colour such as #0b5d63.');
    return value.toLowerCase();
  },
};

export const timeZone: SettingType<string> = {
  name: 'time zone',
  parse(value) {
    // The default, without the data of all time zones, which would take a tenth of the time of a short command.
    if (value === 'UTC') return value;
    try {
      return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone;
    } catch {
      throw new Error('is the name of a time zone, such as Europe/Stockholm.');
    }
  },
};

function splitList(value: string): readonly string[] {
  return value
    .split(',')
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== '');
}

function unescapePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
