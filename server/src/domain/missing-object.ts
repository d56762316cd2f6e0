import { ExchangeError } from './exchange-error.ts';

/** The object store does not have an object that it should have. To a reader of the file, the file is damaged. */
export class MissingObject extends ExchangeError {
  constructor(options?: ErrorOptions) {
    super('damaged', undefined, options);
    this.name = 'MissingObject';
  }
}
