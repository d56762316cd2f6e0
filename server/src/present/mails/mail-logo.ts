/** A PNG, and the size at which mails show it. */
export interface MailLogo {
  readonly content: Buffer;
  readonly width: number;
  readonly height: number;
}

const shownHeight = 28;
const maxWidth = 160;

/** The operator's logo for mails. Mail programs show no SVG, so that an operator who has only one gets none there. */
export function toMailLogo(
  logo: { readonly type: 'svg' | 'png'; readonly content: Buffer } | undefined,
): MailLogo | undefined {
  if (logo?.type !== 'png') return undefined;
  const { content } = logo;
  // The first chunk of every PNG has its size.
  const [width, height] = [content.readUInt32BE(16), content.readUInt32BE(20)];
  const scale = Math.min(shownHeight / height, maxWidth / width);
  return {
    content,
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
}
