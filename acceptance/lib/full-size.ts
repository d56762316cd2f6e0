/** Whether tests that move gigabytes run at full size: `npm run lab -- full-size`. Otherwise they do the same with less. */
export const fullSize = process.env['WAYBILL_FULL_SIZE'] === '1';
