/**
 * The 7-bit alphabet of GSM 03.38 and its extension, which a telephone shows without being told of another encoding.
 */
const alphabet = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿' +
    'abcdefghijklmnopqrstuvwxyzäöñüà^{}\\[~]|€',
);

export function fitsGsmAlphabet(text: string): boolean {
  return Array.from(text).every((character) => alphabet.has(character));
}
