/** A kind of value that a setting can have. */
export interface SettingType<Value = unknown> {
  /** Shown in docs/configuration.md. */
  readonly name: string;
  /** Throws an error whose message continues the setting's name: "is a whole number from 1 to 10." */
  readonly parse: (text: string) => Value;
}

interface DescribedSetting {
  /** A sentence for operators. */
  readonly description: string;
  readonly type: SettingType;
  /** May be given as NAME_FILE, the path of a file that contains it. It is never shown. */
  readonly secret?: true;
}

interface RequiredSetting extends DescribedSetting {
  readonly group: 'required';
  readonly default?: never;
}

interface OptionalSetting extends DescribedSetting {
  /** common: most operators look at it once. tuning: only with a reason. testing: only in tests. */
  readonly group: 'common' | 'tuning' | 'testing';
  readonly default: string;
}

export type Setting = RequiredSetting | OptionalSetting;
