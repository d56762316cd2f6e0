import type { JSX } from 'preact';
import { encode } from 'uqr';

/** A text as a QR code, drawn as one path. It is black on white in dark mode too, because many cameras need that. */
export function QrCode({ text, label }: { text: string; label: string }): JSX.Element {
  const { data, size } = encode(text, { ecc: 'M', border: 2 });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path class="qr-paper" d={`M0 0h${size}v${size}h-${size}z`} />
      <path class="qr-ink" d={path} />
    </svg>
  );
}
