/** Regular expressions as texts, so that schemas and code share them. None is anchored. */
export const patterns = {
  /** The syntax of BCP 47, without its registry. */
  languageTag: '[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*',
  /** 7 to 15 digits, beginning with the country code, without + or 00. */
  phone: '[1-9][0-9]{6,14}',
  /** RFC 6838, without parameters. */
  mediaType: '[A-Za-z0-9!#$&^_.+-]{1,100}/[A-Za-z0-9!#$&^_.+-]{1,100}',
};
