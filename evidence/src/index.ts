export { type JsonValue, toCanonicalJson } from './canonical-json.ts';
