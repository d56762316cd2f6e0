import { objectStoreContract } from '../contracts/object-store-contract.ts';
import { memoryObjectStore } from './memory-object-store.ts';

objectStoreContract('the store in memory', () => memoryObjectStore());
