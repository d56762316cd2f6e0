import { encode } from 'uqr';

/** A QR code as the parts of an SVG: the side of its view box, and one path of all dark squares. */
export interface QrDrawing {
  readonly size: number;
  readonly path: string;
}

/** The light border that readers need around a code, in squares (ISO/IEC 18004). */
const border = 4;

export function drawQrCode(text: string): QrDrawing {
  const { size, data } = encode(text, { ecc: 'M', border });
  const path = data
    .map((row, y) => {
      const squares = row.map((isDark) => (isDark ? '#' : ' ')).join('');
      return Array.from(
        squares.matchAll(/#+/g),
        ({ 0: run, index }) => `M${index} ${y}h${run.length}v1h-${run.length}z`,
      ).join('');
    })
    .join('');
  return { size, path };
}
