import type { Verifier } from '@waybill/evidence';

/** A witness that the operator has chosen. */
export interface Witness {
  /** The name of the witness in the operator's file. */
  readonly name: string;
  readonly verifier: Verifier;
  /** The prefix of its `add-checkpoint`. */
  readonly url: string;
}

/** The witnesses of the evidence log. */
export interface Witnesses {
  readonly list: readonly Witness[];
  /** The lines of witnesses, groups and the quorum, as the policy of this server shows them. */
  readonly rules: string;
  /** Sends a checkpoint to a witness. Ends within seconds, and throws only if the signal does. */
  ask(witness: Witness, body: string, signal: AbortSignal): Promise<WitnessResponse | NoResponse>;
}

export interface WitnessResponse {
  readonly status: number;
  readonly body: string;
}

/** Why there was no response, such as a refused connection. */
export interface NoResponse {
  readonly status?: never;
  readonly failure: string;
}
