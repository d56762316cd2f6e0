/** Whether tests that move gigabytes move all of them: `npm run full-size`. Otherwise they do the same with less. */
export const fullSize = process.env['WAYBILL_FULL_SIZE'] === '1';
