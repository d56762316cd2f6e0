import { randomBytes } from 'node:crypto';

export interface Part {
  /** The part's header lines, without their line ends. */
  headers: (string | Buffer)[];
  content: Buffer | string;
}

export interface FileToUpload {
  name: string;
  content: Buffer | string;
  type?: string;
}

export interface MultipartBody {
  contentType: string;
  body: Buffer;
}

export function field(name: string, value: string): Part {
  return { headers: [`Content-Disposition: form-data; name="${name}"`], content: value };
}

export function filePart(file: FileToUpload, fieldName = 'file'): Part {
  return {
    headers: [
      `Content-Disposition: form-data; name="${fieldName}"; filename="${file.name}"`,
      `Content-Type: ${file.type ?? 'application/octet-stream'}`,
    ],
    content: file.content,
  };
}

/** docs/api.md#7-upload-files: the field `do` with the value `upload`, and the files in fields named `file`. */
export function uploadParts(files: FileToUpload[]): Part[] {
  return [field('do', 'upload'), ...files.map((file) => filePart(file))];
}

/** Written by hand, so that a test can break any byte of it. */
export function multipart(parts: Part[], boundary = `waybill-${randomBytes(12).toString('hex')}`): MultipartBody {
  const pieces: Buffer[] = [];
  for (const part of parts) {
    pieces.push(Buffer.from(`--${boundary}\r\n`));
    for (const line of part.headers) pieces.push(Buffer.from(line), Buffer.from('\r\n'));
    pieces.push(Buffer.from('\r\n'), Buffer.from(part.content), Buffer.from('\r\n'));
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: Buffer.concat(pieces) };
}
