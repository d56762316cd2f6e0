import { maxPasswordLength, normalizePassword } from './password.ts';

/**
 * The commonest passwords of 12 characters and more, in lower case, as they appear in lists of leaked ones. Shorter
 * ones are refused by their length, and rows of keys and repetitions by rule.
 */
const commonPasswords = `
  password1234 password12345 password123456 password1234567 password12345678 password123456789 passwordpassword
  password!234 passw0rd1234 p@ssw0rd1234 p@ssword1234 p@ssw0rd12345 mypassword12 mypassword123 mypassword1234
  newpassword1 newpassword12 newpassword123 thisismypassword passwort1234 passwort12345 passwort123456 passwortpasswort
  losenord1234 lösenord1234 motdepasse12 motdepasse123 motdepasse1234 contraseña12 contraseña123 contraseña1234
  contrasena12 contrasena123 contrasena1234 wachtwoord12 wachtwoord123 administrator administrator1 administrator123
  administrador administrateur admin1234567 admin12345678 admin123456789 adminadminadmin adminpassword rootpassword
  changemechangeme changeme1234 changeme12345 changeit1234 changethispassword defaultpassword temppassword
  temppassword1 temporarypassword secretpassword supersecret1 supersecretpassword letmeinletmein letmein12345
  letmein123456 letmeinplease welcome12345 welcome123456 welcome1234567 welcomewelcome welcomeback1 welcome2020!
  welcome2021! welcome2022! welcome2023! welcome2024! welcome2025! welcome2026! password2020 password2021 password2022
  password2023 password2024 password2025 password2026 password2024! password2025! password2026! summer2024!! summer2025!!
  summer2026!! winter2024!! winter2025!! winter2026!! spring2025!! autumn2025!! iloveyou1234 iloveyou12345 iloveyou123456
  iloveyouiloveyou iloveyousomuch iloveyoubaby iloveyou4ever iloveyouforever ilovemyfamily iloveyoubabe iloveyoumore
  ilovemyself1 princess1234 princess12345 sunshine1234 sunshine12345 football1234 football12345 baseball1234
  basketball12 basketball23 basketball123 liverpool123 liverpool1234 manchesterunited manchester123 chelsea12345
  realmadrid123 barcelona123 barcelona1234 superman1234 batman123456 spiderman123 pokemon12345 starwars1234
  dragonball123 dragonballz1 michael12345 jonathan1234 christopher1 christopher12 christopher123 alexander123
  alexander1234 elizabeth123 elizabeth1234 charlotte123 mississippi1 california12 california123 australia123
  correcthorsebatterystaple unbelievable1 trustno1trustno1 whateverwhatever whatever1234
  computer1234 computer12345 internet1234 microsoft123 microsoft1234 facebook1234 facebook12345 linkedin1234
  google123456 instagram123 minecraft123 minecraft1234 playstation1 playstation2 playstation3 playstation4 playstation123
  qwerty123456 qwerty1234567 qwerty12345678 qwerty123456789 qwertyqwerty qwerty12qwerty12 qwertyqwerty1 1q2w3e4r5t6y
  1q2w3e4r5t6y7u 1q2w3e4r5t6y7u8i 1q2w3e4r1q2w3e4r q1w2e3r4t5y6 q1w2e3r4t5y6u7i8 qazwsxedcrfv qazwsxedc123 zaq12wsxcde3
  zaq1xsw2cde3 zaq1zaq1zaq1 asdfasdfasdf asdfghjkl123 asdfghjkl1234 zxcvbnm12345 zxcvbnm123456 abc123abc123 abcd12345678
  abcdef123456 abcdefg12345 abcdefgh1234 a1b2c3d4e5f6 aa1234567890 a12345678910 a1234567890b test12345678 testtesttest
  testpassword testing12345 testtest1234 test1234test demo12345678 guest1234567 user12345678 useruseruser master123456
  monkey123456 monkeymonkey dragon123456 shadow123456 killer123456 jordan232323 ncc1701ncc1701 blink182blink 123qwe123qwe
  123qweasdzxc 123456qwerty 12345qwert12345 123456abcdef 123456789abc 123456789abcd 1234567890ab 1234567890abc
  1234567890qw 123123123123 147258369147 147258369000 159753159753 741852963741 987654321987 112233445566 1122334455667788
  11223344556677 102030405060 010203040506 123454321234 100200300400 999888777666 111222333444 111222333444555
  godisgood123 jesuschrist1 jesuslovesme jesusislord1 blessed12345 happybirthday happybirthday1 heavenlyfather
`;

const common = new Set(commonPasswords.trim().split(/\s+/));

/** The rows of keyboards and of the alphabet, each long enough for a password that continues at its beginning. */
const rows = [
  '0123456789'.repeat(3),
  '1234567890'.repeat(3),
  'abcdefghijklmnopqrstuvwxyz'.repeat(2),
  'qwertyuiopasdfghjklzxcvbnm'.repeat(2),
  'qwertzuiopasdfghjklyxcvbnm'.repeat(2),
  'azertyuiopqsdfghjklmwxcvbn'.repeat(2),
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
  'qazwsxedcrfvtgbyhnujmikolp',
  '1234567890qwertyuiopasdfghjklzxcvbnm',
  '1234567890qwertzuiopasdfghjklyxcvbnm',
  'qwertyuiop1234567890',
  'qwertyuiop[]asdfghjkl',
  '!@#$%^&*()_+!@#$%^&*()_+',
];
const walks = rows.flatMap((row) => [row, Array.from(row).toReversed().join('')]);
const minDistinct = 5;

/** Whether a password is one of the first that an attacker tries. */
function isCommonPassword(password: string): boolean {
  const lower = password.toLowerCase().replaceAll(/\s/g, '');
  return new Set(lower).size < minDistinct || common.has(lower) || walks.some((walk) => walk.includes(lower));
}

export const minPasswordLength = 12;

/** Why a password cannot be chosen. */
export type PasswordFault = 'too_short' | 'too_long' | 'unreadable' | 'common' | 'personal';

/** Texts that anybody who attacks this person would try first. */
export interface PasswordContext {
  readonly email: string;
  readonly name: string;
  readonly operatorName: string;
}

/**
 * The rules of NIST SP 800-63B for a new password: long enough, and not one that is tried first. No kinds of characters
 * are required, because that makes passwords harder to remember and not harder to guess.
 */
export function findPasswordFault(password: string, context: PasswordContext): PasswordFault | undefined {
  const text = normalizePassword(password);
  const length = Array.from(text).length;
  if (length < minPasswordLength) return 'too_short';
  if (length > maxPasswordLength) return 'too_long';
  // A lone surrogate has no bytes in UTF-8: passwords that differ in one would have the same hash.
  if (!text.isWellFormed()) return 'unreadable';
  if (isCommonPassword(text)) return 'common';
  return isPersonal(text, context) ? 'personal' : undefined;
}

/** Shorter words appear in other words by chance. */
const minWordLength = 4;
/** The length that must remain of a password without the words that are known about the person. */
const minRemaining = 6;

function isPersonal(password: string, { email, name, operatorName }: PasswordContext): boolean {
  const known = [email, name, operatorName, 'waybill'];
  const words = [...known, ...known.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u))]
    .map(simplify)
    .filter((word) => word.length >= minWordLength)
    .toSorted((one, other) => other.length - one.length);
  const simple = simplify(password);
  let rest = simple;
  for (const word of words) rest = rest.replaceAll(word, '');
  return rest !== simple && Array.from(rest).length < minRemaining;
}

/** Letters and digits only, without accents and case: `Anna-Lena Öst` is tried as `annalenaost` too. */
function simplify(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}
