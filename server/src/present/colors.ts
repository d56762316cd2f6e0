/** The shades of an operator's colour, each for the token of the same name in tokens.css. */
export interface Shades {
  readonly light: Shade;
  readonly dark: Shade;
}

interface Shade {
  /** Text, icons and lines. */
  readonly accent: string;
  /** The surface of the main button, and the text on it. */
  readonly fill: string;
  readonly fillHover: string;
  readonly onFill: string;
  /** A surface behind text. */
  readonly tint: string;
}

/** WCAG 2.2, level AA, for text. */
const readable = 4.5;
/** The page and its card, as in tokens.css. */
const surfaces = { light: ['#f4f2ed', '#ffffff'], dark: ['#11171a', '#1a2226'] } as const;
const [black, white, darkText] = ['#000000', '#ffffff', '#0c1214'];

/** Derives the shades of a colour, so that any text in or on them is readable. */
export function toShades(color: string): Shades {
  const light = readableShade(color, black, surfaces.light, 0.09);
  const dark = readableShade(color, white, surfaces.dark, 0.13);
  // A bright colour stays as it is on a button, with dark text.
  const pressed = mix(color, black, 0.14);
  const ownFill = contrast(pressed, darkText) >= readable && { fill: color, fillHover: pressed, onFill: darkText };
  return {
    light: {
      ...light,
      ...(ownFill || { fill: light.accent, fillHover: mix(light.accent, black, 0.14), onFill: white }),
    },
    dark: { ...dark, fill: dark.accent, fillHover: mix(dark.accent, white, 0.25), onFill: darkText },
  };
}

/** Writes a stylesheet with the tokens of the colour, to be loaded after the others. */
export function brandStylesheet(color: string): string {
  const { light, dark } = toShades(color);
  const rule = ({ accent, fill, fillHover, onFill, tint }: typeof light) =>
    `:root{--accent:${accent};--fill:${fill};--fill-hover:${fillHover};--on-fill:${onFill};--tint:${tint}}`;
  return `${rule(light)}@media (prefers-color-scheme:dark){${rule(dark)}}`;
}

/**
 * Returns the colour, or its closest mix with black or white that is readable on the surfaces and on a tint of itself.
 */
function readableShade(
  color: string,
  towards: string,
  [page, card]: readonly [string, string],
  tintShare: number,
): Pick<Shade, 'accent' | 'tint'> {
  for (let percent = 0; ; percent += 2) {
    const accent = mix(color, towards, percent / 100);
    const tint = mix(card, accent, tintShare);
    const isReadable = [page, card, tint].every((surface) => contrast(accent, surface) >= readable);
    if (isReadable || percent === 100) return { accent, tint };
  }
}

/** Computes the contrast as WCAG defines it: from 1 (identical colours) to 21 (black on white). */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function mix(color: string, other: string, share: number): string {
  const others = channels(other);
  const mixed = channels(color).map((value, index) => Math.round(value + ((others[index] ?? 0) - value) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

function channels(color: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));
}
