export { decodeBase64, encodeBase64 } from './bytes.ts';
export { type JsonValue, toCanonicalJson } from './canonical-json.ts';
export { type Checkpoint, formatCheckpoint, parseCheckpoint } from './checkpoint.ts';
export { describeVerdict, listStatements, type Statement, type StatementCode } from './describe-verdict.ts';
export {
  type EventData,
  type EventKind,
  type EvidenceEvent,
  type EvidenceFile,
  isEvent,
  isEventComplete,
  readEventData,
  toCommitment,
} from './event.ts';
export type { Fact, Facts, LogFact, Remark, TimeStampFact, Unknown } from './facts.ts';
export { createSigner, createVerifier, formatVerifierKey, parseVerifierKey } from './keys.ts';
export {
  type ConsistencyProof,
  computeRoot,
  emptyRoot,
  hashLeaf,
  hashNode,
  type InclusionProof,
  verifyConsistency,
  verifyInclusion,
} from './merkle.ts';
export {
  addSignatures,
  NoteError,
  openNote,
  type SignatureType,
  type Signer,
  signNote,
  signText,
  type VerifiedSignature,
  type Verifier,
} from './note.ts';
export { formatPolicy, type Policy, PolicyError, parsePolicy } from './policy.ts';
export {
  formatReceipt,
  parseReceipt,
  type Receipt,
  type ReceiptEntry,
  ReceiptError,
  type ReceiptTimeStamp,
} from './receipt.ts';
export {
  appendLeaves,
  type Bundle,
  decodeBundle,
  type Edge,
  edgeRoot,
  emptyEdge,
  encodeBundle,
  formatBundlePath,
  formatTilePath,
  listTiles,
  loadEdge,
  parseLogPath,
  proveConsistency,
  proveInclusion,
  type ReadTile,
  readRoot,
  type Tile,
} from './tiles.ts';
export {
  formatTimeStampRequest,
  maxTokenBytes,
  readTimeStamp,
  readTimeStampResponse,
  TimeStampError,
} from './time-stamp.ts';
export { formatProof, type LogProof, parseProof } from './tlog-proof.ts';
export { type Problem, type ProblemCode, type Verdict, verifyReceipt } from './verify-receipt.ts';
export { type Authorities, parseAuthorities, verifyTimeStamp } from './verify-time-stamp.ts';
export {
  type AddCheckpoint,
  formatAddCheckpoint,
  judgeAddCheckpoint,
  parseAddCheckpoint,
  type WitnessDecision,
  type WitnessState,
} from './witness.ts';
