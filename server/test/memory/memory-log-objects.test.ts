import { logObjectsContract } from '../contracts/log-objects-contract.ts';
import { memoryLogObjects } from './memory-log-objects.ts';

logObjectsContract('the store in memory', () => memoryLogObjects());
