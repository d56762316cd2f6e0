import type { JSX } from 'preact';
import { drawQrCode } from '../../../present/draw-qr-code.ts';

/** A text as a QR code. It is black on white in dark mode too, because many cameras need that. */
export function QrCode({ text, label }: { text: string; label: string }): JSX.Element {
  const { path, size } = drawQrCode(text);
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path class="qr-paper" d={`M0 0h${size}v${size}h-${size}z`} />
      <path class="qr-ink" d={path} />
    </svg>
  );
}
