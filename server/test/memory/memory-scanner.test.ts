import { scannerContract } from '../contracts/scanner-contract.ts';
import { memoryScanner } from './memory-scanner.ts';

scannerContract('the scanner in memory', async (maxBytes) => {
  const scanner = memoryScanner({ maxBytes });
  return { scanner, stop: () => scanner.stop(), [Symbol.asyncDispose]: async () => undefined };
});
