import { concatBytes, encodeText } from '../bytes.ts';

/** Returns a PDF of one empty page with attachments, each raw or compressed with zlib. */
export function makePdf(
  attachments: readonly { name: string; bytes: Uint8Array; isCompressed?: boolean }[],
): Uint8Array {
  const firstAttachment = 4;
  const specifications = attachments.map((_, position) => `${firstAttachment + position * 2} 0 R`).join(' ');
  const names = attachments.map(({ name }, position) => `(${name}) ${firstAttachment + position * 2} 0 R`).join(' ');
  const objects: Uint8Array[] = [
    encodeText(
      `<< /Type /Catalog /Pages 2 0 R /AF [${specifications}] /Names << /EmbeddedFiles << /Names [${names}] >> >> >>`,
    ),
    encodeText('<< /Type /Pages /Kids [3 0 R] /Count 1 >>'),
    encodeText('<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>'),
    ...attachments.flatMap(({ name, bytes, isCompressed = false }, position) => [
      encodeText(
        `<< /Type /Filespec /AFRelationship /Data /F (${name}) /UF (${name}) /EF << /F ${firstAttachment + position * 2 + 1} 0 R >> >>`,
      ),
      concatBytes(
        encodeText(
          `<< /Type /EmbeddedFile /Subtype /application#2Fjson ${isCompressed ? '/Filter /FlateDecode ' : ''}/Length ${bytes.length} >>\nstream\n`,
        ),
        bytes,
        encodeText('\nendstream'),
      ),
    ]),
  ];
  const parts = [encodeText('%PDF-1.7\n')];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  const add = (part: Uint8Array) => {
    parts.push(part);
    length += part.length;
  };
  for (const [position, object] of objects.entries()) {
    offsets.push(length);
    add(concatBytes(encodeText(`${position + 1} 0 obj\n`), object, encodeText('\nendobj\n')));
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const start = length;
  add(
    encodeText(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`,
    ),
  );
  return concatBytes(...parts);
}
