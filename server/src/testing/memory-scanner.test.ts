import { memoryScanner } from './memory-scanner.ts';
import { scannerContract } from './scanner-contract.ts';

scannerContract('the scanner in memory', async (maxBytes) => {
  const scanner = memoryScanner({ maxBytes });
  return { scanner, stop: () => scanner.stop(), [Symbol.asyncDispose]: async () => undefined };
});
