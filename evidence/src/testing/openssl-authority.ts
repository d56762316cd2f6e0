import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireKind } from '../../../tools/test/require-kind.ts';

requireKind('engines');

export interface AuthorityOptions {
  readonly name?: string;
  /** As `openssl genpkey` names the algorithm and its options. */
  readonly key?: readonly string[];
  /** The extensions of the certificate that signs, as in a configuration of OpenSSL. */
  readonly extensions?: string;
  readonly digest?: string;
  /** By which the token names its certificate. */
  readonly certificateDigest?: string;
  /** The constraints of the authority between the root and the one that signs. Absent: there is none. */
  readonly intermediate?: string;
}

const ecKey = ['EC', '-pkeyopt', 'ec_paramgen_curve:P-256'];
const authorityExtensions = 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n';
export const stampExtensions = 'keyUsage=critical,digitalSignature\nextendedKeyUsage=critical,timeStamping\n';

/** A time-stamping authority: `openssl ts` with certificates of its own. Remove it in the end. */
export function createAuthority({
  name = 'Time Authority',
  key = ecKey,
  extensions = stampExtensions,
  digest = 'sha256',
  certificateDigest = 'sha256',
  intermediate,
}: AuthorityOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-authority-'));
  const at = (file: string) => join(folder, file);
  const openssl = (...parameters: string[]) => execFileSync('openssl', parameters, { cwd: folder, stdio: 'pipe' });
  const createKey = (file: string, [algorithm = '', ...options]: readonly string[]) =>
    openssl('genpkey', '-algorithm', algorithm, ...options, '-out', `${file}.key`);
  const issue = (file: string, subject: string, issuer: string, text: string, validDays: number) => {
    writeFileSync(at(`${file}.ext`), text);
    openssl('req', '-new', '-key', `${file}.key`, '-subj', subject, '-out', `${file}.csr`);
    const by = issuer === file ? ['-signkey', `${file}.key`] : ['-CA', `${issuer}.pem`, '-CAkey', `${issuer}.key`];
    const serial = issuer === file ? [] : ['-CAcreateserial'];
    const use = ['-in', `${file}.csr`, '-extfile', `${file}.ext`, '-days', String(validDays), '-out', `${file}.pem`];
    openssl('x509', '-req', ...use, ...by, ...serial);
  };

  createKey('root', ecKey);
  issue('root', `/O=${name}/CN=Root of ${name}`, 'root', authorityExtensions, 3_650);
  if (intermediate !== undefined) {
    createKey('between', ecKey);
    issue('between', `/O=${name}/CN=Between`, 'root', intermediate, 3_650);
  }
  createKey('signer', key);
  issue('signer', `/O=${name}/CN=Clock of ${name}`, intermediate === undefined ? 'root' : 'between', extensions, 365);
  const chain = ['root', ...(intermediate === undefined ? [] : ['between'])].map((file) =>
    readFileSync(at(`${file}.pem`), 'utf8'),
  );
  writeFileSync(at('chain.pem'), chain.join(''));
  writeFileSync(at('serial'), '01\n');
  writeFileSync(
    at('ts.cnf'),
    `[tsa]
default_tsa = config
[config]
serial = ${at('serial')}
signer_cert = ${at('signer.pem')}
certs = ${at('chain.pem')}
signer_key = ${at('signer.key')}
signer_digest = ${digest}
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ess_cert_id_alg = ${certificateDigest}
`,
  );
  return {
    certificate: readFileSync(at('root.pem'), 'utf8'),
    signerCertificate: readFileSync(at('signer.pem'), 'utf8'),
    signerName: `Clock of ${name}, ${name}`,
    /** Returns the response to a request. */
    respond(request: Uint8Array): Buffer {
      writeFileSync(at('request.tsq'), request);
      openssl('ts', '-reply', '-config', 'ts.cnf', '-queryfile', 'request.tsq', '-out', 'response.tsr');
      return readFileSync(at('response.tsr'));
    },
    /** Signs what a token says, whatever the certificate is for: `openssl ts` refuses to. */
    sign(content: Uint8Array): Buffer {
      writeFileSync(at('content.der'), content);
      const type = ['-econtent_type', '1.2.840.113549.1.9.16.1.4', '-cades', '-binary', '-nodetach', '-outform', 'DER'];
      const by = ['-signer', 'signer.pem', '-inkey', 'signer.key', '-certfile', 'chain.pem', '-md', 'sha256'];
      openssl('cms', '-sign', '-in', 'content.der', ...type, ...by, '-out', 'signed.tst');
      return readFileSync(at('signed.tst'));
    },
    /** Lets OpenSSL verify a token. */
    accepts(text: string, token: Uint8Array): boolean {
      writeFileSync(at('text.txt'), text);
      writeFileSync(at('token.tst'), token);
      try {
        openssl('ts', '-verify', '-data', 'text.txt', '-in', 'token.tst', '-token_in', '-CAfile', 'root.pem');
        return true;
      } catch {
        return false;
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
