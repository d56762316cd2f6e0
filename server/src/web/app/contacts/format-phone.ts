/** The country codes of one and two digits (ITU-T E.164); all others have three. */
const countryCode = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;

/** A telephone number in groups that can be compared at a glance, such as +46 700 000 112. */
export function formatPhone(digits: string): string {
  const country = countryCode.exec(digits)?.[0] ?? '';
  const groups = digits.slice(country.length).match(/\d{3}(?=\d{2})|\d+/g) ?? [];
  return `+${[country, ...groups].filter((group) => group !== '').join('\u00a0')}`;
}
