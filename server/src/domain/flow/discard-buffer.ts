/** Smaller buffers are left to the garbage collector. */
export const discardableBytes = 32 * 1024;

/**
 * Frees a large buffer's memory immediately. A transfer creates one of these for every 64 KiB; if they are left to the
 * garbage collector, they pile up to hundreds of MiB and cost a third of the time. Only for a buffer that nothing else
 * uses.
 */
export function discardBuffer(bytes: Buffer): void {
  const { buffer } = bytes;
  // A slice shares its memory with other buffers.
  const isWhole = bytes.length === buffer.byteLength && bytes.length >= discardableBytes;
  if (isWhole && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
