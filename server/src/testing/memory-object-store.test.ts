import { memoryObjectStore } from './memory-object-store.ts';
import { objectStoreContract } from './object-store-contract.ts';

objectStoreContract('the store in memory', () => memoryObjectStore());
