/** The sequencer must not sign, because what is published may not be a part of what it knows. Says what to do next. */
export class LogRefusal extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LogRefusal';
  }
}
