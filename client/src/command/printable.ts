/** Names and messages come from others: characters that control a terminal or reverse the text are replaced. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}
