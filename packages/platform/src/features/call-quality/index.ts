export { createCallQuality } from './create-call-quality.ts';
